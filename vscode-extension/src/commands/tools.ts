/** What can be done with tools, calls and what stands about them. */

import * as vscode from "vscode";
import { requests, type Tool, type WantedChange, type PermissionDecision } from "../generated/protocol";
import { typeIn } from "../input_box";
import type { Activity } from "../plain/activity";
import { standingScope } from "../plain/scope";
import { label, neutral } from "../plain/visible";
import { permissionWords } from "../plain/words";
import type { Standing } from "../views/activity";
import { type Commands, type Context } from "./context";

type Given = Partial<{ tool: Tool; connector: { id: string } }> | string | undefined;

/** The commands of tools and their calls. */
export function toolCommands(context: Context): Commands {
  const { client, session, calls, questions } = context;

  const toolOf = async (given: Given, title: string): Promise<Tool | undefined> => {
    if (typeof given === "object" && given.tool !== undefined) {
      return given.tool;
    }
    if (typeof given === "string") {
      return (await client.request(requests.toolDetail, { tool: given })).tool;
    }
    return pickTool(context, title, given?.connector?.id);
  };
  const rule = (decision: PermissionDecision) => async (given: Given) => {
    const tool = await toolOf(given, decision === "deny" ? "Always refuse which tool?" : decision === "ask" ? "Always ask about which tool?" : "Always allow which tool?");
    if (tool === undefined) {
      return;
    }
    const params = { connector: tool.connector, tool: tool.id, decision, scope: standingScope(session.connectors.get(tool.connector)), hash: tool.hash };
    const { rule: made, askId } = await questions.raise(() => client.request(requests.permissionSet, params));
    if (askId === undefined) {
      await session.seedPermissions();
      await offerUndo(context, made.id, `from now on: ${label(made.label, 200)}`);
    }
  };
  const toolState = (state: "on" | "off") => async (given: Given) => {
    const tool = await toolOf(given, state === "on" ? "Switch on which tool?" : "Switch off which tool?");
    if (tool === undefined) {
      return;
    }
    if (state === "off") {
      await client.request(requests.toolSet, { tool: tool.id, state });
      const chosen = await vscode.window.showInformationMessage(neutral(`Pillion: ${tool.label} is off for you in this workspace.`), "Undo");
      if (chosen === "Undo") {
        await wanted(context, { tool: tool.id });
      }
      return;
    }
    await wanted(context, { tool: tool.id });
  };
  return {
    "pillion.tool.run": async (given: Given) => {
      const tool = await toolOf(given, "Run which tool?");
      if (tool !== undefined) {
        await calls.openForm(tool.id);
      }
    },
    "pillion.tool.on": toolState("on"),
    "pillion.tool.off": toolState("off"),
    "pillion.tool.refuse": rule("deny"),
    "pillion.tool.alwaysAsk": rule("ask"),
    "pillion.tool.allow": rule("allow"),
    "pillion.tool.copyName": async (given: Given) => {
      const tool = await toolOf(given, "Copy the name of which tool?");
      if (tool !== undefined) {
        await vscode.env.clipboard.writeText(tool.label);
      }
    },
    "pillion.tool.showSchema": async (given: Given) => {
      const tool = await toolOf(given, "Show which tool?");
      if (tool !== undefined) {
        const detail = await client.request(requests.toolDetail, { tool: tool.id });
        await context.texts.open(detail.tool.label, detail.typescript, "plaintext");
      }
    },
    "pillion.why": async (given: Given) => {
      const typed = typeof given === "object" ? (given.tool?.id ?? given.connector?.id) : (given ?? (await typeIn({ title: "Why is it not there?", prompt: "The name of a connector or a tool" })));
      if (typed === undefined || typed === "") {
        return;
      }
      const isConnector = session.list().some((c) => c.id === typed || c.name === typed);
      const { reasons } = await client.request(requests.why, isConnector ? { connector: typed } : { tool: typed });
      await vscode.window.showInformationMessage(
        reasons.length === 0 ? "Nothing keeps it away." : "What keeps it away, in order:",
        { modal: true, detail: reasons.map((reason, i) => `${i + 1}. ${label(reason.text, 400)}`).join("\n") },
      );
    },
    "pillion.call.open": (call: Activity) => calls.showCall(call.callId, call.tool),
    "pillion.call.again": async (call: Activity | undefined) => {
      const known = call === undefined ? undefined : session.made(call);
      return known === undefined ? calls.runLast() : calls.again(known);
    },
    "pillion.call.cancel": async (call: Activity | undefined) => {
      const callId = call?.callId ?? (await pickRunning(context));
      return callId === undefined ? undefined : client.request(requests.callCancel, { callId });
    },
    "pillion.call.refuse": async (call: Activity) => rule("deny")((await client.request(requests.toolDetail, { tool: session.made(call)?.tool ?? call.tool }))),
    "pillion.standing.undo": async (standing: Standing | undefined) => {
      if (standing?.kind === "rule") {
        await questions.raise(() => client.request(requests.permissionRemove, { id: standing.rule.id }));
      } else if (standing?.kind === "consent") {
        await client.request(requests.consentRevoke, { root: standing.record.root, connector: standing.record.name });
      }
      await session.seedPermissions();
    },
    "pillion.arguments.run": (uri: vscode.Uri | undefined) => context.editors.run(uri),
  };
}

async function wanted(context: Context, change: WantedChange): Promise<void> {
  await context.questions.raise(() => context.client.request(requests.askShow, { change }));
}

async function offerUndo(context: Context, id: string, words: string): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(neutral(`Pillion: ${words}`), "Undo");
  if (chosen === "Undo") {
    await context.questions.raise(() => context.client.request(requests.permissionRemove, { id }));
    await context.session.seedPermissions();
  }
}

/** Lets the user find a tool by words; the search is Pillion's own. */
async function pickTool(context: Context, title: string, connector: string | undefined): Promise<Tool | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { tool: Tool }>();
  pick.title = title;
  pick.placeholder = "Words of its name or of what it does";
  let turn = 0;
  const search = async (query: string) => {
    const mine = ++turn;
    pick.busy = true;
    try {
      const { tools } = await context.client.request(requests.tools, { limit: 100, ...(query === "" ? {} : { query }), ...(connector === undefined ? {} : { connector }) });
      if (mine === turn) {
        pick.items = tools.map((tool) => ({ label: label(tool.label), description: permissionWords(tool.permission), detail: label(tool.summary, 160), alwaysShow: true, tool }));
      }
    } catch (error) {
      context.client.log.warn(`search tools: ${String(error)}`);
    } finally {
      pick.busy = mine !== turn;
    }
  };
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => void search(value));
    pick.onDidAccept(() => {
      // The list may have been replaced under the key: then nothing is selected, and the first one is not meant.
      const [chosen] = pick.selectedItems;
      if (chosen !== undefined) {
        resolve(chosen.tool);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
    void search("");
  });
}

async function pickRunning(context: Context): Promise<string | undefined> {
  const { calls } = await context.client.request(requests.calls, {});
  const running = calls.filter((call) => call.state === "running" || call.state === "asking");
  if (running.length === 0) {
    void vscode.window.showInformationMessage("Pillion: no call is running.");
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(running.map((call) => ({ label: label(call.tool), description: call.state, call })), { title: "Cancel which call?" });
  return picked?.call.callId;
}
