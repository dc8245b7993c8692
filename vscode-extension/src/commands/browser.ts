/** The browser of the window's session. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { requests, type BrowserResult } from "../generated/protocol";
import { typeIn } from "../input_box";
import { addressFault, addressOf, browserWords } from "../plain/browser";
import { label, neutral } from "../plain/visible";
import { type Commands, type Context } from "./context";

/** The commands of the browser. */
export function browserCommands(context: Context): Commands {
  const { client, session } = context;
  return {
    "pillion.browser.start": () => start(context),
    "pillion.browser.open": async (given: unknown) => {
      const typed = typeof given === "string" ? given : await typeIn({
        title: "Open a page in the browser of this session",
        placeHolder: "localhost:3000",
        ignoreFocusOut: true,
        validateInput: (text) => (text === "" ? undefined : addressFault(text)),
      });
      return typed === undefined || typed === "" ? undefined : start(context, addressOf(typed));
    },
    "pillion.browser.stop": async () => {
      session.takeBrowser(await client.request(requests.browserStop, {}));
    },
    "pillion.browser.picture": async () => {
      const browser = await client.request(requests.browserPicture, {});
      session.takeBrowser(browser);
      await told(context, browser);
    },
    "pillion.browser.ask": async () => {
      session.takeBrowser(await client.request(requests.browserAsk, {}));
      void vscode.window.showInformationMessage("Pillion: the first use of the browser in a session asks.");
    },
    "pillion.browser.explain": async () => told(context, await client.request(requests.browser, {})),
  };
}

/** Starts it; the question whether it may opens at once, for it is the user's own action that asks. */
async function start(context: Context, url?: string): Promise<void> {
  const callId = randomUUID();
  const browser = await context.questions.expecting(callId, true, () => context.client.request(requests.browserStart, { callId, ...(url === undefined ? {} : { url }) }));
  context.session.takeBrowser(browser);
  await told(context, browser);
}

/** Shows what came of a request: the result of its call, or in words why there is none. */
async function told({ calls }: Context, browser: BrowserResult): Promise<void> {
  if (browser.call !== undefined) {
    await calls.showCall(browser.call.callId, "the browser");
    return;
  }
  if (browser.state === "refused") {
    return; // By this person, who knows; the row says so.
  }
  const reason = browser.message ?? browser.problem?.reason;
  if (reason === undefined) {
    void vscode.window.showInformationMessage(`Pillion: the browser of this session is ${browserWords(browser)}.`);
  } else {
    const steps = browser.steps ?? browser.problem?.steps ?? [];
    void vscode.window.showWarningMessage(neutral(`Pillion: ${[reason, ...steps].map((line) => label(line, 400)).join(". ")}`));
  }
}
