/** When a program that ended by itself is started again. */

/** What to do after an end. */
export type AfterEnd = { again: true; waitMs: number } | { again: false };

const firstWaitMs = 500;
const longestWaitMs = 30_000;
const mostEnds = 5;
/** A program that ran for so long has come up: what it ended of is something new. */
const stableMs = 3 * 60_000;

/** Counts the ends of a program. */
export class Backoff {
  private ends = 0;

  /** Decides after an end, of a program that ran for so long. */
  ended(ranMs: number): AfterEnd {
    this.ends = ranMs >= stableMs ? 1 : this.ends + 1;
    if (this.ends > mostEnds) {
      return { again: false };
    }
    return { again: true, waitMs: Math.min(longestWaitMs, firstWaitMs * 2 ** (this.ends - 1)) };
  }

  /** Forgets the ends: the user starts it himself. */
  reset(): void {
    this.ends = 0;
  }
}
