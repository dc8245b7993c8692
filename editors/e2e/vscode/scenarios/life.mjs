// Files that change, processes that end, windows that come and go.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allow, call, callOnce, approval, made, openFile, sidecars } from "../steps.mjs";
import { againMs, pressButton, running, until } from "../workbench.mjs";

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone.
  }
}

/** Ends a process that there has to be. */
async function kill(what, found) {
  const pid = await until(`${what} runs`, () => found()[0]?.pid);
  end(pid);
  await until(`${what} has gone`, () => !found().some((one) => one.pid === pid));
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}

/** The sidecars that a window started: what one of them starts has its name until it is another program. */
function served() {
  const hosts = new Set(running("--type=extensionHost").map(({ pid }) => pid));
  return sidecars().filter(({ pid }) => hosts.has(parentOf(pid)));
}

/** The connectors that Pillion runs; VS Code may run copies of its own. */
function demos() {
  const ours = new Set(sidecars().map(({ pid }) => pid));
  return running("pillion demo").filter(({ pid }) => {
    let at = pid;
    while (at > 1 && !ours.has(at)) {
      at = parentOf(at);
    }
    return ours.has(at);
  });
}

export const life = {
  async "config broken and fixed"(window, folder) {
    const file = join(folder, ".mcp.json");
    const whole = readFileSync(file, "utf8");
    await openFile(window, ".mcp.json");
    // VS Code does not see what is written before it watches the folder of a new window.
    await until("the fault is marked", async () => {
      writeFileSync(file, whole.replace('"command": "pillion"', '"comand": "pillion"'));
      return window.page.locator(".squiggly-warning, .squiggly-error").first().waitFor({ timeout: againMs }).then(() => true, () => false);
    });
    await window.keep("fault");
    writeFileSync(file, whole);
    await until("the fault is marked no more", async () => (await window.page.locator(".squiggly-warning, .squiggly-error").count()) === 0);
    await allow(window, "notes");
  },

  async "connector dies and recovers"(window) {
    await allow(window, "notes");
    const started = async () => {
      await window.run("Pillion: Start Connector");
      await window.pick("notes");
      await window.row("notes").filter({ hasText: "ready", hasNotText: "starts on use" }).waitFor();
    };
    // One that was called since it was last stopped comes back by itself.
    await started();
    await window.run("Pillion: Stop Connector");
    await window.pick("notes");
    await window.row("notes").filter({ hasText: "starts on use" }).waitFor();
    await started();
    const failed = window.row("notes").filter({ hasText: "does not run" });
    // One of an earlier definition may be on its way out still: to end that is nothing to tell of.
    await until("it is told that the connector ended", () => {
      for (const { pid } of demos()) {
        end(pid);
      }
      return failed.isVisible();
    });
    await window.keep("connector-failed");
    const ready = window.row("notes").filter({ hasText: "ready" });
    await window.click(window.row("notes"), () => ready.isVisible());
    await ready.waitFor();
  },

  async "sidecar killed"(window) {
    await allow(window, "notes");
    await kill("the sidecar", served);
    await window.row("notes").filter({ hasText: "ready" }).waitFor();
    await window.status("ready");
    for (let i = 0; i < 5; i++) {
      await kill("the sidecar", served);
    }
    const item = await window.status("stopped");
    await window.told("ended several times");
    assert.equal((await window.allTold()).length, 1, "it is said once");
    await window.keep("stopped");
    await item.click();
    await window.dialog().waitFor();
    await window.dialogButton("Start it again");
    await window.status("ready");
  },

  async TestVSCodeMissingProgramSaysWhatToDo(window) {
    // A setting of the machine stands with the machine that the folder is on.
    window.server.machineSettings({ "pillion.serverPath": "/nowhere/pillion" });
    try {
      const item = await window.status("not found");
      assert.deepEqual(sidecars(), []);
      await item.click();
      await window.dialog().waitFor();
      await window.keep("missing");
      await window.dialogButton("Cancel");
    } finally {
      window.server.machineSettings({});
    }
    await window.status("ready");
  },

  async "two editors on one project"(window) {
    await allow(window, "notes");
    const other = await window.server.open(window.folder);
    try {
      await other.status("ready"); // What was allowed in one is allowed in the other.
      await until("each has its own", () => sidecars().length === 2);
      await call(other, "notes.write_note", { "/name": "todo", "/text": "other" });
      const page = await approval(other);
      await window.status("ready"); // Its question is its own.
      await pressButton(page, "Allow once");
      await other.pageWith('Wrote note "todo"');
    } finally {
      await other.close();
    }
    await until("the other's has ended", () => sidecars().length === 1);
    await window.status("ready");
  },

  async TestC81_VSCodeTenReloadsLeaveOneSidecar(window) {
    await allow(window, "notes");
    await callOnce(window, "notes.write_note", { "/name": "todo", "/text": "before" });
    await window.pageWith("The tool answered.");
    await window.closeEditors();
    const seen = new Set(sidecars().map(({ pid }) => pid));
    // The next one comes when the window has a sidecar of its own, when it is drawn, or when it has only begun.
    const reached = [
      () => until("the window has a sidecar of its own", () => sidecars().some(({ pid }) => !seen.has(pid))),
      () => window.drawn(),
      () => undefined,
    ];
    for (let i = 0; i < 10; i++) {
      await window.begin();
      await reached[i % reached.length]();
      for (const { pid } of sidecars()) {
        seen.add(pid);
      }
    }
    await window.showViews();
    await window.row("notes").filter({ hasText: "ready" }).waitFor();
    await until("one sidecar is left", () => sidecars().length === 1);
    // What was called is listed still, and a click shows what is recorded of it (E11).
    await window.click(made(window, "notes.write_note", "done"), () => window.page.locator('.tab:has-text("notes.write_note")').isVisible());
    await window.keep("earlier-call");
    await window.closeEditors();
  },

  async "editor quits"(window) {
    await allow(window, "notes");
    await window.close();
    await until("nothing of it runs", () => sidecars().length === 0 && running("pillion demo").length === 0 && running("server-everything").length === 0);
  },
};
