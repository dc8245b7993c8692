/** The end of a file that grows, as text. It does not know of editors, and does not notice by itself that the file has grown. */

import { open } from "node:fs/promises";

const chunkBytes = 64 * 1024;

/** Follows one file from near its end. What is read is taken in the order of the file, however often it is read on at once. */
export class Tail {
  private at: number | undefined;
  private isInsideCharacter = false;
  private decoder = new TextDecoder();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly mostBytes: number,
    private readonly take: (text: string) => void,
  ) {}

  /** Takes what was written since, and settles when it was taken; a file that cannot be read has nothing new. */
  readOn(): Promise<void> {
    this.last = this.last.then(() => this.read().catch(() => undefined));
    return this.last;
  }

  private async read(): Promise<void> {
    const handle = await open(this.file, "r");
    try {
      const { size } = await handle.stat();
      if (this.at === undefined || size < this.at) {
        // Its beginning is left out at first. One that is shorter than it was has been rotated.
        this.at = this.at === undefined ? Math.max(0, size - this.mostBytes) : 0;
        this.isInsideCharacter = this.at > 0;
        this.decoder = new TextDecoder();
      }
      const buffer = new Uint8Array(chunkBytes);
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, chunkBytes, this.at);
        if (bytesRead === 0) {
          return;
        }
        this.at += bytesRead;
        this.take(this.decoder.decode(this.whole(buffer.subarray(0, bytesRead)), { stream: true }));
      }
    } finally {
      await handle.close();
    }
  }

  /** Leaves out the rest of a character whose beginning was not read. */
  private whole(bytes: Uint8Array): Uint8Array {
    let from = 0;
    while (this.isInsideCharacter && from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) {
      from++;
    }
    this.isInsideCharacter = false;
    return bytes.subarray(from);
  }
}
