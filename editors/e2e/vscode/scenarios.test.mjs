// The journeys in the real VS Code that PILLION_VSCODE names. A scenario that fails leaves a picture of its window.

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, test } from "node:test";
import { Server, join, pressButton, readFileSync, running, until, writeFileSync } from "./workbench.mjs";

const version = process.env.PILLION_VSCODE ?? "newest";
const notes = { command: "pillion", args: ["demo"] };
const everything = { command: "mcp-server-everything", args: [] };
let server;
let folders = 0;

before(async () => {
  server = await Server.start(version);
}, { timeout: 120_000 });

after(async () => {
  await server?.close();
});

/** Whether a scenario is asked for: PILLION_ONLY runs those alone whose name it matches. */
const isWanted = (name) => process.env.PILLION_ONLY === undefined || new RegExp(process.env.PILLION_ONLY).test(name);

async function keeping(name, window, act) {
  try {
    await act();
  } catch (error) {
    await window.keep(`failed-${name}`).catch(() => undefined);
    process.stderr.write(`${name}: ${String(error).split("\n")[0]}\n${await window.notifications()}`);
    throw error;
  }
}

/**
 * A window on a folder of its own, and the scenarios that go on in it, one after the other. It is opened once for all of them,
 * since to open it is what takes the time.
 */
function windowOn(files, ...wanted) {
  const names = wanted.filter((name) => name in scenarios && isWanted(name));
  if (names.length === 0) {
    return;
  }
  let window;
  let folder;
  const open = async () => {
    if (window === undefined) {
      folder = server.repository(`shop${++folders}`, files);
      window = await server.open(folder);
    }
  };
  for (const name of names) {
    test(name, { timeout: 240_000 }, async () => {
      await open();
      await keeping(name, window, () => scenarios[name](window, folder));
      if (name === names.at(-1)) {
        await close();
      } else {
        await window.run("View: Close All Editors");
      }
    });
  }
  const close = async () => {
    await window.close();
    await until("the window's pillion has ended", () => sidecars().length === 0);
  };
}

const scenarios = {};

function define(name, act) {
  scenarios[name] = act;
}

const config = (mcpServers) => ({ ".mcp.json": { mcpServers } });

/** The pillions that serve windows. */
function sidecars() {
  return running("bin/pillion --stdio");
}

/** Allows a connector by its row, and waits until it is ready. */
async function allow(window, name, { picture } = {}) {
  await window.showViews();
  await window.row(name).waitFor();
  if (/ready/.test(await window.row(name).innerText())) {
    return;
  }
  await window.row(name).click();
  const page = await window.pageWith("on this machine?");
  if (picture !== undefined) {
    await until("its buttons take presses", () => page.locator('button:has-text("Not now")').isEnabled());
    await window.keep(picture);
  }
  await pressButton(page, "Allow");
  await window.pageGone("on this machine?");
  await window.row(name).filter({ hasText: "ready" }).waitFor();
}

/** Opens the form of a tool by the palette. */
async function openForm(window, tool) {
  await window.run("Pillion: Run a Tool");
  const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
  await input.waitFor();
  await input.fill(tool);
  await window.page.locator(`.quick-input-widget:visible .quick-input-list .monaco-list-row.focused:has-text("${tool}")`).waitFor();
  await until("the form opens", async () => {
    await input.press("Enter", { timeout: 1000 }).catch(() => undefined);
    return !(await input.isVisible());
  });
  return window.pageWith(`Run ${tool}`);
}

async function call(window, tool, values) {
  const form = await openForm(window, tool);
  for (const [pointer, value] of Object.entries(values)) {
    await form.locator(`[name="${pointer}"]`).fill(value);
  }
  await pressButton(form, "Run");
}

async function closeAll(window) {
  await window.run("View: Close All Editors");
}

