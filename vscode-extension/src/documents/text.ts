/** Texts of connectors as read-only documents. They are never executed, and no link of theirs is followed by itself. */

import * as vscode from "vscode";
import { Newest } from "../plain/newest";

const scheme = "pillion-text";
const most = 50;

/** The texts that were opened, in memory. */
export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Newest<string>(most);
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  private next = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "Pillion: this text is no longer kept; run the call again.";
  }

  /** Opens a text under a name. */
  async open(name: string, text: string, language: "json" | "plaintext"): Promise<void> {
    const path = `/${++this.next}/${name.replace(/[^\w.-]+/g, "_").slice(0, 80)}${language === "json" ? ".json" : ".txt"}`;
    this.texts.set(path, text);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path }));
    await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, language), { preview: true });
  }

  dispose(): void {
    this.registration.dispose();
  }
}
