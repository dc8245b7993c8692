/** The tree of connectors and what they offer (U6). */

import * as vscode from "vscode";
import type { BrowserResult, Connector, Prompt, Resource, ResourceTemplate, Tool } from "../generated/protocol";
import { browserFirst, browserLook, browserWords, isShown } from "../plain/browser";
import { label } from "../plain/visible";
import { counted, firstAction, lookOf, permissionWords } from "../plain/words";
import type { Session } from "../session";
import { selectedIn } from "./selected";

/** One row of the tree. */
export type Node =
  | { kind: "browser"; browser: BrowserResult; connector?: Connector }
  | { kind: "connector"; connector: Connector }
  | { kind: "group"; connector: Connector; group: "tools" | "resources" | "prompts"; count: number }
  | { kind: "tool"; connector: Connector; tool: Tool }
  | { kind: "resource"; connector: Connector; resource: Resource }
  | { kind: "template"; connector: Connector; template: ResourceTemplate }
  | { kind: "prompt"; connector: Connector; prompt: Prompt };

const groupTitles = { tools: "Tools", resources: "Resources", prompts: "Prompts" } as const;
const groupIcons = { tools: "tools", resources: "files", prompts: "comment-discussion" } as const;

const drawAfterMs = 50;

/**
 * What a click runs. It has no arguments: VS Code forgets those of a row the moment that it is drawn anew, and the click with
 * them. The handler looks at the row that is selected.
 */
const opened: vscode.Command = { command: "pillion.connectors.openSelected", title: "Open" };

/** Whether it is VS Code's distrust of the folder that keeps a connector waiting. */
function isHeldBack(connector: Connector): boolean {
  return !vscode.workspace.isTrusted && connector.state === "waiting" && connector.source === "project";
}

function offers(connector: Connector): boolean {
  return connector.tools + connector.resources + connector.prompts > 0 && ["ready", "idle"].includes(connector.state);
}

