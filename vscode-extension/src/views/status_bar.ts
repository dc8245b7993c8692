/** The status bar item: what waits for the user first, and always one click to it. */

import * as vscode from "vscode";
import { statusOf } from "../plain/words";
import type { Session } from "../session";

/** The item. It is there while there is something to say. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("pillion", vscode.StatusBarAlignment.Right, 90);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly session: Session) {
    this.item.name = "Pillion";
    this.subscription = session.onDidChange(() => this.refresh());
    this.refresh();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private refresh(): void {
    const { state } = this.session.client;
    this.item.backgroundColor = undefined;
    switch (state.kind) {
      case "stopped":
        this.item.hide();
        return;
      case "starting":
        this.show("$(loading~spin) Pillion", "Pillion is starting", "pillion.focus");
        return;
      case "missing":
      case "old":
      case "ended":
        this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
        this.show(`$(error) Pillion: ${state.kind === "missing" ? "not found" : state.kind === "old" ? "too old" : "stopped"}`, `${state.reason}\nClick for what to do.`, "pillion.trouble");
        return;
      case "running": {
        if (!this.session.isKnown) {
          this.show("$(loading~spin) Pillion", "Pillion is starting", "pillion.focus");
          return;
        }
        const status = statusOf(this.session.list(), this.session.asks.size, this.session.mode);
        if (status.isWarning) {
          this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
        }
        this.show(status.text, status.tooltip, this.session.asks.size > 0 ? "pillion.question.next" : "pillion.focus");
      }
    }
  }

  private show(text: string, tooltip: string, command: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: text.replace(/\$\([^)]*\)\s*/g, ""), role: "button" };
    this.item.show();
  }
}
