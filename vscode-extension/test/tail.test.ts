import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Tail } from "../src/tail";

test("a log is read once, in its order, and in whole characters", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pillion-tail-"));
  try {
    const file = join(folder, "a.log");
    const parts: string[] = [];
    const read = () => parts.join("");
    const tail = new Tail(file, 8, (text) => parts.push(text));
    await tail.readOn();
    assert.equal(read(), "", "there is no file yet");

    // The last eight bytes begin inside the second character.
    writeFileSync(file, "€€abcdef");
    await Promise.all([tail.readOn(), tail.readOn()]);
    assert.equal(read(), "abcdef");

    const long = `${"x".repeat(64 * 1024 - 1)}€`;
    appendFileSync(file, long);
    const first = tail.readOn();
    appendFileSync(file, "end");
    await Promise.all([first, tail.readOn(), tail.readOn()]);
    assert.equal(read(), `abcdef${long}end`);

    const euro = new TextEncoder().encode("€");
    appendFileSync(file, euro.subarray(0, 1));
    await tail.readOn();
    appendFileSync(file, euro.subarray(1));
    await tail.readOn();
    assert.ok(read().endsWith("end€"));

    writeFileSync(file, "anew");
    await tail.readOn();
    assert.ok(read().endsWith("end€anew"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
