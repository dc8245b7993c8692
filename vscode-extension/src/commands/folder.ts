/** What the user wants otherwise for a folder, in no file (A12): its profile, and where its connectors' variables come from. */

import * as vscode from "vscode";
import { openFolders } from "../folders";
import { requests } from "../generated/protocol";
import { typeIn } from "../input_box";
import { nameFault, referenceFault } from "../plain/variables";
import { label } from "../plain/visible";
import { counted } from "../plain/words";
import { type Commands, type Context } from "./context";

const saidForMs = 6000;

/** The commands of a folder. */
export function folderCommands(context: Context): Commands {
  const inFolder = (title: string, act: (root: string) => Promise<void>) => async () => {
    const root = await chooseFolder(title);
    return root === undefined ? undefined : act(root);
  };
  return {
    "pillion.profile": inFolder("The profile of which folder?", (root) => chooseProfile(context, root)),
    "pillion.env": inFolder("The variables of which folder?", (root) => editVariables(context, root)),
  };
}

/** The folder that is meant: the only one, or the one that is picked. */
async function chooseFolder(title: string): Promise<string | undefined> {
  const folders = openFolders();
  if (folders.length === 0) {
    void vscode.window.showInformationMessage("Pillion: no folder is open that this is for.");
  }
  if (folders.length <= 1) {
    return folders[0]?.uri.toString();
  }
  const picked = await vscode.window.showQuickPick(
    folders.map((folder) => ({ label: `$(root-folder) ${label(folder.name)}`, description: label(folder.uri.fsPath, 120), folder })),
    { title },
  );
  return picked?.folder.uri.toString();
}

/** How many connectors each profile of a folder's files has, by its name. */
function profilesOf({ session }: Context, root: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const connector of session.list()) {
    for (const profile of connector.root === undefined || connector.root === root ? (connector.profiles ?? []) : []) {
      found.set(profile, (found.get(profile) ?? 0) + 1);
    }
  }
  return found;
}

async function chooseProfile(context: Context, root: string): Promise<void> {
  const { client } = context;
  const now = (await client.request(requests.workspaceSet, { root })).profile;
  const found = profilesOf(context, root);
  if (now !== null && !found.has(now)) {
    found.set(now, 0);
  }
  const mark = (is: boolean) => (is ? "$(check) " : "$(blank) ");
  const picked = await vscode.window.showQuickPick(
    [
      { label: `${mark(now === null)}No profile`, description: "every connector, but those that a file has off without one", profile: null },
      ...[...found].sort(([a], [b]) => a.localeCompare(b)).map(([profile, count]) => ({
        label: mark(profile === now) + label(profile, 120),
        description: count === 0 ? "in no file any more" : counted(count, "connector"),
        profile,
      })),
    ],
    { title: "Which profile, for you in this folder?", placeHolder: found.size === 0 ? "No file of yours or of the folder names a profile" : "It is written into no file" },
  );
  if (picked !== undefined) {
    const { profile } = await client.request(requests.workspaceSet, { root, profile: picked.profile });
    vscode.window.setStatusBarMessage(`$(check) Pillion: ${profile === null ? "no profile is chosen" : `the profile is ${label(profile, 80)}`}`, saidForMs);
  }
}

async function editVariables({ client }: Context, root: string): Promise<void> {
  const env = new Map(Object.entries((await client.request(requests.workspaceSet, { root })).env));
  const picked = await vscode.window.showQuickPick(
    [
      ...[...env].map(([name, from]) => ({ label: `$(symbol-variable) ${label(name, 120)}`, description: `from ${label(from, 120)}`, name })),
      { label: "$(add) Another variable…", description: "that a connector of this folder reads", name: "" },
    ],
    { title: "Which variable comes from elsewhere, for you in this folder?", placeHolder: "It is written into no file, and its connector needs permission again" },
  );
  const name = picked?.name === "" ? await typeName() : picked?.name;
  if (name === undefined || name === "") {
    return;
  }
  const from = await typeSource(name, env.get(name));
  if (from === undefined || from === (env.get(name) ?? "")) {
    return;
  }
  if (from === "") {
    env.delete(name);
  } else {
    env.set(name, from);
  }
  await client.request(requests.workspaceSet, { root, env: Object.fromEntries(env) });
  vscode.window.setStatusBarMessage(`$(check) Pillion: ${from === "" ? `${name} comes from nowhere else` : `${name} comes from ${from}`}`, saidForMs);
}

function typeName(): Thenable<string | undefined> {
  return typeIn({
    title: "Which variable comes from elsewhere?",
    prompt: "Its name, as the connector's entry reads it",
    placeHolder: "TOKEN",
    ignoreFocusOut: true,
    validateInput: (typed) => (typed === "" ? undefined : nameFault(typed)),
  });
}

/** The reference to what a variable is read from; empty where it is to come from nowhere else. */
function typeSource(name: string, now: string | undefined): Thenable<string | undefined> {
  return typeIn({
    title: `What does ${name} come from?`,
    prompt: now === undefined ? "The variable of your environment that it is read from" : "The variable that it is read from; where it is empty, from nowhere else",
    placeHolder: "${WORK_TOKEN}",
    value: now ?? "",
    ignoreFocusOut: true,
    validateInput: (typed) => (typed === "" ? undefined : referenceFault(typed)),
  });
}
