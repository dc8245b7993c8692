/** Whether the user is writing. VS Code tells only of what changes a document: keys in terminals, in chat and in inputs it keeps to itself. */

import * as vscode from "vscode";
import { mayTakeFocus } from "./plain/focus";

/** Watches until it is disposed of. */
export class Attention implements vscode.Disposable {
  private typedAt = 0;
  private readonly subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0 && document.uri.scheme !== "output" && document === vscode.window.activeTextEditor?.document) {
      this.typedAt = Date.now();
    }
  });

  /** Whether what comes of something that the user did then may take the focus now. */
  isFree(actedAt: number): boolean {
    return mayTakeFocus(actedAt, this.typedAt, Date.now());
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
