// Puts the settings that the program declares into package.json: they are written by `make generate`, never by hand.
import { readFileSync, writeFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
manifest.contributes.configuration = JSON.parse(readFileSync("src/generated/configuration.json", "utf8"));
writeFileSync("package.json", JSON.stringify(manifest, null, 2) + "\n");
