import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { BrowserState } from "../src/generated/protocol";
import { addressFault, addressOf, browserFirst, browserLook, browserWords, isBrowserStart, isShown } from "../src/plain/browser";

interface Manifest {
  contributes: { commands: { command: string }[]; menus: Record<string, { command: string; when?: string }[]> };
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

test("TestU6_ABrowserHasItsWordsAndOneFirstAction", () => {
  const commands = manifest.contributes.commands.map(({ command }) => command);
  const states: BrowserState[] = ["off", "asking", "starting", "running", "refused", "failed"];
  assert.equal(new Set(states.map((state) => browserLook({ state }).words)).size, states.length);
  for (const state of states) {
    assert.ok(commands.includes(browserFirst({ state }).command), browserFirst({ state }).command);
  }
  const novel = "novel" as BrowserState;
  assert.equal(browserLook({ state: novel }), browserLook({ state: "off" }));
  const shown = (state: BrowserState, auto = false) => isShown({ state, auto });
  assert.deepEqual([isShown(undefined), shown("off"), shown(novel), shown("refused"), shown("off", true)], [false, false, false, true, true]);
  assert.equal(browserWords({ state: "off", auto: true }), "off, starts without a question");
});

test("TestS17_WordsOfABrowserShowNothingUnseen", () => {
  const words = browserWords({ state: "failed", problem: { kind: "program", reason: "there is none\u001b[2K\u202e", steps: [] } });
  assert.ok(words.startsWith("not running: there is none"));
  assert.ok(!/[\u001b\u202e]/.test(words), words);
  assert.equal(browserWords({ state: "running" }), "running");
});

test("the start of the browser is no call that a rule could stand for", () => {
  assert.equal(isBrowserStart({ method: "pillion/browser/start" }), true);
  assert.equal(isBrowserStart({ method: "resources/read" }), false);
  assert.equal(isBrowserStart({}), false);
});

test("TestAddressesOfABrowser", () => {
  assert.equal(addressOf("localhost:3000/a"), "http://localhost:3000/a");
  assert.equal(addressOf("https://a.example"), "https://a.example");
  for (const [typed, isRight] of [["localhost:3000", true], ["https://a.example/x?y", true], ["file:///etc/passwd", false], ["http://", false], ["a b", false]] as const) {
    assert.equal(addressFault(typed) === undefined, isRight, typed);
  }
});

test("TestTheBrowsersRowHasActionsOfItsOwn", () => {
  const fitting = (context: string) =>
    (manifest.contributes.menus["view/item/context"] ?? []).filter(({ when }) => {
      const pattern = /viewItem =~ \/(.*)\//.exec(when ?? "")?.[1];
      return pattern !== undefined && new RegExp(pattern).test(context);
    }).map(({ command }) => command);
  assert.deepEqual(fitting("browser;running;").sort(), ["pillion.browser.open", "pillion.browser.picture", "pillion.browser.stop"]);
  assert.deepEqual(fitting("browser;refused;"), ["pillion.browser.start"]);
  assert.deepEqual(fitting("browser;off;auto;"), ["pillion.browser.ask"]);
  assert.deepEqual(fitting("browser;failed;").sort(), ["pillion.browser.explain", "pillion.browser.start"]);
});
