/**
 * A tool's schema as VS Code's own JSON support is given it: the same demands on the arguments, and nothing of it that is rendered
 * as Markdown, inserted as a snippet or fetched from elsewhere (S23).
 */

import { visibleLines } from "./visible";

type Keyword = (value: unknown) => unknown;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const asItIs: Keyword = (value) => value;
const text: Keyword = (value) => (typeof value === "string" ? visibleLines(value) : undefined);
const texts: Keyword = (value) => (Array.isArray(value) ? value.map((one) => text(one) ?? "") : undefined);
const within: Keyword = (value) => (typeof value === "string" && value.startsWith("#") ? value : undefined);
const schema: Keyword = (value) => (Array.isArray(value) ? value.map(cleaned) : cleaned(value));
const byName: Keyword = (value) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, Array.isArray(one) ? one : cleaned(one)])) : undefined;

function all(names: string, as: Keyword): [string, Keyword][] {
  return names.split(" ").map((name) => [name, as]);
}

/** The keywords that go through. What is not here does not: VS Code has many of its own. */
const keywords = new Map<string, Keyword>([
  ...all("type enum const default examples required dependentRequired format deprecated readOnly writeOnly $anchor", asItIs),
  ...all("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern", asItIs),
  ...all("minItems maxItems uniqueItems minContains maxContains minProperties maxProperties", asItIs),
  ...all("title description", text),
  ...all("enumDescriptions", texts),
  ...all("$ref $dynamicRef", within),
  ...all("items additionalItems unevaluatedItems contains prefixItems additionalProperties unevaluatedProperties propertyNames", schema),
  ...all("not if then else allOf anyOf oneOf", schema),
  ...all("properties patternProperties $defs definitions dependentSchemas dependencies", byName),
]);

function cleaned(value: unknown): unknown {
  if (!isObject(value)) {
    return typeof value === "boolean" ? value : {};
  }
  const kept = Object.entries(value).map(([name, one]): [string, unknown] => [name, keywords.get(name)?.(one)]);
  return Object.fromEntries(kept.filter(([, one]) => one !== undefined));
}

/** The schema as JSON text; one that cannot be read demands nothing. */
export function editorSchema(schemaText: string): string {
  try {
    return JSON.stringify(cleaned(JSON.parse(schemaText)));
  } catch {
    return "{}";
  }
}
