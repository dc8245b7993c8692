/** The first day: import what other programs were told, add a connector, try the demo (U24). */

import * as vscode from "vscode";
import { programOf } from "../client";
import { openFolders } from "../folders";
import { requests, type FileScope } from "../generated/protocol";
import { typeIn } from "../input_box";
import { nameFor, understood, type Pasted } from "../plain/add";
import { wordsOf } from "../plain/fault";
import { pathOf } from "../plain/question_page";
import { label, neutral, quoted } from "../plain/visible";
import { counted } from "../plain/words";
import { type Commands, type Context } from "./context";

/** The commands of the first day. */
export function addCommands(context: Context): Commands {
  return {
    "pillion.connector.add": () => add(context),
    "pillion.import": () => importFound(context),
    "pillion.demo": () => demo(context),
  };
}

async function chooseScope(title: string): Promise<{ scope: FileScope; root?: string } | undefined> {
  const folders = openFolders();
  const picked = await vscode.window.showQuickPick(
    [
      { label: "$(account) Your own file", description: "for you, in every folder", choice: { scope: "user" as const } },
      ...folders.map((folder) => ({
        label: `$(root-folder) ${label(folder.name)}/.mcp.json`,
        description: "for everybody who works on this repository",
        choice: { scope: "project" as const, root: folder.uri.toString() },
      })),
    ],
    { title },
  );
  return picked?.choice;
}

async function add(context: Context): Promise<void> {
  const text = await typeIn({
    title: "Add a connector",
    prompt: "Paste a command line, a URL or the JSON of a README",
    placeHolder: "npx -y @modelcontextprotocol/server-filesystem .",
    ignoreFocusOut: true,
    validateInput: (typed) => {
      if (typed.trim() === "") {
        return undefined;
      }
      try {
        understood(typed);
        return undefined;
      } catch (error) {
        return wordsOf(error);
      }
    },
  });
  if (text === undefined || text.trim() === "") {
    return;
  }
  for (const pasted of understood(text)) {
    await addOne(context, pasted);
  }
}

async function addOne(context: Context, pasted: Pasted): Promise<void> {
  const name =
    pasted.name ??
    (await typeIn({ title: "Add a connector", prompt: "What it is to be called", value: nameFor(pasted.definitionText), ignoreFocusOut: true }));
  if (name === undefined || name === "") {
    return;
  }
  const where = await chooseScope(`Where is ${quoted(name)} to stand?`);
  if (where !== undefined) {
    await write(context, name, pasted.definitionText, where);
  }
}

async function write(context: Context, name: string, definitionText: string, where: { scope: FileScope; root?: string }): Promise<void> {
  const { connector, warnings } = await context.client.request(requests.connectorAdd, { name, definitionText, ...where });
  const [next, command] =
    connector.state === "waiting" ? ["Review and allow", "pillion.connector.review"] : connector.state === "disabled" ? ["Review and switch on", "pillion.connector.enable"] : ["Start", "pillion.connector.start"];
  const chosen = await vscode.window.showInformationMessage(
    // That it is off until it is allowed is what the button says.
    neutral([`Pillion: ${quoted(name)} was added.`, ...(connector.state === "disabled" ? ["It is off until you allow it."] : warnings)].join(" ")),
    next,
    "Open its entry",
  );
  if (chosen === next) {
    await vscode.commands.executeCommand(command, connector.id);
  } else if (chosen !== undefined) {
    await vscode.commands.executeCommand("pillion.connector.openDefinition", connector.id);
  }
}

async function importFound(context: Context): Promise<void> {
  const { found } = await context.client.request(requests.imports, {});
  if (found.length === 0) {
    void vscode.window.showInformationMessage("Pillion: no other program's file with connectors was found on this machine.", "Add a connector").then((chosen) => {
      if (chosen !== undefined) {
        void vscode.commands.executeCommand("pillion.connector.add");
      }
    });
    return;
  }
  const picked = await vscode.window.showQuickPick(
    found.map((file) => ({
      label: `$(file) ${label(pathOf(file.uri), 120)}`,
      description: file.problem === undefined ? `${file.format}: ${counted(file.names.length, "connector")}` : label(file.problem, 120),
      detail: label(file.names.join(", "), 160),
      file,
    })),
    { title: "Import from which file? Nothing is run by it." },
  );
  if (picked === undefined) {
    return;
  }
  const { file } = picked;
  const names = await vscode.window.showQuickPick(file.names.map((name) => ({ label: label(name), name, picked: true })), { title: "Which of its connectors?", canPickMany: true });
  if (names === undefined || names.length === 0) {
    return;
  }
  const where = file.root === undefined ? await chooseScope("Import to where?") : { scope: "project" as const, root: file.root };
  if (where === undefined) {
    return;
  }
  const { added, report } = await context.client.request(requests.import, { uri: file.uri, names: names.map((n) => n.name), ...where });
  const lines = report.map((remark) => [remark.name, remark.key, remark.message].filter((part) => part !== "").join(": "));
  await vscode.window.showInformationMessage(`${counted(added.length, "connector")} imported. None of them runs before you say so.`, { modal: true, detail: lines.map((line) => label(line, 300)).join("\n") });
}

async function demo(context: Context): Promise<void> {
  const program = programOf(context.extension.extensionUri);
  if ("missing" in program) {
    throw new Error(program.missing);
  }
  await write(context, "demo", JSON.stringify({ command: program.path, args: ["demo"], pillion: { description: "notes to try Pillion with" } }), { scope: "user" });
}
