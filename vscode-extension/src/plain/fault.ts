/** What was thrown, in words. */

/** Its message; what is no error as text. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
