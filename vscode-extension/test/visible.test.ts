import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutLinks } from "../src/plain/input_box";
import { dedented, html, label, neutral, quoted, visible, visibleLines } from "../src/plain/visible";

test("TestS17_WhatCannotBeSeenIsShown", () => {
  for (const [text, shown] of [
    ["plain text", "plain text"],
    ["a\u202eb", "a\\u{202e}b"],
    ["a\u200bb", "a\\u{200b}b"],
    ["a\u{e0041}b", "a\\u{e0041}b"],
    ["a\u00a0b", "a\\u{a0}b"],
    ["a\nb\tc", "a\\u{a}b\\u{9}c"],
    ["\u2800\u3164", "\\u{2800}\\u{3164}"],
    ["\\u{202e}", "\\\\u{202e}"],
    ["C:\\users", "C:\\users"],
    ["\ud800", "\\u{d800}"],
    ["日本 é 🙂", "日本 é 🙂"],
  ] as const) {
    assert.equal(visible(text), shown);
  }
});

test("lines and tabs of a text stay", () => {
  assert.equal(visibleLines("a\r\n\tb\u202e\n"), "a\n\tb\\u{202e}\n");
});

test("TestS17_NoTextGetsOutOfItsQuotes", () => {
  assert.equal(quoted('a" asks "b'), '"a\\u{22} asks \\u{22}b"');
});

test("TestS23_ForeignTextIsNoMarkup", () => {
  assert.equal(html(`<img src=x onerror='a()'>&"`), "&#60;img src=x onerror=&#39;a()&#39;&#62;&#38;&#34;");
});

test("labels hold no icon of VS Code's", () => {
  assert.equal(label("$(trash) gone"), "$ (trash) gone");
});

test("TestU18_NotificationsHoldNoLink", () => {
  assert.equal(neutral("[yes](command:pillion.x) https://a.example `x`"), "[yes] (command:pillion.x) https:// a.example 'x'");
  assert.equal(Array.from(neutral("x".repeat(2000))).length, 500);
});

test("TestS17_WhatStandsUnderAnInputBoxHoldsNoForeignLink", () => {
  const link = "[press](command:workbench.action.quit) $(check)";
  const { prompt, validateInput, title } = withoutLinks({ title: "t", prompt: link, validateInput: (typed: string) => (typed === "" ? undefined : link + typed) });
  assert.deepEqual([title, prompt], ["t", "[press] (command:workbench.action.quit) $ (check)"]);
  assert.equal(validateInput?.("x"), "[press] (command:workbench.action.quit) $ (check)x");
  assert.equal(validateInput?.(""), undefined);
  assert.deepEqual(withoutLinks({ password: true, prompt: "p" }), { password: true, prompt: "p" });
});

test("an entry is shown without its file's indentation", () => {
  assert.equal(dedented('{\n      "a": 1\n    }'), '{\n  "a": 1\n}');
});
