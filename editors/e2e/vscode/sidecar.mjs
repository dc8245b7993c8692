// A sidecar for the tests: node sidecar.mjs FILE. It asks whether a program may join, which no door of the real one leads to
// here, and writes the answer into FILE. It knows no connector, and no more methods than that needs.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const protocol = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../../../vscode-extension/src/generated/protocol.ts"), "utf8");
const version = Number(/protocolVersion = (\d+)/.exec(protocol)[1]);
const question = {
  askId: "q1",
  kind: "join",
  at: "2026-01-02T12:34:56Z",
  asker: { kind: "agent", name: "claude", program: "/usr/bin/claude", pid: 4242 },
  body: { program: "/opt/pillion", pid: 4242, parent: "/usr/bin/claude", claimedName: "claude $(trash) <b>\u001b[31m" },
};
let isAnswered = false;

function send(message) {
  const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]));
}

const methods = {
  initialize: () => ({ capabilities: { experimental: { pillion: { protocol: version, version: "tests", window: "1-tests", attach: { socket: "" } } } } }),
  "pillion/connectors": () => ({ rev: 0, connectors: [] }),
  "pillion/asks": () => ({ rev: isAnswered ? 1 : 0, asks: isAnswered ? [] : [question] }),
  "pillion/permissions": () => ({ rules: [] }),
  "pillion/consents": () => ({ records: [] }),
  "pillion/mode": () => ({ mode: "ask" }),
  "pillion/events": () => ({ epoch: "tests", events: [] }),
  "pillion/imports": () => ({ found: [] }),
  "pillion/ask/answer": ({ answer }) => {
    isAnswered = true;
    writeFileSync(process.argv[2], JSON.stringify(answer));
    send({ method: "pillion/asksChanged", params: { rev: 1, opened: [], closed: [{ askId: "q1", how: "answered" }] } });
    return { accepted: true };
  },
  shutdown: () => null,
};

let rest = Buffer.alloc(0);
process.stdin.on("end", () => process.exit(0));
process.stdin.on("data", (more) => {
  rest = Buffer.concat([rest, more]);
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, Math.max(head, 0)).toString())?.[1]);
    if (head < 0 || rest.length < head + 4 + length) {
      return;
    }
    const { id, method, params } = JSON.parse(rest.subarray(head + 4, head + 4 + length).toString());
    rest = rest.subarray(head + 4 + length);
    if (method === "exit") {
      process.exit(0);
    }
    if (id !== undefined && method !== undefined) {
      send(method in methods ? { id, result: methods[method](params) } : { id, error: { code: -32601, message: "no such method" } });
    }
  }
});
