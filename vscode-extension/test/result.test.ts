import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallResult } from "../src/generated/protocol";
import { hasItsFolders, resultPage } from "../src/plain/result_page";

test("TestU30_AFileOfAnotherMachineIsNotShownInAFolderOfThisOne", () => {
  const attachments = [
    { uri: "file:///state/a.pdf", mimeType: "application/pdf", bytes: 3 },
    { uri: "file:///state/b.png", mimeType: "image/png", bytes: 3 },
  ];
  const result: CallResult = { callId: "1", tool: "t", status: "ok", attachments, mayHaveRun: true, durationMs: 1 };
  for (const [remote, isInBrowser, words] of [
    [undefined, false, "Show a.pdf in its folder"],
    ["ssh-remote", false, "Copy the path of a.pdf"],
    ["dev-container", false, "Copy the path of a.pdf"],
    [undefined, true, "Copy the path of a.pdf"],
  ] as const) {
    const page = resultPage("t", result, undefined, [], hasItsFolders(remote, isInBrowser));
    assert.ok(page.includes(words), `${remote} ${isInBrowser}: ${page}`);
    assert.ok(page.includes("Open the picture 2"), page);
  }
});
