/**
 * Foreign text made safe to show (S17, S23). The same rules as Pillion's own documents have, so that one text looks the same
 * in every editor.
 */

/** A character without a mark of its own on the screen, or one that moves others about. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{fe00}-\u{fe0f}\u115f\u1160\u3164\uffa0\u2800]|(?! )\p{Zs}|\\(?=u\{)/gu;

/** Shows text as one line on which nothing is hidden: what cannot be seen stands as \u{…}. */
export function visible(text: string): string {
  return text.replace(hidden, (found) => (found === "\\" ? "\\\\" : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`));
}

/** The same over several lines; line ends and the tabs of indented text stay. */
export function visibleLines(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .split("\n")
    .map((line) => line.split("\t").map(visible).join("\t"))
    .join("\n");
}

/** The text in double quotes, out of which no text gets. */
export function quoted(text: string): string {
  return `"${visible(text).replace(/"/g, "\\u{22}")}"`;
}

/** Takes the indentation of the last line from all lines but the first: an entry's value begins behind its name. */
export function dedented(text: string): string {
  const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n") + 1))?.[0] ?? "";
  return text.split("\n" + indent).join("\n");
}

function clipped(text: string, most: number): string {
  const points = Array.from(text);
  return points.length <= most ? text : points.slice(0, most - 1).join("") + "…";
}

/** Text for the label of a native control: one line, no icon of VS Code's, no link. */
export function label(text: string, most = 300): string {
  return clipped(visible(text).replace(/\$\(/g, "$ ("), most);
}

/** Text of a notification or of an input box, which VS Code would make links in and cut (U18). */
export function neutral(text: string, most = 500): string {
  return clipped(label(text, most).replace(/\]\(/g, "] (").replace(/:\/\//g, ":// ").replace(/`/g, "'"), most);
}

/** Escapes text for HTML. */
export function html(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
