/** Questions as documents: opened when the user looks at one or his own action led to it, answered by their buttons alone. */

import * as vscode from "vscode";
import { requests, type Answer, type ApprovalBody, type Ask, type AskId, type ElicitationBody, type InputBody } from "../generated/protocol";
import { typeIn } from "../input_box";
import { isBrowserStart } from "../plain/browser";
import { replyTo } from "../plain/answer";
import { wordsOf } from "../plain/fault";
import type { Posted } from "../plain/page";
import { questionLine, questionPage } from "../plain/question_page";
import { label, neutral, quoted } from "../plain/visible";
import type { Session } from "../session";
import type { Attention } from "../attention";
import { askModel } from "../sampling";
import { Announcements } from "./announcements";
import type { ArgumentEditors } from "./arguments";
import { openPage, type OpenPage } from "./web_page";

/** The notification of a question may come just after the answer to what raised it. */
const lateMs = 500;

/** What the user did: his own commands lead him to their question, and what his chat does shows it beside what he is at. */
interface Action {
  at: number;
  takesFocus: boolean;
}

/** The open question documents. */
export class QuestionDocuments implements vscode.Disposable {
  private readonly pages = new Map<AskId, OpenPage>();
  /** Calls that this window makes, with the time at which each began. */
  private readonly mine = new Map<string, Action>();
  private acting = 0;
  private actedAt = 0;
  private readonly announcements = new Announcements((askId) => this.openById(askId));
  private readonly subscriptions: { dispose(): void }[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly session: Session,
    private readonly editors: ArgumentEditors,
    private readonly attention: Attention,
  ) {
    this.subscriptions = [
      this.announcements,
      session.onDidOpenAsk((ask) => this.opened(ask)),
      session.onDidCloseAsk(({ askId, how, by }) => this.closed(askId, how, by)),
    ];
  }

  /** Opens the document of a question; one that takes no focus stands beside what the user is at. */
  open(ask: Ask, takesFocus = true): void {
    this.announcements.withdraw(ask.askId);
    const known = this.pages.get(ask.askId);
    if (known !== undefined) {
      known.panel.reveal(undefined, !takesFocus);
      return;
    }
    const line = questionLine(ask);
    const page = openPage(this.extension, { type: "pillion.question", title: line.title, icon: "question", takesFocus }, questionPage(ask), (posted, at) => this.posted(ask, posted, at));
    this.pages.set(ask.askId, page);
    // A document that is closed answers nothing: the question stays open.
    page.panel.onDidDispose(() => this.pages.delete(ask.askId));
  }

  /** Opens a question by its id, if it is open. */
  openById(askId: AskId | null | undefined): boolean {
    const ask = askId === null || askId === undefined ? undefined : this.session.asks.get(askId);
    if (ask !== undefined) {
      this.open(ask);
    }
    return ask !== undefined;
  }

  /** Does what the user wants, and opens the question that it raises. */
  async raise<T extends { askId?: AskId | null }>(action: () => Promise<T>): Promise<T> {
    const raised = await this.during(action);
    const { askId } = raised;
    if (askId !== null && askId !== undefined && !this.openById(askId)) {
      // The list of questions is told apart from the answer, and may come after it.
      await this.session.seedAsks();
      this.openById(askId);
    }
    return raised;
  }

  /** Opens what is asked already of a value that a connector waits for. */
  openInputOf(connector: string): void {
    for (const ask of this.session.asks.values()) {
      if (ask.kind === "input" && (ask.body as InputBody).connector === connector) {
        this.open(ask);
      }
    }
  }

  /** Makes a call whose questions are the answer to the user's own action: they open at once, until it has come to its end. */
  async expecting<T>(callId: string, takesFocus: boolean, call: () => Promise<T>): Promise<T> {
    this.mine.set(callId, { at: Date.now(), takesFocus });
    try {
      return await call();
    } finally {
      setTimeout(() => this.mine.delete(callId), lateMs);
    }
  }

  /** The same for every question that a short action of the user's brings up. */
  async during<T>(action: () => Promise<T>): Promise<T> {
    this.acting++;
    this.actedAt = Date.now();
    try {
      return await action();
    } finally {
      setTimeout(() => this.acting--, lateMs);
    }
  }

  dispose(): void {
    for (const page of this.pages.values()) {
      page.panel.dispose();
    }
    for (const one of this.subscriptions) {
      one.dispose();
    }
  }

  private opened(ask: Ask): void {
    const action = this.mine.get(ask.callId ?? "") ?? (this.acting > 0 && ask.asker.kind === "editor" ? { at: this.actedAt, takesFocus: true } : undefined);
    if (action !== undefined && this.attention.isFree(action.at)) {
      this.open(ask, action.takesFocus);
      return;
    }
    if (vscode.workspace.getConfiguration("pillion").get("notifications") !== "none") {
      this.announcements.tell(ask);
    }
  }

