import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const scenarios = "../editors/e2e/vscode";

test("TestScenariosAreThoseOfEveryEditor", () => {
  const order = readFileSync(`${scenarios}/scenarios.test.mjs`, "utf8");
  const bodies = readdirSync(`${scenarios}/scenarios`).map((file) => readFileSync(`${scenarios}/scenarios/${file}`, "utf8"));
  for (const line of readFileSync("../editors/scenarios.txt", "utf8").trim().split("\n")) {
    const { name = line, only = "vscode" } = /^(?<name>.*) \| only (?<only>\w+): .+/.exec(line)?.groups ?? {};
    if (only !== "vscode") {
      continue;
    }
    assert.ok(order.includes(`"${name}",`) || order.includes(`"${name}")`), `no window runs "${name}"`);
    const key = /^\w+$/.test(name) ? `async ${name}(` : `async "${name}"(`;
    assert.ok(bodies.some((body) => body.includes(key)), `there is no scenario "${name}"`);
  }
});

test("TestEveryScenarioIsRun", () => {
  const order = readFileSync(`${scenarios}/scenarios.test.mjs`, "utf8");
  for (const file of readdirSync(`${scenarios}/scenarios`)) {
    const found = [...readFileSync(`${scenarios}/scenarios/${file}`, "utf8").matchAll(/^ {2}async "?([^"(]+)"?\(/gm)];
    assert.ok(found.length > 0, `no scenario is found in ${file}`);
    for (const [, name = ""] of found) {
      assert.ok(order.includes(`"${name}"`), `no window runs "${name}"`);
    }
  }
});