define("TestVSCodeJourney", async (window) => {
  await window.status("1 connector needs permission");
  assert.deepEqual(running("server-everything"), [], "opening the repository started it");
  assert.equal(await window.page.locator(".notification-toast").count(), 0, "nothing is asked at start-up (U2)");
  await window.showViews();
  await window.keep("1-needs-permission");
  await allow(window, "everything", { picture: "2-consent" });
  await window.keep("3-ready");
  await call(window, "everything.get-sum", { "/a": "2", "/b": "3" });
  const approval = await window.pageWith("exactly these arguments");
  const text = await approval.locator("main").innerText();
  assert.match(text, /\{"a":2,"b":3\}/);
  await until("its buttons take presses", () => approval.locator('button:has-text("Decline")').first().isEnabled());
  await window.keep("4-approval");
  await pressButton(approval, "Allow once");
  await window.pageWith("The sum of 2 and 3 is 5");
  await window.keep("5-result");
  await call(window, "everything.get-sum", { "/a": "1", "/b": "1" });
  await pressButton(await window.pageWith("exactly these arguments"), "Decline");
  await window.row("everything.get-sum", "Activity").filter({ hasText: "declined" }).waitFor();
  await window.keep("6-declined");
});

define("TestS16_VSCodeTypingThroughAllowsNothing", async (window) => {
  await window.status("1 connector needs permission");
  await window.showViews();
  assert.deepEqual(running("pillion demo"), []);
  for (const typed of ["local n = 1", "", "y", "allow", " "]) {
    await window.row("notes").click();
    const page = await window.pageWith("on this machine?");
    await page.locator("body").click({ position: { x: 5, y: 5 } });
    await window.page.keyboard.type(typed);
    await window.press("Enter", "Enter", "Space", "Escape");
    assert.ok((await page.locator("main").innerText()).includes("on this machine?"), "typing answered the question");
  }
  // A press within half a second of its appearing is nobody's answer.
  await closeAll(window);
  await window.pageGone("on this machine?");
  await window.row('Allow "notes"', "Questions").click();
  const again = await window.pageWith("on this machine?");
  await again.evaluate(() => document.querySelector('[data-action="allow"]').click());
  await closeAll(window);
  await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
  await window.row('Allow "notes"', "Questions").waitFor(); // To close it leaves it open.
  assert.deepEqual(running("pillion demo"), []);
});

define("TestVSCodeKeyboardOnly", async (window) => {
  const { keyboard } = window.page;
  const palette = async (title) => {
    await window.press("F1");
    const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
    await input.waitFor();
    await keyboard.type(title);
    await window.page.locator(`.quick-input-list .monaco-list-row.focused:has-text("${title}")`).waitFor();
    await window.press("Enter");
  };
  const focused = async (frame) => frame.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  const tabTo = async (frame, title) => {
    await until("its buttons take presses", () => frame.locator("button[data-action]:not([data-needs])").first().isEnabled());
    for (let i = 0; i < 40; i++) {
      if ((await focused(frame)) === title) {
        return;
      }
      await window.press("Tab");
    }
    assert.fail(`Tab never came to ${title}`);
  };
  await window.status("Pillion");
  await palette("Pillion: Review What Waits");
  const consent = await window.pageWith("on this machine?");
  await tabTo(consent, "Allow");
  await window.press("Enter");
  await window.pageGone("on this machine?");
  await window.status("1 connector ready");
  await palette("Pillion: Run a Tool");
  await window.page.locator('.quick-input-list .monaco-list-row:has-text("notes.write_note")').waitFor();
  await keyboard.type("write");
  await window.page.locator('.quick-input-list .monaco-list-row.focused:has-text("notes.write_note")').waitFor();
  await until("the list takes the key", async () => {
    await window.press("Enter");
    return !(await window.page.locator('.quick-input-title:has-text("Run which tool?")').isVisible());
  });
  const form = await window.pageWith("Run notes.write_note");
  for (let i = 0; i < 20 && (await form.evaluate(() => document.activeElement?.getAttribute("name"))) !== "/name"; i++) {
    await window.press("Tab");
  }
  await keyboard.type("todo");
  await window.press("Tab");
  await keyboard.type("by keyboard");
  await window.press("Control+Enter");
  const approval = await window.pageWith("exactly these arguments");
  await tabTo(approval, "Allow once");
  await window.press("Enter");
  await window.pageWith('Wrote note "todo"');
});

