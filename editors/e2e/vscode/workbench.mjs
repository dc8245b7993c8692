// A real VS Code for the tests: code-server, driven in a headless Chromium as a person at the keyboard and mouse drives it.
// One server and one browser serve a whole version, so that a window finds what an earlier one loaded.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tree = join(here, "../../..");
export const cache = process.env.PILLION_DEV_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pillion-dev");
const { chromium } = createRequire(join(cache, "vscode-driver/node_modules/playwright-core/package.json"))("playwright-core");

/** Bounds every wait for something on the screen: what takes seconds here takes many times that on a busy machine. */
export const patience = Number(process.env.PILLION_PATIENCE ?? 120_000);
/** Bounds the first drawing of a window. */
const openingMs = 2 * patience;
/** After so long without its effect a click or a key was lost: what it was meant for was being drawn anew. */
export const againMs = 10_000;

/** Where screenshots go. */
export const screens = join(process.env.PILLION_E2E_SCREENS ?? join(cache, "screens"), "vscode");

function nodeOf(version) {
  if (version === "floor") {
    return process.execPath;
  }
  const packages = join(cache, "vscode-node/node_modules");
  return join(packages, readdirSync(packages).find((name) => name.startsWith("node-linux-")), "bin/node");
}

/** The running processes whose command lines hold a text. */
export function running(text) {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return { pid: Number(pid), line: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() };
      } catch {
        return { pid: Number(pid), line: "" };
      }
    })
    .filter(({ line }) => line.includes(text));
}

