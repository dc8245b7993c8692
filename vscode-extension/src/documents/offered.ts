/** What connectors offer beside tools: resources that are read, and prompts that they write. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { requests, type Prompt, type PromptGetResult, type Resource, type ResourceReadResult } from "../generated/protocol";
import { promptPage, resourcePage } from "../plain/result_page";
import { label } from "../plain/visible";
import type { Session } from "../session";
import { following } from "./following";
import { pictures } from "./pictures";
import type { QuestionDocuments } from "./questions";
import type { TextDocuments } from "./text";
import { openPage } from "./web_page";

/** Reads it and shows it. */
export class Offered {
  constructor(
    private readonly extension: vscode.Uri,
    private readonly session: Session,
    private readonly questions: QuestionDocuments,
    private readonly texts: TextDocuments,
  ) {}

  /** Reads a resource and shows it. */
  async openResource(resource: Pick<Resource, "connector" | "uri" | "name">): Promise<void> {
    const callId = randomUUID();
    const result = await following<ResourceReadResult>(this.session, this.questions, callId, `Reading ${label(resource.name, 60)}`, (workDoneToken) =>
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
    const result = await following<PromptGetResult>(this.session, this.questions, callId, `Asking for ${label(prompt.name, 60)}`, (workDoneToken) =>
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
}
