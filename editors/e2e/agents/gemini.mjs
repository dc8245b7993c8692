// Gemini CLI as a person has it: told of Pillion by `pillion client install` or by hand, and driven by a model of the tests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Model } from "./model.mjs";

/** What it calls itself. */
export const name = "gemini-cli-mcp-client";

const program = (cache) => join(cache, "agents/node_modules/@google/gemini-cli/bundle/gemini.js");

/** Whether it is there. */
export const isInstalled = (cache) => existsSync(program(cache));

/** What its user has set; `servers` are those that she wrote down herself. */
function settings(environment, servers) {
  const file = join(environment.HOME, ".gemini/settings.json");
  if (existsSync(file)) {
    return false;
  }
  mkdirSync(join(environment.HOME, ".gemini"), { recursive: true });
  writeFileSync(file, JSON.stringify({
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    ...(servers && { mcpServers: servers }),
  }));
  return true;
}

/** Tells it of Pillion, and that it need not ask itself: that is answered on a terminal. */
async function install(cwd, environment) {
  if (!settings(environment)) {
    return;
  }
  const terminal = spawn("script", ["-qefc", "pillion client install gemini --yes --pre-allow", "/dev/null"], { cwd, env: environment });
  let said = "";
  terminal.stdout.on("data", (text) => {
    said += text;
    if (/anything else is no: $/.test(said)) {
      terminal.stdin.write("yes\n");
    }
  });
  const [code] = await once(terminal, "close");
  if (code !== 0) {
    throw new Error(`pillion client install ended with ${code}: ${said}`);
  }
}

/**
 * Starts one in a folder, with this environment. It joins the window of that folder, or has the server that is given, which its user
 * wrote down herself.
 */
export async function start({ cache, cwd, environment, server }) {
  if (server) {
    settings(environment, { pillion: { ...server, trust: true } });
  } else {
    await install(cwd, environment);
  }
  const model = await Model.start();
  // Its user trusts the folder.
  const agent = spawn(process.execPath, [program(cache), "--skip-trust", "--model", "gemini-2.5-flash", "--prompt", "write the notes"], {
    cwd,
    env: { ...environment, GEMINI_API_KEY: "of nobody", GOOGLE_GEMINI_BASE_URL: model.address },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let problem = "";
  agent.stdout.on("data", (text) => (said += text));
  agent.stderr.on("data", (text) => (problem += text));
  const ended = once(agent, "close").then(([code]) => ({ code }));
  const next = async () => {
    const turn = await Promise.race([model.turn(), ended]);
    if (turn.answer === undefined) {
      throw new Error(`Gemini CLI ended with ${turn.code}: ${said}${problem}`);
    }
    return turn;
  };
  let turn = await next();
  if (!turn.tools.includes("mcp_pillion_call")) {
    throw new Error(`Gemini CLI has no tools of Pillion's: ${turn.tools}${problem}`);
  }
  return {
    /** Has its model write the note "todo", and returns what the model is told of it. */
    async write(text) {
      const { answer } = turn;
      turn = undefined;
      answer({ functionCall: { name: "mcp_pillion_call", args: { tool: "notes__write_note", arguments: { name: "todo", text } } } });
      turn = await next();
      return turn.result;
    },
    /** Has its model say what came of the last call, and waits until it has said so and ended. */
    async close() {
      const last = `It said: ${turn?.result?.text}`;
      if (turn === undefined) {
        agent.kill(); // in the middle of a call
      } else {
        turn.answer({ text: last });
      }
      const { code } = await ended;
      model.close();
      if (turn !== undefined && (code !== 0 || !said.includes(last))) {
        throw new Error(`Gemini CLI ended with ${code}: ${said}${problem}`);
      }
    },
  };
}
