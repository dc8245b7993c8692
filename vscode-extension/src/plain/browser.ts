/** The words, icon and first action of the browser's states (U6). */

import { requests, type ApprovalBody, type BrowserResult, type BrowserState } from "../generated/protocol";
import { label } from "./visible";
import type { FirstAction, Look } from "./words";

const looks: Record<BrowserState, Look> = {
  off: { words: "off, asks before it starts", icon: "circle-outline" },
  asking: { words: "waiting for your answer", icon: "shield", color: "list.warningForeground" },
  starting: { words: "starting", icon: "loading~spin" },
  running: { words: "running", icon: "pass", color: "testing.iconPassed" },
  refused: { words: "refused by you in this session", icon: "circle-slash" },
  failed: { words: "not running", icon: "error", color: "list.errorForeground" },
};

const firsts: Record<BrowserState, FirstAction> = {
  off: { command: "pillion.browser.start", title: "Start it" },
  asking: { command: "pillion.question.next", title: "Show the question" },
  starting: { command: "pillion.browser.explain", title: "How it stands" },
  running: { command: "pillion.browser.picture", title: "Show what it shows" },
  refused: { command: "pillion.browser.start", title: "Start it all the same" },
  failed: { command: "pillion.browser.explain", title: "Why, and what to do" },
};

/** How a browser looks; a state that is not known reads as off. */
export function browserLook({ state }: Pick<BrowserResult, "state">): Look {
  return (looks[state]) ?? looks.off;
}

/** What a browser's state offers first. */
export function browserFirst({ state }: Pick<BrowserResult, "state">): FirstAction {
  return (firsts[state]) ?? firsts.off;
}

/** How a browser stands, in words. */
export function browserWords(browser: Pick<BrowserResult, "state" | "doing" | "problem"> & { auto?: boolean }): string {
  const more = browser.doing ?? browser.problem?.reason;
  if (browser.auto === true && browserLook(browser) === looks.off && more === undefined) {
    return "off, starts without a question";
  }
  return browserLook(browser).words + (more === undefined ? "" : `: ${label(more, 200)}`);
}

/** Whether there is anything to show of a browser: one that is off and that nobody wanted is not spoken of; one that starts without a question is, for there that is taken back. */
export function isShown(browser: Pick<BrowserResult, "state" | "auto"> | undefined): boolean {
  return browser !== undefined && (browser.auto || browserLook(browser) !== looks.off);
}

const attach = "pillion/browser/attach";

/** Whether what is asked about is the start of the browser, or work in the user's own, and no call of a tool. */
export function isBrowserStart(body: Pick<ApprovalBody, "method">): boolean {
  return body.method === requests.browserStart || body.method === attach;
}

/** That question in a sentence. */
export function browserQuestion(body: Pick<ApprovalBody, "method">): string {
  return body.method === attach ? "May this session work in the browser that you started, with your logins?" : "May this session have a browser?";
}

/** What its narrowest yes is called. */
export function browserYes(body: Pick<ApprovalBody, "method">): string {
  return body.method === attach ? "Allow it in this session" : "Allow a browser in this session";
}

/** An address as it is sent; without http:// or https:// before it, http:// is meant. */
export function addressOf(typed: string): string {
  return typed.includes("://") ? typed : `http://${typed}`;
}

/** What is wrong with an address that somebody typed, if anything. */
export function addressFault(typed: string): string | undefined {
  let url: URL;
  try {
    url = new URL(addressOf(typed));
  } catch {
    return "That is no address.";
  }
  return url.protocol === "http:" || url.protocol === "https:" ? undefined : "It begins with http:// or https://.";
}
