// What a person does in several scenarios.

import { join } from "node:path";
import { againMs, pressButton, running, until } from "./workbench.mjs";

export const notes = { command: "pillion", args: ["demo"] };
export const everything = { command: "mcp-server-everything", args: [] };

/** The pillions that serve windows. */
export function sidecars() {
  return running("bin/pillion --stdio");
}

/** Opens a page by a click on a row. */
export async function openByRow(window, row, text) {
  await window.click(row, () => window.pageNow(text));
  return window.pageWith(text);
}

/** Opens the question of a connector by its row. */
export async function review(window, name) {
  await window.showViews();
  return openByRow(window, window.row(name), "on this machine?");
}

/** Allows a connector, and waits until it is ready. */
export async function allow(window, name) {
  await window.showViews();
  await window.row(name).waitFor();
  if (/ready/.test(await window.row(name).innerText())) {
    return;
  }
  await pressButton(await review(window, name), "Allow");
  await window.pageGone("on this machine?");
  await window.row(name).filter({ hasText: "ready" }).waitFor();
}

/** Opens the form of a tool by the palette. */
export async function openForm(window, tool) {
  const picker = window.page.locator('.quick-input-widget:visible:has(.quick-input-title:has-text("Run which tool?"))');
  const input = picker.locator(".quick-input-box input");
  // A page that comes up takes the focus, and the list goes with it: then once more, as a person does.
  await until(`the list offers ${tool}`, async () => {
    await window.run("Pillion: Run a Tool");
    try {
      await input.waitFor({ timeout: againMs });
      await input.fill(tool, { timeout: againMs });
      await picker.locator(`.quick-input-list .monaco-list-row.focused:has-text("${tool}")`).waitFor({ timeout: againMs });
      await input.press("Enter", { timeout: againMs });
      await picker.waitFor({ state: "hidden", timeout: againMs });
      return await window.page.locator(`.tab:has-text("Run ${tool}")`).last().waitFor({ timeout: 2 * againMs }).then(() => true);
    } catch {
      await window.press("Escape");
      return false;
    }
  });
  return window.pageWith(`Run ${tool}`);
}

/** Runs a tool by its form. */
export async function call(window, tool, values) {
  const form = await openForm(window, tool);
  for (const [pointer, value] of Object.entries(values)) {
    await form.locator(`[name="${pointer}"]`).fill(value);
  }
  await pressButton(form, "Run");
}

/** The question about a call. */
export function approval(window) {
  return window.pageWith("exactly these arguments");
}

/** Runs a tool by its form and allows that once. */
export async function callOnce(window, tool, values) {
  await call(window, tool, values);
  await pressButton(await approval(window), "Allow once");
}

/** A row of the list of calls. */
export function made(window, tool, words) {
  return window.row(tool, "Activity").filter({ hasText: words });
}

/** Opens a file by quick open. */
export async function openFile(window, name) {
  const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
  await until(`${name} is open`, async () => {
    try {
      await window.press("Control+p");
      await input.waitFor({ timeout: againMs });
      await input.fill(join(window.folder, name), { timeout: againMs });
      await window.option(name).waitFor({ timeout: againMs });
      await input.press("Enter", { timeout: againMs });
      return await window.page.locator(`.tab:has-text("${name}")`).waitFor({ timeout: againMs }).then(() => true);
    } catch {
      return false;
    }
  });
}
