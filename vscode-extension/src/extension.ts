/** Puts the extension together. */

import * as vscode from "vscode";
import { Attention } from "./attention";
import { chatTools } from "./chat";
import { chatServer } from "./chat_server";
import { Client } from "./client";
import { addCommands } from "./commands/add";
import { browserCommands } from "./commands/browser";
import { connectorCommands } from "./commands/connectors";
import { register, type Context } from "./commands/context";
import { folderCommands } from "./commands/folder";
import { offeredCommands } from "./commands/offered";
import { toolCommands } from "./commands/tools";
import { windowCommands } from "./commands/window";
import { ArgumentEditors } from "./documents/arguments";
import { Calls } from "./documents/calls";
import { Offered } from "./documents/offered";
import { QuestionDocuments } from "./documents/questions";
import { TextDocuments } from "./documents/text";
import { ConnectorLogs } from "./logs";
import { living } from "./living";
import { Session } from "./session";
import { ActivityView, PermissionsView } from "./views/activity";
import { ConnectorsView } from "./views/connectors";
import { QuestionsView } from "./views/questions";
import { selectedIn } from "./views/selected";
import { StatusBar } from "./views/status_bar";

/** Ends the process of the window, which VS Code waits for a while for before it ends the extension; what is disposed of it does not wait for. */
let end: (() => Promise<void>) | undefined;

/**
 * Called by VS Code once, when a folder with a configuration, a view or a command wants it. It waits for no process, and hands out
 * nothing: another extension must not get at what answers questions (S6).
 */
export function activate(extension: vscode.ExtensionContext): void {
  const client = new Client(extension.extensionUri);
  end = () => client.stop();
  const session = new Session(client, extension.workspaceState);
  const attention = new Attention();
  const editors = new ArgumentEditors(session);
  const texts = new TextDocuments();
  const questions = new QuestionDocuments(extension.extensionUri, session, editors, attention);
  const logs = new ConnectorLogs();
  const calls = new Calls(extension.extensionUri, session, questions, editors, texts, attention);
  const offered = new Offered(extension.extensionUri, session, questions, texts);
  const context: Context = { extension, client, session, questions, calls, offered, editors, texts, logs };
  const connectors = new ConnectorsView(session);
  const asked = new QuestionsView(session);
  const activity = new ActivityView(session);
  const permissions = new PermissionsView(session);
  extension.subscriptions.push(
    client,
    session,
    attention,
    editors,
    texts,
    questions,
    logs,
    connectors,
    activity,
    permissions,
    new StatusBar(session),
    asked,
    vscode.window.createTreeView("pillion.permissions", { treeDataProvider: permissions }),
    register({
      ...windowCommands(context),
      ...connectorCommands(context),
      ...toolCommands(context),
      ...offeredCommands(context),
      ...addCommands(context),
      ...folderCommands(context),
      ...browserCommands(context),
      // What a click on a row runs.
      "pillion.connectors.openSelected": async () => {
        const opening = await connectors.opening();
        return opening === undefined ? undefined : vscode.commands.executeCommand(opening.command, opening.argument);
      },
      "pillion.questions.openSelected": async () => vscode.commands.executeCommand("pillion.question.open", await selectedIn(asked.tree)),
      "pillion.activity.openSelected": async () => {
        const call = await selectedIn(activity.tree);
        return call === undefined ? undefined : calls.showCall(call.callId, call.tool);
      },
    }),
    chatTools(session, questions),
    chatServer(client, extension.extensionUri),
    living(context),
  );
  // What starts the program is not part of the activation, which others wait for.
  setImmediate(() => void client.start());
}

/** Called by VS Code before the window goes; it is over within the few seconds that an end of the process is waited for. */
export async function deactivate(): Promise<void> {
  await end?.();
  end = undefined;
}
