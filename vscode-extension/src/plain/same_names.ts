/** Which connectors the editor's own chat runs as well (U4). */

import type { Connector } from "../generated/protocol";

const prefix = "mcp_";
const most = 18;

/** What Pillion itself serves to that chat, under the names that it serves tools of its connectors by. */
const served = /^mcp_pillion_.*__/;

/** How many of a connector's tools have to be there where its name alone does not say so. */
const enough = 0.8;

/** The beginning of the names that VS Code gives to the tools of an MCP server. */
export function toolPrefix(serverName: string): string {
  const cleaned = serverName
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "_")
    .slice(0, most - prefix.length - 1);
  return prefix + cleaned + "_";
}

/**
 * Tells the connectors whose tools VS Code offers to its chat. It names them by what the server calls itself, in a form that
 * Pillion is not told, or by what a file does: so either the names fit, or nearly all of several tools are there under one.
 */
export function alsoRun(connectors: readonly Connector[], toolsOf: ReadonlyMap<string, readonly string[]>, offered: readonly string[]): Set<string> {
  const names = new Set(offered.filter((name) => name.startsWith(prefix) && !served.test(name)));
  const found = new Set<string>();
  for (const connector of names.size === 0 ? [] : connectors) {
    const tools = toolsOf.get(connector.id) ?? [];
    const byName = [connector.name, connector.server?.name ?? ""].filter((name) => name !== "").map(toolPrefix);
    if (tools.some((tool) => byName.some((p) => names.has(p + tool))) || isThereWhole(tools, names)) {
      found.add(connector.id);
    }
  }
  return found;
}

function isThereWhole(tools: readonly string[], names: ReadonlySet<string>): boolean {
  if (tools.length < 2) {
    return false;
  }
  const prefixes = new Set<string>();
  for (const name of names) {
    for (const tool of tools) {
      if (name.endsWith(`_${tool}`) && name.length - tool.length <= most) {
        prefixes.add(name.slice(0, name.length - tool.length));
      }
    }
  }
  return [...prefixes].some((p) => tools.filter((tool) => names.has(p + tool)).length >= tools.length * enough);
}
