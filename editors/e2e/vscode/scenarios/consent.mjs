// What may run: a connector needs permission, and nothing but a person gives it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allow, notes, openByRow, openFile, review, sidecars } from "../steps.mjs";
import { pressButton, running, until } from "../workbench.mjs";

/** Whether a connector of the repository runs. */
const connectorsRun = () => [...running("server-everything"), ...running("pillion demo")].map(({ line }) => line);

export const consent = {
  async TestS3_VSCodeRestrictedModeRunsNothing(window) {
    await window.page.locator('.statusbar-item:has-text("Restricted Mode")').waitFor();
    await window.status("need permission");
    await window.showViews();
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    await pressButton(await review(window, "notes"), "Allow");
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    assert.match(await window.row("notes").innerText(), /Restricted Mode/);
    await window.keep("restricted");
    assert.deepEqual(connectorsRun(), []);
    await window.trust();
    await window.row("notes").filter({ hasText: "ready" }).waitFor();
    await window.run("Pillion: Take the Decision Back");
    await window.pick("notes");
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
  },

  async "first open and consent"(window) {
    await window.status("2 connectors need permission");
    assert.deepEqual(connectorsRun(), [], "opening the repository started it");
    assert.deepEqual((await window.allTold()).filter((text) => /Pillion/.test(text)), [], "nothing is asked at start-up (U2)");
    await window.showViews();
    await window.keep("needs-permission");
    const page = await review(window, "everything");
    await window.settled(page);
    await window.keep("consent");
    await pressButton(page, "Allow");
    await window.pageGone("on this machine?");
    await window.row("everything").filter({ hasText: "ready" }).waitFor();
    await window.keep("ready");
  },

  async "typing through a question"(window) {
    await window.showViews();
    for (const typed of ["local n = 1", "", "y", "allow", " "]) {
      const page = await review(window, "notes");
      await page.locator("body").click({ position: { x: 5, y: 5 } });
      await window.page.keyboard.type(typed);
      await window.press("Enter", "Enter", "Space", "Escape");
      assert.ok((await page.locator("main").innerText()).includes("on this machine?"), "typing answered the question");
    }
    // A press within half a second of its appearing is nobody's answer.
    await window.closeEditors();
    await window.pageGone("on this machine?");
    const again = await openByRow(window, window.row('Allow "notes"', "Questions"), "on this machine?");
    // It appears once more in the page itself: on its way there a press may take longer than that.
    await again.evaluate(() => {
      document.dispatchEvent(new Event("visibilitychange"));
      document.querySelector('[data-action="allow"]').click();
    });
    await window.closeEditors();
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    await window.row('Allow "notes"', "Questions").waitFor(); // To close it leaves it open.
    assert.deepEqual(running("pillion demo"), []);
  },

  async TestS3_VSCodeWorkspaceSettingsWidenNothing(window, folder) {
    const settings = join(folder, ".vscode/settings.json");
    writeFileSync(settings, readFileSync(settings, "utf8").replace("EVIL", join(folder, "evil.sh")));
    await window.showViews();
    const [before] = sidecars();
    await window.run("Pillion: Restart Pillion");
    await until("another sidecar alone runs", () => sidecars().length === 1 && sidecars()[0].pid !== before.pid);
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    assert.ok(!existsSync(join(folder, "ran")), "a program of the workspace ran");
  },

  async TestS18_VSCodeFixOnSaveGrantsNothing(window, folder) {
    await openFile(window, ".mcp.json");
    await window.page.locator('.codelens-decoration:has-text("Review and allow")').first().waitFor();
    await window.keep("lenses");
    const name = window.page.locator(".editor-instance .view-line span span").filter({ hasText: /^\s*"?notes"?$/ }).last();
    await window.hover(name, "Connector: needs permission");
    await window.keep("hover", false);
    await window.page.locator(".editor-instance .view-lines").first().click();
    await window.press("Control+End");
    const before = readFileSync(join(folder, ".mcp.json"), "utf8");
    await window.page.keyboard.type("\n");
    await window.press("Control+s");
    await until("it is saved", () => readFileSync(join(folder, ".mcp.json"), "utf8") !== before);
    await window.showViews();
    await window.hover(window.row("notes"), "from this repository");
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    assert.equal(await window.dialog().count(), 0);
    // The lens opens the question, and answers nothing.
    const lens = window.page.locator('.codelens-decoration a:has-text("Review and allow")').first();
    await window.click(lens, () => window.page.locator('.tab:has-text("Allow")').isVisible());
    await window.pageWith("on this machine?");
    assert.deepEqual(running("pillion demo"), []);
  },

  async "definition changed asks again with the difference"(window, folder) {
    await allow(window, "notes");
    const file = join(folder, ".mcp.json");
    const before = readFileSync(file, "utf8");
    const config = JSON.parse(before);
    config.mcpServers.notes = { ...notes, args: ["demo", "--json"] };
    writeFileSync(file, JSON.stringify(config, null, 2) + "\n");
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    const page = await review(window, "notes");
    const text = await page.locator("main").innerText();
    assert.match(text, /allowed here before/);
    assert.match(text, /\["demo"\]/);
    assert.match(text, /\["demo","--json"\]/);
    await window.settled(page);
    await window.keep("consent-changed");
    await pressButton(page, "Not now");
    await window.pageGone("on this machine?");
    await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
    writeFileSync(file, before);
    await window.row("notes").filter({ hasText: "ready" }).waitFor();
  },
};
