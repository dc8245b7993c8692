// An agent of a terminal, by the official client: it joins the window of its folder through `pillion serve --attach`, and calls
// notes.write_note for each line that it is given. The first argument is the cache folder with that client.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const client = (file) => import(pathToFileURL(`${process.argv[2]}/servers/node_modules/@modelcontextprotocol/sdk/dist/esm/client/${file}`));
const { Client } = await client("index.js");
const { StdioClientTransport } = await client("stdio.js");

const agent = new Client({ name: "terminal agent", version: "1" });
await agent.connect(new StdioClientTransport({ command: "pillion", args: ["serve", "--attach"], env: process.env, stderr: "ignore" }));
console.log("connected");
for await (const text of createInterface({ input: process.stdin })) {
  const call = { name: "call", arguments: { tool: "notes__write_note", arguments: { name: "todo", text } } };
  // A call that the window took with it as it went is lost, which is an error of the protocol.
  const answer = await agent.callTool(call).catch((error) => ({ isError: true, lost: error.message }));
  console.log(JSON.stringify(answer));
}
await agent.close();
