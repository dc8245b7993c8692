// A folder without a configuration, and the user's own file.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pressButton, running, until } from "../workbench.mjs";
import { allow, call, made, notes, openByRow, review, sidecars } from "../steps.mjs";

const standIn = join(dirname(fileURLToPath(import.meta.url)), "../sidecar.mjs");
const ownFile = (window) => join(window.server.home, ".config/pillion/mcp.json");

function writeOwn(window, content) {
  mkdirSync(dirname(ownFile(window)), { recursive: true, mode: 0o700 });
  writeFileSync(ownFile(window), JSON.stringify(content), { mode: 0o600 });
}

/** Gives the connector the value that it asks for as it is started to learn its tools. */
async function giveValue(window) {
  await window.showViews();
  await window.row("mine").waitFor();
  const page = await openByRow(window, window.row('Value of "token"', "Questions"), "What is the value of this input");
  assert.match(await page.locator("main").innerText(), /pillion demo/, "it says what is given the value (S11)");
  await window.settled(page);
  await window.keep("input");
  await pressButton(page, "Type the value, hidden…");
  const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
  await input.waitFor();
  assert.equal(await input.getAttribute("type"), "password");
  await input.fill("hunter2hunter2");
  await window.keep("secret");
  await input.press("Enter");
  await window.row("mine").filter({ hasText: "ready" }).waitFor();
}

