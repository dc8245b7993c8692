import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalBody, Ask, ConsentBody, ConsentItem, Tool } from "../src/generated/protocol";
import { replyTo } from "../src/plain/answer";
import { mayTakeFocus } from "../src/plain/focus";
import { button } from "../src/plain/page";
import { questionLine, questionPage, standingChoices } from "../src/plain/question_page";

const tool: Tool = { id: "t", label: "notes.write", servedName: "notes__write", connector: "c", name: "write", summary: "Writes.", tokens: 1, permission: "ask", hash: "h" };
const approval: ApprovalBody = { tool, argumentsText: '{"a":"\u202e<b>"}', reason: "It can change things.", choices: ["decline", "once", "session", "tool", "connector"], scopes: ["session", "project"] };
const item = (name: string, more: Partial<ConsentItem> = {}): ConsentItem => ({
  root: "file:///r",
  connector: `id-${name}`,
  name,
  uri: "file:///r/.mcp.json",
  hash: "h",
  reason: "new",
  definitionText: "{}",
  shown: { command: "npx", args: ["-y", "x"], reads: [], files: [] },
  warnings: [],
  ...more,
});
const ask = (kind: Ask["kind"], body: Ask["body"]): Ask => ({ askId: "q", kind, at: "2026-01-01T00:00:00Z", asker: { kind: "editor" }, body });
const consent = (...items: ConsentItem[]) => ask("consent", { items } satisfies ConsentBody);
const actions = (page: string) => [...page.matchAll(/data-action="([^"]*)"/g)].map(([, action]) => action);

test("TestS16_TheSafeAnswerStandsFirst", () => {
  assert.equal(actions(questionPage(consent(item("a"))))[0], "later");
  assert.equal(actions(questionPage(consent(item("a"), item("b"))))[0], "later-all");
  const bar = questionPage(ask("approval", approval)).split('class="bar"')[1] ?? "";
  assert.deepEqual(actions(bar), ["decline", "once", "edit"]);
});

test("TestS16_NothingIsPreselected", () => {
  const page = questionPage(consent(item("a", { secrets: [{ name: "KEY", destination: "npx" }] }), item("b")));
  assert.ok(!/ (checked|autofocus|selected|data-submit)|class="primary"/.test(page));
  assert.match(button("run", "Run", { submits: true }), /class="primary".* data-submit>/);
});

test("TestS17_WhatIsHiddenIsShownOnce", () => {
  const join = questionPage(ask("join", { program: "/bin/a", pid: 1, parent: "/bin/sh", claimedName: "a\u001b" }));
  assert.ok(join.includes(">a\\u{1b}<"), join);
  const widen = questionPage(ask("widen", { change: "rule", name: "a\u001b", now: [], then: "b", hash: "h" }));
  assert.ok(widen.includes(">a\\u{1b}<"), widen);
});

test("TestS7_OfAProgramThatNobodyKnowsNothingIsRemembered", () => {
  const body = { program: "/bin/pillion", pid: 1, parent: "/bin/agent", claimedName: "a" };
  const actions = (more: Partial<typeof body>) => [...questionPage(ask("join", { ...body, ...more })).matchAll(/data-action="(\w+)"/g)].map(([, action]) => action);
  assert.deepEqual(actions({}), ["decline", "never", "session", "allow"]);
  assert.deepEqual(actions({ parent: "" }), ["decline", "session"]);
  assert.deepEqual(actions({ program: "" }), ["decline", "session"]);
  assert.equal(questionLine(ask("join", body)).about, "/bin/agent → /bin/pillion");
  assert.equal(questionLine(ask("join", { ...body, program: "", parent: "" })).about, "a");
});

test("TestS17_TheArgumentsAreShownExactlyAndNothingIsHidden", () => {
  const page = questionPage(ask("approval", approval));
  assert.ok(page.includes("\\u{202e}&#60;b&#62;"));
  assert.ok(!page.includes("<b>"));
});

test("what a tool is said to do is shown whole, and below the arguments", () => {
  const page = questionPage(ask("approval", { ...approval, tool: { ...tool, description: "Writes. The old text is lost." } }));
  assert.ok(page.indexOf("The old text is lost.") > page.indexOf("\\u{202e}"));
  assert.ok(questionPage(ask("approval", approval)).includes("Writes."), "of one that has no more than its summary, that");
  assert.ok(!questionPage(ask("approval", { ...approval, tool: { ...tool, summary: "" } })).includes("says that it does"));
});

