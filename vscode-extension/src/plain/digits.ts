/** JSON whose numbers keep their digits: those that a number of JavaScript does not hold stay the text that they were. */

/** A number as it was written, because a number of JavaScript would be another one, or be written otherwise. */
export class Digits {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON as JSON.parse does, and throws as it does. */
export function parsed(text: string): unknown {
  // Without its escapes: no name of its own is the mark.
  const plain = JSON.stringify(JSON.parse(text));
  let mark = "digits";
  while (plain.includes(mark)) {
    mark += "_";
  }
  const marked = text.replace(token, (one) => (one.startsWith('"') || JSON.stringify(Number(one)) === one ? one : `{"${mark}":"${one}"}`));
  return JSON.parse(marked, (_, value: unknown) => {
    const digits = typeof value === "object" && value !== null && mark in value ? (value as Record<string, unknown>)[mark] : undefined;
    return typeof digits === "string" ? new Digits(digits) : value;
  });
}

/** Writes what was parsed, as JSON.stringify does. */
export function written(value: unknown): string {
  if (value instanceof Digits) {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return `[${value.map(written).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}:${written(one)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value);
}
