/** Which connectors the editor's own chat runs as well (U4). */

import type { Connector } from "../generated/protocol";

const prefix = "mcp_";
const most = 18;

/** The beginning of the names that VS Code gives to the tools of an MCP server. */
export function toolPrefix(serverName: string): string {
  const cleaned = serverName
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "_")
    .slice(0, most - prefix.length - 1);
  return prefix + cleaned + "_";
}

/**
 * Tells the connectors whose tools VS Code offers to its chat. It names them by what the server or its file calls itself, so
 * either is looked for, and a tool of that name has to be there.
 */
export function alsoRun(connectors: readonly Connector[], toolsOf: ReadonlyMap<string, readonly string[]>, offered: readonly string[]): Set<string> {
  const names = new Set(offered.filter((name) => name.startsWith(prefix)));
  const found = new Set<string>();
  if (names.size === 0) {
    return found;
  }
  for (const connector of connectors) {
    const prefixes = [connector.name, connector.server?.name ?? ""].filter((name) => name !== "").map(toolPrefix);
    const tools = toolsOf.get(connector.id) ?? [];
    if (tools.some((tool) => prefixes.some((p) => names.has(p + tool)))) {
      found.add(connector.id);
    }
  }
  return found;
}
