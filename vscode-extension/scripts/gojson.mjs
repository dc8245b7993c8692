// A reporter of node:test that tells the outcome as `go test -json` does, for editors/e2e/leg.
export default async function* gojson(source) {
  const name = process.env.PILLION_TEST_PACKAGE ?? "vscode-extension";
  let failed = 0;
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail" && type !== "test:stderr" && type !== "test:stdout") {
      continue;
    }
    if (type === "test:stderr" || type === "test:stdout") {
      yield data.message.endsWith("\n") ? data.message : data.message + "\n";
      continue;
    }
    if (data.details?.type === "suite" || /\.(js|mjs)$/.test(data.name)) {
      continue;
    }
    const event = { Package: name, Test: data.name.replaceAll(" ", "_") };
    yield JSON.stringify({ Action: "run", ...event }) + "\n";
    const skipped = data.skip !== undefined;
    if (skipped) {
      yield JSON.stringify({ Action: "output", ...event, Output: `    ${data.skip}\n` }) + "\n";
    }
    if (type === "test:fail") {
      failed++;
      const cause = data.details?.error?.cause ?? data.details?.error;
      yield JSON.stringify({ Action: "output", ...event, Output: `    ${cause?.stack ?? cause}\n` }) + "\n";
    }
    yield JSON.stringify({ Action: skipped ? "skip" : type === "test:pass" ? "pass" : "fail", ...event, Elapsed: (data.details?.duration_ms ?? 0) / 1000 }) + "\n";
  }
  yield JSON.stringify({ Action: failed === 0 ? "pass" : "fail", Package: name }) + "\n";
}
