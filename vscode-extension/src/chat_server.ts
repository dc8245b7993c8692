/**
 * Pillion as an MCP server of VS Code's own chat, where the user wants that in place of the two tools: a program that joins this
 * window and has nothing of its own (docs/decisions/0019). It neither starts nor ends it: VS Code does.
 */

import * as vscode from "vscode";
import { programOf, type Client } from "./client";
import { wordsOf } from "./plain/fault";

/** A VS Code that knows of such servers. */
interface Host {
  McpStdioServerDefinition: new (label: string, command: string, args: string[], env: Record<string, string>, version: string) => unknown;
  lm: {
    registerMcpServerDefinitionProvider(
      id: string,
      provider: { onDidChangeMcpServerDefinitions: vscode.Event<void>; provideMcpServerDefinitions(): unknown[] },
    ): vscode.Disposable;
  };
}

function host(): Host | undefined {
  const known = vscode as unknown as Partial<Host>;
  return typeof known.McpStdioServerDefinition === "function" && typeof known.lm?.registerMcpServerDefinitionProvider === "function" ? (known as Host) : undefined;
}

/** Registers what offers it, where this VS Code has a way to. */
export function chatServer(client: Client, extension: vscode.Uri): vscode.Disposable {
  const known = host();
  if (known === undefined) {
    return new vscode.Disposable(() => undefined);
  }
  const changed = new vscode.EventEmitter<void>();
  let registration: vscode.Disposable;
  try {
    registration = known.lm.registerMcpServerDefinitionProvider("pillion.window", {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(known, client, extension),
    });
  } catch (error) {
    // In 1.100 it is a trial, which takes part in another way. Nothing else depends on it.
    client.log.info(`this VS Code takes no MCP server from an extension: ${wordsOf(error)}`);
    return vscode.Disposable.from(changed);
  }
  return vscode.Disposable.from(
    changed,
    registration,
    client.onDidChangeState(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("pillion.chatServer")) {
        changed.fire();
      }
    }),
  );
}

/** The one that there is, while Pillion runs and the user wants it. */
function definitions(known: Host, { state }: Client, extension: vscode.Uri): unknown[] {
  const program = programOf(extension);
  if (state.kind !== "running" || "missing" in program || vscode.workspace.getConfiguration("pillion").get("chatServer") !== true) {
    return [];
  }
  const where = state.window === "" ? [] : ["--window", state.window];
  return [new known.McpStdioServerDefinition("Pillion", program.path, ["serve", "--attach", ...where], {}, state.version)];
}
