/** The list of open questions, with the number of them as the badge. */

import * as vscode from "vscode";
import type { Ask } from "../generated/protocol";
import { askerWords, questionLine } from "../plain/question_page";
import type { Session } from "../session";

/** The list's contents. */
export class QuestionsView implements vscode.TreeDataProvider<Ask>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  readonly tree: vscode.TreeView<Ask>;

  constructor(private readonly session: Session) {
    this.tree = vscode.window.createTreeView("pillion.questions", { treeDataProvider: this });
    this.subscriptions = [
      this.tree,
      session.onDidChange((part) => {
        if (part === "asks") {
          this.changed.fire();
          const count = session.asks.size;
          this.tree.badge = count === 0 ? undefined : { value: count, tooltip: count === 1 ? "1 question waits for your answer" : `${count} questions wait for your answer` };
          void vscode.commands.executeCommand("setContext", "pillion.questions", count);
        }
      }),
    ];
  }

  getChildren(ask?: Ask): Ask[] {
    return ask === undefined ? this.session.openAsks() : [];
  }

  getTreeItem(ask: Ask): vscode.TreeItem {
    const line = questionLine(ask);
    const item = new vscode.TreeItem(line.title);
    item.id = ask.askId;
    item.description = line.about;
    item.iconPath = new vscode.ThemeIcon(line.icon);
    item.tooltip = `${line.title}\n${line.about}\nasked for by ${askerWords(ask.asker)}`;
    item.contextValue = `question;${ask.kind};`;
    item.command = { command: "pillion.questions.openSelected", title: "Show" };
    return item;
  }

  dispose(): void {
    for (const one of this.subscriptions) {
      one.dispose();
    }
    this.changed.dispose();
  }
}