/** Asks until the answer is true. */
export async function until(what, condition, ms = patience) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(`never came: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** One VS Code. */
export class Server {
  static async start(version) {
    const server = new Server();
    server.version = version;
    server.trusted = new Set();
    server.root = mkdtempSync(join(tmpdir(), "vs"));
    server.home = join(server.root, "home");
    server.bin = join(server.root, "bin");
    for (const folder of [server.home, server.bin, join(server.root, "run"), join(server.root, "tmp"), join(server.root, "data/User")]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    const beds = join(cache, "servers/node_modules/.bin");
    for (const program of ["mcp-server-everything", "mcp-server-filesystem"]) {
      symlinkSync(join(beds, program), join(server.bin, program));
    }
    symlinkSync(process.env.PILLION_BINARY ?? join(tree, ".build/pillion"), join(server.bin, "pillion"));
    // The server of VS Code takes PATH from the login shell.
    writeFileSync(join(server.home, ".profile"), `PATH="${server.bin}:${dirname(nodeOf(version))}:$PATH"\n`);
    writeFileSync(
      join(server.root, "data/User/settings.json"),
      JSON.stringify({
        "workbench.startupEditor": "none",
        "telemetry.telemetryLevel": "off",
        "extensions.autoUpdate": false,
        "extensions.autoCheckUpdates": false,
        "security.workspace.trust.startupPrompt": "never",
        "security.workspace.trust.banner": "never",
        "workbench.reduceMotion": "on",
        "workbench.editor.useModal": "off",
        "workbench.tips.enabled": false,
        "git.enabled": false,
        "workbench.colorTheme": "Default Dark Modern",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        "chat.commandCenter.enabled": false,
        "window.commandCenter": false,
        "editor.autoClosingBrackets": "never",
        "editor.autoClosingQuotes": "never",
        "workbench.enableExperiments": false,
      }),
    );
    server.environment = {
      PATH: `${server.bin}:${dirname(nodeOf(version))}:${process.env.PATH}`,
      HOME: server.home,
      TMPDIR: join(server.root, "tmp"),
      XDG_RUNTIME_DIR: join(server.root, "run"),
      XDG_CONFIG_HOME: join(server.home, ".config"),
      XDG_DATA_HOME: join(server.home, ".local/share"),
      XDG_STATE_HOME: join(server.home, ".local/state"),
      XDG_CACHE_HOME: join(server.home, ".cache"),
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    };
    // It is watched from when a window opens, and only where it is there.
    server.machineSettings({});
    const browser = chromium.launchPersistentContext(join(server.root, "browser"), {
      executablePath: "/usr/bin/chromium-headless-shell",
      headless: true,
      args: ["--no-sandbox", "--disable-gpu"],
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await server.install();
    await server.listen();
    server.browser = await browser;
    return server;
  }

  command(...more) {
    const entry = join(cache, `vscode-${this.version}/node_modules/code-server/out/node/entry.js`);
    return [entry, "--user-data-dir", join(this.root, "data"), "--extensions-dir", join(this.root, "ext"), ...more];
  }

  async install() {
    const vsix = process.env.PILLION_VSIX ?? join(tree, ".build/pillion.vsix");
    const { status, stdout, stderr } = spawnSync(nodeOf(this.version), this.command("--install-extension", vsix), { env: this.environment, encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`install ${vsix}: ${stdout}${stderr}`);
    }
    // The registry of extensions is read at the first start alone when the folder is there already.
    const agent = join(this.root, "ext/pillion-test.agent-0.0.1");
    cpSync(join(here, "agent"), agent, { recursive: true });
    const registry = join(this.root, "ext/extensions.json");
    const known = JSON.parse(readFileSync(registry, "utf8"));
    known.push({ identifier: { id: "pillion-test.agent" }, version: "0.0.1", location: { $mid: 1, path: agent, scheme: "file" }, relativeLocation: "pillion-test.agent-0.0.1" });
    writeFileSync(registry, JSON.stringify(known));
  }

  async listen() {
    this.log = "";
    this.process = spawn(
      nodeOf(this.version),
      this.command("--bind-addr", "127.0.0.1:0", "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", ...(this.version === "newest" ? ["--reconnection-grace-time", "2"] : [])),
      { env: this.environment, stdio: ["ignore", "pipe", "pipe"] },
    );
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on("data", (text) => (this.log += text));
    }
    try {
      this.address = await until("the server listens", () => {
        if (this.process.exitCode !== null) {
          throw new Error("the server ended");
        }
        return /HTTP server listening on (http:\/\/[^\s/]+)/.exec(this.log)?.[1];
      });
    } catch (error) {
      throw new Error(`${error.message}\n${this.log}`);
    }
  }

  /** Writes the settings of the machine that the folders are on. */
  machineSettings(settings) {
    mkdirSync(join(this.root, "data/Machine"), { recursive: true });
    writeFileSync(join(this.root, "data/Machine/settings.json"), JSON.stringify(settings));
  }

  /** Makes a program of a line of shell. */
  program(name, line) {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o700 });
  }

  /** Makes a folder with files, each a text or an object that is written as JSON. */
  repository(name, files = {}) {
    const folder = join(this.home, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content, null, 2) + "\n", { mode: path.endsWith(".sh") ? 0o700 : 0o600 });
    }
    return folder;
  }

  /** The end of what the extension wrote down, in the window that wrote last. */
  output() {
    const logs = join(this.root, "data/logs");
    const all = readdirSync(logs, { recursive: true })
      .filter((name) => name.endsWith("Pillion.log"))
      .map((name) => join(logs, name))
      .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
    return all.length === 0 ? "" : readFileSync(all.at(-1), "utf8").split("\n").slice(-60).join("\n");
  }

  /** Opens a window. One that does not come up is the machine's doing, and is opened once more. */
  async open(folder) {
    for (let attempt = 1; ; attempt++) {
      const window = new Window(this, await this.browser.newPage(), folder);
      await window.page.addInitScript(keepNotifications);
      try {
        await window.begin();
        await window.drawn();
        return window;
      } catch (error) {
        process.stderr.write(`VS Code ${this.version}: the window on ${folder} did not come up (attempt ${attempt}): ${String(error).split("\n")[0]}\n`);
        await window.keep(`no-window-${attempt}`);
        await window.page.close().catch(() => undefined);
        if (attempt === 2) {
          throw error;
        }
      }
    }
  }

  async close() {
    await this.browser?.close();
    if (this.process !== undefined) {
      const gone = new Promise((resolve) => this.process.once("exit", resolve));
      this.process.kill("SIGTERM");
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5000))]);
      if (this.process.exitCode === null) {
        this.process.kill("SIGKILL");
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Whether a frame and all that it is in are to be seen. */
async function isShown(frame) {
  for (let at = frame; at.parentFrame() !== null; at = at.parentFrame()) {
    if (!(await (await at.frameElement()).isVisible())) {
      return false;
    }
  }
  return true;
}

/** In the page: keeps the words of all notifications, since one that was shown may have gone when it is looked for. */
function keepNotifications() {
  if (window.top !== window) {
    return;
  }
  window.told = new Set();
  const look = () => document.querySelectorAll(".notification-list-item-message").forEach((one) => window.told.add(one.textContent));
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

/** One window. */
export class Window {
  constructor(server, page, folder) {
    this.server = server;
    this.page = page;
    page.setDefaultTimeout(patience);
    // A window with unsaved text asks before it closes.
    page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
    this.folder = folder;
  }

  /** Begins to load it, or to load it anew. */
  async begin() {
    await this.page.goto(`${this.server.address}/?folder=${encodeURIComponent(this.folder)}`, { waitUntil: "commit", timeout: openingMs });
  }

  /** Waits until it is drawn. */
  async drawn() {
    await this.page.locator(".monaco-workbench .statusbar").waitFor({ timeout: openingMs });
  }

  /** Takes a picture under the version and a name, without what a hover covers. */
  async keep(name, isWithoutHover = true) {
    mkdirSync(join(screens, this.server.version), { recursive: true });
    if (isWithoutHover) {
      await this.page.mouse.move(1000, 715);
      await this.page.locator(".monaco-hover:visible").first().waitFor({ state: "hidden", timeout: 2000 }).catch(() => undefined);
    }
    // A picture that cannot be taken tells nothing of what is on it.
    await this.page.screenshot({ path: join(screens, this.server.version, `${name}.png`) }).catch((error) => process.stderr.write(`no picture of ${name}: ${error.message}\n`));
  }

  /** The text of Pillion's status bar item, once it holds a part. */
  async status(part) {
    const item = this.page.locator(`.statusbar-item:has-text("Pillion")`).filter({ hasText: part }).first();
    await item.waitFor();
    return item;
  }

  async press(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Runs a command of the palette by its title. */
  async run(title) {
    const input = this.page.locator(".quick-input-widget:visible .quick-input-box input");
    const row = this.page.locator(`.quick-input-widget:visible .quick-input-list .monaco-list-row:has-text("${title}")`).first();
    // A document that opens or closes takes the focus, and the palette goes with it: then once more.
    await until(`the palette offers ${title}`, async () => {
      try {
        await this.press("F1");
        await input.waitFor({ timeout: againMs });
        await input.fill(`>${title}`, { timeout: againMs });
        await row.click({ timeout: againMs });
        return true;
      } catch {
        return false;
      }
    });
  }

  /** The same with keys alone. */
  async runByKeys(title) {
    const offered = this.page.locator(`.quick-input-list .monaco-list-row.focused:has-text("${title}")`);
    await until(`the palette offers ${title}`, async () => {
      try {
        await this.press("F1");
        await this.page.locator(".quick-input-widget:visible .quick-input-box input").waitFor({ timeout: againMs });
        await this.page.keyboard.type(title);
        await offered.waitFor({ timeout: againMs });
        return true;
      } catch {
        await this.press("Escape");
        return false;
      }
    });
    await this.press("Enter");
  }

  /** Trusts the folder, where that was not done. */
  async trust() {
    if (this.server.trusted.has(this.folder)) {
      return;
    }
    const restricted = this.page.locator('.statusbar-item:has-text("Restricted Mode")');
    await restricted.waitFor();
    await this.run("Workspaces: Manage Workspace Trust");
    await this.click(this.page.locator('.workspace-trust-editor .monaco-button:text-is("Trust")').first(), async () => (await restricted.count()) === 0);
    await this.closeEditors();
    this.server.trusted.add(this.folder);
  }

  /** Clicks on what is drawn anew now and then, until that had its effect. */
  async click(locator, effect) {
    await until("a click has its effect", async () => {
      if (await effect()) {
        return true;
      }
      await locator.click({ timeout: againMs }).catch(() => undefined);
      return until("it has", effect, againMs).catch(() => false);
    });
  }

  /** Rests the pointer on something until a part is told there. */
  async hover(locator, part) {
    const shown = this.page.locator(".monaco-hover:visible").filter({ hasText: part }).first();
    await until(`"${part}" is told on a hover`, async () => {
      await this.page.mouse.move(1000, 715);
      return locator.hover({ timeout: againMs }).then(() => shown.waitFor({ timeout: againMs })).then(() => true, () => false);
    });
  }

  async closeEditors() {
    if ((await this.page.locator(".tab").count()) > 0) {
      await this.run("View: Close All Editors");
      await until("no editor is open", async () => (await this.page.locator(".tab").count()) === 0);
    }
  }

  /** Makes it as the next scenario wants to find it. */
  async tidy() {
    await this.closeEditors();
    if ((await this.allTold()).length > 0) {
      await this.run("Notifications: Clear All Notifications");
      await until("no notification is to be seen", async () => (await this.page.locator(".notification-list-item").count()) === 0);
      await this.page.evaluate(() => window.told.clear());
    }
  }

  /** Waits until a question takes presses. */
  async settled(frame) {
    await frame.waitForFunction(() => !document.body.classList.contains("dead"));
  }

  /** Lets it lose the focus and have it again, as when the user comes back from another window. */
  async focusAgain() {
    await this.page.evaluate(async () => {
      document.hasFocus = () => false;
      window.dispatchEvent(new Event("blur"));
      // VS Code forgets a loss that the focus follows at once.
      await new Promise((resolve) => setTimeout(resolve, 50));
      delete document.hasFocus;
      window.dispatchEvent(new Event("focus"));
    });
  }

  /** An entry of the quick pick that is open. */
  option(text) {
    return this.page.locator(`.quick-input-widget:visible .quick-input-list .monaco-list-row:has-text("${text}")`).first();
  }

  async pick(text) {
    await this.option(text).click();
  }

  /** Types into the input box that is open, and accepts. */
  async type(text) {
    const input = this.page.locator(".quick-input-widget:visible .quick-input-box input");
    await input.waitFor();
    await input.fill(text);
    await input.press("Enter");
  }

  /** A row of one of Pillion's views, by a part of its text. */
  row(text, view = "Connectors") {
    return this.page.locator(`.split-view-view:has(> .pane > .pane-header:has-text("${view}")) .monaco-list-row`).filter({ hasText: text }).first();
  }

  /** Shows Pillion's views. */
  async showViews() {
    const header = this.page.locator('.pane-header:has-text("Connectors")').first();
    if (!(await header.isVisible())) {
      // A click on the one that is shown would hide it.
      await this.page.locator('.activitybar [aria-label^="Pillion"]').first().click();
    }
    await header.waitFor();
  }

  /** Folds one of Pillion's views, or unfolds it. */
  async toggle(view) {
    await this.page.locator(`.pane-header:has-text("${view}")`).first().click();
  }

  /** The frame of the page of Pillion's that holds a text and is to be seen, if there is one. */
  async pageNow(text) {
    for (const frame of this.page.frames()) {
      try {
        if (frame.name() !== "" && !frame.url().includes("fake.html")) {
          continue;
        }
        const body = frame.locator("body main");
        if ((await body.count()) > 0 && (await body.first().innerText({ timeout: againMs })).includes(text) && (await isShown(frame))) {
          return frame;
        }
      } catch {
        // It is being loaded, or has gone.
      }
    }
    return undefined;
  }

  /** The same, once there is one. */
  pageWith(text) {
    return until(`a page with "${text}"`, () => this.pageNow(text));
  }

  /** Waits until no page of Pillion's holds a text any more, on top or below. */
  async pageGone(text) {
    await until(`no page with "${text}"`, async () => {
      for (const frame of this.page.frames()) {
        try {
          if ((await frame.locator("body main").count()) > 0 && (await frame.locator("body main").first().innerText({ timeout: againMs })).includes(text)) {
            return false;
          }
        } catch {
          // It has gone.
        }
      }
      return true;
    });
  }

  /** A notification that is to be seen: a toast goes after a while, also of itself. */
  toast(text) {
    return this.page.locator(`.notification-toast:has-text("${text}")`).first();
  }

  /** All that VS Code has told since the window was tidied, whether it is to be seen still or not. */
  allTold() {
    return this.page.evaluate(() => [...window.told].filter((one) => one !== ""));
  }

  /** What it has told with a part, once it has. */
  async told(part) {
    return until(`"${part}" is told`, async () => (await this.allTold()).find((one) => one.includes(part)));
  }

  /** Presses a button of what was told, in the list of notifications where its toast has gone. */
  async pressTold(part, title) {
    await this.told(part);
    const button = (place) => this.page.locator(`${place} .notification-list-item:has-text("${part}") .monaco-button:has-text("${title}")`).first();
    await until(`${title} is pressed`, async () => {
      const isToast = await button(".notification-toast").isVisible();
      if (!isToast) {
        await this.run("Notifications: Show Notifications");
      }
      return button(isToast ? ".notification-toast" : ".notifications-center").click({ timeout: againMs }).then(() => true, () => false);
    });
  }

  dialog() {
    return this.page.locator(".monaco-dialog-box");
  }

  async dialogButton(title) {
    await this.dialog().locator(`.monaco-button:has-text("${title}")`).first().click();
  }

  /** Closes the window as a person does, so that VS Code hears of it. */
  async close() {
    await this.page.goto("about:blank").catch(() => undefined);
    await this.page.close();
  }
}

/** Presses a button of a page. One that takes no press just then is pressed again, as a person does. */
export async function pressButton(frame, title) {
  const button = frame.locator(`button[data-action]:text-is("${title}")`).first();
  await button.waitFor();
  await until(`the button ${title} takes the press`, async () => {
    try {
      await button.evaluate((one) => one.addEventListener("click", () => (one.dataset.pressed = "yes")));
      await button.click({ timeout: againMs });
    } catch {
      return false;
    }
    // What it was on may have gone with it.
    return button.evaluate((one) => one.dataset.pressed === "yes", undefined, { timeout: 1000 }).catch(() => true);
  });
}
