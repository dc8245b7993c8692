/**
 * Forms out of JSON Schemas (E4). What a form cannot show is written as JSON and said to pass unchecked here: Pillion checks every
 * call's arguments against the whole schema before anything is sent.
 */

import { Digits, parsed, written } from "./digits";
import { wordsOf } from "./fault";
import { html, visible } from "./visible";
import { foreign, type Html } from "./page";

/** How a field is filled in. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "choices" | "lines" | "json" | "group";

/** One field of a form. */
export interface Field {
  /** where its value goes, as a JSON pointer */
  pointer: string;
  key: string;
  title: string;
  text: string;
  kind: FieldKind;
  /** what it has to be, for people: "a whole number, required" */
  wanted: string;
  isRequired: boolean;
  /** values to choose from, as JSON text */
  options: { title: string; valueText: string }[];
  /** what the schema offers, as JSON text */
  defaultText?: string;
  /** fields of a group */
  fields: Field[];
}

type Schema = Record<string, unknown>;

const deepest = 4;

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}

function escaped(key: string): string {
  return key.replace(/~/g, "~0").replace(/\//g, "~1");
}

function without(schema: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

/** Follows a $ref inside the document; one that leads out of it, or in a circle, is left as it stands. */
function resolved(schema: unknown, root: unknown, seen: readonly string[] = []): unknown {
  if (!isSchema(schema) || typeof schema.$ref !== "string") {
    return schema;
  }
  const ref = schema.$ref;
  if (!ref.startsWith("#") || seen.includes(ref)) {
    return schema;
  }
  let at: unknown = root;
  for (const part of ref.slice(1).split("/").filter((p) => p !== "")) {
    const key = decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~");
    at = isSchema(at) || Array.isArray(at) ? (at as Schema)[key] : undefined;
  }
  const beside = without(schema, "$ref");
  const target = resolved(at, root, [...seen, ref]);
  return isSchema(target) ? { ...target, ...beside } : target;
}

/** One shape out of alternatives where all but one of them say null. */
function single(schema: Schema, root: unknown): Schema {
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const all = schema[key];
    if (!Array.isArray(all)) {
      continue;
    }
    const rest = all.map((one) => resolved(one, root)).filter((one) => !(isSchema(one) && one.type === "null"));
    if (rest.length === 1 && isSchema(rest[0])) {
      return { ...rest[0], ...without(schema, key) };
    }
  }
  return schema;
}

function typesOf(schema: Schema): string[] {
  const all = Array.isArray(schema.type) ? schema.type : [schema.type];
  return all.filter((t): t is string => typeof t === "string" && t !== "null");
}

function optionsOf(schema: Schema): Field["options"] {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? (schema.enumNames as unknown[]) : [];
    return schema.enum.map((one: unknown, i) => ({
      title: typeof names[i] === "string" ? names[i] : typeof one === "string" ? one : written(one),
      valueText: written(one),
    }));
  }
  const all = (Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : []) as unknown[];
  const consts = all.filter((one): one is Schema => isSchema(one) && "const" in one);
  if (consts.length === 0 || consts.length !== all.length) {
    return "const" in schema ? [{ title: String(schema.const), valueText: written(schema.const) }] : [];
  }
  return consts.map((one) => ({
    title: typeof one.title === "string" ? one.title : String(one.const),
    valueText: written(one.const),
  }));
}

function kindOf(schema: Schema, root: unknown, depth: number): FieldKind {
  if (optionsOf(schema).length > 0) {
    return "choice";
  }
  const types = typesOf(schema);
  if (types.length !== 1) {
    return "json";
  }
  switch (types[0]) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array": {
      const items = resolved(schema.items, root);
      if (isSchema(items) && optionsOf(items).length > 0) {
        return "choices";
      }
      return isSchema(items) && typesOf(items).length === 1 && typesOf(items)[0] === "string" ? "lines" : "json";
    }
    case "object":
      return isSchema(schema.properties) && Object.keys(schema.properties).length > 0 && depth < deepest ? "group" : "json";
    default:
      return "json";
  }
}

const wantedWords: Record<FieldKind, string> = {
  text: "text",
  number: "a number",
  boolean: "yes or no",
  choice: "one of these",
  choices: "any of these",
  lines: "a list of texts, one a line",
  json: "JSON; it is not checked here",
  group: "",
};

