/** What every command is given, and how commands are registered. */

import * as vscode from "vscode";
import type { Client } from "../client";
import type { Calls } from "../documents/calls";
import type { Offered } from "../documents/offered";
import type { QuestionDocuments } from "../documents/questions";
import type { ArgumentEditors } from "../documents/arguments";
import type { TextDocuments } from "../documents/text";
import type { Connector } from "../generated/protocol";
import type { ConnectorLogs } from "../logs";
import { wordsOf } from "../plain/fault";
import { label, neutral } from "../plain/visible";
import { lookOf } from "../plain/words";
import type { Session } from "../session";
import type { Node } from "../views/connectors";

/** The parts of the window that commands act on. */
export interface Context {
  extension: vscode.ExtensionContext;
  client: Client;
  session: Session;
  questions: QuestionDocuments;
  calls: Calls;
  offered: Offered;
  editors: ArgumentEditors;
  texts: TextDocuments;
  logs: ConnectorLogs;
}

/** Commands by their ids. What one throws is told to the user. */
export type Commands = Record<string, (...args: never[]) => unknown>;

/** Registers commands. */
export function register(commands: Commands): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        try {
          return await (run as (...args: unknown[]) => unknown)(...args);
        } catch (error) {
          void vscode.window.showErrorMessage(neutral(`Pillion: ${wordsOf(error)}`));
          return undefined;
        }
      }),
    ),
  );
}

/** The connector that a command is for: the row's, the named one, or the one that the user picks of those that fit. */
export async function connectorOf(context: Context, given: unknown, title: string, fits: (connector: Connector) => boolean = () => true): Promise<Connector | undefined> {
  const node = given as Partial<Node> | undefined;
  if (typeof given === "object" && given !== null && node?.connector !== undefined) {
    return context.session.connectors.get(node.connector.id) ?? node.connector;
  }
  if (typeof given === "string") {
    const found = context.session.list().find((c) => c.id === given || c.name === given);
    if (found !== undefined) {
      return found;
    }
  }
  const all = context.session.list().filter((c) => c.shadowedBy === undefined && fits(c));
  if (all.length === 0) {
    void vscode.window.showInformationMessage("Pillion: there is no connector that this is for.");
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    all.map((connector) => ({ label: `$(${lookOf(connector).icon}) ${label(connector.name)}`, description: lookOf(connector).words, connector })),
    { title, matchOnDescription: true },
  );
  return picked?.connector;
}
