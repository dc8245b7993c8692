/** Places of which there are only so many, such as those that package.json names. */

/** The first of so many slots that nobody has; undefined where all are taken. */
export function freeSlot(taken: readonly (number | undefined)[], slots: number): number | undefined {
  for (let slot = 0; slot < slots; slot++) {
    if (!taken.includes(slot)) {
      return slot;
    }
  }
  return undefined;
}
