/** What is kept for as long as there is room. */

/** A map that forgets what came into it first, once there are more than so many. */
export class Newest<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.most) {
        break;
      }
      this.delete(oldest);
    }
    return this;
  }
}
