/** Who has the focus of the keyboard: whoever writes keeps it. */

/** For so long after a key nothing takes the focus (U3). */
const quietMs = 1000;

/**
 * Whether what comes up may take the focus: it comes of something that the user did, and since then he has not begun to write, or
 * has stopped. All of them are times in milliseconds.
 */
export function mayTakeFocus(actedAt: number, typedAt: number, now: number): boolean {
  return typedAt <= actedAt || now - typedAt >= quietMs;
}
