/** Questions that came up without the user's doing, told of in a toast: it takes no focus, and to dismiss it answers nothing (U3). */

import * as vscode from "vscode";
import type { Ask, AskId } from "../generated/protocol";
import { questionLine } from "../plain/question_page";
import { neutral } from "../plain/visible";

/** A question that the user's own action leads to is opened just after it came up: that one needs no toast. */
const settleMs = 1000;
/** As long as VS Code leaves a message. */
const shownMs = 15_000;

/** The toasts that are shown, or are about to be. */
export class Announcements implements vscode.Disposable {
  private readonly withdrawals = new Map<AskId, () => void>();

  constructor(private readonly open: (askId: AskId) => void) {}

  /** Tells of a question, unless it is withdrawn first. */
  tell(ask: Ask): void {
    const timer = setTimeout(() => this.show(ask), settleMs);
    this.withdrawals.set(ask.askId, () => clearTimeout(timer));
  }

  /** Takes the toast of a question away: it is looked at, or has ended. */
  withdraw(askId: AskId): void {
    this.withdrawals.get(askId)?.();
    this.withdrawals.delete(askId);
  }

  dispose(): void {
    for (const askId of [...this.withdrawals.keys()]) {
      this.withdraw(askId);
    }
  }

  private show(ask: Ask): void {
    const line = questionLine(ask);
    const title = neutral(`Pillion: ${line.title} ${line.about}`);
    // VS Code takes no message back, but a progress: one that stands still, and whose cancelling is to look at the question. Its
    // declaration knows no words for that button; it takes them all the same.
    const cancellable = "Show question" as unknown as boolean;
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable }, async (progress, pressed) => {
      progress.report({ increment: 100 });
      pressed.onCancellationRequested(() => this.open(ask.askId));
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.withdraw(ask.askId), shownMs);
        this.withdrawals.set(ask.askId, () => {
          clearTimeout(timer);
          resolve();
        });
      });
    });
  }
}
