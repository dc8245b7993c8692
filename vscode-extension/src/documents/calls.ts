/** Calls that the user makes: the form, the progress, the result as a document. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { WorkDoneProgress } from "vscode-languageclient/node";
import type { Attention } from "../attention";
import { requests, type Attachment, type CallParams, type CallResult, type PromptGetResult, type Prompt, type Resource, type ResourceReadResult, type Tool } from "../generated/protocol";
import { filled, formFields, formHtml, type Fault } from "../plain/form";
import { block, button, list, row, said, value } from "../plain/page";
import { fileName, isPicture, promptPage, resourcePage, resultPage, type Picture } from "../plain/result_page";
import { html, label, neutral } from "../plain/visible";
import { permissionWords } from "../plain/words";
import type { Session } from "../session";
import type { ArgumentEditors } from "./arguments";
import type { QuestionDocuments } from "./questions";
import type { TextDocuments } from "./text";
import { openPage, type OpenPage } from "./web_page";

const maxPictureBytes = 20 * 1024 * 1024;

/** The last call of the user's own, to run again. */
interface Made {
  tool: string;
  argumentsText: string;
}

/** Makes calls and shows what comes of them. */
export class Calls {
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
      )}${said(`A call of it ${permissionWords(whole.permission)}.`, "note")}</div>`,
    ].join("");
    openPage(this.extension, { type: "pillion.form", title: `Run ${label(whole.label, 60)}`, icon: "tool", takesFocus: true }, body, ({ action, values }, page) => {
      if (action === "json") {
        const text = filled(fields, values);
        return this.editors.openForCall(whole, "text" in text ? text.text : undefined, (edited) => this.runFromEditor(whole, edited)).then(() => page.panel.dispose());
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
      await this.show(tool.label, result, { tool: tool.id, argumentsText }, this.attention.isFree(actedAt));
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
  async again({ tool, argumentsText }: Made): Promise<void> {
    const whole = (await this.session.client.request(requests.toolDetail, { tool })).tool;
    await this.editors.openForCall(whole, argumentsText, (text) => this.runFromEditor(whole, text));
  }

  /** Shows what came of a call that this window knows. */
  async showCall(callId: string, tool: string): Promise<void> {
    const detail = await this.session.client.request(requests.callDetail, { callId });
    const known = this.session.argumentsOf.get(callId);
    if (detail.result === undefined) {
      void vscode.window.showInformationMessage(neutral(`Pillion: ${tool} ${detail.state === "running" ? "is running" : detail.state === "asking" ? "waits for your answer" : "has no result that is kept"}.`));
      return;
    }
    await this.show(tool, detail.result, known, true);
  }

  /** Reads a resource and shows it. */
  async openResource(resource: Pick<Resource, "connector" | "uri" | "name">): Promise<void> {
    const callId = randomUUID();
    const result = await this.following<ResourceReadResult>(callId, `Reading ${label(resource.name, 60)}`, (workDoneToken) =>
      this.session.client.request(requests.resourceRead, { connector: resource.connector, uri: resource.uri, callId, workDoneToken }),
    );
    const first = result.contents[0];
    if (result.status === "ok" && result.contents.length === 1 && first?.text !== undefined) {
      await this.texts.open(resource.name, first.text, first.mimeType.includes("json") ? "json" : "plaintext");
      return;
    }
    const shown = await pictures(result.contents.flatMap((c) => (c.fileUri === undefined ? [] : [{ uri: c.fileUri, mimeType: c.mimeType, bytes: c.bytes, name: c.uri }])));
    openPage(this.extension, { type: "pillion.resource", title: label(resource.name, 60), icon: "resource", takesFocus: true }, resourcePage(resource.name, result, shown), () => undefined);
  }

  /** Has a prompt written and shows it. */
  async openPrompt(prompt: Prompt): Promise<void> {
    const given: Record<string, string> = {};
    for (const argument of prompt.arguments) {
      const typed = await this.promptArgument(prompt, argument.name, argument.description, argument.required === true, given);
      if (typed === undefined) {
        return;
      }
      if (typed !== "") {
        given[argument.name] = typed;
      }
    }
    const callId = randomUUID();
    const result = await this.following<PromptGetResult>(callId, `Asking for ${label(prompt.name, 60)}`, (workDoneToken) =>
      this.session.client.request(requests.promptGet, { connector: prompt.connector, name: prompt.name, arguments: given, callId, workDoneToken }),
    );
    const whole = result.messages.map((m) => m.text ?? "").join("\n\n");
    openPage(this.extension, { type: "pillion.prompt", title: label(prompt.name, 60), icon: "prompt", takesFocus: true }, promptPage(prompt.name, result), ({ action }, page) => {
      if (action === "copy") {
        void vscode.env.clipboard.writeText(whole).then(() => page.tell({ type: "state", text: "copied" }));
      } else if (action === "text") {
        void this.texts.open(prompt.name, whole, "plaintext");
      }
    });
  }

  private promptArgument(prompt: Prompt, name: string, text: string | undefined, isRequired: boolean, others: Record<string, string>): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick();
    pick.title = `${label(prompt.name, 60)}: ${label(name, 60)}${isRequired ? "" : " (optional)"}`;
    pick.placeholder = label(text ?? "Type a value", 200);
    pick.ignoreFocusOut = true;
    const suggest = async (typed: string) => {
      const own = typed === "" && isRequired ? [] : [{ label: typed === "" ? "leave it out" : label(typed), description: typed === "" ? "" : "as typed", value: typed, alwaysShow: true }];
      pick.items = own;
      try {
        const { values } = await this.session.client.request(requests.complete, { connector: prompt.connector, ref: { prompt: prompt.name }, argument: name, value: typed, arguments: others });
        if (pick.value === typed) {
          pick.items = [...own, ...values.filter((v) => v !== typed).map((v) => ({ label: label(v), description: "", value: v, alwaysShow: true }))];
        }
      } catch {
        // A connector that completes nothing is no fault.
      }
    };
    return new Promise((resolve) => {
      pick.onDidChangeValue((typed) => void suggest(typed));
      pick.onDidAccept(() => {
        const chosen = pick.selectedItems[0] as { value: string } | undefined;
        if (chosen !== undefined) {
          resolve(chosen.value);
          pick.hide();
        }
      });
      pick.onDidHide(() => {
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
      void suggest("");
    });
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
    this.last = { tool: tool.id, argumentsText };
    this.session.argumentsOf.set(callId, this.last);
    try {
      const result = await this.following<CallResult>(callId, `Running ${label(tool.label, 60)}`, (workDoneToken) =>
        this.session.client.request(requests.toolCall, { tool: tool.id, argumentsText, callId, include: ["text", "content", "structured"], workDoneToken }),
      );
      if (result.status === "needsConsent") {
        const waiting = [...this.session.asks.values()].find((ask) => ask.kind === "consent");
        if (waiting !== undefined) {
          this.questions.open(waiting);
        }
      }
      return result;
    } catch (error) {
      void vscode.window.showErrorMessage(neutral(`Pillion: ${tool.label}: ${error instanceof Error ? error.message : String(error)}`));
      return undefined;
    }
  }

  /** Shows progress of what takes longer than a second, and lets it be cancelled (U7). */
  private async following<T>(callId: string, title: string, act: (workDoneToken: string) => Promise<T>): Promise<T> {
    const token = randomUUID();
    let tell: (text: string) => void = () => undefined;
    const reports = this.session.client.languageClient?.onProgress(WorkDoneProgress.type, token, (report) => {
      if (report.kind !== "end" && report.message !== undefined) {
        tell(label(report.message, 120) + (report.kind === "report" && report.percentage !== undefined ? ` (${report.percentage} %)` : ""));
      }
    });
    const done = this.questions.expecting(callId, true, () => act(token));
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    const timer = setInterval(() => {
      if ([...this.session.asks.values()].some((ask) => ask.callId === callId)) {
        return; // While it waits for the user, its question is all there is to see.
      }
      clearInterval(timer);
      void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, cancel) => {
        tell = (message) => progress.report({ message });
        cancel.onCancellationRequested(() => void this.session.client.request(requests.callCancel, { callId } satisfies CallParams).catch(() => undefined));
        return settled;
      });
    }, 1000);
    try {
      return await done;
    } finally {
      clearInterval(timer);
      reports?.dispose();
    }
  }

  private async show(tool: string, result: CallResult, made: Made | undefined, takesFocus: boolean): Promise<void> {
    const shown = await pictures(result.attachments);
    openPage(
      this.extension,
      { type: "pillion.result", title: `Result of ${label(tool, 60)}`, icon: "result", takesFocus },
      resultPage(tool, result, made?.argumentsText, shown),
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
        await vscode.commands.executeCommand("revealFileInOS", vscode.Uri.parse(attachment.uri));
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

async function pictures(all: readonly Attachment[]): Promise<Picture[]> {
  const found: Picture[] = [];
  for (const one of all) {
    if (isPicture(one.mimeType) && one.bytes <= maxPictureBytes) {
      try {
        const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(one.uri));
        found.push({ name: fileName(one), mimeType: one.mimeType, base64: Buffer.from(bytes).toString("base64") });
      } catch {
        // It stands in the list of files.
      }
    }
  }
  return found;
}
