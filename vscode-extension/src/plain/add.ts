/** What a user pastes when he adds a connector, understood: a README's snippet, a URL or a command line. */

import { wordsOf } from "./fault";

/** A connector to add: its name where the text says one, and its definition as JSON text. */
export interface Pasted {
  name?: string;
  definitionText: string;
}

/** Splits a command line as a shell would, without expanding anything. It throws on an open quote. */
export function words(line: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (quote !== "") {
      if (c === quote) {
        quote = "";
      } else if (c === "\\" && quote === '"' && /["\\$`]/.test(line.charAt(i + 1))) {
        word = (word ?? "") + line.charAt(++i);
      } else {
        word = (word ?? "") + c;
      }
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (c === "\\" && i + 1 < line.length) {
      word = (word ?? "") + line.charAt(++i);
    } else if (/\s/.test(c)) {
      if (word !== undefined) {
        found.push(word);
      }
      word = undefined;
    } else {
      word = (word ?? "") + c;
    }
  }
  if (quote !== "") {
    throw new Error("A quote is not closed.");
  }
  return word === undefined ? found : [...found, word];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Understands what was pasted; it throws in words for the user. */
export function understood(text: string): Pasted[] {
  const trimmed = text.trim();
  if (trimmed === "") {
    throw new Error("There is nothing to add.");
  }
  if (/^https?:\/\//i.test(trimmed)) {
    return [{ definitionText: JSON.stringify({ type: "http", url: trimmed }) }];
  }
  if (!trimmed.startsWith("{") && !trimmed.startsWith('"')) {
    const variables: Record<string, string> = {};
    const all = words(trimmed.replace(/^\$\s+/, ""));
    while (all[0] !== undefined && /^[A-Za-z_]\w*=/.test(all[0])) {
      const at = all[0].indexOf("=");
      variables[all[0].slice(0, at)] = all[0].slice(at + 1);
      all.shift();
    }
    const [command, ...args] = all;
    if (command === undefined) {
      throw new Error("There is no program in this.");
    }
    return [{ definitionText: JSON.stringify({ command, args, ...(Object.keys(variables).length > 0 ? { env: variables } : {}) }) }];
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(trimmed.startsWith("{") ? trimmed : `{${trimmed.replace(/,\s*$/, "")}}`);
  } catch (error) {
    throw new Error(`This is no JSON: ${wordsOf(error)}`);
  }
  if (!isObject(parsed)) {
    throw new Error("This is no object.");
  }
  if ("command" in parsed || "url" in parsed) {
    return [{ definitionText: JSON.stringify(parsed) }];
  }
  const servers = ["mcpServers", "servers", "context_servers"].map((key) => parsed[key]).find((one) => isObject(one)) ?? parsed;
  const found = Object.entries(servers).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]));
  if (found.length === 0) {
    throw new Error("No connector stands in this.");
  }
  return found.map(([name, definition]) => ({ name, definitionText: JSON.stringify(definition) }));
}

/** A name to offer for a definition. */
export function nameFor(definitionText: string): string {
  const { command, args, url } = JSON.parse(definitionText) as { command?: unknown; args?: unknown; url?: unknown };
  if (typeof url === "string") {
    return /^https?:\/\/(?:mcp\.|api\.|www\.)?([^./:]+)/i.exec(url)?.[1] ?? "connector";
  }
  const all = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].filter((one): one is string => typeof one === "string");
  const said = all.find((one, i) => i > 0 && !one.startsWith("-") && /[a-z]/i.test(one)) ?? all[0] ?? "connector";
  return (
    said
      .replace(/@[\d^~].*$/, "")
      .split(/[/\\]/)
      .pop()
      ?.replace(/^(mcp-server-|server-)|(-mcp|-mcp-server|\.\w+)$/g, "") || "connector"
  );
}
