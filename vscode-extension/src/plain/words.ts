/** The words and icons of states (U6), one table for every view; the plugin of Neovim has the same words. */

import type {
  AllowedBy,
  CallState,
  CallStatus,
  Connector,
  ConnectorState,
  DisabledBy,
  PermissionScope,
  ToolPermission,
} from "../generated/protocol";

/** How a state looks: its words, a codicon, and the colour of it where it has one. */
export interface Look {
  words: string;
  icon: string;
  color?: string;
}

const looks: Record<ConnectorState, Look> = {
  waiting: { words: "needs permission", icon: "shield", color: "list.warningForeground" },
  denied: { words: "blocked by you", icon: "circle-slash" },
  disabled: { words: "disabled", icon: "circle-outline" },
  starting: { words: "starting", icon: "loading~spin" },
  ready: { words: "ready", icon: "pass", color: "testing.iconPassed" },
  idle: { words: "ready, starts on use", icon: "pass", color: "testing.iconPassed" },
  login: { words: "sign in", icon: "account", color: "list.warningForeground" },
  failed: { words: "does not run", icon: "error", color: "list.errorForeground" },
  stopping: { words: "stopping", icon: "loading~spin" },
};

const offWords: Record<DisabledBy, string> = {
  file: "switched off in its file",
  project: "switched off by the project",
  user: "switched off by you",
  profile: "not in the profile",
};

/** How a connector's state looks. A state that is not known has its own name for words. */
export function lookOf(connector: Pick<Connector, "state" | "disabledBy" | "shadowedBy" | "phase">): Look {
  if (connector.shadowedBy !== undefined) {
    return { words: "another of this name is used", icon: "circle-outline" };
  }
  const look = looks[connector.state] as Look | undefined;
  if (look === undefined) {
    return { words: connector.state, icon: "question" };
  }
  const by = connector.disabledBy?.[0];
  if (connector.state === "disabled" && by !== undefined) {
    return { ...look, words: offWords[by] ?? look.words };
  }
  return look;
}

/** The one first action of a state: a command of the extension and its title. */
export interface FirstAction {
  command: string;
  title: string;
}

const firstActions: Partial<Record<ConnectorState, FirstAction>> = {
  waiting: { command: "pillion.connector.review", title: "Review and allow" },
  denied: { command: "pillion.connector.revoke", title: "Take the block back" },
  disabled: { command: "pillion.connector.enable", title: "Switch on" },
  starting: { command: "pillion.connector.showLog", title: "Show log" },
  ready: { command: "pillion.tool.run", title: "Run a tool" },
  idle: { command: "pillion.tool.run", title: "Run a tool" },
  // The sign-in is made elsewhere. What still does not run then says why, and what to do.
  login: { command: "pillion.connector.restart", title: "Start it again" },
  failed: { command: "pillion.connector.restart", title: "Start it again" },
};

/** What a state offers first, if anything. */
export function firstAction(connector: Pick<Connector, "state" | "shadowedBy">): FirstAction | undefined {
  return connector.shadowedBy === undefined ? firstActions[connector.state] : undefined;
}

/** Counted things in words: "1 tool", "2 tools". */
export function counted(count: number, one: string, many = one + "s"): string {
  return `${count} ${count === 1 ? one : many}`;
}

const outcomes: Record<CallStatus, string> = {
  ok: "The tool answered.",
  toolError: "The tool answered that it did not succeed.",
  connectorError: "The connector answered with an error.",
  declined: "You declined the call; nothing ran.",
  denied: "The call is refused; nothing ran.",
  needsConsent: "The connector needs permission first; nothing ran.",
  needsLogin: "The connector needs a sign-in first; nothing ran.",
  cancelled: "The call was cancelled.",
  repeat: "The same call was made before in this turn; nothing ran again.",
  invalidArguments: "The arguments cannot be sent; nothing ran.",
  connectorDown: "The connector is not running.",
  timeout: "The connector did not answer in time.",
  task: "The connector goes on in the background.",
};

/** What came of a call, as a sentence. An unknown status reads as a failure that must not be repeated unasked. */
export function outcome(status: CallStatus): string {
  return (outcomes[status]) ?? `The call did not succeed (${status}); look before you call again.`;
}

/** What came of a call in a word or two, for lists. */
const outcomeWord: Record<CallStatus, string> = {
  ok: "done",
  toolError: "did not succeed",
  connectorError: "the connector answered with an error",
  declined: "declined",
  denied: "refused",
  needsConsent: "needs permission",
  needsLogin: "needs a sign-in",
  cancelled: "cancelled",
  repeat: "the same call was answered already",
  invalidArguments: "not arguments that the tool takes",
  connectorDown: "the connector does not run",
  timeout: "no answer in time",
  task: "goes on in the background",
};

const callStates: Record<CallState, string> = {
  asking: "asks",
  running: "running",
  finished: "finished",
  mayHaveRun: "answer lost, may have run",
  unknown: "unknown",
};

/** Where a call is, or what came of it, in a word or two. */
export function callWords(state: CallState, status: CallStatus | undefined): string {
  return status === undefined ? (callStates[state] ?? state) : (outcomeWord[status] ?? status);
}

const allowances: Record<AllowedBy, string> = {
  readOnly: "it only reads",
  rule: "a standing permission",
  session: "a permission of this session",
  answer: "you allowed this call",
};

/** What let a call run, in words. */
export function allowedWords(by: AllowedBy): string {
  return (allowances[by]) ?? by;
}

/** What a call of a tool would meet, in words. */
export function permissionWords(permission: ToolPermission): string {
  return permission === "auto" ? "runs without a question" : permission === "deny" ? "refused" : "asks";
}

/** Where a standing permission counts, in words. */
export function scopeWords(scope: PermissionScope): string {
  return scope === "session" ? "this session" : scope === "project" ? "this workspace folder" : "every folder";
}

/** The text of the status bar item, with what its tooltip says. */
export interface Status {
  text: string;
  tooltip: string;
  isWarning: boolean;
}

/** What the status bar shows of connectors and questions; what waits for a person goes first (U2). */
export function statusOf(connectors: readonly Connector[], questions: number, mode: string): Status {
  const used = connectors.filter((c) => c.shadowedBy === undefined);
  const count = (...states: ConnectorState[]) => used.filter((c) => states.includes(c.state)).length;
  const waiting = count("waiting");
  const ready = count("ready", "idle");
  const failed = count("failed", "login");
  const lines = [
    questions > 0 ? `${counted(questions, "question")} ${questions === 1 ? "waits" : "wait"} for your answer` : "",
    waiting > 0 ? `${counted(waiting, "connector")} ${waiting === 1 ? "needs" : "need"} permission` : "",
    failed > 0 ? `${counted(failed, "connector")} ${failed === 1 ? "does" : "do"} not run` : "",
    `${counted(ready, "connector")} ready`,
    mode === "ask" ? "" : mode === "plan" ? "Only read-only tools run" : "Paused: no call runs",
  ].filter((line) => line !== "");
  const first = mode === "paused" ? "paused" : (lines[0] ?? "");
  const icon = questions > 0 ? "bell-dot" : mode === "paused" ? "debug-pause" : failed > 0 ? "warning" : waiting > 0 ? "shield" : "plug";
  const short = questions > 0 ? counted(questions, "question") : first;
  return {
    text: `$(${icon}) Pillion: ${used.length === 0 && questions === 0 ? "no connectors" : short}`,
    tooltip: lines.join("\n"),
    isWarning: questions > 0,
  };
}
