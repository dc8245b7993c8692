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
