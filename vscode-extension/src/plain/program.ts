/** Which pillion is run. */

/** Where a program comes from, in the order of precedence. */
export type Origin = "bundled" | "setting" | "PATH";

/** A program that is there. */
export interface Program {
  path: string;
  origin: Origin;
}

/** What is known of the machine. */
export interface Surroundings {
  /** full path of the program in the extension's own folder */
  bundled: string;
  /** what the setting says, empty for nothing */
  setting: string;
  /** folders to look in, absolute */
  folders: readonly string[];
  /** name of the program on this system */
  name: string;
  isProgram: (path: string) => boolean;
  isAbsolute: (path: string) => boolean;
  join: (folder: string, name: string) => string;
}

/**
 * Finds the program. One that the user names goes before the one of the extension, and where it is not there nothing else is
 * taken in its place.
 */
export function findProgram(at: Surroundings): Program | { missing: string } {
  if (at.setting !== "") {
    if (!at.isAbsolute(at.setting)) {
      return { missing: `The setting pillion.serverPath is "${at.setting}"; it has to be a full path.` };
    }
    return at.isProgram(at.setting)
      ? { path: at.setting, origin: "setting" }
      : { missing: `The setting pillion.serverPath names "${at.setting}", which is no program.` };
  }
  if (at.isProgram(at.bundled)) {
    return { path: at.bundled, origin: "bundled" };
  }
  for (const folder of at.folders) {
    const path = at.join(folder, at.name);
    if (at.isAbsolute(folder) && at.isProgram(path)) {
      return { path, origin: "PATH" };
    }
  }
  return { missing: "There is no pillion in this extension, in the setting pillion.serverPath or on PATH." };
}

/** Folders of PATH without those of the workspace: what a repository holds is never run by its mere name (S1). */
export function outside(folders: readonly string[], workspace: readonly string[], separator: string): string[] {
  const withEnd = (path: string) => (path.endsWith(separator) ? path : path + separator);
  return folders.filter((folder) => folder !== "" && !workspace.some((root) => withEnd(folder).startsWith(withEnd(root))));
}

/** What is wrong with the protocol that a pillion speaks, as a sentence, or nothing. */
export function protocolFault(spoken: unknown, wanted: number): string | undefined {
  if (spoken === wanted) {
    return undefined;
  }
  if (typeof spoken === "number" && spoken > wanted) {
    return `This pillion speaks protocol ${spoken}, and this extension ${wanted}: update the extension.`;
  }
  return `This pillion is too old for this extension, which speaks protocol ${wanted}: update pillion, or empty the setting pillion.serverPath to use the one of the extension.`;
}