  private closed(askId: AskId, how: string, by: string | undefined): void {
    this.announcements.withdraw(askId);
    const page = this.pages.get(askId);
    if (page === undefined) {
      return;
    }
    page.panel.dispose();
    if (how !== "answered" || (by !== undefined && by !== "editor")) {
      const reason = how === "answered" ? `was answered by ${label(by ?? "somebody else")}` : how === "expired" ? "has expired" : "was withdrawn: what it was about has changed, has gone or was decided elsewhere";
      vscode.window.setStatusBarMessage(`$(info) Pillion: the question ${reason}`, 6000);
    }
  }

  private async posted(ask: Ask, posted: Posted, page: OpenPage): Promise<void> {
    if (posted.action === "loaded") {
      return;
    }
    switch (posted.action) {
      case "edit":
        await this.editors.openForApproval(ask, ask.body as ApprovalBody);
        return;
      case "type":
        await this.typeValue(ask);
        return;
      case "copy":
        await vscode.env.clipboard.writeText((ask.body as ElicitationBody).url ?? "");
        page.tell({ type: "state", text: "copied" });
        return;
      case "ask-model":
      case "send-reply":
        await askModel(ask, posted, page, (answer) => this.answer(ask, answer, page));
        return;
    }
    const reply = replyTo(ask, posted);
    if (reply === undefined) {
      return;
    }
    if ("faults" in reply) {
      page.tell({ type: "faults", faults: reply.faults });
      return;
    }
    const { url } = ask.body as ElicitationBody;
    if (ask.kind === "url" && posted.action === "accept" && url !== undefined && !(await openExactly(url))) {
      return; // VS Code asked about the page itself, and the user said no.
    }
    await this.answer(ask, reply.answer, page);
  }

  private async answer(ask: Ask, answer: Answer, page?: OpenPage): Promise<void> {
    const before = new Set(this.session.rules.map((rule) => rule.id));
    try {
      const { accepted, reason } = await this.session.client.request(requests.askAnswer, { askId: ask.askId, answer });
      if (!accepted) {
        page?.tell({ type: "state", text: reason ?? "" });
        void vscode.window.showWarningMessage(neutral(`Pillion: the answer was not taken: ${reason ?? "the question has ended"}`));
        return;
      }
      page?.panel.dispose();
    } catch (error) {
      void vscode.window.showErrorMessage(neutral(`Pillion: the answer could not be given: ${wordsOf(error)}`));
      return;
    }
    if (ask.kind === "approval" && "decision" in answer && !["once", "decline"].includes(answer.decision)) {
      await this.offerUndo(ask, before, answer.decision);
    }
  }

  private async offerAsking(decision: string): Promise<void> {
    if (decision !== "connector") {
      return;
    }
    const chosen = await vscode.window.showInformationMessage("Pillion: from now on every session has a browser without a question.", "Undo");
    if (chosen === "Undo") {
      await vscode.commands.executeCommand("pillion.browser.ask");
    }
  }

  /** Every standing yes shows how to take it back (U5). */
  private async offerUndo(ask: Ask, before: ReadonlySet<string>, decision: string): Promise<void> {
    const body = ask.body as ApprovalBody;
    if (isBrowserStart(body)) {
      await this.offerAsking(decision); // No rule stands for it: always is a setting.
      return;
    }
    const made = await this.session.rulesSince(before, body.tool.connector);
    if (made.length === 0) {
      return; // A browser's yes is none of the rules, and there is nothing here that could take it back.
    }
    const chosen = await vscode.window.showInformationMessage(neutral(`Pillion: from now on: ${made[0]?.label ?? ""}`), "Undo");
    if (chosen === "Undo") {
      for (const rule of made) {
        await this.session.client.request(requests.permissionRemove, { id: rule.id });
      }
      await this.session.seedPermissions();
    }
  }

  private async typeValue(ask: Ask): Promise<void> {
    const body = ask.body as InputBody;
    const title = `Value of ${quoted(body.id)}, given to ${label(body.destination)}`;
    const value =
      body.options !== undefined && body.options.length > 0
        ? await vscode.window.showQuickPick(
            body.options.map((option) => ({ label: label(option), option })),
            { title, ignoreFocusOut: true },
          ).then((picked) => picked?.option)
        : await typeIn({
            title,
            prompt: body.description,
            password: body.secret,
            ignoreFocusOut: true,
            ...(body.default === undefined || body.secret ? {} : { value: body.default }),
          });
    if (value !== undefined) {
      await this.answer(ask, { value });
    }
  }
}

/**
 * Opens the address as it was shown: one that is parsed first comes out with other escapes, and is another one to its host. The
 * declaration does not know that VS Code takes a text too, and then opens that.
 */
function openExactly(address: string): Thenable<boolean> {
  return vscode.env.openExternal(address as unknown as vscode.Uri);
}
