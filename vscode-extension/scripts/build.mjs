// Bundles the extension into dist.
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: !process.argv.includes("--debug"),
  sourcemap: process.argv.includes("--debug"),
  logLevel: "warning",
});
