/**
 * The pillion process of this window and the connection to it: found, started, watched, started again when it ends. It knows
 * nothing of what is shown.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type ClientCapabilities,
  type FeatureState,
  type LanguageClientOptions,
  type Middleware,
  type StaticFeature,
} from "vscode-languageclient/node";
import { openFolders } from "./folders";
import {
  capabilityName,
  notifications,
  protocolVersion,
  type AskKind,
  type ClientCapability,
  type Events,
  type Notifications,
  type Requests,
  type ServerCapability,
} from "./generated/protocol";
import type { Settings } from "./generated/settings";
import { Backoff } from "./plain/backoff";
import { wordsOf } from "./plain/fault";
import { findProgram, outside, protocolFault, type Program } from "./plain/program";

/** How long an end of the process is waited for. */
const stopMs = 5000;

/** Where the process stands: what is wrong says so in words, and what to do. */
export type ClientState =
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "running"; version: string; window: string }
  | { kind: "missing"; reason: string }
  | { kind: "old"; reason: string }
  | { kind: "ended"; reason: string };

const askKinds: AskKind[] = ["consent", "approval", "elicitation", "url", "input", "join", "store", "widen"];

/** Declares what this client can do beyond LSP. */
class PillionFeature implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const capability: ClientCapability = {
      protocol: [protocolVersion],
      asks: "lm" in vscode ? [...askKinds, "sampling"] : askKinds,
      events: true,
    };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), [capabilityName]: capability };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: "static" };
  }
  clear(): void {}
}

