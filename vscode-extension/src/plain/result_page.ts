/** Results as pages (E6). */

import type { CallResult, PromptGetResult, ResourceReadResult } from "../generated/protocol";
import { took } from "./activity";
import { block, button, foreign, list, row, said, value, type Html } from "./page";
import { html, label } from "./visible";
import { allowedWords, counted, outcome } from "./words";

/** A picture that was read: its bytes in base64. */
export interface Picture {
  name: string;
  mimeType: string;
  base64: string;
}

const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Whether a kind of file is shown as a picture (S27). */
export function isPicture(mimeType: string): boolean {
  return pictureTypes.includes(mimeType);
}

/** What a file is called: by its connector, else by its own name. */
export function fileName(file: { name?: string; uri: string }): string {
  return file.name ?? file.uri.slice(file.uri.lastIndexOf("/") + 1);
}

function pictures(all: readonly Picture[]): Html {
  return all
    .filter((p) => isPicture(p.mimeType))
    .map((p) => `<figure><img alt="${html(label(p.name))}" src="data:${p.mimeType};base64,${p.base64}"><figcaption>${foreign(p.name)}</figcaption></figure>`)
    .join("");
}

function steps(all: readonly string[] | undefined): Html {
  return (all ?? []).length === 0 ? "" : `<ol>${(all ?? []).map((step) => `<li>${html(label(step, 2000))}</li>`).join("")}</ol>`;
}

/** Whether the editor can show a file in its folder: the desktop is that of the files, neither of a machine nor of a browser elsewhere (U30). */
export function hasItsFolders(remote: string | undefined, isInBrowser: boolean): boolean {
  return remote === undefined && !isInBrowser;
}

function fileButton(name: string, mimeType: string, hasFolders: boolean, which: string): string {
  if (isPicture(mimeType)) {
    return `Open the picture${which}`;
  }
  return hasFolders ? `Show ${label(name, 40)} in its folder` : `Copy the path of ${label(name, 40)}`;
}

/** The page of a call's result. Where the editor has no folders to show a file in, its path is copied. */
export function resultPage(tool: string, result: CallResult, argumentsText: string | undefined, shown: readonly Picture[], hasFolders: boolean): Html {
  const allowed = result.allowed;
  return [
    `<h1>${html(label(tool))}</h1>`,
    said(outcome(result.status)),
    // The sentence about an error of the connector quotes the connector, whose words stand below as its own.
    result.message === undefined || result.status === "declined" || result.error !== undefined ? "" : said(label(result.message, 4000)),
    steps(result.steps),
    result.mayHaveRun && result.status !== "ok" && result.status !== "toolError"
      ? said("The tool may have run: look before you call it again.", "warning")
      : "",
    result.redacted === true ? said("Secret values were replaced by [REDACTED].", "note") : "",
    list(
      result.status === "declined" ? value("what whoever asked for it was told", result.message) : "",
      value("error of the connector", result.error === undefined ? undefined : `${result.error.code}: ${result.error.message}`),
      ...(result.errors ?? []).map((fault) => value(fault.path === "" ? "what is wrong with the arguments" : `what is wrong at ${fault.path}`, fault.message)),
      result.text === undefined || result.text === "" ? "" : block("result; the connector's own words", result.text),
    ),
    result.truncated === true ? said("The text was cut here.", "note") : "",
    pictures(shown),
    list(
      ...result.attachments
        .filter((a) => !shown.some((p) => p.name === fileName(a)))
        .map((a) => value(`file (${label(a.mimeType)}, ${counted(a.bytes, "byte")})`, fileName(a))),
      argumentsText === undefined ? "" : block("arguments", argumentsText),
    ),
    `<div class="bar">${row(
      button("again", "Run again…"),
      result.text === undefined && result.fullTextUri === undefined ? "" : button("text", result.truncated === true ? "Open the whole text" : "Open as text"),
      result.structuredText === undefined && result.contentText === undefined ? "" : button("json", "Open as JSON"),
      ...result.attachments.map((a, i) => button(`file:${i}`, fileButton(fileName(a), a.mimeType, hasFolders, result.attachments.length > 1 ? ` ${i + 1}` : ""))),
      allowed?.rule === undefined ? "" : button(`undo:${allowed.rule}`, "Take the permission back"),
    )}${said(
      [result.status === "ok" || result.status === "toolError" ? `It took ${took(result.durationMs)}` : "", allowed === undefined ? "" : `allowed: ${allowedWords(allowed.by)}`]
        .filter((part) => part !== "")
        .join("; "),
      "note",
    )}</div>`,
  ].join("");
}

/** The page of a resource that was read. */
export function resourcePage(name: string, result: ResourceReadResult, shown: readonly Picture[]): Html {
  return [
    `<h1>${html(label(name))}</h1>`,
    result.status === "ok" ? "" : said(outcome(result.status)),
    result.message === undefined ? "" : said(label(result.message, 4000)),
    steps(result.steps),
    list(
      value("error of the connector", result.error === undefined ? undefined : `${result.error.code}: ${result.error.message}`),
      ...result.contents.map((part) =>
        part.text === undefined ? value(`${label(part.mimeType)}, ${counted(part.bytes, "byte")}`, part.uri) : block(part.uri, part.text),
      ),
    ),
    pictures(shown),
  ].join("");
}

/** The page of a prompt that a connector wrote. */
export function promptPage(name: string, result: PromptGetResult): Html {
  return [
    `<h1>${html(label(name))}</h1>`,
    result.status === "ok" ? "" : said(outcome(result.status)),
    result.message === undefined ? "" : said(label(result.message, 4000)),
    steps(result.steps),
    list(
      value("error of the connector", result.error === undefined ? undefined : `${result.error.code}: ${result.error.message}`),
      value("what it is for", result.description),
      ...result.messages.map((m) => block(m.role === "assistant" ? "the model's words" : "your words to a model", m.text ?? "")),
    ),
    result.status === "ok" ? `<div class="bar">${row(button("copy", "Copy"), button("text", "Open as text"))}</div>` : "",
  ].join("");
}
