/** Requests of MCP's sampling/createMessage as messages of an editor's model, and its answer as their result. */

import type { SamplingBody } from "../generated/protocol";
import { block, button, list, row, said, value, type Html } from "./page";
import { html, quoted } from "./visible";

/** A message for a model. */
export interface ModelMessage {
  role: "user" | "assistant";
  text: string;
}

interface Params {
  systemPrompt?: unknown;
  messages?: unknown;
}

function textOf(content: unknown): string {
  if (Array.isArray(content)) {
    return content.map(textOf).join("\n");
  }
  const { type, text } = (content ?? {}) as { type?: unknown; text?: unknown };
  if (type === "text" && typeof text === "string") {
    return text;
  }
  throw new Error(`This asks for more than text (${String(type)}); the models of VS Code are given text alone.`);
}

/** The messages of a request. It throws, in words for the user, on content that is no text. */
export function samplingMessages(paramsText: string): ModelMessage[] {
  const params = JSON.parse(paramsText) as Params;
  const messages: ModelMessage[] = typeof params.systemPrompt === "string" && params.systemPrompt !== "" ? [{ role: "user", text: params.systemPrompt }] : [];
  for (const one of Array.isArray(params.messages) ? (params.messages as { role?: unknown; content?: unknown }[]) : []) {
    messages.push({ role: one.role === "assistant" ? "assistant" : "user", text: textOf(one.content) });
  }
  return messages;
}

/** The answer as the result that MCP wants. */
export function samplingResult(model: string, text: string): string {
  return JSON.stringify({ role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" });
}

/** The page that shows what the model said, before the connector is given it. */
export function replyPage(body: SamplingBody, model: string, text: string): Html {
  return `<div data-question>${[
    `<h1>May the connector ${html(quoted(body.name))} have this answer?</h1>`,
    said("Nothing has been sent to it yet."),
    list(value("model", model), block("what the model said", text), block("what was asked", body.paramsText)),
    `<div class="bar">${row(button("decline", "Decline"), button("ask-model", "Ask again"), button("send-reply", "Send this answer"))}</div>`,
  ].join("")}</div>`;
}
