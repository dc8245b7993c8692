/** The logs of connectors as output channels, one a connector, filled from its log file while the window lives. */

import * as fs from "node:fs";
import * as vscode from "vscode";

const readAtMostBytes = 256 * 1024;
const lookEveryMs = 1000;

/** The channels that are open. */
export class ConnectorLogs implements vscode.Disposable {
  private readonly channels = new Map<string, { channel: vscode.OutputChannel; read: number; file: string }>();

  /** Shows the log of a connector, and follows it from then on. */
  show(name: string, file: string): void {
    let known = this.channels.get(file);
    if (known === undefined) {
      known = { channel: vscode.window.createOutputChannel(`Pillion: ${name}`), read: Math.max(0, sizeOf(file) - readAtMostBytes), file };
      this.channels.set(file, known);
      fs.watchFile(file, { interval: lookEveryMs, persistent: false }, () => this.readOn(file));
    }
    this.readOn(file);
    known.channel.show(true);
  }

  dispose(): void {
    for (const { channel, file } of this.channels.values()) {
      fs.unwatchFile(file);
      channel.dispose();
    }
  }

  private readOn(file: string): void {
    const known = this.channels.get(file);
    if (known === undefined) {
      return;
    }
    const size = sizeOf(file);
    if (size < known.read) {
      known.read = 0; // It was rotated.
    }
    if (size === known.read) {
      return;
    }
    fs.createReadStream(file, { start: known.read, end: size - 1, encoding: "utf8" })
      .on("data", (text) => known.channel.append(String(text)))
      .on("error", () => undefined);
    known.read = size;
  }
}

function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch {
    return 0;
  }
}
