/** What happens around the process: server commands, shown documents, trust, settings, context keys, ends that must be told. */

import * as vscode from "vscode";
import type { Context } from "./commands/context";
import { commands as serverCommands } from "./generated/protocol";
import { neutral } from "./plain/visible";

/** Server commands after which a question is what the user wants to see. */
const opensQuestion: readonly string[] = [
  serverCommands.review,
  serverCommands.connectorAllow,
  serverCommands.connectorEnable,
  serverCommands.permissionRemove,
  serverCommands.resume,
];

/** Wires it up until it is disposed of. */
export function living(context: Context): vscode.Disposable {
  const { client, session, questions, logs } = context;
  client.middleware = {
    executeCommand: (command, args, next) => {
      const run = async (): Promise<unknown> => {
        const result: unknown = await next(command, args);
        return result;
      };
      return opensQuestion.includes(command) ? questions.during(run) : run();
    },
    window: {
      showDocument: async (params, token, next) => {
        const uri = vscode.Uri.parse(params.uri);
        const name = /([^/]+)\.log$/.exec(uri.path)?.[1];
        if (uri.scheme === "file" && name !== undefined) {
          logs.show(name, uri.fsPath);
          return { success: true };
        }
        return next(params, token);
      },
    },
  };
  let troubleTold = "";
  return vscode.Disposable.from(
    // VS Code tells nobody when its chat starts a server: it is looked at when the user comes back.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && client.state.kind === "running") {
        client.tellFocus();
        void session.seedAlsoRun().catch(() => undefined);
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => client.tellTrust()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("pillion.serverPath")) {
        void client.restart();
      }
    }),
    session.onDidChange((part) => {
      if (part === "connectors" || part === "state") {
        void vscode.commands.executeCommand("setContext", "pillion.state", client.state.kind === "running" && !session.isKnown ? "starting" : client.state.kind);
        void vscode.commands.executeCommand("setContext", "pillion.connectors", session.connectors.size);
      }
      // Before anything was told there is no key yet, and what is compared with one that is missing is not what it seems.
      if (part === "mode" || part === "state") {
        void vscode.commands.executeCommand("setContext", "pillion.mode", session.mode);
      }
    }),
    client.onDidChangeState((state) => {
      if (state.kind !== "missing" && state.kind !== "old" && state.kind !== "ended") {
        troubleTold = state.kind === "running" ? "" : troubleTold;
        return;
      }
      // Once for each reason, and never more than a toast: the status bar goes on saying it.
      if (troubleTold !== state.reason) {
        troubleTold = state.reason;
        void vscode.window.showErrorMessage(neutral(state.reason), "What to do").then((chosen) => {
          if (chosen !== undefined) {
            void vscode.commands.executeCommand("pillion.trouble");
          }
        });
      }
    }),
  );
}
