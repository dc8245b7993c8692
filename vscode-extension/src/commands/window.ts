/** What concerns the window as a whole: questions, the mode, the process itself. */

import * as vscode from "vscode";
import { requests, type Ask, type Mode } from "../generated/protocol";
import { label, quoted } from "../plain/visible";
import { type Commands, type Context } from "./context";

/** The commands of the window. */
export function windowCommands(context: Context): Commands {
  const { client, session, questions } = context;
  return {
    "pillion.focus": () => vscode.commands.executeCommand("pillion.connectors.focus"),
    "pillion.review": async () => {
      const { askId } = await questions.raise(() => client.request(requests.askShow, {}));
      if (askId === null && session.asks.size === 0) {
        void vscode.window.showInformationMessage("Pillion: nothing needs permission and nothing is asked.");
      } else if (askId === null) {
        await openNext(context);
      }
    },
    // What is shown is what Pillion asks, whatever whoever runs this has in his hands.
    "pillion.question.open": (ask: Pick<Ask, "askId"> | undefined) => questions.openById(ask?.askId) || openNext(context),
    "pillion.question.next": () => openNext(context),
    "pillion.stopAll": async () => {
      await client.request(requests.stopAll, {});
      await session.seedPermissions();
      const chosen = await vscode.window.showInformationMessage("Pillion: everything is stopped, and no call runs until you resume.", "Resume");
      if (chosen === "Resume") {
        await vscode.commands.executeCommand("pillion.resume");
      }
    },
    "pillion.resume": () => setMode(context, "ask"),
    "pillion.mode": async () => {
      const modes: { label: string; description: string; mode: Mode }[] = [
        { label: "$(shield) As the rules say", description: "what may change things asks", mode: "ask" },
        { label: "$(eye) Only read-only tools", description: "everything else is refused", mode: "plan" },
        { label: "$(debug-pause) Paused", description: "no call runs", mode: "paused" },
      ];
      const isNow = (mode: Mode) => (mode === session.mode ? ", as it is now" : "");
      const picked = await vscode.window.showQuickPick(
        modes.map((one) => ({ ...one, description: one.description + isNow(one.mode) })),
        { title: "What may run?" },
      );
      return picked === undefined ? undefined : setMode(context, picked.mode);
    },
    "pillion.doctor": async () => {
      const { rows } = await client.request(requests.doctor, {});
      const marks = { ok: "ok    ", note: "note  ", broken: "BROKEN" } as const;
      const text = rows
        .map((row) => [`${(marks as Record<string, string>)[row.level] ?? "BROKEN"}  ${row.section}: ${label(row.subject, 200)}: ${label(row.text, 500)}`, ...row.steps.map((step, i) => `          ${i + 1}. ${label(step, 500)}`)].join("\n"))
        .join("\n");
      await context.texts.open("doctor", `What Pillion needs, and how it is\n\n${text}\n`, "plaintext");
    },
    "pillion.restart": async () => {
      await client.restart();
      if (client.state.kind !== "running") {
        await vscode.commands.executeCommand("pillion.trouble");
      }
    },
    "pillion.trouble": () => trouble(context),
    "pillion.showOutput": () => client.log.show(true),
    "pillion.openSettings": () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:pillion.pillion"),
    "pillion.openWalkthrough": () => vscode.commands.executeCommand("workbench.action.openWalkthrough", "pillion.pillion#pillion.start", false),
  };
}

async function setMode({ client, session, questions }: Context, mode: Mode): Promise<void> {
  await questions.raise(() => client.request(requests.modeSet, { mode }));
  await session.seedPermissions();
}

async function openNext({ session, questions }: Context): Promise<void> {
  const [first] = session.openAsks();
  if (first === undefined) {
    await vscode.commands.executeCommand("pillion.questions.focus");
  } else {
    questions.open(first);
  }
}

/** What to do about a pillion that is not there, too old or ended. */
async function trouble({ client }: Context): Promise<void> {
  const { state } = client;
  if (state.kind !== "missing" && state.kind !== "old" && state.kind !== "ended") {
    client.log.show(true);
    return;
  }
  const again = state.kind === "ended" ? "Start it again" : "Look again";
  const detail = {
    missing: "Install pillion so that it is on PATH, or choose its program in the setting pillion.serverPath; then look again.",
    old: "After that, look again.",
    ended: "The output says what it wrote last. Nothing of yours runs while it is down; calls that were running may have run.",
  }[state.kind];
  const choose = "Choose the program…";
  const chosen = await vscode.window.showErrorMessage(label(state.reason, 500), { modal: true, detail }, again, choose, "Show output");
  if (chosen === again) {
    await vscode.commands.executeCommand("pillion.restart");
  } else if (chosen === choose) {
    const [file] = (await vscode.window.showOpenDialog({ title: "The program pillion", canSelectMany: false })) ?? [];
    if (file !== undefined) {
      const settings = vscode.workspace.getConfiguration("pillion");
      const isNow = settings.get<string>("serverPath") === file.fsPath;
      if (isNow) {
        await vscode.commands.executeCommand("pillion.restart");
      } else {
        // The change of the setting has it started.
        await settings.update("serverPath", file.fsPath, vscode.ConfigurationTarget.Global);
        client.log.info(`pillion.serverPath is now ${quoted(file.fsPath)}`);
      }
    }
  } else if (chosen !== undefined) {
    client.log.show(true);
  }
}
