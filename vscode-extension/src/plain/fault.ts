/** What was thrown, in words. */

/** What the connection says of a request whose answer does not come any more (vscode-jsonrpc's PendingResponseRejected). */
const noAnswerComes = -32097;

/** Its message; what is no error as text. A process that ended is named so, and not by the library's words for it. */
export function wordsOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === noAnswerComes) {
    return "Pillion ended before it answered.";
  }
  return error instanceof Error ? error.message : String(error);
}
