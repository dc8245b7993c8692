/** The parts that Pillion's pages are made of. Whatever is foreign goes through `foreign`, so that it is neither markup nor hidden. */

import { html, visible, visibleLines } from "./visible";

/** A piece of HTML that is safe as it stands. */
export type Html = string & { readonly isHtml?: true };

/** Foreign text of one line, marked as not being Pillion's own words (S17). */
export function foreign(text: string): Html {
  return `<span class="foreign">${html(visible(text))}</span>`;
}

/** Foreign text of several lines, in a box of its own. */
function foreignBlock(text: string): Html {
  return `<pre class="foreign" tabindex="0">${html(visibleLines(text))}</pre>`;
}

/** A heading of Pillion's own, with foreign values under it; nothing where there are none. */
export function values(name: string, all: readonly string[]): Html {
  if (all.length === 0) {
    return "";
  }
  return `<dt>${html(name)}</dt>${all.map((value) => `<dd>${foreign(value)}</dd>`).join("")}`;
}

/** One foreign value under a heading; nothing where it is empty. */
export function value(name: string, text: string | undefined): Html {
  return text === undefined || text === "" ? "" : values(name, [text]);
}

/** A heading with a block of foreign text under it. */
export function block(name: string, text: string): Html {
  return `<dt>${html(name)}</dt><dd>${foreignBlock(text)}</dd>`;
}

/** A sentence of Pillion's own. */
export function said(text: string, kind: "" | "note" | "warning" = ""): Html {
  return `<p${kind === "" ? "" : ` class="${kind}"`}>${html(text)}</p>`;
}

/** A list of headings and values. */
export function list(...parts: Html[]): Html {
  const all = parts.join("");
  return all === "" ? "" : `<dl>${all}</dl>`;
}

/** A button that posts its action with the values of the page. The one that submits a form stands out; what gives something never does. */
export function button(action: string, title: string, options: { submits?: boolean; needs?: string } = {}): Html {
  const needs = options.needs === undefined ? "" : ` data-needs="${html(options.needs)}"`;
  return `<button type="button" class="${options.submits === true ? "primary" : "plain"}" data-action="${html(action)}"${needs}${options.submits === true ? " data-submit" : ""}>${html(title)}</button>`;
}

/** A row of buttons. */
export function row(...buttons: Html[]): Html {
  return `<div class="row">${buttons.join("")}</div>`;
}

/** What a page is shown with. */
export interface Frame {
  title: string;
  cspSource: string;
  styleUri: string;
  scriptUri: string;
}

/** The whole page. Nothing from elsewhere is loaded, and the only script is the extension's own. */
export function page(frame: Frame, body: Html): string {
  const policy = `default-src 'none'; style-src ${frame.cspSource}; script-src ${frame.cspSource}; img-src data:; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${html(policy)}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${html(frame.styleUri)}">
<title>${html(frame.title)}</title></head>
<body><main>${body}</main><p id="state" role="status" aria-live="polite"></p><script src="${html(frame.scriptUri)}"></script></body></html>`;
}

/** What a page posts: which button, and the values of its fields by name. */
export interface Posted {
  action: string;
  values: Record<string, string | boolean | string[]>;
}

/** Reads what a page posted. Anything else is nothing. */
export function posted(message: unknown): Posted | undefined {
  if (typeof message !== "object" || message === null) {
    return undefined;
  }
  const { action, values: all } = message as { action?: unknown; values?: unknown };
  if (typeof action !== "string" || typeof all !== "object" || all === null) {
    return undefined;
  }
  return { action, values: all as Posted["values"] };
}
