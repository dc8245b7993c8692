// Agents and models of VS Code's own chat.

import assert from "node:assert/strict";
import * as gemini from "../../agents/gemini.mjs";
import * as sdk from "../../agents/sdk.mjs";
import { allow, approval, callOnce, openByRow } from "../steps.mjs";
import { againMs, cache, pressButton, until } from "../workbench.mjs";

/** Allows in the window the call that an agent waits for. */
async function allowWrite(window, kind, written, text) {
  written.catch(() => undefined); // It is waited for below, where the window does not fail before.
  const page = await openByRow(window, window.row("Call notes.write_note?", "Questions"), "exactly these arguments");
  assert.ok((await page.locator("main").innerText()).includes(`an agent that calls itself "${kind.name}"`), "it says who asks (U8)");
  await window.settled(page);
  await window.keep(`${kind.name.replaceAll(" ", "-")}-${text}`);
  await pressButton(page, "Allow once");
  const said = await written;
  assert.ok(!said.isError && said.text.includes("Wrote note"), JSON.stringify(said));
}

/** An agent of a terminal joins the window, and is answered before and after its reload. */
async function outlivesAReload(window, folder, kind) {
  await allow(window, "notes");
  const agent = await kind.start({ cache, cwd: folder, environment: window.server.environment });
  try {
    const written = agent.write("before");
    const joins = window.row("wants to join", "Questions");
    // An earlier agent may have been let in for later, and then all that run Pillion's program are.
    await joins.or(window.row("Call notes.write_note?", "Questions")).first().waitFor();
    if (await joins.isVisible()) {
      await pressButton(await openByRow(window, joins, "May this program join this window?"), "Allow, now and later");
      await joins.waitFor({ state: "detached" });
    }
    await allowWrite(window, kind, written, "before");
    await window.begin();
    await window.showViews();
    await window.row("notes").filter({ hasText: "ready" }).waitFor();
    await allowWrite(window, kind, agent.write("after"), "after");
  } finally {
    await agent.close();
  }
}

export const agents = {
  async TestL2_VSCodeAgentOfATerminalOutlivesAReload(window, folder) {
    await outlivesAReload(window, folder, sdk);
  },

  async TestL2_VSCodeGeminiCLIOutlivesAReload(window, folder) {
    await outlivesAReload(window, folder, gemini);
  },

  async TestVSCodeAgentCallsAToolWithApproval(window) {
    await allow(window, "notes");
    await window.run("Test: Invoke Through the Model API");
    const page = await approval(window);
    assert.equal(await window.dialog().count(), 0, "only one side asks (S13)");
    await window.settled(page);
    await window.keep("agent");
    await pressButton(page, "Allow once");
    await window.told("ANSWER: The connector");
  },

  async TestU15_VSCodeRegistersNoCommandTwice(window) {
    await window.run("Test: Count Commands");
    assert.match(await window.told("COMMANDS:"), /COMMANDS: [1-9]\d* of the server, twice: none, missing: none, handed out: nothing/);
    await window.run("Developer: Show Running Extensions");
    const row = window.page.locator('.extension:has-text("Pillion for MCP")').first();
    await row.waitFor();
    const time = await until("the time of the activation is told", async () => /Activation: (\d+)\s*ms|(\d+)\s*ms/.exec(await row.innerText())?.[0]);
    process.stderr.write(`activation in VS Code ${window.server.version}: ${time}\n`);
    await window.press("Escape"); // In the newest it lies over everything.
  },
};

