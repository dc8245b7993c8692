/** Texts of connectors as read-only documents. They are never executed, and no link of theirs is followed by itself. */

import * as vscode from "vscode";

const scheme = "pillion-text";
const most = 50;

/** The texts that were opened, in memory. */
export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private next = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "Pillion: this text is no longer kept; run the call again.";
  }

  /** Opens a text under a name. */
  async open(name: string, text: string, language: "json" | "plaintext"): Promise<void> {
    const path = `/${++this.next}/${name.replace(/[^\w.-]+/g, "_").slice(0, 80)}${language === "json" ? ".json" : ".txt"}`;
    this.texts.set(path, text);
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= most) {
        break;
      }
      this.texts.delete(oldest);
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }));
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, language), { preview: true });
  }

  dispose(): void {
    this.registration.dispose();
  }
}
