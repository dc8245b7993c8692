/** Pages in panels: how they are made and how their posts come back. What is on them is for others. */

import * as vscode from "vscode";
import { page, posted, type Html, type Posted } from "../plain/page";
import { neutral } from "../plain/visible";

/** A page that is open. */
export interface OpenPage {
  panel: vscode.WebviewPanel;
  /** Puts another body on it. */
  show(body: Html): void;
  /** Tells the page's script something. */
  tell(message: { type: "appear" } | { type: "state"; text: string } | { type: "faults"; faults: { path: string; message: string }[] }): void;
}

/**
 * Opens a page. What goes wrong with what was posted is told to the user, and a page that was closed meanwhile is told nothing. It
 * keeps what was typed while it is hidden, and loads nothing from elsewhere.
 */
export function openPage(
  extension: vscode.Uri,
  options: { type: string; title: string; icon: string; takesFocus: boolean },
  body: Html,
  onPost: (posted: Posted, page: OpenPage) => unknown,
): OpenPage {
  const media = vscode.Uri.joinPath(extension, "media");
  const panel = vscode.window.createWebviewPanel(
    options.type,
    options.title,
    // In the place of an editor that has the focus it would take that away with it.
    options.takesFocus ? { viewColumn: vscode.ViewColumn.Active } : { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true, localResourceRoots: [media] },
  );
  panel.iconPath = {
    light: vscode.Uri.joinPath(media, `${options.icon}-light.svg`),
    dark: vscode.Uri.joinPath(media, `${options.icon}-dark.svg`),
  };
  const { webview } = panel;
  let isClosed = false;
  panel.onDidDispose(() => {
    isClosed = true;
  });
  const open: OpenPage = {
    panel,
    show: (inner) => {
      if (isClosed) {
        return;
      }
      webview.html = page(
        {
          title: options.title,
          cspSource: webview.cspSource,
          styleUri: webview.asWebviewUri(vscode.Uri.joinPath(media, "page.css")).toString(),
          scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(media, "page.js")).toString(),
        },
        inner,
      );
    },
    tell: (message) => {
      if (!isClosed) {
        void webview.postMessage(message);
      }
    },
  };
  webview.onDidReceiveMessage(async (message) => {
    const said = posted(message);
    try {
      await (said === undefined ? undefined : onPost(said, open));
    } catch (error) {
      void vscode.window.showErrorMessage(neutral(`Pillion: ${error instanceof Error ? error.message : String(error)}`));
    }
  });
  panel.onDidChangeViewState(() => {
    if (panel.visible) {
      open.tell({ type: "appear" });
    }
  });
  open.show(body);
  return open;
}