define("TestU5_VSCodeStandingPermissionIsUndone", async (window) => {
  await allow(window, "notes");
  await call(window, "notes.write_note", { "/name": "todo", "/text": "a" });
  const approval = await window.pageWith("exactly these arguments");
  await approval.locator("summary", { hasText: "Allow more" }).click();
  await window.keep("7-allow-more");
  await pressButton(approval, "Always allow this tool, in this workspace folder");
  await window.pageWith("Wrote note");
  const toast = window.notification("Undo");
  await toast.waitFor();
  await window.page.locator('.pane-header:has-text("Standing Permissions")').first().click();
  await window.row("notes.write_note", "Standing Permissions").waitFor();
  await window.keep("8-standing");
  await toast.locator('.monaco-button:has-text("Undo")').click();
  await call(window, "notes.write_note", { "/name": "todo", "/text": "b" });
  await pressButton(await window.pageWith("exactly these arguments"), "Decline");
});

define("TestS10_VSCodeEditedArgumentsAreSent", async (window) => {
  await allow(window, "notes");
  await call(window, "notes.write_note", { "/name": "todo", "/text": "a" });
  await pressButton(await window.pageWith("exactly these arguments"), "Edit the arguments…");
  const editor = window.page.locator(".editor-instance .monaco-editor").first();
  await editor.locator('.view-line:has-text("todo")').waitFor();
  await window.page.locator('.codelens-decoration:has-text("Allow once with these arguments")').waitFor();
  await editor.locator(".view-lines").click();
  await window.press("Control+a", "Delete");
  // The schema helps: a value of the wrong type is marked.
  await window.page.keyboard.insertText('{"name": 5, "text": "edited"}');
  await window.page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
  await window.keep("9-edited-arguments");
  await window.press("Control+a", "Delete");
  await window.page.keyboard.insertText('{"name": "edited", "text": "by hand"}');
  await window.press("Control+Enter");
  await window.pageWith('Wrote note "edited"');
});

define("TestF2_VSCodeElicitation", async (window) => {
  await allow(window, "notes");
  await call(window, "notes.ask_name", {});
  const approval = await Promise.race([window.pageWith("exactly these arguments"), window.pageWith("asks, not Pillion")]);
  if ((await approval.locator("main").innerText()).includes("exactly these arguments")) {
    await pressButton(approval, "Allow once");
  }
  const form = await window.pageWith("asks, not Pillion");
  await window.keep("10-elicitation");
  await form.locator("input[name], select[name]").first().fill("Ada");
  await pressButton(form, "Send");
  await window.pageWith("Ada");
});

define("TestE6_VSCodeShowsPictures", async (window) => {
  await allow(window, "notes");
  await call(window, "notes.chart", { "/values": "[1, 5, 3, 8]" });
  await answerIfAsked(window);
  const result = await window.pageWith("The tool answered");
  await until("the picture is drawn", () => result.evaluate(() => (document.querySelector("img")?.naturalWidth ?? 0) > 0));
  await window.keep("11-picture");
});

define("TestE8_VSCodeProgressAndCancel", async (window) => {
  await allow(window, "notes");
  await call(window, "notes.slow_count", { "/to": "1000", "/delayMs": "200" });
  await answerIfAsked(window);
  const toast = window.notification("Running notes.slow_count");
  await toast.waitFor();
  await window.keep("12-progress");
  await toast.locator('.monaco-button:has-text("Cancel")').click();
  await window.row("notes.slow_count", "Activity").filter({ hasText: "cancelled" }).waitFor();
});