test("every button of a question about a call answers it", () => {
  for (const choices of [approval.choices, ["decline", "once"], ["decline", "session", "connector"], ["decline", "connector"], ["decline"]] satisfies ApprovalBody["choices"][]) {
    const asked = ask("approval", { ...approval, choices });
    const offered = actions(questionPage(asked)).filter((action) => action !== "edit");
    for (const action of offered.filter((one) => one !== undefined)) {
      assert.notEqual(replyTo(asked, { action, values: {} }), undefined, `${action} of ${choices.join()}`);
    }
    const bar = actions(questionPage(asked).split('class="bar"')[1] ?? "");
    assert.equal(bar[0], "decline");
    assert.equal(bar.length > 1, choices.length > 1, "a yes that is offered stands beside the no");
  }
});

test("TestS16_OnlyTheExactAnswerIsAYes", () => {
  const q = consent(item("a"));
  for (const action of ["", "Allow", "yes", "accept", "once", "loaded", "decide"]) {
    assert.equal(replyTo(q, { action, values: {} }), undefined, action);
  }
  assert.deepEqual(replyTo(q, { action: "allow", values: {} }), { answer: { decisions: { "id-a": "allow" } } });
  const call = ask("approval", { ...approval, choices: ["decline", "once"] });
  for (const action of ["tool:project", "connector:", "session:", "allow", "edit"]) {
    assert.equal(replyTo(call, { action, values: {} }), undefined, action);
  }
});

test("TestS11_EachSecretIsConfirmed", () => {
  const q = consent(item("a", { secrets: [{ name: "KEY", destination: "npx" }] }));
  assert.ok("faults" in (replyTo(q, { action: "allow", values: {} }) ?? {}));
  assert.deepEqual(replyTo(q, { action: "allow", values: { "secret:0:id-a": true } }), { answer: { decisions: { "id-a": "allow" }, secrets: { "id-a": ["KEY"] } } });
  assert.deepEqual(replyTo(q, { action: "later", values: {} }), { answer: { decisions: { "id-a": "later" } } });
});

test("of several definitions only those that were chosen are decided about", () => {
  const q = consent(item("a"), item("b"));
  assert.equal(replyTo(q, { action: "decide", values: {} }), undefined);
  assert.deepEqual(replyTo(q, { action: "decide", values: { "decision:id-b": "never" } }), { answer: { decisions: { "id-b": "never" } } });
});

test("a standing yes names where it counts", () => {
  assert.deepEqual(
    standingChoices(approval).map((choice) => choice.action),
    ["session:", "tool:project", "connector:session", "connector:project"],
  );
  assert.deepEqual(replyTo(ask("approval", approval), { action: "tool:project", values: {} }), { answer: { decision: "tool", scope: "project" } });
});

test("TestH1_TheStartOfABrowserIsAskedInItsOwnWords", () => {
  const body: ApprovalBody = { ...approval, method: "pillion/browser/start", tool: { ...tool, description: "It has no window." }, choices: ["decline", "session", "connector"], scopes: ["user"] };
  const page = questionPage(ask("approval", body));
  assert.match(page, /<h1>May this session have a browser\?<\/h1>.*It has no window\./s);
  assert.doesNotMatch(page, /tool|exactly/);
  assert.deepEqual(standingChoices(body).map(({ action }) => action), ["session:", "connector:user"]);
  const own: ApprovalBody = { ...body, method: "pillion/browser/attach", choices: ["decline", "session"], scopes: [] };
  assert.match(questionPage(ask("approval", own)), /<h1>May this session work in the browser that you started, with your logins\?<\/h1>/);
  assert.deepEqual(standingChoices(own).map(({ title }) => title), ["Allow it in this session"]);
  assert.match(questionPage(ask("approval", { ...approval, method: "resources/read" })), /<h1>May this be asked for with exactly/);
});

test("TestS17_AnElicitationIsNotPillionsVoice", () => {
  const page = questionPage(ask("elicitation", { connector: "c", name: "x", message: "Pillion asks: your password?", schemaText: "{}" }));
  assert.ok(page.includes("asks, not Pillion"));
  assert.match(page, /<pre class="foreign"[^>]*>Pillion asks/);
});

test("TestU3_WhoeverWritesKeepsTheFocus", () => {
  const now = 10_000;
  for (const [actedAt, typedAt, may] of [
    [9_000, 0, true],
    // He wrote, and then asked for it.
    [9_900, 9_800, true],
    [9_000, 9_500, false],
    [1_000, 9_001, false],
    // He has stopped writing.
    [1_000, 9_000, true],
  ] as const) {
    assert.equal(mayTakeFocus(actedAt, typedAt, now), may, `${actedAt} ${typedAt}`);
  }
});

test("a question of a kind that is not known is left open", () => {
  const q = ask("later" as Ask["kind"], { items: [] });
  assert.equal(replyTo(q, { action: "allow", values: {} }), undefined);
  assert.equal(questionLine(q).title, "A question");
});