function fieldOf(key: string, said: unknown, isRequired: boolean, pointer: string, root: unknown, depth: number): Field {
  const followed = resolved(said, root);
  const schema = isSchema(followed) ? single(followed, root) : {};
  const kind = kindOf(schema, root, depth);
  const wanted = kind === "number" && typesOf(schema)[0] === "integer" ? "a whole number" : wantedWords[kind];
  const items = resolved(schema.items, root);
  return {
    pointer,
    key,
    title: typeof schema.title === "string" ? schema.title : "",
    text: typeof schema.description === "string" ? schema.description : "",
    kind,
    wanted: [wanted, isRequired ? "required" : ""].filter((w) => w !== "").join(", "),
    isRequired,
    options: kind === "choices" && isSchema(items) ? optionsOf(items) : kind === "choice" ? optionsOf(schema) : [],
    ...("default" in schema ? { defaultText: written(schema.default) } : {}),
    fields: kind === "group" ? fieldsOf(schema, pointer, root, depth + 1) : [],
  };
}

function fieldsOf(schema: Schema, pointer: string, root: unknown, depth: number): Field[] {
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).map(([key, said]) =>
    fieldOf(key, said, required.includes(key), `${pointer}/${escaped(key)}`, root, depth),
  );
}

/** The fields of a schema. A schema that is no object's, or that says nothing, has one field for all of it as JSON. */
export function formFields(schemaText: string): Field[] {
  let root: unknown;
  try {
    root = parsed(schemaText);
  } catch {
    root = {};
  }
  const followed = resolved(root, root);
  const schema = isSchema(followed) ? single(followed, root) : {};
  const fields = fieldsOf(schema, "", root, 0);
  const isOpen = schema.properties === undefined && schema.additionalProperties !== false && (schema.anyOf ?? schema.oneOf ?? schema.$ref) !== undefined;
  if (fields.length === 0 && isOpen) {
    return [{ pointer: "", key: "", title: "", text: "", kind: "json", wanted: wantedWords.json, isRequired: true, options: [], defaultText: "{}", fields: [] }];
  }
  return fields;
}

function parsedDefault(field: Field): unknown {
  return field.defaultText === undefined ? undefined : parsed(field.defaultText);
}

function input(field: Field, id: string, hasHint: boolean): Html {
  const name = `name="${html(field.pointer)}" id="${id}"${hasHint ? ` aria-describedby="${id}-hint"` : ""}${field.isRequired ? ' aria-required="true"' : ""}`;
  const set = parsedDefault(field);
  switch (field.kind) {
    case "text":
      return `<input type="text" ${name} value="${typeof set === "string" ? html(set) : ""}" spellcheck="false">`;
    case "number":
      return `<input type="text" inputmode="decimal" ${name} value="${html(field.defaultText ?? "")}">`;
    case "boolean":
      return `<select ${name}><option value="">${field.isRequired ? "choose…" : "not given"}</option>${["true", "false"]
        .map((v) => `<option value="${v}"${field.defaultText === v ? " selected" : ""}>${v === "true" ? "yes" : "no"}</option>`)
        .join("")}</select>`;
    case "choice":
      return `<select ${name}><option value="">${field.isRequired ? "choose…" : "not given"}</option>${field.options
        .map((o) => `<option value="${html(o.valueText)}"${field.defaultText === o.valueText ? " selected" : ""}>${html(visible(o.title))}</option>`)
        .join("")}</select>`;
    case "choices": {
      const chosen = Array.isArray(set) ? set.map(written) : [];
      return field.options
        .map(
          (o) =>
            `<label class="check"><input type="checkbox" data-list name="${html(field.pointer)}" value="${html(o.valueText)}"${chosen.includes(o.valueText) ? " checked" : ""}>${html(visible(o.title))}</label>`,
        )
        .join("");
    }
    case "lines":
      return `<textarea ${name} spellcheck="false">${html(Array.isArray(set) ? set.join("\n") : "")}</textarea>`;
    default:
      return `<textarea class="code" ${name} spellcheck="false">${html(field.defaultText ?? "")}</textarea>`;
  }
}

/** The fields as HTML. */
export function formHtml(fields: readonly Field[]): Html {
  return fields
      .map((field) => {
        // A list of ids is parted by spaces, which names of properties may have.
        const id = `f${field.pointer.replace(/[^\w/~]/g, (c) => `.${c.charCodeAt(0)}`)}`;
        const words = [
          field.title === "" ? "" : `<p class="hint">${foreign(field.title)}</p>`,
          field.text === "" ? "" : `<p class="hint">${html(field.text.split("\n").map(visible).join("\n"))}</p>`,
        ].join("");
        const wanted = field.wanted === "" ? "" : ` <span class="wanted">${html(field.wanted)}</span>`;
        const name = html(visible(field.key === "" ? "arguments" : field.key)) + wanted;
        if (field.kind === "choices") {
          return `<fieldset data-pointer="${html(field.pointer)}"><legend>${name}</legend>${words}${input(field, id, false)}</fieldset>`;
        }
        if (field.kind === "group") {
          return `<fieldset data-pointer="${html(field.pointer)}"><legend>${name}</legend>${words}${formHtml(field.fields)}</fieldset>`;
        }
        // What it means is read out with the field itself.
        const hint = words === "" ? "" : `<div id="${id}-hint">${words}</div>`;
        return `<div class="field" data-pointer="${html(field.pointer)}"><label for="${id}">${name}</label>${hint}${input(field, id, hint !== "")}</div>`;
      })
      .join("");
}

