/** What the window knows of Pillion: connectors, questions, rules, activity. Views read it and are told when it changes. */

import * as vscode from "vscode";
import type { Client } from "./client";
import { events, requests, type Ask, type AskId, type BrowserResult, type Connector, type ConsentRecord, type Mode, type PermissionRule, type Prompt, type Resource, type ResourceTemplate, type Tool } from "./generated/protocol";
import { ActivityLog, mostCalls } from "./plain/activity";
import { Newest } from "./plain/newest";
import { alsoRun } from "./plain/same_names";

/** What changed. */
export type Part = "connectors" | "asks" | "activity" | "permissions" | "mode" | "state" | "catalogue" | "browser";

/** What a connector offers. */
export interface Catalogue {
  tools: Tool[];
  resources: Resource[];
  templates: ResourceTemplate[];
  prompts: Prompt[];
}

const activityKey = "activity";
const mostRemembered = 50;

/** A call that this window saw with what it is given. */
export interface Made {
  /** the tool by its id, and as people know it */
  tool: string;
  label: string;
  argumentsText: string;
}

/** The window's state. */
export class Session implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Part>();
  readonly onDidChange = this.changed.event;
  private readonly opened = new vscode.EventEmitter<Ask>();
  /** Told of every question that is new. */
  readonly onDidOpenAsk = this.opened.event;
  private readonly closedAsk = new vscode.EventEmitter<{ askId: AskId; how: string; by?: string }>();
  /** Told of every question that has ended. */
  readonly onDidCloseAsk = this.closedAsk.event;

  connectors = new Map<string, Connector>();
  asks = new Map<AskId, Ask>();
  rules: PermissionRule[] = [];
  consents: ConsentRecord[] = [];
  mode: Mode = "ask";
  /** The browser of the window's own session, once something was told of it. */
  browser: BrowserResult | undefined;
  activity = new ActivityLog();
  /** Arguments of calls that this window saw, by call. */
  private readonly argumentsOf = new Newest<Made>(mostCalls);
  /** Connectors that VS Code's own chat runs as well. */
  alsoRun = new Set<string>();
  /** Whether Pillion has told everything once since it came up. */
  isKnown = false;
  private connectorsRev = 0;
  private asksRev = 0;
  private readonly catalogues = new Map<string, Promise<Catalogue>>();
  private permissionsTimer: NodeJS.Timeout | undefined;

  /** What the list of calls was is kept over a reload of the window in memory: names, times and outcomes, no arguments and no results. */
  constructor(
    readonly client: Client,
    private readonly memory: vscode.Memento,
  ) {
    this.activity.restore(memory.get(activityKey));
    this.onDidChange((part) => {
      if (part === "activity") {
        void this.memory.update(activityKey, this.activity.list().slice(0, mostRemembered));
      }
    });
    client.onDidChangeState((state) => {
      if (state.kind === "running") {
        void this.seed();
      } else {
        this.forget();
      }
      this.changed.fire("state");
    });
    client.on(events.connectorsChanged, (p) => {
      if (p.rev !== this.connectorsRev + 1) {
        void this.seedConnectors().catch(() => undefined);
        return;
      }
      this.connectorsRev = p.rev;
      for (const connector of p.changed) {
        this.connectors.set(connector.id, connector);
      }
      for (const id of p.removed) {
        this.connectors.delete(id);
        this.catalogues.delete(id);
      }
      this.connectorsAreOthers();
    });
    client.on(events.asksChanged, (p) => {
      if (p.rev !== this.asksRev + 1) {
        void this.seedAsks().catch(() => undefined);
        return;
      }
      this.asksRev = p.rev;
      this.takeAsks(p.opened, p.closed);
    });
    for (const event of [events.toolsChanged, events.resourcesChanged, events.promptsChanged] as const) {
      client.on(event, (p: { connector: string }) => {
        this.catalogues.delete(p.connector);
        this.changed.fire("catalogue");
      });
    }
    client.on(events.browserChanged, (browser) => this.takeBrowser(browser));
    client.on(events.eventTold, (event) => {
      if (event.kind === "gap") {
        void this.seed();
      }
      if (this.activity.take(event)) {
        this.changed.fire("activity");
      }
      if (event.kind === "askClosed" || event.kind === "connector" || event.kind === "call") {
        this.permissionsSoon();
      }
    });
  }

  /**
   * What a call was given, where this window saw that. The question before a call may have been about another one, such as the
   * start of the browser that a page is opened in.
   */
  made(call: { callId: string; tool: string }): Made | undefined {
    const known = this.argumentsOf.get(call.callId);
    return known?.label === call.tool ? known : undefined;
  }

  /** Takes over what a call is given. */
  making(callId: string, made: Made): void {
    this.argumentsOf.set(callId, made);
  }

  /** The connectors in the order of views: what waits first, then by name; shadowed ones last. */
  list(): Connector[] {
    const rank = (c: Connector) => (c.shadowedBy !== undefined ? 3 : c.pinned === true ? 0 : c.state === "waiting" ? 1 : 2);
    return [...this.connectors.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  }

  /** The open questions, the oldest first. */
  openAsks(): Ask[] {
    return [...this.asks.values()].sort((a, b) => a.at.localeCompare(b.at));
  }

  /** What a connector offers, from what is known: it starts nothing. */
  async catalogue(connector: Connector): Promise<Catalogue> {
    let known = this.catalogues.get(connector.id);
    if (known === undefined) {
      known = this.fetchCatalogue(connector);
      this.catalogues.set(connector.id, known);
      known.catch(() => this.catalogues.delete(connector.id));
    }
    return known;
  }

  /** Takes over how the browser of the window's own session stands. */
  takeBrowser(browser: BrowserResult): void {
    this.browser = browser;
    this.changed.fire("browser");
  }

  /** Reads the open questions anew. */
  async seedAsks(): Promise<void> {
    const { rev, asks } = await this.client.request(requests.asks, {});
    if (rev < this.asksRev) {
      return; // What was told meanwhile is newer.
    }
    this.asksRev = rev;
    const known = this.asks;
    const gone = [...known.keys()].filter((id) => !asks.some((ask) => ask.askId === id));
    this.takeAsks(
      asks.filter((ask) => !known.has(ask.askId)),
      gone.map((askId) => ({ askId, how: "withdrawn" })),
    );
  }

  /** Reads the standing permissions and consents anew. */
  async seedPermissions(): Promise<void> {
    const [rules, consents, mode] = await Promise.all([
      this.client.request(requests.permissions, {}),
      this.client.request(requests.consents, {}),
      this.client.request(requests.modeCurrent, {}),
    ]);
    this.rules = rules.rules;
    this.consents = consents.records;
    if (this.mode !== mode.mode) {
      this.mode = mode.mode;
      this.changed.fire("mode");
    }
    this.changed.fire("permissions");
  }

  /** Waits a moment for rules that allow something of a connector and were not there before: they are made just after an answer. */
  async rulesSince(before: ReadonlySet<string>, connector: string): Promise<PermissionRule[]> {
    for (let look = 0; ; look++) {
      await this.seedPermissions();
      const made = this.rules.filter((rule) => !before.has(rule.id) && rule.decision === "allow" && rule.connector === connector);
      if (made.length > 0 || look === 20) {
        return made;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Looks at what VS Code's chat offers. */
  async seedAlsoRun(): Promise<void> {
    const offered = "lm" in vscode ? vscode.lm.tools.map((tool) => tool.name) : [];
    const names = new Map<string, string[]>();
    if (offered.some((name) => name.startsWith("mcp_"))) {
      for (const connector of this.connectors.values()) {
        if (connector.tools > 0) {
          names.set(connector.id, (await this.catalogue(connector)).tools.map((tool) => tool.name));
        }
      }
    }
    const found = alsoRun([...this.connectors.values()], names, offered);
    if (found.size !== this.alsoRun.size || [...found].some((id) => !this.alsoRun.has(id))) {
      this.alsoRun = found;
      this.changed.fire("connectors");
    }
  }

  dispose(): void {
    clearTimeout(this.permissionsTimer);
    this.changed.dispose();
    this.opened.dispose();
    this.closedAsk.dispose();
  }

  private async seed(): Promise<void> {
    // One part that cannot be told does not keep the others away.
    const parts = await Promise.allSettled([this.seedConnectors(), this.seedAsks(), this.seedPermissions(), this.seedEvents(), this.seedBrowser()]);
    if (this.client.state.kind !== "running") {
      return;
    }
    for (const part of parts) {
      if (part.status === "rejected") {
        this.client.log.warn(`read Pillion's state: ${String(part.reason)}`);
      }
    }
    this.isKnown = true;
    this.changed.fire("state");
  }

  private async seedConnectors(): Promise<void> {
    const { rev, connectors } = await this.client.request(requests.connectors, {});
    if (rev < this.connectorsRev) {
      return; // What was told meanwhile is newer.
    }
    this.connectorsRev = rev;
    this.connectors = new Map(connectors.map((c) => [c.id, c]));
    this.catalogues.clear();
    this.connectorsAreOthers();
  }

  private async seedEvents(): Promise<void> {
    const seen = this.activity.epoch === undefined ? {} : { epoch: this.activity.epoch, since: this.activity.seq };
    const { events: told } = await this.client.request(requests.events, seen);
    for (const event of told) {
      this.activity.take(event);
    }
    this.changed.fire("activity");
  }

  private async seedBrowser(): Promise<void> {
    this.takeBrowser(await this.client.request(requests.browser, {}));
  }

  private takeAsks(opened: readonly Ask[], closed: readonly { askId: AskId; how: string; by?: string }[]): void {
    for (const end of closed) {
      if (this.asks.delete(end.askId)) {
        this.closedAsk.fire(end);
      }
    }
    for (const ask of opened) {
      this.asks.set(ask.askId, ask);
      if (ask.kind === "approval" && ask.callId !== undefined) {
        const body = ask.body as { tool: Tool; argumentsText: string };
        this.argumentsOf.set(ask.callId, { tool: body.tool.id, label: body.tool.label, argumentsText: body.argumentsText });
      }
    }
    this.changed.fire("asks");
    for (const ask of opened) {
      this.opened.fire(ask);
    }
    if (closed.length > 0) {
      this.permissionsSoon();
    }
  }

  private connectorsAreOthers(): void {
    this.changed.fire("connectors");
    void this.seedAlsoRun().catch(() => undefined);
  }

  private permissionsSoon(): void {
    clearTimeout(this.permissionsTimer);
    this.permissionsTimer = setTimeout(() => void this.seedPermissions().catch(() => undefined), 200);
  }

  private async fetchCatalogue(connector: Connector): Promise<Catalogue> {
    const [tools, resources, prompts] = await Promise.all([
      this.allTools(connector.id),
      this.client.request(requests.resources, { connector: connector.id }),
      this.client.request(requests.prompts, { connector: connector.id }),
    ]);
    return { tools, resources: resources.resources, templates: resources.templates, prompts: prompts.prompts };
  }

  private async allTools(connector: string): Promise<Tool[]> {
    const all: Tool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.client.request(requests.tools, { connector, all: true, ...(cursor === undefined ? {} : { cursor }) });
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  private forget(): void {
    this.isKnown = false;
    this.connectorsRev = 0;
    this.asksRev = 0;
    this.browser = undefined;
    this.connectors.clear();
    this.catalogues.clear();
    for (const askId of [...this.asks.keys()]) {
      this.asks.delete(askId);
      this.closedAsk.fire({ askId, how: "withdrawn" });
    }
    this.rules = [];
    this.consents = [];
    this.activity.end();
    for (const part of ["connectors", "asks", "permissions", "activity"] as const) {
      this.changed.fire(part);
    }
  }
}
