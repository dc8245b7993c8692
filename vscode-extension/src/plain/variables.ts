/** Variables that come from elsewhere: where a value is to be read, never the value itself. */

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
const reference = /^\$\{(env:)?[A-Za-z_][A-Za-z0-9_]*\}$/;

/** What is wrong with the name of a variable, in words for the user; undefined where nothing is. */
export function nameFault(name: string): string | undefined {
  return variable.test(name) ? undefined : "A name is letters, digits and _, and begins with no digit.";
}

/** The same of a reference. It does not repeat what was typed, which may be a secret. */
export function referenceFault(typed: string): string | undefined {
  return reference.test(typed) ? undefined : "Name the variable that it is read from, as ${WORK_TOKEN}; never write its value here.";
}
