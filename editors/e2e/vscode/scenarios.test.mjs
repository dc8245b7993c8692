// The scenarios in the real VS Code that PILLION_VSCODE names. One that is in every editor has its name from
// editors/scenarios.txt; one that fails leaves a picture of its window. PILLION_ONLY runs those alone whose names it matches. With
// PILLION_AGAIN=1 one that fails is tried once more in a new window, and said to be unsteady where it then holds.

import { after, before, test } from "node:test";
import * as gemini from "../agents/gemini.mjs";
import { agents, models } from "./scenarios/agents.mjs";
import { browser } from "./scenarios/browser.mjs";
import { calls } from "./scenarios/calls.mjs";
import { consent } from "./scenarios/consent.mjs";
import { firstDay } from "./scenarios/first_day.mjs";
import { life } from "./scenarios/life.mjs";
import { everything, notes } from "./steps.mjs";
import { Server, cache } from "./workbench.mjs";

const version = process.env.PILLION_VSCODE ?? "newest";
const wanted = new RegExp(process.env.PILLION_ONLY ?? "");
const scenarios = { ...consent, ...calls, ...browser, ...agents, ...(version === "newest" ? models : {}), ...life, ...firstDay };
let server;

before(async () => {
  server = await Server.start(version);
}, { timeout: 600_000 });

after(async () => {
  await server?.close();
});

/** Why a scenario cannot be tried here; false where it can. */
function missing(name) {
  return /GeminiCLI/.test(name) && !gemini.isInstalled(cache) ? "GEMINI CLI IS NOT INSTALLED (beds/install.sh agents installs it)" : false;
}

async function keeping(name, window, act) {
  try {
    await act();
  } catch (error) {
    await window.keep(`failed-${name.replaceAll(" ", "-")}`).catch(() => undefined);
    process.stderr.write(`${name}: ${String(error).split("\n")[0]}\n${(await window.allTold().catch(() => [])).map((text) => `  told: ${text}\n`).join("")}${server.output()}\n`);
    throw error;
  }
}

/**
 * A window on a folder of its own, and the scenarios that go on in it, one after the other. It is opened once for all of them,
 * since to open it is what takes the time; after a failure the next one has a new window, on the folder as it was.
 */
function windowOn(name, files, ...all) {
  const names = all.filter((one) => one in scenarios && wanted.test(one));
  const last = names.findLast((one) => !missing(one));
  let window;
  const once = async (one) => {
    window ??= await server.open(server.repository(name, files));
    const mine = window;
    window = undefined;
    try {
      await keeping(one, mine, async () => {
        if (!/Restricted/.test(one)) {
          await mine.trust();
        }
        await scenarios[one](mine, mine.folder);
        if (one !== last) {
          await mine.tidy();
          window = mine;
        }
      });
    } finally {
      if (window === undefined) {
        await mine.close();
      }
    }
  };
  for (const one of names) {
    const skip = missing(one);
    test(one, { timeout: 900_000, skip }, async () => {
      try {
        await once(one);
      } catch (error) {
        if (process.env.PILLION_AGAIN !== "1") {
          throw error;
        }
        await once(one);
        process.stderr.write(`UNSTEADY: ${one} failed, and held when it was tried again\n`);
      }
    });
  }
}

windowOn(
  "shop",
  {
    ".mcp.json": { mcpServers: { everything, notes } },
    "evil.sh": '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n',
    // What a repository would like.
    ".vscode/settings.json": {
      "pillion.serverPath": "EVIL",
      "pillion.trusted": true,
      "pillion.ask": "prompt",
      "editor.codeActionsOnSave": { "source.fixAll": "always", "pillion.trust": "always", quickfix: "always" },
      "files.autoSave": "off",
    },
  },
  "TestS3_VSCodeRestrictedModeRunsNothing",
  "first open and consent",
  "find and run a tool with approval",
  "decline with words",
  "resource opened",
  "TestF3_VSCodeSampling",
  "TestS3_VSCodeWorkspaceSettingsWidenNothing",
  "TestS18_VSCodeFixOnSaveGrantsNothing",
  "typing through a question",
  "TestVSCodeKeyboardOnly",
  "TestU5_VSCodeStandingPermissionIsUndone",
  "edit arguments",
  "elicitation",
  "TestF2_VSCodePageIsOpenedByThePersonAlone",
  "picture result",
  "cancel with progress",
  "TestVSCodeAgentCallsAToolWithApproval",
  "TestVSCodeChatAgentCallsAToolWithApproval",
  "TestU15_VSCodeRegistersNoCommandTwice",
  "TestU4_VSCodeSaysWhatItRunsItself",
  "TestS13_VSCodePillionIsAServerOfTheChatWhereThatIsWanted",
  "config broken and fixed",
  "definition changed asks again with the difference",
  "connector dies and recovers",
  "TestL2_VSCodeAgentOfATerminalOutlivesAReload",
  "TestL2_VSCodeGeminiCLIOutlivesAReload",
  "sidecar killed",
  "TestVSCodeMissingProgramSaysWhatToDo",
  "two editors on one project",
  "TestC81_VSCodeTenReloadsLeaveOneSidecar",
  "editor quits",
);
windowOn(
  "readme",
  { "README.md": "# shop\n" },
  "TestU24_VSCodeFirstRun",
  "TestS8_VSCodeToolOfOneOfMyOwnIsRefused",
  "TestS20_VSCodeDecisionsThatCannotBeReadAreAskedAbout",
  "TestVSCodeProgramThatWantsToJoinIsAskedAbout",
  "TestA1_VSCodeConnectorIsAddedAndAllowed",
  "TestA4_VSCodeSecretInputIsMasked",
  "TestH1_VSCodeTheBrowserOfTheSession",
  "a profile is chosen, and variables, in no file",
  "status line and file name injection",
);
