/** What happened: the last calls, and what stands from now on, each with the way to take it back (E11, U5). */

import * as vscode from "vscode";
import { requests, type ConsentRecord, type PermissionRule } from "../generated/protocol";
import { took, type Activity } from "../plain/activity";
import { pathOf } from "../plain/question_page";
import { label, quoted } from "../plain/visible";
import { allowedWords, callWords, scopeWords } from "../plain/words";
import type { Session } from "../session";

function icon(call: Activity): vscode.ThemeIcon {
  if (call.state === "running") {
    return new vscode.ThemeIcon("loading~spin");
  }
  if (call.state === "asking") {
    return new vscode.ThemeIcon("question");
  }
  if (call.state === "mayHaveRun") {
    return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  }
  switch (call.status) {
    case "ok":
      return new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed"));
    case "declined":
    case "denied":
    case "cancelled":
      return new vscode.ThemeIcon("circle-slash");
    default:
      return new vscode.ThemeIcon(call.status === undefined ? "circle-outline" : "error", call.status === undefined ? undefined : new vscode.ThemeColor("list.errorForeground"));
  }
}

function clock(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The list of calls. */
export class ActivityView implements vscode.TreeDataProvider<Activity>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly tree: vscode.TreeView<Activity>;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly session: Session) {
    this.tree = vscode.window.createTreeView("pillion.activity", { treeDataProvider: this });
    this.subscription = session.onDidChange((part) => {
      if (part === "activity") {
        this.changed.fire();
      }
    });
  }

  getChildren(call?: Activity): Activity[] {
    return call === undefined ? this.session.activity.list() : [];
  }

  getTreeItem(call: Activity): vscode.TreeItem {
    const item = new vscode.TreeItem(label(call.tool, 80));
    item.id = call.callId;
    item.iconPath = icon(call);
    const outcome = callWords(call.state, call.status);
    // A side bar is narrow: that one asked oneself goes without saying.
    item.description = [outcome, clock(call.at), call.asker === undefined || call.asker === "editor" ? "" : label(call.asker, 40)].filter((p) => p !== "").join(" · ");
    const known = this.session.made(call);
    item.tooltip = [
      `${label(call.tool)}: ${outcome}`,
      `at ${new Date(call.at).toLocaleString()}`,
      call.asker === undefined ? "" : `asked for by ${label(call.asker)}`,
      call.durationMs === undefined ? "" : `took ${took(call.durationMs)}`,
      call.mayHaveRun === true && call.status !== "ok" ? "It may have run." : "",
      known === undefined ? "" : `arguments: ${label(known.argumentsText, 600)}`,
    ]
      .filter((line) => line !== "")
      .join("\n");
    item.contextValue = ["call", call.state, known === undefined ? "" : "known", ""].join(";");
    item.command = { command: "pillion.activity.openSelected", title: "Show" };
    return item;
  }

  /** What let it run is told on a closer look. */
  async resolveTreeItem(item: vscode.TreeItem, call: Activity): Promise<vscode.TreeItem> {
    try {
      const { result } = await this.session.client.request(requests.callDetail, { callId: call.callId });
      if (result?.allowed !== undefined) {
        item.tooltip = `${typeof item.tooltip === "string" ? item.tooltip : ""}\nallowed: ${allowedWords(result.allowed.by)}`;
      }
    } catch {
      // It is not kept any more.
    }
    return item;
  }

  dispose(): void {
    this.subscription.dispose();
    this.tree.dispose();
    this.changed.dispose();
  }
}

/** What stands: a rule about calls, or a decision about a definition. */
export type Standing = { kind: "rule"; rule: PermissionRule } | { kind: "consent"; record: ConsentRecord };

const decisions: Record<string, string> = { allow: "allowed", allowFollow: "allowed, changes of its files too", later: "put off", never: "blocked by you" };

/** The list of what stands. */
export class PermissionsView implements vscode.TreeDataProvider<Standing>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly session: Session) {
    this.subscription = session.onDidChange((part) => {
      if (part === "permissions") {
        this.changed.fire();
      }
    });
  }

  getChildren(standing?: Standing): Standing[] {
    if (standing !== undefined) {
      return [];
    }
    return [...this.session.rules.map((rule): Standing => ({ kind: "rule", rule })), ...this.session.consents.map((record): Standing => ({ kind: "consent", record }))];
  }

  getTreeItem(standing: Standing): vscode.TreeItem {
    if (standing.kind === "rule") {
      const { rule } = standing;
      const item = new vscode.TreeItem(label(rule.label, 160));
      item.id = `rule/${rule.id}`;
      // A side bar is narrow: what matters goes first.
      item.description = `${rule.suspended === true ? "suspended: it changed · " : ""}${scopeWords(rule.scope)} · ${new Date(rule.at).toLocaleDateString()}`;
      item.iconPath = new vscode.ThemeIcon(rule.decision === "allow" ? "pass" : rule.decision === "deny" ? "circle-slash" : "question");
      item.tooltip = [label(rule.label), `since ${new Date(rule.at).toLocaleString()}`, `in ${scopeWords(rule.scope)}`, rule.by === undefined ? "" : `by ${label(rule.by)}`].filter((l) => l !== "").join("\n");
      item.contextValue = `rule;${rule.decision};`;
      return item;
    }
    const { record } = standing;
    const item = new vscode.TreeItem(`${quoted(record.name)} ${decisions[record.decision] ?? record.decision}`);
    // Of a folder that is not open no connector is known, but its name is; and each of its definitions has a decision.
    item.id = `consent/${JSON.stringify([record.root, record.name, record.hash, record.decision, record.at])}`;
    item.description = [record.root === "" ? "" : `in ${label(pathOf(record.root).split("/").pop() ?? "", 60)}`, new Date(record.at).toLocaleDateString()].filter((p) => p !== "").join(" · ");
    item.iconPath = new vscode.ThemeIcon(record.decision.startsWith("allow") ? "shield" : "circle-slash");
    item.tooltip = `since ${new Date(record.at).toLocaleString()}\n${label(record.definitionText, 800)}`;
    item.contextValue = `consent;${record.decision};`;
    return item;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
