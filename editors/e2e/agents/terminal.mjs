// An agent for tests that are no programs of Node: node terminal.mjs AGENT CACHE [SERVER]. AGENT is sdk or gemini. It joins the
// window of the folder that it is started in, or has the SERVER that is given as JSON (gemini alone). It says "connected", has the
// note "todo" written for each line that it is given, says as JSON what came of it, and ends with its input. An agent that is not
// installed says "not installed".

const [agent, cache, server] = process.argv.slice(2);
const { start, isInstalled } = await import(`./${agent}.mjs`);
if (isInstalled?.(cache) === false) {
  console.log("not installed");
  process.exit();
}
const { createInterface } = await import("node:readline");
const started = await start({ cache, cwd: process.cwd(), environment: process.env, server: server && JSON.parse(server) });
console.log("connected");
for await (const text of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await started.write(text)));
}
await started.close();
console.log("ended");
