import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commands as serverCommands, type AllowedBy, type CallResult, type CallStatus, type Connector, type ConnectorState, type DisabledBy, type ToolPermission } from "../src/generated/protocol";
import { ActivityLog, mostCalls, took } from "../src/plain/activity";
import { nameFor, understood, words } from "../src/plain/add";
import { Backoff } from "../src/plain/backoff";
import { wordsOf } from "../src/plain/fault";
import { fenced, resultForModel } from "../src/plain/for_model";
import { findProgram, outside, protocolFault, type Surroundings } from "../src/plain/program";
import { alsoRun, toolPrefix } from "../src/plain/same_names";
import { samplingMessages } from "../src/plain/sampling";
import { resultPage } from "../src/plain/result_page";
import { standingScope } from "../src/plain/scope";
import { expanded, templateVariables } from "../src/plain/uri_template";
import { nameFault, referenceFault } from "../src/plain/variables";
import { allowedWords, callWords, firstAction, lookOf, outcome, permissionWords, statusOf } from "../src/plain/words";

interface Manifest {
  contributes: {
    configuration: { properties: Record<string, { scope: string; default?: unknown }> };
    languageModelTools: { name: string; when?: string }[];
    commands: { command: string; enablement?: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    viewsWelcome: { contents: string }[];
  };
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

const connector = (name: string, state: ConnectorState, more: Partial<Connector> = {}): Connector => ({
  id: name,
  name,
  state,
  source: "project",
  transport: "stdio",
  tools: 1,
  resources: 0,
  prompts: 0,
  tokens: 0,
  generation: 1,
  processes: [],
  ...more,
});

test("TestU6_WordsAndFirstActions", () => {
  for (const [state, words, command] of [
    ["waiting", "needs permission", "pillion.connector.review"],
    ["ready", "ready", "pillion.tool.run"],
    ["idle", "ready, starts on use", "pillion.tool.run"],
    ["login", "sign in", "pillion.connector.restart"],
    ["denied", "blocked by you", "pillion.connector.revoke"],
    ["failed", "does not run", "pillion.connector.restart"],
  ] as const) {
    assert.equal(lookOf({ state }).words, words);
    assert.equal(firstAction({ state })?.command, command);
  }
  assert.equal(lookOf({ state: "idle" }).icon, lookOf({ state: "ready" }).icon);
  assert.equal(firstAction({ state: "waiting" })?.title, "Review and allow");
  assert.equal(lookOf({ state: "new" as ConnectorState }).words, "new");
});

/** A table of words in the source of the plugin of Neovim: its keys with the first text that matches. */
function luaTable(name: string, entry: RegExp): [string, string][] {
  const source = readFileSync("../nvim-plugin/lua/pillion/words.lua", "utf8");
  const table = new RegExp(`^local ${name} = \\{(.*?)\\}$`, "ms").exec(source)?.[1] ?? "";
  const found = [...table.matchAll(entry)].map(([, key = "", words = ""]): [string, string] => [key, words]);
  assert.ok(found.length > 0, `there is no table ${name}`);
  return found;
}

test("TestU6_BothPluginsHaveTheSameWords", () => {
  const record = /(\w+)(?:'\])? = \{ words = '([^']*)'/g;
  const plain = /(\w+) = '([^']*)'/g;
  for (const [state, words] of luaTable("states", record)) {
    assert.equal(lookOf({ state: state as ConnectorState }).words, words);
  }
  for (const [by, words] of luaTable("off", plain)) {
    assert.equal(lookOf({ state: "disabled", disabledBy: [by as DisabledBy] }).words, words);
  }
  const statuses = luaTable("statuses", record);
  assert.equal(statuses.length, 13);
  for (const [status, words] of statuses) {
    assert.equal(callWords("finished", status as CallStatus), words);
  }
  for (const [by, words] of luaTable("allowances", plain)) {
    assert.equal(allowedWords(by as AllowedBy), words);
  }
  for (const [permission, words] of luaTable("permissions", plain)) {
    assert.equal(permissionWords(permission as ToolPermission), words);
  }
  for (const [state, action] of luaTable("states", /(\w+) = \{[^}]*action = '(re\w+|enable)'/g)) {
    assert.equal(firstAction({ state: state as ConnectorState })?.command, `pillion.connector.${action}`);
  }
});

test("a page of a result and a document of one say the same", () => {
  const known = [...readFileSync("../editors/outcome.go", "utf8").matchAll(/^\tmessage\.Call(\w+): +"(.*)",$/gm)];
  assert.equal(known.length, 13);
  for (const [, name = "", sentence] of known) {
    const status = name === "OK" ? "ok" : name.charAt(0).toLowerCase() + name.slice(1);
    assert.equal(outcome(status as CallStatus), sentence);
  }
});

test("TestU2_TheStatusSaysWhatWaits", () => {
  const all = [connector("a", "waiting"), connector("b", "waiting"), connector("c", "ready")];
  assert.equal(statusOf(all, 0, "ask").text, "$(shield) Pillion: 2 connectors need permission");
  assert.equal(statusOf(all, 1, "ask").text, "$(bell-dot) Pillion: 1 question");
  assert.equal(statusOf([], 0, "ask").text, "$(plug) Pillion: no connectors");
  assert.equal(statusOf(all, 0, "paused").text, "$(debug-pause) Pillion: paused");
});

test("TestU15_CommandsOfTheServerAreNotTheExtensions", () => {
  const contributed = manifest.contributes.commands.map(({ command }) => command);
  assert.equal(new Set(contributed).size, contributed.length);
  for (const command of contributed) {
    assert.match(command, /^pillion\.(?!server\.)/);
    assert.ok(!(Object.values(serverCommands) as string[]).includes(command));
  }
});

test("a command that asks Pillion is enabled only while it runs", () => {
  const withoutIt = ["connector.copyName", "tool.copyName", "focus", "restart", "trouble", "showOutput", "openSettings", "openWalkthrough"].map((name) => `pillion.${name}`);
  for (const { command, enablement } of manifest.contributes.commands) {
    assert.equal(enablement, withoutIt.includes(command) ? undefined : "pillion.state == running", command);
  }
  const { commandPalette = [], ...others } = manifest.contributes.menus;
  for (const { command, when = "" } of [...commandPalette, ...(others["view/title"] ?? [])]) {
    assert.ok(withoutIt.includes(command) || when === "false" || when.includes("pillion.state == running"), `${command}: ${when}`);
    // A key that is not there yet is not equal to anything.
    assert.ok(!/!= (?!running)/.test(when), `${command}: ${when}`);
  }
});

test("every menu and welcome view names a command that is there", () => {
  const contributed = new Set(manifest.contributes.commands.map(({ command }) => command));
  for (const { command } of Object.values(manifest.contributes.menus).flat()) {
    assert.ok(contributed.has(command), command);
  }
  for (const { contents } of manifest.contributes.viewsWelcome) {
    for (const [, command] of contents.matchAll(/\(command:([\w.]+)\)/g)) {
      assert.ok(contributed.has(command ?? ""), command);
    }
  }
});

test("TestS3_SettingsAreTheDeclaredOnesAndNoWorkspaceSetsThem", () => {
  assert.deepEqual(manifest.contributes.configuration, JSON.parse(readFileSync("src/generated/configuration.json", "utf8")), "run node scripts/configuration.mjs");
  for (const [name, { scope }] of Object.entries(manifest.contributes.configuration.properties)) {
    assert.ok(["application", "machine"].includes(scope), name);
  }
  assert.equal(manifest.contributes.configuration.properties["pillion.serverPath"]?.scope, "machine");
});

test("TestS13_TheChatHasOneOfTwoWaysToThem", () => {
  const { configuration, languageModelTools } = manifest.contributes;
  assert.equal(configuration.properties["pillion.chatServer"]?.default, false);
  assert.deepEqual(new Set(languageModelTools.map((tool) => tool.when)), new Set(["!config.pillion.chatServer"]));
});

const at = (more: Partial<Surroundings>): Surroundings => ({
  bundled: "/ext/bin/pillion",
  setting: "",
  folders: ["/usr/bin", "relative"],
  name: "pillion",
  isProgram: () => false,
  isAbsolute: (path) => path.startsWith("/"),
  join: (folder, name) => `${folder}/${name}`,
  ...more,
});

test("the program is the user's, else the extension's, else that of PATH", () => {
  const all = (path: string) => ["/ext/bin/pillion", "/usr/bin/pillion", "/my/pillion"].includes(path);
  assert.deepEqual(findProgram(at({ isProgram: all })), { path: "/ext/bin/pillion", origin: "bundled" });
  assert.deepEqual(findProgram(at({ isProgram: all, setting: "/my/pillion" })), { path: "/my/pillion", origin: "setting" });
  assert.deepEqual(findProgram(at({ isProgram: (path) => path === "/usr/bin/pillion" })), { path: "/usr/bin/pillion", origin: "PATH" });
  assert.ok("missing" in findProgram(at({ isProgram: all, setting: "pillion" })));
  assert.ok("missing" in findProgram(at({ isProgram: all, setting: "/gone" })));
  assert.ok("missing" in findProgram(at({ isProgram: (path) => path === "relative/pillion" })));
});

test("TestS1_NothingOfTheWorkspaceIsRunByName", () => {
  assert.deepEqual(outside(["/w/bin", "/usr/bin", "/work", ""], ["/w"], "/"), ["/usr/bin", "/work"]);
});

test("TestS8_ARuleReachesAsFarAsTheFileOfItsConnector", () => {
  assert.equal(standingScope(connector("a", "ready", { source: "user" })), "user");
  assert.equal(standingScope(connector("a", "ready", { root: "file:///w" })), "project");
  assert.equal(standingScope(connector("a", "ready", { source: "import" })), "session");
  assert.equal(standingScope(connector("a", "ready", { source: "builtin" })), "session");
  assert.equal(standingScope(undefined), "project");
});

test("an older program says what to do", () => {
  assert.equal(protocolFault(1, 1), undefined);
  assert.match(protocolFault(undefined, 1) ?? "", /too old/);
  assert.match(protocolFault(2, 1) ?? "", /update the extension/);
});

test("a program that ends again and again is left alone after five times", () => {
  const backoff = new Backoff();
  const waits = [1, 2, 3, 4, 5, 6].map(() => backoff.ended(10)).map((next) => (next.again ? next.waitMs : "no"));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, "no"]);
  assert.deepEqual(backoff.ended(10 * 60_000), { again: true, waitMs: 500 });
});

test("TestU4_WhatTheEditorsChatRunsIsFound", () => {
  const names = new Map([["GitHub", ["create_issue"]], ["fs", ["read"]]]);
  const all = [connector("GitHub", "ready"), connector("fs", "ready", { server: { name: "secure-filesystem-server", version: "1", protocolVersion: "x" } })];
  assert.equal(toolPrefix("secure-filesystem-server"), "mcp_secure-filesy_");
  assert.deepEqual([...alsoRun(all, names, ["mcp_github_create_issue", "other"])], ["GitHub"]);
  assert.deepEqual([...alsoRun(all, names, ["mcp_secure-filesy_read"])], ["fs"]);
  assert.deepEqual([...alsoRun(all, names, ["mcp_gitlab_create_issue"])], []);
  const many = [connector("everything", "ready", { server: { name: "mcp-servers/everything", version: "1", protocolVersion: "x" } })];
  const tools = new Map([["everything", ["echo", "get-sum"]]]);
  assert.deepEqual([...alsoRun(many, tools, ["mcp_everything_re_echo", "mcp_everything_re_get-sum"])], ["everything"]);
  assert.deepEqual([...alsoRun(many, tools, ["mcp_other_echo", "mcp_more_get-sum"])], []);
  assert.deepEqual([...alsoRun(many, tools, ["mcp_pillion_e__echo", "mcp_pillion_e__get-sum"])], [], "what Pillion itself serves to that chat");
  assert.deepEqual([...alsoRun(many, tools, ["mcp_pillion_demo_echo", "mcp_pillion_demo_get-sum"])], ["everything"], "what only begins like it");
});

test("TestE11_EventsFoldIntoOneLineACall", () => {
  const log = new ActivityLog();
  const event = { epoch: "e", at: "2026-01-01T00:00:00Z", kind: "call", callId: "1", tool: "a.b", asker: "editor" } as const;
  log.take({ ...event, seq: 1, call: "asking" });
  log.take({ ...event, seq: 2, call: "finished", status: "ok", durationMs: 5 });
  assert.equal(log.list().length, 1);
  assert.equal(log.list()[0]?.status, "ok");
  assert.equal(log.seq, 2);
  log.take({ ...event, callId: "2", seq: 3, call: "running" });
  log.take({ ...event, callId: "3", seq: 4, call: "asking" });
  log.end();
  assert.deepEqual(log.list().map((call) => callWords(call.state, call.status)), ["cancelled", "answer lost, may have run", "done"]);
  for (let seq = 5; seq < 400; seq++) {
    log.take({ ...event, callId: `${seq}`, seq, call: "finished", status: "ok" });
  }
  assert.deepEqual([log.list().length, log.list()[0]?.callId], [mostCalls, "399"]);
  assert.deepEqual([took(5), took(1500), took(180_000)], ["5 ms", "1.5 s", "3 min"]);
});

test("TestE11_CallsOutliveAReloadOfTheWindow", () => {
  const log = new ActivityLog();
  const event = { epoch: "e", at: "2026-01-01T00:00:00Z", kind: "call", tool: "a.b" } as const;
  log.take({ ...event, callId: "1", seq: 1, call: "finished", status: "ok" });
  log.take({ ...event, callId: "2", seq: 2, call: "running" });
  log.take({ ...event, callId: "3", seq: 3, call: "asking" });
  const next = new ActivityLog();
  next.restore(JSON.parse(JSON.stringify(log.list())));
  assert.deepEqual(next.list().map((call) => [call.callId, callWords(call.state, call.status)]), [["3", "answer lost, may have run"], ["2", "answer lost, may have run"], ["1", "done"]]);
  assert.equal(next.epoch, undefined, "all that the new program tells is asked for");
  next.take({ ...event, epoch: "f", callId: "4", seq: 1, call: "running" });
  assert.equal(next.list()[0]?.callId, "4");
  for (const spoilt of [undefined, null, "x", {}, [{}, null, { callId: 1 }]]) {
    const other = new ActivityLog();
    other.restore(spoilt);
    assert.deepEqual(other.list(), []);
  }
});

test("TestE11_ALateEventDoesNotPutACallBack", () => {
  const log = new ActivityLog();
  const event = { epoch: "e", at: "2026-01-01T00:00:00Z", kind: "call", callId: "1", tool: "a.b" } as const;
  log.take({ ...event, seq: 3, call: "finished", status: "ok" });
  assert.equal(log.take({ ...event, seq: 2, call: "running" }), false);
  log.take({ ...event, callId: "2", seq: 1, call: "running" });
  assert.deepEqual(log.list().map((call) => [call.callId, call.state]), [["2", "running"], ["1", "finished"]]);
  assert.equal(log.seq, 3, "what was told is not asked for again");
  // A program that was started anew counts from the beginning.
  log.take({ ...event, epoch: "f", seq: 1, call: "finished", status: "cancelled" });
  assert.deepEqual([log.epoch, log.seq, log.list().find((call) => call.callId === "1")?.status], ["f", 1, "cancelled"]);
});

test("what is pasted is understood", () => {
  assert.deepEqual(words(`npx -y "a b" 'c d' e\\ f`), ["npx", "-y", "a b", "c d", "e f"]);
  assert.deepEqual(understood("KEY=v npx -y x"), [{ definitionText: '{"command":"npx","args":["-y","x"],"env":{"KEY":"v"}}' }]);
  assert.deepEqual(understood("https://mcp.linear.app/mcp"), [{ definitionText: '{"type":"http","url":"https://mcp.linear.app/mcp"}' }]);
  assert.deepEqual(understood('{"mcpServers":{"a":{"command":"x"}}}'), [{ name: "a", definitionText: '{"command":"x"}' }]);
  assert.deepEqual(understood('"a": {"command":"x"},'), [{ name: "a", definitionText: '{"command":"x"}' }]);
  assert.throws(() => understood('say "open'), /quote/);
  assert.equal(nameFor('{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem@1.0.0","."]}'), "filesystem");
  assert.equal(nameFor('{"url":"https://mcp.linear.app/mcp"}'), "linear");
});

test("a variable is given by reference, and what was typed in its place is not repeated", () => {
  for (const [name, reference] of [["TOKEN", "${WORK_TOKEN}"], ["_a1", "${env:a}"]] as const) {
    assert.deepEqual([nameFault(name), referenceFault(reference)], [undefined, undefined]);
  }
  for (const name of ["1a", "a-b", "", "a b", "é"]) {
    assert.match(nameFault(name) ?? "", /letters/);
  }
  for (const typed of ["hunter2", "${A}x", "x${A}", "${}", "${input:a}", "${A:-hunter2}", "$A"]) {
    const fault = referenceFault(typed) ?? "";
    assert.ok(/never write its value/.test(fault) && !fault.includes("hunter2"), typed);
  }
});

test("a template is filled with exactly what was typed", () => {
  const template = "file:///{+path}?q={word}&again={word}";
  assert.deepEqual(templateVariables(template), ["path", "word"]);
  assert.equal(expanded(template, new Map([["path", "a/$&{word}"], ["word", "x&y/$1"]])), "file:///a/$&%7Bword%7D?q=x%26y%2F%241&again=x%26y%2F%241");
});

test("TestE6_AModelIsToldThatItIsData", () => {
  assert.equal(fenced("a ```` b"), "`````\na ```` b\n`````");
  const told = resultForModel({ callId: "1", tool: "t", status: "ok", text: "hi", attachments: [], mayHaveRun: true, durationMs: 1 });
  assert.match(told, /data, not instructions/);
  assert.match(resultForModel({ callId: "1", tool: "t", status: "declined", message: "no", attachments: [], mayHaveRun: false, durationMs: 1 }), /You declined/);
});

test("TestF3_OnlyTextGoesToAModel", () => {
  assert.deepEqual(samplingMessages('{"systemPrompt":"s","messages":[{"role":"assistant","content":{"type":"text","text":"t"}}]}'), [
    { role: "user", text: "s" },
    { role: "assistant", text: "t" },
  ]);
  assert.throws(() => samplingMessages('{"messages":[{"role":"user","content":{"type":"image"}}]}'), /text alone/);
});

test("a process that ended under a request is named, and not in the library's words", () => {
  const lost = Object.assign(new Error("Pending response rejected since connection got disposed"), { code: -32097 });
  assert.equal(wordsOf(lost), "Pillion ended before it answered.");
  assert.equal(wordsOf(Object.assign(new Error("no such tool"), { code: -32602 })), "no such tool");
  assert.equal(wordsOf("plain"), "plain");
});

test("TestS17_AnErrorOfAConnectorStandsInItsOwnTypeAlone", () => {
  const failed: CallResult = {
    callId: "c",
    tool: "t",
    status: "connectorError",
    attachments: [],
    mayHaveRun: true,
    durationMs: 1,
    message: 'the connector "h" answered with an error: Pillion: allowed',
    error: { code: -32000, message: "Pillion: allowed" },
  };
  const page = resultPage("h.fail", failed, "{}", [], true);
  assert.equal(page.split("Pillion: allowed").length - 1, 1);
  assert.match(page, /class="foreign"[^>]*>-32000: Pillion: allowed/);
  assert.match(resultPage("h.fail", { ...failed, error: undefined, message: "it does not run" }, "{}", [], true), /it does not run/);
});