define("TestF1_VSCodeResourcesAndPrompts", async (window) => {
  await allow(window, "everything");
  await window.run("Pillion: Open a Resource");
  await window.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await window.press("Enter");
  await until("a resource is open", async () => (await window.page.locator(".tab").count()) > 0);
  await window.run("Pillion: Write a Prompt");
  await window.pick("simple");
  await window.pageWith("words to a model");
});

define("TestU15_VSCodeRegistersNoCommandTwice", async (window) => {
  await window.status("connector");
  await window.run("Test: Count Commands");
  const toast = window.notification("COMMANDS:");
  await toast.waitFor();
  const said = await toast.innerText();
  assert.match(said, /COMMANDS: [1-9]\d* of the server, twice: none, missing: none, handed out: nothing/);
  await window.run("Developer: Show Running Extensions");
  const row = window.page.locator('.extension:has-text("Pillion for MCP")').first();
  await row.waitFor();
  const time = /Activation: (\d+)\s*ms|(\d+)ms/.exec(await row.innerText());
  process.stderr.write(`activation in VS Code ${version}: ${time?.[0] ?? (await row.innerText()).replaceAll("\n", " ")}\n`);
  await window.press("Escape"); // In the newest it lies over everything.
});

define("TestS3_VSCodeWorkspaceSettingsWidenNothing", async (window, folder) => {
  const settings = join(folder, ".vscode/settings.json");
  writeFileSync(settings, readFileSync(settings, "utf8").replace("EVIL", join(folder, "evil.sh")));
  await window.status("1 connector needs permission");
  const [before] = sidecars();
  await window.run("Pillion: Restart Pillion");
  await until("another sidecar alone runs", () => sidecars().length === 1 && sidecars()[0].pid !== before.pid);
  await window.status("1 connector needs permission");
  assert.throws(() => readFileSync(join(folder, "ran")), "a program of the workspace ran");
  await window.showViews();
  await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
});

define("TestS18_VSCodeFixOnSaveGrantsNothing", async (window) => {
  await openFile(window, ".mcp.json");
  await window.page.locator('.codelens-decoration:has-text("Review and allow")').first().waitFor();
  await window.keep("13-lenses");
  await window.page.locator(".editor-instance .view-lines").first().click();
  await window.press("Control+End");
  await window.page.keyboard.type("\n");
  await window.press("Control+s");
  await until("it is saved", async () => (await window.page.locator(".tab.dirty").count()) === 0);
  await window.showViews();
  await window.row("notes").filter({ hasText: "needs permission" }).waitFor();
  assert.equal(await window.dialog().count(), 0);
  // The lens opens the question, and answers nothing.
  const lens = window.page.locator('.codelens-decoration a:has-text("Review and allow")').first();
  await until("the lens takes a click", () =>
    lens.click({ timeout: 2000 }).then(
      () => true,
      () => false,
    ),
  );
  await window.pageWith("on this machine?");
});

define("TestC81_VSCodeTenReloadsLeaveOneSidecar", async (window) => {
  await window.status("needs permission");
  for (let i = 0; i < (version === "newest" ? 10 : 3); i++) {
    await window.load();
  }
  await window.status("needs permission");
  await until("one sidecar is left", () => sidecars().length === 1).catch((error) => {
    throw new Error(`${error.message}: ${sidecars().map(({ pid }) => pid).join(", ")} run`);
  });
});

define("TestVSCodeAgentCallsAToolWithApproval", async (window) => {
  await allow(window, "notes");
  await window.run("Test: Invoke Through the Model API");
  const approval = await window.pageWith("exactly these arguments");
  assert.equal(await window.dialog().count(), 0, "only one side asks (S13)");
  await window.keep("14-agent");
  await pressButton(approval, "Allow once");
  await window.notification('ANSWER: The connector').waitFor();
});

