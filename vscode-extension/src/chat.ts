/**
 * Two tools for chat agents: find a tool of a connector, and call one. Their confirmation is Pillion's alone: what VS Code lets
 * through counts for nothing here (S13), and so VS Code is not made to ask a second time.
 */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { QuestionDocuments } from "./documents/questions";
import { requests, type CallResult, type Tool } from "./generated/protocol";
import { resultForModel, searchForModel } from "./plain/for_model";
import { label } from "./plain/visible";
import type { Session } from "./session";

interface SearchInput {
  query: string;
}

interface CallInput {
  tool: string;
  arguments?: Record<string, unknown>;
}

/** Registers the tools, where this VS Code has chat. */
export function chatTools(session: Session, questions: QuestionDocuments): vscode.Disposable {
  if (!("lm" in vscode) || typeof vscode.lm.registerTool !== "function") {
    return new vscode.Disposable(() => undefined);
  }
  return vscode.Disposable.from(vscode.lm.registerTool("pillion_search", new SearchTool(session)), vscode.lm.registerTool("pillion_call", new CallTool(session, questions)));
}

function answer(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

/** A line of the chat: a mere string is Markdown in some of its parts, whose pictures would be fetched before anybody is asked (S23). */
function plain(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(text);
}

class SearchTool implements vscode.LanguageModelTool<SearchInput> {
  constructor(private readonly session: Session) {}

  prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<SearchInput>): vscode.PreparedToolInvocation {
    return { invocationMessage: plain(`Searching Pillion's tools for "${label(input.query, 100)}"`) };
  }

  async invoke({ input }: vscode.LanguageModelToolInvocationOptions<SearchInput>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const found = await this.session.client.request(requests.tools, { query: input.query, limit: 10, detail: "full", explain: true }, token);
    // What VS Code's own chat runs is not offered a second time (U4).
    const tools = found.tools.filter((tool) => !this.session.alsoRun.has(tool.connector));
    return answer(searchForModel(tools, found.why ?? []));
  }
}

class CallTool implements vscode.LanguageModelTool<CallInput> {
  constructor(
    private readonly session: Session,
    private readonly questions: QuestionDocuments,
  ) {}

  async prepareInvocation({ input }: vscode.LanguageModelToolInvocationPrepareOptions<CallInput>): Promise<vscode.PreparedToolInvocation> {
    const tool = await this.toolOf(input.tool);
    const asks = tool === undefined || tool.permission === "ask";
    return { invocationMessage: plain(`Calling ${label(tool?.label ?? input.tool, 100)} with ${label(JSON.stringify(input.arguments ?? {}), 200)}${asks ? "; Pillion asks you first" : ""}`) };
  }

  async invoke({ input }: vscode.LanguageModelToolInvocationOptions<CallInput>, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const callId = randomUUID();
    const argumentsText = JSON.stringify(input.arguments ?? {});
    const { client } = this.session;
    const cancelled = token.onCancellationRequested(() => void client.request(requests.callCancel, { callId }).catch(() => undefined));
    try {
      // The question comes when the agent has got there, and whoever writes elsewhere meanwhile goes on writing (U3).
      const result: CallResult = await this.questions.expecting(callId, false, () => client.request(requests.toolCall, { tool: input.tool, argumentsText, callId, include: ["text"] }));
      const tool = await this.toolOf(result.tool);
      if (tool !== undefined) {
        this.session.making(callId, { tool: tool.id, label: tool.label, argumentsText });
      }
      return answer(resultForModel(result));
    } finally {
      cancelled.dispose();
    }
  }

  private async toolOf(name: string): Promise<Tool | undefined> {
    try {
      return (await this.session.client.request(requests.toolDetail, { tool: name })).tool;
    } catch {
      return undefined; // The call says what is wrong with the name.
    }
  }
}
