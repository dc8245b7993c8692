// An agent for tests that are no programs of Node: node terminal.mjs AGENT CACHE. AGENT is sdk or gemini. It joins the window of the
// folder that it is started in, says "connected", and has the note "todo" written for each line that it is given, and says what came
// of it as JSON. It ends with its input; an agent that is not installed says "not installed".

const [agent, cache] = process.argv.slice(2);
const { start, isInstalled } = await import(`./${agent}.mjs`);
if (isInstalled?.(cache) === false) {
  console.log("not installed");
  process.exit();
}
const { createInterface } = await import("node:readline");
const started = await start({ cache, cwd: process.cwd(), environment: process.env });
console.log("connected");
for await (const text of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await started.write(text)));
}
await started.close();
console.log("ended");