define("TestVSCodeCrashedSidecarComesBack", async (window) => {
  await window.status("needs permission");
  const kill = async () => {
    const [{ pid }] = await until("a sidecar runs", () => {
      const found = sidecars();
      return found.length > 0 ? found : undefined;
    });
    process.kill(pid, "SIGKILL");
    await until("it has gone", () => !sidecars().some((one) => one.pid === pid));
  };
  await kill();
  await window.status("needs permission");
  for (let i = 0; i < 5; i++) {
    await kill();
  }
  const item = await window.status("stopped");
  await window.keep("15-stopped");
  await item.click();
  await window.dialog().waitFor();
  await window.dialogButton("Start it again");
  await window.status("needs permission");
});

define("TestVSCodeMissingProgramSaysWhatToDo", async (window) => {
  await window.status("needs permission");
  // A setting of the machine stands with the machine that the folder is on.
  const settings = join(server.root, "data/Machine/settings.json");
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ "pillion.serverPath": "/nowhere/pillion" }));
  try {
    const item = await window.status("not found");
    await item.click();
    await window.dialog().waitFor();
    await window.keep("16-missing");
    await window.dialogButton("Cancel");
  } finally {
    writeFileSync(settings, "{}");
  }
  await window.status("needs permission");
});

define("TestA9_VSCodeFaultIsMarked", async (window, folder) => {
  await openFile(window, ".mcp.json");
  writeFileSync(join(folder, ".mcp.json"), '{\n  "mcpServers": {\n    "notes": { "comand": "pillion", "args": ["demo"] }\n  }\n}\n');
  await window.page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
  await window.keep("17-fault");
});

define("TestU24_VSCodeFirstRun", async (window) => {
  await window.page.locator('.activitybar [aria-label^="Pillion"]').first().click();
  await window.page.locator('.welcome-view-content:has-text("Try the Demo")').waitFor();
  await window.keep("18-first-run");
  await window.page.locator('.monaco-button:has-text("Try the Demo")').click();
  const toast = window.notification("was added");
  await toast.waitFor();
  await toast.locator('.monaco-button:has-text("Review and switch on")').click();
  await pressButton(await window.pageWith("be on for you?"), "Make the change");
  await window.row("demo").filter({ hasText: "ready" }).waitFor();
  await window.run("Pillion: Get Started");
  await window.page.locator(".gettingStartedContainer").waitFor();
  await window.keep("19-walkthrough");
  rmSync(join(server.home, ".config/pillion/mcp.json"));
});

define("TestA4_VSCodeSecretInputIsMasked", async (window) => {
  const file = join(server.home, ".config/pillion/mcp.json");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = { inputs: [{ id: "token", type: "promptString", description: "A token for the notes", password: true }], mcpServers: { mine: { ...notes, env: { TOKEN: "${input:token}" } } } };
  writeFileSync(file, JSON.stringify(text), { mode: 0o600 });
  try {
    await window.page.locator('.activitybar [aria-label^="Pillion"]').first().click();
    await window.row("mine").waitFor();
    await window.run("Pillion: Start Connector");
    await window.pick("mine");
    const page = await window.pageWith("What is the value of this input");
    assert.match(await page.locator("main").innerText(), /pillion demo/, "it says what is given the value (S11)");
    await pressButton(page, "Type the value, hidden…");
    const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
    await input.waitFor();
    assert.equal(await input.getAttribute("type"), "password");
    await input.fill("hunter2hunter2");
    await window.keep("20-secret");
    await input.press("Enter");
    await window.row("mine").filter({ hasText: "ready" }).waitFor();
  } finally {
    rmSync(file);
  }
});

