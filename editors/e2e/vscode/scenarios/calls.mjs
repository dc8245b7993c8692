// Tools, resources and prompts: what is asked, what is sent, what comes of it.

import assert from "node:assert/strict";
import { allow, approval, call, callOnce, made } from "../steps.mjs";
import { pressButton, until } from "../workbench.mjs";

export const calls = {
  async "find and run a tool with approval"(window) {
    await allow(window, "everything");
    await call(window, "everything.get-sum", { "/a": "2", "/b": "3" });
    const page = await approval(window);
    assert.match(await page.locator("main").innerText(), /\{"a":2,"b":3\}/);
    await window.settled(page);
    await window.keep("approval");
    await pressButton(page, "Allow once");
    await window.pageWith("The sum of 2 and 3 is 5");
    await made(window, "everything.get-sum", "done").waitFor();
    await window.keep("result");
  },

  async "decline with words"(window) {
    await allow(window, "everything");
    await call(window, "everything.get-sum", { "/a": "1", "/b": "1" });
    const page = await approval(window);
    await page.locator("summary", { hasText: "Decline with words" }).click();
    await page.locator("#words").fill("add them yourself");
    await window.keep("decline");
    await pressButton(page, "Decline with these words");
    await window.pageWith("add them yourself");
    await made(window, "everything.get-sum", "declined").waitFor();
    await window.keep("declined");
  },

  async "resource opened"(window) {
    await allow(window, "everything");
    await window.run("Pillion: Open a Resource");
    await window.pick("architecture.md");
    await window.page.locator(".tab").first().waitFor();
    await window.keep("resource");
    await window.run("Pillion: Write a Prompt");
    await window.pick("simple");
    await window.pageWith("words to a model");
    await window.keep("prompt");
  },

  async TestU5_VSCodeStandingPermissionIsUndone(window) {
    await allow(window, "notes");
    await call(window, "notes.write_note", { "/name": "todo", "/text": "a" });
    const page = await approval(window);
    await page.locator("summary", { hasText: "Allow more" }).click();
    await window.settled(page);
    await window.keep("allow-more");
    await pressButton(page, "Always allow this tool, in this workspace folder");
    await window.pageWith("Wrote note");
    await window.told("from now on");
    await window.toggle("Standing Permissions");
    await window.row("notes.write_note", "Standing Permissions").waitFor();
    await window.keep("standing");
    await window.pressTold("from now on", "Undo");
    await window.row("notes.write_note", "Standing Permissions").waitFor({ state: "detached" });
    await call(window, "notes.write_note", { "/name": "todo", "/text": "b" });
    await pressButton(await approval(window), "Decline");
    await window.toggle("Standing Permissions");
  },

  async "edit arguments"(window) {
    await allow(window, "notes");
    await call(window, "notes.write_note", { "/name": "todo", "/text": "a" });
    await pressButton(await approval(window), "Edit the arguments…");
    const editor = window.page.locator(".editor-instance .monaco-editor").first();
    await editor.locator('.view-line:has-text("todo")').waitFor();
    await window.page.locator('.codelens-decoration:has-text("Allow once with these arguments")').waitFor();
    await editor.locator(".view-lines").click();
    await window.press("Control+a", "Delete");
    // The schema helps: a value of the wrong type is marked.
    await window.page.keyboard.insertText('{"name": 5, "text": "edited"}');
    await window.page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
    await window.keep("edited-arguments");
    await window.press("Control+a", "Delete");
    await window.page.keyboard.insertText('{"name": "edited", "text": "by hand"}');
    await window.press("Control+Enter");
    await window.pageWith('Wrote note "edited"');
  },

  async elicitation(window) {
    await allow(window, "notes");
    await callOnce(window, "notes.ask_name", {});
    const form = await window.pageWith("asks, not Pillion");
    await window.settled(form);
    await window.keep("elicitation");
    await form.locator("input[name], select[name]").first().fill("Ada");
    await pressButton(form, "Send");
    await window.pageWith("Ada");
  },

  async TestF2_VSCodePageIsOpenedByThePersonAlone(window) {
    const address = "https://pay.example/to?who=ann&much=1";
    await allow(window, "everything");
    await callOnce(window, "everything.trigger-url-elicitation", { "/url": address });
    const question = await window.pageWith("open this page?");
    const text = await question.locator("main").innerText();
    assert.ok(text.includes(address) && /^pay\.example$/m.test(text), text);
    await window.settled(question);
    await window.keep("page");
    const pages = window.page.context().pages().length;
    await pressButton(question, "Open the page");
    // VS Code asks about every page itself; a no to that is no answer.
    await window.dialog().filter({ hasText: "pay.example" }).waitFor();
    await window.keep("page-of-code");
    await window.dialogButton("Cancel");
    await window.dialog().waitFor({ state: "detached" });
    assert.equal(window.page.context().pages().length, pages);
    await window.row("wants a page opened", "Questions").waitFor();
    await pressButton(question, "Open the page");
    const opened = window.page.context().waitForEvent("page");
    await window.dialogButton("Open");
    await (await opened).close();
    await window.pageWith("The tool answered");
    assert.equal(window.page.context().pages().length, pages);
  },

  async "picture result"(window) {
    await allow(window, "notes");
    await callOnce(window, "notes.chart", { "/values": "[1, 5, 3, 8]" });
    const result = await window.pageWith("The tool answered");
    await until("the picture is drawn", () => result.evaluate(() => (document.querySelector("img")?.naturalWidth ?? 0) > 0));
    await window.keep("picture");
  },

  async "cancel with progress"(window) {
    await allow(window, "notes");
    await callOnce(window, "notes.slow_count", { "/to": "1000", "/delayMs": "200" });
    await window.told("Running notes.slow_count");
    await window.keep("progress");
    await window.pressTold("Running notes.slow_count", "Cancel");
    await made(window, "notes.slow_count", "cancelled").waitFor();
  },

  async TestVSCodeKeyboardOnly(window) {
    const { keyboard } = window.page;
    const focused = async (frame) => frame.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    const tabTo = async (frame, title) => {
      await window.settled(frame);
      for (let i = 0; i < 40; i++) {
        if ((await focused(frame)) === title) {
          return;
        }
        await window.press("Tab");
      }
      assert.fail(`Tab never came to ${title}`);
    };
    await window.runByKeys("Pillion: Review What Waits");
    const page = await window.pageWith("on this machine?");
    await tabTo(page, "Allow");
    await window.press("Enter");
    await window.pageGone("on this machine?");
    await window.status("2 connectors ready");
    await window.runByKeys("Pillion: Run a Tool");
    await window.page.locator('.quick-input-title:has-text("Run which tool?")').waitFor();
    await keyboard.type("write_note");
    await window.page.locator('.quick-input-list .monaco-list-row.focused:has-text("notes.write_note")').waitFor();
    await until("the list takes the key", async () => {
      await window.press("Enter");
      return !(await window.page.locator('.quick-input-title:has-text("Run which tool?")').isVisible());
    });
    const form = await window.pageWith("Run notes.write_note");
    for (let i = 0; i < 20 && (await form.evaluate(() => document.activeElement?.getAttribute("name"))) !== "/name"; i++) {
      await window.press("Tab");
    }
    await window.keep("form");
    await keyboard.type("todo");
    await window.press("Tab");
    await keyboard.type("by keyboard");
    await window.press("Control+Enter");
    const asked = await approval(window);
    await tabTo(asked, "Allow once");
    await window.press("Enter");
    await window.pageWith('Wrote note "todo"');
  },
};
