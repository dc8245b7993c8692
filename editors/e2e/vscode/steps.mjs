// What a person does in several scenarios.

import { join } from "node:path";
import { pressButton, running, until } from "./workbench.mjs";

export const notes = { command: "pillion", args: ["demo"] };
export const everything = { command: "mcp-server-everything", args: [] };

/** The pillions that serve windows. */
export function sidecars() {
  return running("bin/pillion --stdio");
}

/** Opens the question of a connector by its row. */
export async function review(window, name) {
  await window.showViews();
  await window.row(name).click();
  return window.pageWith("on this machine?");
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
      await input.waitFor({ timeout: 5000 });
      await input.fill(tool, { timeout: 2000 });
      await picker.locator(`.quick-input-list .monaco-list-row.focused:has-text("${tool}")`).waitFor({ timeout: 5000 });
      await input.press("Enter", { timeout: 2000 });
      await picker.waitFor({ state: "hidden", timeout: 5000 });
      return await window.page.locator(`.tab:has-text("Run ${tool}")`).last().waitFor({ timeout: 10_000 }).then(() => true);
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
  await window.press("Control+p");
  const input = window.page.locator(".quick-input-widget:visible .quick-input-box input");
  await input.waitFor();
  await input.fill(join(window.folder, name));
  await window.page.locator(`.quick-input-list .monaco-list-row:has-text("${name}")`).first().waitFor();
  await window.press("Enter");
  await window.page.locator(`.tab:has-text("${name}")`).waitFor();
}
