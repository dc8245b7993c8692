// An agent of a terminal by the official client, whose package is of the bed of the servers.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What it calls itself. */
export const name = "terminal agent";

/** Starts one in a folder, with this environment; it joins the window of that folder. */
export async function start({ cache, cwd, environment }) {
  const sdk = (file) => import(pathToFileURL(join(cache, "servers/node_modules/@modelcontextprotocol/sdk/dist/esm/client", file)));
  const { Client } = await sdk("index.js");
  const { StdioClientTransport } = await sdk("stdio.js");
  const client = new Client({ name, version: "1" });
  await client.connect(new StdioClientTransport({ command: "pillion", args: ["serve", "--attach"], cwd, env: environment, stderr: "ignore" }));
  return {
    /** Writes the note "todo", and returns what came of it. */
    async write(text) {
      const call = { name: "call", arguments: { tool: "notes__write_note", arguments: { name: "todo", text } } };
      try {
        const { isError, content } = await client.callTool(call);
        return { isError: isError === true, text: content.map((block) => block.text).join("\n") };
      } catch (error) {
        // A call that the window took with it as it went is lost, which is an error of the protocol.
        return { isError: true, text: error.message };
      }
    },
    /** Ends it. */
    close: () => client.close(),
  };
}
