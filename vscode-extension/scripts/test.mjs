// Bundles the unit tests and runs them. With --json the outcome is told as `go test -json` tells it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const folder = mkdtempSync(join(tmpdir(), "pillion-vscode-test-"));
try {
  await build({
    entryPoints: readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => join("test", name)),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const files = readdirSync(folder).filter((name) => name.endsWith(".js")).map((name) => join(folder, name));
  const reporter = process.argv.includes("--json") ? join(process.cwd(), "scripts/gojson.mjs") : "spec";
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", `--test-reporter=${reporter}`, ...files], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