/** A client that only writes down what goes wrong: the state says it to the user, once and with what to do. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** What the user's settings say for the process. What is trusted can only be taken away (S3). */
function settingsNow(): Settings {
  const all = vscode.workspace.getConfiguration("pillion");
  const settings: Settings = {};
  for (const name of ["ask", "notifications", "format", "logLevel"] as const) {
    const value = all.get(name);
    if (value !== undefined && value !== null) {
      Object.assign(settings, { [name]: value });
    }
  }
  settings.trusted = vscode.workspace.isTrusted && all.get<boolean | null>("trusted") !== false;
  return settings;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Finds the pillion to run. */
export function programOf(extension: vscode.Uri): Program | { missing: string } {
  const name = process.platform === "win32" ? "pillion.exe" : "pillion";
  const roots = openFolders().map((folder) => folder.uri.fsPath);
  return findProgram({
    bundled: path.join(extension.fsPath, "bin", name),
    setting: vscode.workspace.getConfiguration("pillion").get<string>("serverPath") ?? "",
    folders: outside((process.env.PATH ?? "").split(path.delimiter), roots, path.sep),
    name,
    isProgram,
    isAbsolute: (file) => path.isAbsolute(file),
    join: (folder, file) => path.join(folder, file),
  });
}

/** The connection. It may be started, stopped and restarted; whoever made it disposes of it. */
export class Client implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<ClientState>();
  /** Told whenever the process comes up or goes. */
  readonly onDidChangeState = this.stateChanged.event;
  readonly log: vscode.LogOutputChannel;
  private readonly backoff = new Backoff();
  private readonly listeners: { method: string; listener: (params: unknown) => void }[] = [];
  private current: LanguageClient | undefined;
  private startedAt = 0;
  /** Whether the process was told when it started that the folder is trusted. */
  private startedTrusted = false;
  /** How many processes have ended by themselves. */
  private ends = 0;
  private now: ClientState = { kind: "stopped" };
  /** Set by the owner before start: what happens around server commands and shown documents. */
  middleware: Middleware = {};

  constructor(private readonly extension: vscode.Uri) {
    this.log = vscode.window.createOutputChannel("Pillion", { log: true });
  }

  get state(): ClientState {
    return this.now;
  }

  /** Has a notification of Pillion's told, over every restart. */
  on<M extends keyof Events>(method: M, listener: (params: Events[M]["params"]) => void): void {
    const untyped = listener as (params: unknown) => void;
    this.listeners.push({ method, listener: untyped });
    this.current?.onNotification(method, untyped);
  }

  /** Asks Pillion something. It rejects where there is no connection, and with Pillion's own words where it refuses. */
  async request<M extends keyof Requests>(method: M, params: Requests[M]["params"], token?: vscode.CancellationToken): Promise<Requests[M]["result"]> {
    const client = this.current;
    if (client === undefined || this.now.kind !== "running") {
      throw new Error("Pillion is not running.");
    }
    // A token that is undefined would be sent as a second parameter.
    return token === undefined ? client.sendRequest<Requests[M]["result"]>(method, params) : client.sendRequest<Requests[M]["result"]>(method, params, token);
  }

  /** Tells Pillion something, if it is there. */
  tell<M extends keyof Notifications>(method: M, params: Notifications[M]["params"]): void {
    if (this.now.kind === "running") {
      void this.current?.sendNotification(method, params);
    }
  }

  /** Tells Pillion what is trusted now. */
  tellTrust(): void {
    this.tell(notifications.trustChanged, { trusted: settingsNow().trusted !== false });
  }

  /** Tells Pillion that this window has the focus: agents join the one that had it last. */
  tellFocus(): void {
    this.tell(notifications.focused, {});
  }

  /** The client that language features go through, for progress; undefined where nothing runs. */
  get languageClient(): LanguageClient | undefined {
    return this.now.kind === "running" ? this.current : undefined;
  }

  /** Starts the process. It is settled afterwards: running, or what is wrong stands in the state. */
  async start(): Promise<void> {
    if (this.now.kind === "running" || this.now.kind === "starting") {
      return;
    }
    const program = programOf(this.extension);
    if ("missing" in program) {
      this.become({ kind: "missing", reason: program.missing });
      return;
    }
    this.log.info(`starting ${program.path} (${program.origin})`);
    this.become({ kind: "starting" });
    const client: LanguageClient = new QuietClient("pillion", "Pillion", { command: program.path, args: ["--stdio"] }, this.options(() => this.current === client));
    client.registerFeature(new PillionFeature());
    for (const { method, listener } of this.listeners) {
      client.onNotification(method, listener);
    }
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.current === client) {
        void this.running(client);
      }
    });
    this.current = client;
    this.startedAt = Date.now();
    const ends = this.ends;
    try {
      await client.start();
    } catch (error) {
      // One that ended while it came up is started again, or that is given up, where its end is told.
      if (this.current === client && this.ends === ends && (this.now as ClientState).kind === "starting") {
        this.log.error(`start ${program.path}: ${String(error)}`);
        this.become({ kind: "ended", reason: `${program.path} did not start as a language server: ${wordsOf(error)}` });
      }
    }
  }

  /** Ends the process and answers when it has gone. */
  async stop(): Promise<void> {
    const client = this.current;
    this.current = undefined;
    this.become({ kind: "stopped" });
    if (client !== undefined) {
      if (client.state === State.Starting) {
        // One that is coming up cannot be stopped, and to let go of it would leave its process.
        await Promise.race([client.start().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, stopMs))]);
      }
      try {
        await client.stop(stopMs);
      } catch {
        // It had not come up, or has gone already.
      }
      await client.dispose().catch(() => undefined);
    }
  }

  /** Starts anew, whatever went before. */
  async restart(): Promise<void> {
    this.backoff.reset();
    await this.stop();
    await this.start();
  }

  dispose(): Thenable<void> {
    return this.stop().then(() => {
      this.stateChanged.dispose();
      this.log.dispose();
    });
  }

  /** The options of one client, which is asked whether it is the one that counts: an earlier one does not come back. */
  private options(counts: () => boolean): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: "file", pattern: "**/.mcp.json" },
        { scheme: "file", pattern: "**/pillion/mcp.json" },
      ],
      initializationOptions: () => {
        this.startedTrusted = vscode.workspace.isTrusted;
        return settingsNow();
      },
      outputChannel: this.log,
      middleware: {
        ...this.middleware,
        workspace: { configuration: (params) => params.items.map((item) => (item.section === "pillion" ? settingsNow() : null)) },
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(counts),
      },
    };
  }

  private async closed(counts: () => boolean): Promise<{ action: CloseAction; handled: boolean }> {
    if (!counts()) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.ends++;
    const next = this.backoff.ended(Date.now() - this.startedAt);
    if (!next.again) {
      this.log.error("pillion ended again and again; it is not started any more by itself");
      this.become({ kind: "ended", reason: "Pillion ended several times in a row." });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.log.warn(`pillion ended; starting it again in ${next.waitMs} ms`);
    this.become({ kind: "starting" });
    await new Promise((resolve) => setTimeout(resolve, next.waitMs));
    if (!counts()) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const program = programOf(this.extension);
    if ("missing" in program) {
      // It was taken away while it ran, and to start it would fail where nobody hears of it.
      this.become({ kind: "missing", reason: program.missing });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.startedAt = Date.now();
    return { action: CloseAction.Restart, handled: true };
  }

  private async running(client: LanguageClient): Promise<void> {
    const experimental = client.initializeResult?.capabilities.experimental as Record<string, ServerCapability | undefined> | undefined;
    const capability = experimental?.[capabilityName];
    const fault = protocolFault(capability?.protocol, protocolVersion);
    if (fault !== undefined) {
      await this.stop();
      this.become({ kind: "old", reason: fault });
      return;
    }
    this.become({ kind: "running", version: capability?.version ?? "", window: capability?.window ?? "" });
    // The folder may have become trusted while the process came up, when nobody could be told.
    if (vscode.workspace.isTrusted && !this.startedTrusted) {
      this.tellTrust();
    }
  }

  private become(state: ClientState): void {
    this.now = state;
    this.stateChanged.fire(state);
  }
}