/** The tree's contents. */
export class ConnectorsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private readonly tree: vscode.TreeView<Node>;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly session: Session) {
    this.tree = vscode.window.createTreeView("pillion.connectors", { treeDataProvider: this, showCollapseAll: true });
    this.subscription = session.onDidChange((part) => {
      if (part === "connectors" || part === "catalogue" || part === "browser" || part === "state") {
        // Several changes are drawn as one: a row that is drawn anew under the pointer loses its click.
        this.timer ??= setTimeout(() => {
          this.timer = undefined;
          this.changed.fire();
        }, drawAfterMs);
      }
    });
  }

  /** The command, and what it is given, that a click on the selected row runs. */
  async opening(): Promise<{ command: string; argument: Node } | undefined> {
    const node = await selectedIn(this.tree);
    switch (node?.kind) {
      case "connector": {
        const now = this.session.connectors.get(node.connector.id) ?? node.connector;
        const first = offers(now) ? undefined : firstAction(now);
        return first === undefined ? undefined : { command: first.command, argument: { kind: "connector", connector: now } };
      }
      case "browser":
        return { command: browserFirst(this.session.browser ?? node.browser).command, argument: node };
      case "tool":
        return { command: "pillion.tool.run", argument: node };
      case "resource":
      case "template":
        return { command: "pillion.resource.open", argument: node };
      case "prompt":
        return { command: "pillion.prompt.open", argument: node };
      default:
        return undefined;
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      const { browser } = this.session;
      const all = this.session.list();
      // The connector that it is behind is part of its row, and has none of its own.
      const connector = all.find(({ id }) => id === browser?.connector);
      if (browser === undefined || (connector === undefined && !isShown(browser))) {
        return all.map((connector) => ({ kind: "connector", connector }));
      }
      return [{ kind: "browser", browser, ...(connector === undefined ? {} : { connector }) }, ...all.filter((one) => one !== connector).map((one): Node => ({ kind: "connector", connector: one }))];
    }
    if (node.kind === "browser") {
      return node.connector === undefined ? [] : this.tools(node.connector);
    }
    const { connector } = node;
    if (node.kind === "connector") {
      const counts = { tools: connector.tools, resources: connector.resources, prompts: connector.prompts };
      const groups = (["tools", "resources", "prompts"] as const).filter((group) => counts[group] > 0);
      if (groups.length === 1 && groups[0] === "tools") {
        return this.tools(connector);
      }
      return groups.map((group) => ({ kind: "group", connector, group, count: counts[group] }));
    }
    if (node.kind !== "group") {
      return [];
    }
    if (node.group === "tools") {
      return this.tools(connector);
    }
    const catalogue = await this.session.catalogue(connector);
    if (node.group === "prompts") {
      return catalogue.prompts.map((prompt) => ({ kind: "prompt", connector, prompt }));
    }
    return [
      ...catalogue.resources.map((resource): Node => ({ kind: "resource", connector, resource })),
      ...catalogue.templates.map((template): Node => ({ kind: "template", connector, template })),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "browser":
        return browserItem(node.browser, node.connector);
      case "connector":
        return this.connectorItem(node.connector);
      case "group": {
        const item = new vscode.TreeItem(groupTitles[node.group], vscode.TreeItemCollapsibleState.Collapsed);
        item.description = String(node.count);
        item.iconPath = new vscode.ThemeIcon(groupIcons[node.group]);
        item.id = `${node.connector.id}/${node.group}`;
        item.contextValue = `group;${node.group}`;
        return item;
      }
      case "tool":
        return toolItem(node.connector, node.tool);
      case "resource": {
        const item = leaf(node.connector, "resource", node.resource.uri, node.resource.title ?? node.resource.name, "file");
        item.tooltip = [node.resource.uri, node.resource.description ?? "", node.resource.mimeType ?? ""].filter((t) => t !== "").map((t) => label(t, 600)).join("\n");
        item.description = label(node.resource.mimeType ?? "");
        item.command = opened;
        return item;
      }
      case "template": {
        const item = leaf(node.connector, "template", node.template.uriTemplate, node.template.title ?? node.template.name, "file-code");
        item.description = label(node.template.uriTemplate, 80);
        item.tooltip = [node.template.uriTemplate, node.template.description ?? ""].map((t) => label(t, 600)).join("\n");
        item.command = opened;
        return item;
      }
      case "prompt": {
        const item = leaf(node.connector, "prompt", node.prompt.name, node.prompt.title ?? node.prompt.name, "comment");
        item.description = label(node.prompt.description ?? "", 120);
        item.tooltip = label(node.prompt.description ?? node.prompt.name, 600);
        item.command = opened;
        return item;
      }
    }
  }

  getParent(): undefined {
    return undefined;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.tree.dispose();
    this.changed.dispose();
  }

  private async tools(connector: Connector): Promise<Node[]> {
    const { tools } = await this.session.catalogue(connector);
    return tools.map((tool) => ({ kind: "tool", connector, tool }));
  }

  private connectorItem(connector: Connector): vscode.TreeItem {
    const look = lookOf(connector);
    const isOpenable = offers(connector);
    const item = new vscode.TreeItem(label(connector.name, 40), isOpenable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.id = connector.id;
    const also = this.session.alsoRun.has(connector.id);
    const isRestricted = isHeldBack(connector);
    item.description = [look.words, isRestricted ? "Restricted Mode" : "", also ? "also run by VS Code" : "", connector.problem === undefined ? "" : label(connector.problem.reason, 80), connector.phase === undefined ? "" : label(connector.phase, 80), isOpenable && connector.tools > 0 ? counted(connector.tools, "tool") : ""]
      .filter((part) => part !== "")
      .join(" · ");
    item.iconPath = new vscode.ThemeIcon(look.icon, look.color === undefined ? undefined : new vscode.ThemeColor(look.color));
    item.tooltip = tooltip(connector, look.words, also);
    item.contextValue = [
      "connector",
      connector.shadowedBy === undefined ? connector.state : "shadowed",
      connector.source,
      ...(connector.processes.length > 0 ? ["running"] : []),
      ...(connector.pinned === true ? ["pinned"] : []),
      ...(also ? ["also"] : []),
      ...(connector.uri === undefined ? [] : ["written"]),
      "",
    ].join(";");
    item.accessibilityInformation = { label: `${label(connector.name)}, ${item.description}` };
    if (!isOpenable && firstAction(connector) !== undefined) {
      item.command = opened;
    }
    return item;
  }
}

