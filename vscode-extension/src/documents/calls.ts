/** Calls of tools that the user makes: the form, and the result as a document. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Attention } from "../attention";
import { requests, type CallResult, type ConsentBody, type Tool } from "../generated/protocol";
import { wordsOf } from "../plain/fault";
import { filled, formFields, formHtml, type Fault } from "../plain/form";
import { block, button, list, row, said, value } from "../plain/page";
import { hasItsFolders, isPicture, resultPage } from "../plain/result_page";
import { html, label, neutral } from "../plain/visible";
import { permissionWords } from "../plain/words";
import type { Made, Session } from "../session";
import type { ArgumentEditors } from "./arguments";
import { following } from "./following";
import { pictures } from "./pictures";
import type { QuestionDocuments } from "./questions";
import type { TextDocuments } from "./text";
import { openPage, type OpenPage } from "./web_page";

/** Makes calls and shows what comes of them. */
export class Calls {
  /** the last call of the user's own, to run again */
  private last: Made | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly session: Session,
    private readonly questions: QuestionDocuments,
    private readonly editors: ArgumentEditors,
    private readonly texts: TextDocuments,
    private readonly attention: Attention,
  ) {}

  /** Opens the form of a tool, filled with arguments where there are some. */
  async openForm(tool: string, argumentsText?: string): Promise<void> {
    const whole = (await this.session.client.request(requests.toolDetail, { tool })).tool;
    const fields = formFields(whole.inputSchemaText ?? "{}");
    if (argumentsText !== undefined) {
      await this.editors.openForCall(whole, argumentsText, (text) => this.runFromEditor(whole, text));
      return;
    }
    const body = [
      `<h1>Run ${html(label(whole.label))}</h1>`,
      list(whole.description === undefined ? value("what its connector says that it does", whole.summary) : block("what its connector says that it does", whole.description)),
      fields.length === 0 ? said("It takes no arguments.", "note") : formHtml(fields),
      `<div id="faults"></div>`,
      `<div class="bar">${row(
        button("run", "Run", { submits: true }),
        fields.length === 0 ? "" : button("json", "Write the arguments as JSON"),
      )}${said(whole.permission === "deny" ? "A call of it is refused." : `A call of it ${permissionWords(whole.permission)}.`, "note")}</div>`,
    ].join("");
    openPage(this.extension, { type: "pillion.form", title: `Run ${label(whole.label, 60)}`, icon: "tool", takesFocus: true }, body, ({ action, values }, page) => {
      if (action === "json") {
        const text = filled(fields, values);
        return this.editors.openForCall(whole, "text" in text ? text.text : undefined, (edited) => this.runFromEditor(whole, edited)).then(() => void page.panel.dispose());
      }
      if (action === "run") {
        const text = filled(fields, values);
        if ("faults" in text) {
          page.tell({ type: "faults", faults: text.faults });
        } else {
          page.tell({ type: "faults", faults: [] });
          return this.runFromForm(whole, text.text, page);
        }
      }
      return undefined;
    });
  }

  /** Calls a tool with exactly these arguments and shows what came of it. */
  async run(tool: Tool, argumentsText: string): Promise<CallResult | undefined> {
    const actedAt = Date.now();
    const result = await this.call(tool, argumentsText);
    if (result !== undefined && result.status !== "invalidArguments") {
      await this.show(tool.label, result, { tool: tool.id, label: tool.label, argumentsText }, this.attention.isFree(actedAt));
    }
    return result;
  }

  /** Runs the last call again, as it was. */
  async runLast(): Promise<void> {
    if (this.last === undefined) {
      void vscode.window.showInformationMessage("Pillion: no tool was run in this window yet.");
      return;
    }
    await this.again(this.last);
  }

  /** Opens the arguments of an earlier call, to run it again. */
  async again({ tool, argumentsText }: Pick<Made, "tool" | "argumentsText">): Promise<void> {
    const whole = (await this.session.client.request(requests.toolDetail, { tool })).tool;
    await this.editors.openForCall(whole, argumentsText, (text) => this.runFromEditor(whole, text));
  }

  /** Shows what came of a call that this window knows; of one from before it was opened anew, what was recorded. */
  async showCall(callId: string, tool: string): Promise<void> {
    const detail = await this.session.client.request(requests.callDetail, { callId }).catch(() => undefined);
    if (detail === undefined) {
      await this.showRecord(callId, tool);
      return;
    }
    if (detail.result === undefined) {
      void vscode.window.showInformationMessage(neutral(`Pillion: ${tool} ${detail.state === "running" ? "is running" : detail.state === "asking" ? "waits for your answer" : "has no result that is kept"}.`));
      return;
    }
    await this.show(tool, detail.result, this.session.made({ callId, tool }), true);
  }

  private async showRecord(callId: string, tool: string): Promise<void> {
    const { rows } = await this.session.client.request(requests.log, { callId });
    if (rows.length === 0) {
      void vscode.window.showInformationMessage(neutral(`Pillion: of this call of ${tool} nothing is kept any more.`));
      return;
    }
    await this.texts.open(tool, JSON.stringify(rows, null, 2), "json");
  }

  private async runFromForm(tool: Tool, text: string, page: OpenPage): Promise<void> {
    const result = await this.run(tool, text);
    if (result?.status === "invalidArguments") {
      page.tell({ type: "faults", faults: faultsOf(result) });
    } else if (result?.status === "ok" || result?.status === "toolError") {
      page.panel.dispose();
    }
  }

  private async runFromEditor(tool: Tool, text: string): Promise<void> {
    const result = await this.run(tool, text);
    if (result?.status === "invalidArguments") {
      throw new Error(faultsOf(result).map((f) => `${f.path || "the arguments"}: ${f.message}`).join("; "));
    }
  }

  private async call(tool: Tool, argumentsText: string): Promise<CallResult | undefined> {
    const callId = randomUUID();
    this.last = { tool: tool.id, label: tool.label, argumentsText };
    this.session.making(callId, this.last);
    try {
      const result = await following<CallResult>(this.session, this.questions, callId, `Running ${label(tool.label, 60)}`, (workDoneToken) =>
        this.session.client.request(requests.toolCall, { tool: tool.id, argumentsText, callId, include: ["text", "content", "structured"], workDoneToken }),
      );
      if (result.status === "needsConsent") {
        const waiting = this.session.openAsks().find((ask) => ask.kind === "consent" && (ask.body as ConsentBody).items.some((item) => item.connector === tool.connector));
        if (waiting !== undefined) {
          this.questions.open(waiting);
        }
      }
      return result;
    } catch (error) {
      void vscode.window.showErrorMessage(neutral(`Pillion: ${tool.label}: ${wordsOf(error)}`));
      return undefined;
    }
  }

  private async show(tool: string, result: CallResult, made: Made | undefined, takesFocus: boolean): Promise<void> {
    const shown = await pictures(result.attachments);
    openPage(
      this.extension,
      { type: "pillion.result", title: `Result of ${label(tool, 60)}`, icon: "result", takesFocus },
      resultPage(tool, result, made?.argumentsText, shown, hasFolders()),
      ({ action }) => this.resultAction(action, tool, result, made),
    );
  }

  private async resultAction(action: string, tool: string, result: CallResult, made: Made | undefined): Promise<void> {
    if (action === "again" && made !== undefined) {
      await this.again(made);
    } else if (action === "text") {
      await this.texts.open(tool, await this.wholeText(result), "plaintext");
    } else if (action === "json") {
      await this.texts.open(tool, laidOut(result.structuredText ?? result.contentText ?? ""), "json");
    } else if (action.startsWith("file:")) {
      const attachment = result.attachments[Number(action.slice("file:".length))];
      if (attachment !== undefined && isPicture(attachment.mimeType)) {
        await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(attachment.uri));
      } else if (attachment !== undefined) {
        await showFile(vscode.Uri.parse(attachment.uri));
      }
    } else if (action.startsWith("undo:")) {
      await this.session.client.request(requests.permissionRemove, { id: action.slice("undo:".length) });
      await this.session.seedPermissions();
      void vscode.window.showInformationMessage("Pillion: the permission was taken back.");
    }
  }

  private async wholeText(result: CallResult): Promise<string> {
    if (result.truncated !== true) {
      return result.text ?? "";
    }
    let whole = "";
    let offset: number | undefined = 0;
    while (offset !== undefined && whole.length < 50_000_000) {
      const part: { text: string; nextOffset?: number } = await this.session.client.request(requests.resultRead, { callId: result.callId, offset, limit: 0 });
      whole += part.text;
      offset = part.nextOffset;
    }
    return whole;
  }
}

function hasFolders(): boolean {
  return hasItsFolders(vscode.env.remoteName, vscode.env.uiKind === vscode.UIKind.Web);
}

/** Shows a file in its folder, or, where the editor cannot, says its path and copies it. */
async function showFile(file: vscode.Uri): Promise<void> {
  if (hasFolders()) {
    await vscode.commands.executeCommand("revealFileInOS", file);
    return;
  }
  await vscode.env.clipboard.writeText(file.fsPath);
  void vscode.window.showInformationMessage(neutral(`Pillion: the path was copied: ${label(file.fsPath, 400)}`));
}

function faultsOf(result: CallResult): Fault[] {
  const faults = result.errors ?? [];
  return faults.length > 0 ? faults : [{ path: "", message: result.message ?? "these arguments cannot be sent" }];
}

/** Canonical JSON over several lines; digits beyond what a number of JavaScript holds stay as they are. */
function laidOut(text: string): string {
  try {
    return /\d{16}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