export const firstDay = {
  async TestU24_VSCodeFirstRun(window) {
    await window.showViews();
    await window.page.locator('.welcome-view-content:has-text("Try the Demo")').waitFor();
    await window.keep("first-run");
    await window.page.locator('.monaco-button:has-text("Try the Demo")').click();
    await window.pressTold("was added", "Review and switch on");
    const page = await window.pageWith("be on for you?");
    await window.settled(page);
    await window.keep("switch-on");
    await pressButton(page, "Make the change");
    await window.row("demo").filter({ hasText: "ready" }).waitFor();
    await window.run("Pillion: Get Started");
    await window.page.locator(".gettingStartedContainer").waitFor();
    await window.keep("walkthrough");
    rmSync(ownFile(window));
    await window.page.locator('.welcome-view-content:has-text("Try the Demo")').waitFor();
  },

  async TestS8_VSCodeToolOfOneOfMyOwnIsRefused(window) {
    writeOwn(window, { mcpServers: { mine: notes } });
    try {
      await window.showViews();
      await window.row("mine").filter({ hasText: "ready" }).waitFor();
      await window.run("Pillion: Always Refuse This Tool");
      await window.pick("mine.write_note");
      await window.told("from now on");
      const rule = window.row("mine.write_note", "Standing Permissions");
      await window.toggle("Standing Permissions");
      await rule.filter({ hasText: "every folder" }).waitFor();
      await window.keep("refused");
      await call(window, "mine.write_note", { "/name": "todo", "/text": "a" });
      await made(window, "mine.write_note", "refused").waitFor();
      // To give back what was refused is asked about.
      await window.pressTold("from now on", "Undo");
      await pressButton(await window.pageWith("No longer hold to this rule"), "Make the change");
      await rule.waitFor({ state: "detached" });
      await window.toggle("Standing Permissions");
    } finally {
      rmSync(ownFile(window));
    }
    await window.row("mine").waitFor({ state: "detached" });
  },

  async TestS20_VSCodeDecisionsThatCannotBeReadAreAskedAbout(window) {
    const file = join(window.server.home, ".local/state/pillion/permissions.json");
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '{ "version": 1, "rules": [', { mode: 0o600 });
    await window.showViews();
    await window.run("Pillion: Restart Pillion");
    const asked = window.row("Decisions that do not count", "Questions");
    const page = await openByRow(window, asked, "Go on without the decisions");
    assert.ok((await page.locator("main").innerText()).includes(file));
    await window.settled(page);
    await window.keep("store");
    await pressButton(page, "Go on with an empty one");
    await asked.waitFor({ state: "detached" });
    await until("the file is an empty one", () => readFileSync(file, "utf8").includes('"rules": []'));
  },

  async TestVSCodeProgramThatWantsToJoinIsAskedAbout(window) {
    const answer = join(window.server.root, "answer.json");
    window.server.program("pillion-that-asks", `exec node "${standIn}" "${answer}"`);
    window.server.machineSettings({ "pillion.serverPath": join(window.server.bin, "pillion-that-asks") });
    try {
      await window.showViews();
      const asked = window.row("A program wants to join", "Questions");
      await window.told("A program wants to join");
      await window.page.locator('.activitybar .action-item:has([aria-label^="Pillion"]) .badge-content:text-is("1")').first().waitFor();
      const page = await openByRow(window, asked, "May this program join this window?");
      // Who looks at it needs no toast.
      await window.toast("A program wants to join").waitFor({ state: "detached" });
      const text = await page.locator("main").innerText();
      assert.ok(text.includes("/usr/bin/claude") && /^claude \$\(trash\) <b>\\u\{1b\}\[31m$/m.test(text), text);
      await window.settled(page);
      await window.keep("join");
      await pressButton(page, "Allow in this window");
      await asked.waitFor({ state: "detached" });
      assert.deepEqual(JSON.parse(readFileSync(answer, "utf8")), { decision: "session" });
    } finally {
      window.server.machineSettings({});
    }
    await until("the real one is back", () => sidecars().length === 1);
  },

  async TestA1_VSCodeConnectorIsAddedAndAllowed(window) {
    await window.showViews();
    await window.page.locator('.statusbar-item:has-text("Pillion:")').first().waitFor(); // a palette that is open offers no more than it did
    await window.run("Pillion: Add a Connector");
    await window.type("pillion demo");
    await window.type("pasted");
    await window.pick("Your own file");
    await window.told('"pasted" was added');
    await window.keep("added");
    await window.pressTold("was added", "Review and switch on");
    const page = await window.pageWith("pasted");
    await window.settled(page);
    await window.keep("added-review");
    await pressButton(page, "Make the change");
    await window.row("pasted").filter({ hasText: "6 tools" }).waitFor();
    rmSync(ownFile(window));
    await window.row("pasted").waitFor({ state: "detached" });
  },

  async TestA4_VSCodeSecretInputIsMasked(window) {
    const text = { inputs: [{ id: "token", type: "promptString", description: "A token for the notes", password: true }], mcpServers: { mine: { ...notes, env: { TOKEN: "${input:token}" } } } };
    writeOwn(window, text);
    try {
      await giveValue(window);
    } finally {
      rmSync(ownFile(window));
    }
    await window.row("mine").waitFor({ state: "detached" });
  },

  async "a profile is chosen, and variables, in no file"(window, folder) {
    const file = join(folder, ".mcp.json");
    const of = (profile) => ({ ...notes, env: { PLACE: "${PLACE:-none}" }, pillion: { profiles: [profile] } });
    const before = JSON.stringify({ pillion: { profiles: { work: {}, home: {} } }, mcpServers: { there: of("work"), here: of("home") } }, null, 2);
    writeFileSync(file, before);
    await allow(window, "there");
    await window.run("Pillion: Choose a Profile");
    await window.option("home").waitFor();
    await window.keep("profile");
    await window.pick("home");
    await window.row("there").filter({ hasText: "not in the profile" }).waitFor();
    await window.run("Pillion: Choose a Profile");
    await window.pick("No profile");
    await window.row("there").filter({ hasText: "ready" }).waitFor();
    await window.run("Pillion: Choose Where Variables Come From");
    await window.pick("Another variable");
    await window.type("PLACE");
    await window.type("hunter2hunter2");
    await window.page.locator('.quick-input-message:has-text("never write its value here")').waitFor();
    await window.type("${WORK_PLACE}");
    // Another definition is another decision.
    await window.row("there").filter({ hasText: "needs permission" }).waitFor();
    await window.run("Pillion: Choose Where Variables Come From");
    await window.option("from ${WORK_PLACE}").waitFor();
    await window.keep("variables");
    await window.pick("from ${WORK_PLACE}");
    await window.type("");
    await window.row("there").filter({ hasText: "ready" }).waitFor();
    assert.equal(readFileSync(file, "utf8"), before);
    rmSync(file);
    await window.row("there").waitFor({ state: "detached" });
  },

  async "status line and file name injection"(window, folder) {
    // VS Code would draw an icon in its place, so a row has it apart.
    const shown = "$ (trash) <img";
    const name = '$(trash) <img src=x onerror="document.title=1"> [x](command:workbench.action.closeWindow)';
    const command = "$(error) no-such\u001b\u202e";
    writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: { command, args: ["<b>bold</b>"] } } }));
    await window.status("1 connector needs permission");
    await window.showViews();
    await window.row(shown).waitFor();
    const page = await review(window, shown);
    const text = await page.locator("main").innerText();
    assert.ok(text.includes("$(trash) <img src=x"), text);
    assert.ok(text.includes("\\u{1b}\\u{202e}"), text);
    assert.equal(await page.locator("main img, main b").count(), 0);
    await window.settled(page);
    await window.keep("injection");
    await pressButton(page, "Allow");
    await window.row(shown).filter({ hasText: "does not run" }).waitFor();
    assert.equal(await window.page.locator(".pane-body .codicon-trash:visible").count(), 0);
    assert.deepEqual(running("no-such"), []);
    assert.ok(!existsSync(join(folder, "ran")));
  },
};
