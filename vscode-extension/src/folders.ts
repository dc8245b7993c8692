/** The folders of the window that are on this machine's disk: of no other one does Pillion know anything. */

import * as vscode from "vscode";

/** They in the window's order. */
export function openFolders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
}
