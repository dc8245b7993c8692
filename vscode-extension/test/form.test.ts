import assert from "node:assert/strict";
import { test } from "node:test";
import { editorSchema } from "../src/plain/editor_schema";
import { parsed, written } from "../src/plain/digits";
import { freeSlot } from "../src/plain/slots";
import { filled, formFields, formHtml, template, type Fault } from "../src/plain/form";

const schema = JSON.stringify({
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    size: { type: "integer", default: 3 },
    kind: { enum: ["a", "b"] },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    many: { type: "array", items: { enum: ["x", "y"] } },
    where: { type: "object", properties: { "a/b": { type: "string" }, deep: { $ref: "#/$defs/deep" } }, required: ["a/b"] },
    maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
    odd: { anyOf: [{ type: "number" }, { type: "string" }] },
    any: true,
  },
  required: ["name", "kind"],
  $defs: { deep: { type: "object", properties: { again: { $ref: "#/$defs/deep" } } } },
});

test("TestE4_EachSchemaHasItsField", () => {
  const kinds = Object.fromEntries(formFields(schema).map((field) => [field.key, field.kind]));
  assert.deepEqual(kinds, { name: "text", size: "number", kind: "choice", on: "boolean", tags: "lines", many: "choices", where: "group", maybe: "number", odd: "json", any: "json" });
});

test("TestE4_WhatIsLeftAloneIsLeftOut", () => {
  assert.deepEqual(filled(formFields(schema), { "/name": "n", "/kind": '"b"', "/size": "3" }), { text: '{"name":"n","size":3,"kind":"b"}' });
});

test("digits stay as they were typed", () => {
  const fields = formFields('{"properties":{"n":{"type":"number"}}}');
  assert.deepEqual(filled(fields, { "/n": "9007199254740993" }), { text: '{"n":9007199254740993}' });
  assert.deepEqual(filled(fields, { "/n": "1.50" }), { text: '{"n":1.50}' });
});

test("digits of a schema stay as they were written", () => {
  const long = "9007199254740993";
  const offered = `{"properties":{"n":{"type":"integer","default":${long}},"one":{"enum":[${long},2]},"many":{"type":"array","items":{"enum":[1.50,${long}]},"default":[${long}]},"only":{"const":${long}}}}`;
  const fields = formFields(offered);
  assert.deepEqual(fields.map((field) => field.defaultText), [long, undefined, `[${long}]`, undefined]);
  assert.deepEqual(fields.map((field) => field.options.map((option) => option.valueText)), [[], [long, "2"], ["1.50", long], [long]]);
  assert.deepEqual(fields[1]?.options.map((option) => option.title), [long, "2"]);
  const page = formHtml(fields);
  assert.ok(page.includes(`value="${long}" checked`) && !page.includes("9007199254740992"), page);
  for (const text of [`{"a":[${long},"${long}","\\\\\\"1.0",-0,1e400,null,{"digits":"1.0"}]}`, `{"\\u0064igits":"1.0"}`, "1.0"]) {
    assert.equal(written(parsed(text)), text.replace("\\u0064", "d"));
  }
  assert.throws(() => parsed("[01]"));
});

test("TestE4_AFaultNamesItsPath", () => {
  const { faults } = filled(formFields(schema), { "/size": "much", "/odd": "{", "/where/deep": "1" }) as { faults: Fault[] };
  assert.deepEqual(faults.map((fault) => fault.path).sort(), ["/kind", "/odd", "/size"]);
});

test("names with a slash keep apart from groups", () => {
  assert.deepEqual(filled(formFields(schema), { "/name": "", "/kind": '"a"', "/where/a~1b": "v" }), { text: '{"name":"","kind":"a","where":{"a/b":"v"}}' });
});

test("TestE4_RecursionEnds", () => {
  assert.ok(formHtml(formFields(schema)).length > 0);
  const circle = '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}';
  assert.equal(formFields(circle)[0]?.kind, "json");
});

test("a form has nothing of the schema's as markup", () => {
  const fields = formFields('{"properties":{"<b>":{"type":"string","description":"<script>"}}}');
  assert.ok(!/<b>|<script>/.test(formHtml(fields)));
});

test("each field is read out with what it means", () => {
  const page = formHtml(formFields('{"required":["a b"],"properties":{"a b":{"type":"string","description":"what it is"},"many":{"type":"array","items":{"enum":[1]}},"bare":{"type":"number"}}}'));
  const ids = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
  const named = [...page.matchAll(/ (?:for|aria-describedby)="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(named.length, 3, page);
  for (const id of named) {
    assert.ok(ids.has(id) && !/\s/.test(id ?? " "), page);
  }
  assert.match(page, /aria-describedby="[^"]*" aria-required="true"/);
  assert.match(page, /<fieldset data-pointer="[^"]*"><legend>many/);
});

test("a document of arguments begins with what is required", () => {
  assert.equal(template(formFields(schema)), '{\n  "name": "",\n  "size": 3,\n  "kind": "a"\n}\n');
});

test("TestS23_TheEditorIsGivenNothingOfASchemaToRenderOrFetch", () => {
  const cases: [unknown, unknown][] = [
    [{ type: "object", required: ["a"], properties: { a: { type: "string", maxLength: 3 } } }, { type: "object", required: ["a"], properties: { a: { type: "string", maxLength: 3 } } }],
    [{ markdownDescription: "![](https://a.example/x.png)", description: "a\u202eb" }, { description: "a\\u{202e}b" }],
    [{ $ref: "https://a.example/s.json", $id: "https://a.example/", $schema: "https://a.example/d" }, {}],
    [{ $ref: "#/$defs/x", $defs: { x: { defaultSnippets: [{ body: "$1" }], enum: [1] } } }, { $ref: "#/$defs/x", $defs: { x: { enum: [1] } } }],
    // A property may have a keyword's name.
    [{ properties: { markdownDescription: { type: "string" }, $ref: true } }, { properties: { markdownDescription: { type: "string" }, $ref: true } }],
    [{ anyOf: [{ errorMessage: "x", type: "null" }, false], items: [{ $ref: "file:///etc" }] }, { anyOf: [{ type: "null" }, false], items: [{}] }],
    [{ dependencies: { a: ["b"], c: { markdownDescription: "x" } } }, { dependencies: { a: ["b"], c: {} } }],
  ];
  for (const [given, wanted] of cases) {
    assert.deepEqual(JSON.parse(editorSchema(JSON.stringify(given))), wanted);
  }
  assert.equal(editorSchema("{"), "{}");
});

test("no open document of arguments loses its schema to another", () => {
  assert.equal(freeSlot([], 2), 0);
  assert.equal(freeSlot([0, undefined], 2), 1);
  assert.equal(freeSlot([1], 2), 0);
  assert.equal(freeSlot([1, 0, undefined], 2), undefined);
});