if (version === "newest") {
  // The floor has no way to offer a model of one's own.
  define("TestF3_VSCodeSampling", async (window) => {
    await allow(window, "everything");
    await call(window, "everything.trigger-sampling-request", { "/prompt": "say it" });
    await pressButton(await window.pageWith("exactly these arguments"), "Allow once");
    const question = await window.pageWith("may your editor's model answer this?");
    assert.match(await question.locator("main").innerText(), /say it/);
    await pressButton(question, "Ask the model");
    const allowModel = window.dialog().locator('.monaco-button:has-text("Allow")').first();
    const reply = window.pageWith("have this answer?");
    await Promise.race([reply, allowModel.click().catch(() => undefined).then(() => reply)]);
    const page = await reply;
    assert.match(await page.locator("main").innerText(), /the model was told/);
    await window.keep("21-sampling");
    await pressButton(page, "Send this answer");
    await window.pageWith("the model was told");
  });

  define("TestVSCodeChatAgentCallsAToolWithApproval", async (window) => {
    await allow(window, "notes");
    await window.run("Test: Wake the Model");
    await window.notification("MODELS: 1").waitFor();
    await window.run("Chat: Open Chat");
    const input = window.page.locator(".interactive-input-part .monaco-editor").first();
    await input.waitFor();
    await input.click();
    await window.page.keyboard.type("@agent hello", { delay: 20 });
    await window.press("Escape", "Enter");
    const approval = await window.pageWith("exactly these arguments");
    await window.keep("22-chat");
    await pressButton(approval, "Allow once");
    await window.page.locator('.interactive-session .monaco-list-row:has-text("ANSWER: The connector")').first().waitFor();
    await window.keep("23-chat-answer");
  });
}

/** Opens a file by quick open. */
async function openFile(window, name) {
  await window.press("Control+p");
  const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
  await input.waitFor();
  await input.fill(join(window.folder, name));
  await window.page.locator(`.quick-input-list .monaco-list-row:has-text("${name}")`).first().waitFor();
  await window.press("Enter");
  await window.page.locator(`.tab:has-text("${name}")`).waitFor();
}

/** Allows a call once, where it asks. */
async function answerIfAsked(window) {
  const found = await Promise.race([window.pageWith("exactly these arguments").catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 3000))]);
  if (found !== undefined) {
    await pressButton(found, "Allow once");
  }
}

windowOn(config({ everything }), "TestVSCodeJourney", "TestF1_VSCodeResourcesAndPrompts", "TestF3_VSCodeSampling");
windowOn(config({ notes }), "TestS16_VSCodeTypingThroughAllowsNothing", "TestVSCodeKeyboardOnly");
windowOn(
  config({ notes }),
  "TestU5_VSCodeStandingPermissionIsUndone",
  "TestS10_VSCodeEditedArgumentsAreSent",
  "TestF2_VSCodeElicitation",
  "TestE6_VSCodeShowsPictures",
  "TestE8_VSCodeProgressAndCancel",
  "TestVSCodeAgentCallsAToolWithApproval",
  "TestVSCodeChatAgentCallsAToolWithApproval",
  "TestU15_VSCodeRegistersNoCommandTwice",
);
windowOn(
  {
    ...config({ notes }),
    "evil.sh": '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n',
    ".vscode/settings.json": {
      "pillion.serverPath": "EVIL",
      "pillion.trusted": true,
      "pillion.ask": "prompt",
      "editor.codeActionsOnSave": { "source.fixAll": "always", "pillion.trust": "always", quickfix: "always" },
      "files.autoSave": "off",
    },
  },
  "TestS3_VSCodeWorkspaceSettingsWidenNothing",
  "TestS18_VSCodeFixOnSaveGrantsNothing",
  "TestA9_VSCodeFaultIsMarked",
);
windowOn(config({ notes }), "TestC81_VSCodeTenReloadsLeaveOneSidecar", "TestVSCodeCrashedSidecarComesBack", "TestVSCodeMissingProgramSaysWhatToDo");
windowOn({ "README.md": "# shop\n" }, "TestU24_VSCodeFirstRun", "TestA4_VSCodeSecretInputIsMasked");
