/** Pages in panels: how they are made and how their posts come back. What is on them is for others. */

import * as vscode from "vscode";
import { page, posted, type Html, type Posted } from "../plain/page";

/** A page that is open. */
export interface OpenPage {
  panel: vscode.WebviewPanel;
  /** Puts another body on it. */
  show(body: Html): void;
  /** Tells the page's script something. */
  tell(message: { type: "appear" } | { type: "state"; text: string } | { type: "faults"; faults: { path: string; message: string }[] }): void;
}

/** Opens a page. It keeps what was typed while it is hidden, and loads nothing from elsewhere. */
export function openPage(
  extension: vscode.Uri,
  options: { type: string; title: string; icon: string; takesFocus: boolean },
  body: Html,
  onPost: (posted: Posted, page: OpenPage) => void,
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
  const open: OpenPage = {
    panel,
    show: (inner) => {
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
    tell: (message) => void webview.postMessage(message),
  };
  webview.onDidReceiveMessage((message) => {
    const said = posted(message);
    if (said !== undefined) {
      onPost(said, open);
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
