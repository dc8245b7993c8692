// The browser of the session, a real one: a no and a yes to it, what it shows, its end.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pressButton } from "../workbench.mjs";

const row = "Browser";
const question = "May this session have a browser?";

export const browser = {
  async "TestH1_VSCodeTheBrowserOfTheSession"(window) {
    const settings = join(window.server.home, ".config/pillion");
    mkdirSync(settings, { recursive: true, mode: 0o700 });
    writeFileSync(join(settings, "settings.json"), JSON.stringify({ browserProvider: "native", browserSandbox: process.getuid() !== 0 }), { mode: 0o600 });
    const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><link rel=icon href=data:,><title>Hi</title><h1>Hello there</h1>"));
    await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
    try {
      await window.showViews();
      await window.page.locator('.statusbar-item:has-text("Pillion:")').first().waitFor(); // a palette that is open offers no more than it did
      await window.run("Pillion: Start the Browser of This Session");
      await pressButton(await window.pageWith(question), "Decline");
      await window.row(row).filter({ hasText: "refused by you" }).waitFor();
      await window.keep("browser-refused");
      await window.click(window.row(row), () => window.pageNow(question));
      await pressButton(await window.pageWith(question), "Allow a browser in this session");
      await window.row(row).filter({ hasText: "running" }).waitFor();
      await window.run("Pillion: Open a Page in the Browser");
      await window.type(`localhost:${site.address().port}`);
      await window.pageWith("Hello there");
      await window.keep("browser-page");
      await window.run("Pillion: Show What the Browser Shows");
      await (await window.pageWith("A picture of")).locator("img").first().waitFor();
      await window.keep("browser-picture");
      await window.run("Pillion: End the Browser of This Session");
      await window.row(row).filter({ hasText: "off, asks before it starts" }).waitFor();
      await window.run("Pillion: Start the Browser of This Session");
      const page = await window.pageWith(question);
      await page.locator("summary", { hasText: "Allow more" }).click();
      await window.settled(page);
      await pressButton(page, "Always allow one, in every session");
      await window.row(row).filter({ hasText: "running" }).waitFor();
      await window.run("Pillion: End the Browser of This Session");
      await window.row(row).filter({ hasText: "off, starts without a question" }).waitFor();
      await window.keep("browser-always");
      await window.run("Pillion: Ask Again Before a Session Has a Browser");
      await window.row(row).filter({ hasText: "off, asks before it starts" }).waitFor();
    } finally {
      site.close();
    }
  },
};