function browserItem(browser: BrowserResult, connector: Connector | undefined): vscode.TreeItem {
  const look = browserLook(browser);
  const isOpenable = connector !== undefined && offers(connector);
  const item = new vscode.TreeItem("Browser", isOpenable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
  item.id = "browser";
  item.description = browserWords(browser);
  item.iconPath = new vscode.ThemeIcon(look.icon, look.color === undefined ? undefined : new vscode.ThemeColor(look.color));
  item.tooltip = [
    `The browser of this session: ${browserWords(browser)}`,
    `driven by ${label(browser.provider)}, because ${label(browser.because, 200)}`,
    browser.auto ? "A session has one without a question." : "The first use in a session asks.",
    ...(browser.problem?.steps ?? []).map((step) => label(step, 300)),
  ].join("\n");
  item.contextValue = ["browser", browser.state, ...(browser.auto ? ["auto"] : []), ""].join(";");
  item.accessibilityInformation = { label: `Browser, ${look.words}` };
  item.command = opened;
  return item;
}

function tooltip(connector: Connector, words: string, also: boolean): string {
  return [
    `${label(connector.name)}: ${words}`,
    isHeldBack(connector) ? "VS Code does not trust this folder: it waits until the folder is trusted, whatever you allow." : "",
    connector.problem === undefined ? "" : label(connector.problem.reason, 600),
    connector.server === undefined ? "" : `says it is ${label(connector.server.name)} ${label(connector.server.version)}`,
    ["ready", "idle"].includes(connector.state) ? `${counted(connector.tools, "tool")}, about ${connector.tokens} tokens; ${counted(connector.resources, "resource")}, ${counted(connector.prompts, "prompt")}` : "",
    connector.stale === true ? "The list is an earlier one, which could not be fetched anew." : "",
    connector.source === "project" ? "from this repository" : connector.source === "user" ? "from your own file" : connector.source === "import" ? "imported" : "built in",
    also ? "VS Code's own chat runs it as well: a second copy starts here only for a call that comes through Pillion." : "",
    ...(connector.warnings ?? []).map((w) => label(w, 300)),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function leaf(connector: Connector, kind: string, id: string, name: string, icon: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label(name, 120), vscode.TreeItemCollapsibleState.None);
  item.id = `${connector.id}/${kind}/${id}`;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.contextValue = `${kind};`;
  return item;
}

function toolItem(connector: Connector, tool: Tool): vscode.TreeItem {
  const state = tool.state ?? "on";
  const item = leaf(connector, "tool", tool.id, tool.name, state === "on" ? "symbol-method" : state === "off" ? "circle-slash" : "warning");
  item.description = state === "on" ? label(tool.summary, 140) : state === "off" ? "off" : "malformed";
  item.tooltip = [
    `${label(tool.label)}: ${permissionWords(tool.permission)}`,
    label(tool.description ?? tool.summary, 1000),
    (tool.changed ?? []).length > 0 ? "Its definition changed since you allowed it; the permission is suspended." : "",
    `about ${tool.tokens} tokens`,
  ]
    .filter((line) => line !== "")
    .join("\n");
  item.contextValue = ["tool", state, tool.permission, ""].join(";");
  item.command = opened;
  return item;
}
