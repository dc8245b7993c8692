/** The row that a click was on. */

import type * as vscode from "vscode";

const tries = 40;
const betweenMs = 50;

/**
 * What is selected in a tree. While the tree is drawn anew VS Code knows the row no more, and knows it again a moment later: a
 * click of that moment is not lost.
 */
export async function selectedIn<T>(tree: vscode.TreeView<T>): Promise<T | undefined> {
  for (let i = 0; i < tries; i++) {
    const [row] = tree.selection as readonly (T | undefined)[];
    if (row !== undefined) {
      return row;
    }
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
  return undefined;
}
