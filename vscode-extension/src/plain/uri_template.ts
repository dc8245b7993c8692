/** Templates of URIs, as RFC 6570's first level and its reserved form have them. */

const expression = /\{([+#./;?&]?)([^}]+)\}/g;

/** The variables of a template, in the order in which they stand, each once. */
export function templateVariables(template: string): string[] {
  return [...new Set([...template.matchAll(expression)].map(([, , name = ""]) => name))];
}

/** The template with values in place of its variables. */
export function expanded(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(expression, (_, operator: string, name: string) => {
    const value = values.get(name) ?? "";
    return operator === "+" || operator === "#" ? encodeURI(value) : encodeURIComponent(value);
  });
}