/** What is wrong with one field. */
export interface Fault {
  path: string;
  message: string;
}

/** What was filled in: the object as JSON text, or what is wrong. */
export type Filled = { text: string } | { faults: Fault[] };

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

type Values = Readonly<Record<string, string | boolean | string[]>>;

/** The value of a field as JSON text, undefined where it is left out. The digits of a number stay as they were typed. */
function textOf(field: Field, values: Values, faults: Fault[]): string | undefined {
  const given = values[field.pointer];
  const text = typeof given === "string" ? given : "";
  const missing = (): string | undefined => {
    if (field.isRequired) {
      faults.push({ path: field.pointer, message: "a value is needed here" });
    }
    return undefined;
  };
  switch (field.kind) {
    case "group": {
      const inner = objectText(field.fields, values, faults);
      return inner === "{}" && !field.isRequired ? undefined : inner;
    }
    case "text":
      return text === "" && !field.isRequired ? undefined : JSON.stringify(text);
    case "number":
      if (text.trim() === "") {
        return missing();
      }
      if (!number.test(text.trim())) {
        faults.push({ path: field.pointer, message: `${JSON.stringify(text)} is no number` });
        return undefined;
      }
      return text.trim();
    case "boolean":
    case "choice":
      return text === "" ? missing() : text;
    case "choices": {
      const chosen = Array.isArray(given) ? given : [];
      return chosen.length === 0 && !field.isRequired ? undefined : `[${chosen.join(",")}]`;
    }
    case "lines": {
      const lines = text.split("\n").filter((line) => line !== "");
      return lines.length === 0 && !field.isRequired ? undefined : JSON.stringify(lines);
    }
    case "json":
      if (text.trim() === "") {
        return missing();
      }
      try {
        JSON.parse(text);
      } catch (error) {
        faults.push({ path: field.pointer, message: `this is no JSON: ${wordsOf(error)}` });
        return undefined;
      }
      return text.trim();
  }
}

/** Whether something of a group was filled in: an optional group that is left alone is left out, whatever it requires inside. */
function isTouched(field: Field, values: Values): boolean {
  if (field.kind === "group") {
    return field.fields.some((inner) => isTouched(inner, values));
  }
  const given = values[field.pointer];
  return Array.isArray(given) ? given.length > 0 : given !== undefined && given !== "" && given !== (field.defaultText ?? "");
}

function objectText(fields: readonly Field[], values: Values, faults: Fault[]): string {
  const members: string[] = [];
  for (const field of fields) {
    if (field.kind === "group" && !field.isRequired && !isTouched(field, values)) {
      continue;
    }
    const text = textOf(field, values, faults);
    if (text !== undefined) {
      members.push(`${JSON.stringify(field.key)}:${text}`);
    }
  }
  return `{${members.join(",")}}`;
}

/** What was filled in, as JSON text. */
export function filled(fields: readonly Field[], values: Values): Filled {
  const faults: Fault[] = [];
  const first = fields[0];
  const text = fields.length === 1 && first?.pointer === "" ? (textOf(first, values, faults) ?? "{}") : objectText(fields, values, faults);
  return faults.length > 0 ? { faults } : { text };
}

/** An object to begin with in an editor: what is required, with defaults where there are some. */
export function template(fields: readonly Field[], indent = "  "): string {
  const empty: Record<FieldKind, string> = { text: '""', number: "0", boolean: "false", choice: '""', choices: "[]", lines: "[]", json: "null", group: "{}" };
  const write = (all: readonly Field[], at: string): string => {
    const members = all
      .filter((field) => field.isRequired || field.defaultText !== undefined)
      .map((field) => {
        const value = field.kind === "group" ? write(field.fields, at + indent) : (field.defaultText ?? field.options[0]?.valueText ?? empty[field.kind]);
        return `${at}${indent}${JSON.stringify(field.key)}: ${value}`;
      });
    return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n${at}}`;
  };
  return write(fields.filter((field) => field.pointer !== ""), "") + "\n";
}