/** What the floor has no way for: to offer a model of one's own, and VS Code's reading of .mcp.json. */
export const models = {
  async TestU4_VSCodeSaysWhatItRunsItself(window) {
    await allow(window, "notes");
    await window.run("MCP: List Servers");
    await window.pick("notes");
    await window.pick("Start Server");
    const trust = window.dialog().locator('.monaco-button:has-text("Trust")').first();
    const also = window.row("notes").filter({ hasText: "also run by VS Code" });
    await until("it is said", async () => {
      if (await trust.isVisible()) {
        await trust.click({ timeout: againMs }).catch(() => undefined);
      }
      await window.focusAgain();
      return also.isVisible();
    });
    await window.keep("also-run");
    await window.run("MCP: List Servers");
    await window.pick("notes");
    await window.pick("Stop Server");
  },

  async TestS13_VSCodePillionIsAServerOfTheChatWhereThatIsWanted(window) {
    const { server } = window;
    await allow(window, "notes");
    // A row that is drawn anew keeps hidden texts of the one before: its label is what counts.
    const pillion = window.page.locator('.quick-input-widget:visible .monaco-list-row[aria-label^="Pillion"]').first();
    const isListed = async () => {
      // A list that is opened while VS Code still works at its servers is sometimes taken away again.
      await until("VS Code lists its servers", async () => {
        await window.run("MCP: List Servers");
        return window.option("notes").waitFor({ timeout: againMs }).then(() => true, () => false);
      });
      return (await pillion.count()) > 0;
    };
    await window.status("Pillion");
    assert.ok(!(await isListed()), "it is off by itself");
    await window.press("Escape");
    server.machineSettings({ "pillion.chatServer": true });
    try {
      await until("it is listed", async () => (await isListed()) || window.press("Escape"));
      await window.keep("chat-server");
      await pillion.click();
      await window.pick("Start Server");
      const asked = window.row("wants to join", "Questions");
      const page = await openByRow(window, asked, "May this program join this window?");
      await window.settled(page);
      await window.keep("chat-server-joins");
      await pressButton(page, "Allow in this window");
      await asked.waitFor({ state: "detached" });
      await window.run("Test: Invoke Through the Server of the Chat");
      // Both ask on this way: VS Code for the server, Pillion for the call.
      await window.dialog().waitFor();
      await window.dialogButton("Yes");
      const call = await openByRow(window, window.row("Call notes.write_note?", "Questions"), "exactly these arguments");
      await window.settled(call);
      await window.keep("chat-server-calls");
      await pressButton(call, "Allow once");
      assert.match(await window.told("SERVED:"), /note/);
      await window.keep("chat-server-served");
    } finally {
      server.machineSettings({});
    }
    await until("it is listed no more", async () => {
      const is = await isListed();
      await window.press("Escape");
      return !is;
    });
  },

  async TestF3_VSCodeSampling(window) {
    await allow(window, "everything");
    await callOnce(window, "everything.trigger-sampling-request", { "/prompt": "say it" });
    const question = await window.pageWith("may your editor's model answer this?");
    assert.match(await question.locator("main").innerText(), /say it/);
    await window.settled(question);
    await window.keep("sampling-request");
    await pressButton(question, "Ask the model");
    const allowModel = window.dialog().locator('.monaco-button:has-text("Allow")').first();
    const page = await until("the model's answer is there", async () => {
      if (await allowModel.isVisible()) {
        await allowModel.click({ timeout: againMs }).catch(() => undefined);
      }
      return window.pageNow("have this answer?");
    });
    assert.match(await page.locator("main").innerText(), /the model was told/);
    await window.settled(page);
    await window.keep("sampling");
    await pressButton(page, "Send this answer");
    await window.pageWith("the model was told");
  },

  async TestVSCodeChatAgentCallsAToolWithApproval(window) {
    await allow(window, "notes");
    await window.run("Test: Wake the Model");
    await window.told("MODELS: 1");
    await window.run("Chat: Open Chat");
    const input = window.page.locator(".interactive-input-part .monaco-editor").first();
    await input.waitFor();
    await input.click();
    await window.page.keyboard.type("@agent hello", { delay: 20 });
    await input.filter({ hasText: "hello" }).waitFor();
    // A list of suggestions that comes late takes the key.
    await until("it is sent", async () => {
      await window.press("Escape", "Enter");
      return window.page.locator('.interactive-session .monaco-list-row:has-text("hello")').first().waitFor({ timeout: againMs }).then(() => true, () => false);
    });
    const page = await approval(window);
    await window.settled(page);
    await window.keep("chat");
    await pressButton(page, "Allow once");
    await window.page.locator('.interactive-session .monaco-list-row:has-text("ANSWER: The connector")').first().waitFor();
    await window.keep("chat-answer");
    await window.run("View: Toggle Secondary Side Bar Visibility");
  },
};
