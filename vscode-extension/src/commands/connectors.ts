/** What can be done with a connector. */

import * as vscode from "vscode";
import { commands as serverCommands, requests, type Connector, type Position } from "../generated/protocol";
import { label, neutral, quoted } from "../plain/visible";
import { connectorOf, type Commands, type Context } from "./context";

/** The commands of connectors. */
export function connectorCommands(context: Context): Commands {
  const { client, session, questions } = context;
  const named = (title: string, act: (connector: Connector) => unknown, fits?: (connector: Connector) => boolean) => async (given: unknown) => {
    const connector = await connectorOf(context, given, title, fits);
    return connector === undefined ? undefined : act(connector);
  };
  const settle = async (connector: Connector, method: typeof requests.connectorStart | typeof requests.connectorRestart, words: string) => {
    await vscode.window.withProgress({ location: { viewId: "pillion.connectors" }, title: words }, async () => {
      // What it asks for to be able to start is the answer to this, also where it was asked before.
      questions.openInputOf(connector.id);
      const after = (await questions.during(() => client.request(method, { connector: connector.id }))).connector;
      if (after.state === "waiting") {
        await review(context, connector);
      } else if (after.state === "failed" || after.state === "login") {
        await explain(context, after);
      }
    });
  };
  return {
    "pillion.connector.review": named("Review and allow which connector?", (connector) => review(context, connector), (c) => c.state === "waiting"),
    "pillion.connector.start": named("Start which connector?", (connector) => settle(connector, requests.connectorStart, "Starting"), (c) => ["idle", "failed", "login", "waiting"].includes(c.state)),
    "pillion.connector.restart": named("Restart which connector?", (connector) => settle(connector, requests.connectorRestart, "Restarting"), (c) => ["ready", "idle", "failed", "login", "starting"].includes(c.state)),
    "pillion.connector.stop": named("Stop which connector?", (connector) => client.request(requests.connectorStop, { connector: connector.id }), (c) => c.processes.length > 0),
    "pillion.connector.enable": named("Switch on which connector?", (connector) =>
      questions.raise(() => client.request(requests.connectorSet, { connector: connector.id, enabled: true })), (c) => c.state === "disabled"),
    "pillion.connector.disable": named("Switch off which connector, for you?", (connector) => client.request(requests.connectorSet, { connector: connector.id, enabled: false }), (c) => c.state !== "disabled"),
    "pillion.connector.pin": named("List which connector first?", (connector) => client.request(requests.connectorSet, { connector: connector.id, pinned: true }), (c) => c.pinned !== true),
    "pillion.connector.unpin": named("No longer list which connector first?", (connector) => client.request(requests.connectorSet, { connector: connector.id, pinned: false }), (c) => c.pinned === true),
    "pillion.connector.putOff": named("Not now, for which connector?", (connector) => vscode.commands.executeCommand(serverCommands.connectorPutOff, connector.id), (c) => c.state === "waiting"),
    "pillion.connector.deny": named("Never run which connector here?", (connector) => vscode.commands.executeCommand(serverCommands.connectorDeny, connector.id), (c) => c.state === "waiting"),
    "pillion.connector.revoke": named("Take back what was decided about which connector?", async (connector) => {
      await vscode.commands.executeCommand(serverCommands.connectorRevoke, connector.id);
      await session.seedPermissions();
    }),
    "pillion.connector.remove": named("Remove which connector from its file?", async (connector) => {
      const sure = await vscode.window.showWarningMessage(
        `Remove ${quoted(connector.name)} from its file?`,
        { modal: true, detail: `It is stopped, and its entry is taken out of ${vscode.Uri.parse(connector.uri ?? "").fsPath}.` },
        "Remove",
      );
      if (sure === "Remove") {
        await client.request(requests.connectorRemove, { connector: connector.id });
      }
    }, (c) => c.source !== "builtin"),
    "pillion.connector.explain": named("What about which connector?", (connector) => explain(context, connector)),
    "pillion.connector.showLog": named("Show the log of which connector?", (connector) => vscode.commands.executeCommand(serverCommands.connectorShowLog, connector.id)),
    "pillion.connector.openDefinition": named("Show the entry of which connector?", openDefinition, (c) => c.uri !== undefined),
    "pillion.connector.copyName": named("Copy the name of which connector?", (connector) => vscode.env.clipboard.writeText(connector.name)),
    "pillion.connector.openHostList": () => vscode.commands.executeCommand("workbench.mcp.listServer"),
  };
}

/** Opens the question about a connector that waits. */
async function review(context: Context, connector: Connector): Promise<void> {
  const { askId } = await context.questions.raise(() => context.client.request(requests.askShow, { connector: connector.id }));
  if (askId === null) {
    void vscode.window.showInformationMessage(neutral(`Pillion: the connector ${quoted(connector.name)} needs no permission.`));
  }
}

/** Says why a connector is not there, and offers what to do. */
async function explain(context: Context, connector: Connector): Promise<void> {
  const { problem } = connector;
  const why = await context.client.request(requests.why, { connector: connector.id });
  const reasons = problem === undefined ? why.reasons.map((reason) => reason.text) : [problem.reason];
  const steps = (problem?.steps ?? []).map((step, i) => `${i + 1}. ${label(step, 300)}`);
  const actions = ["Restart", "Show log", "Open its entry"];
  const title = reasons.length === 0 ? `Nothing keeps ${quoted(connector.name)} away.` : `${quoted(connector.name)}: ${label(reasons.join("; "), 400)}`;
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail: steps.join("\n") }, ...actions);
  if (chosen === "Restart") {
    await vscode.commands.executeCommand("pillion.connector.restart", connector.id);
  } else if (chosen === "Show log") {
    await vscode.commands.executeCommand("pillion.connector.showLog", connector.id);
  } else if (chosen === "Open its entry") {
    await openDefinition(connector);
  }
}

async function openDefinition(connector: Connector): Promise<void> {
  if (connector.uri === undefined) {
    return;
  }
  const at = (p: Position) => new vscode.Position(p.line, p.character);
  const range = connector.range === undefined ? undefined : new vscode.Range(at(connector.range.start), at(connector.range.start));
  await vscode.window.showTextDocument(vscode.Uri.parse(connector.uri), range === undefined ? {} : { selection: range });
}
