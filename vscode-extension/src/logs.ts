/** The logs of connectors as output channels, one a connector, filled from its log file while the window lives. */

import * as fs from "node:fs";
import * as vscode from "vscode";
import { Tail } from "./tail";

const readAtMostBytes = 256 * 1024;
const lookEveryMs = 1000;

/** The channels that are open. */
export class ConnectorLogs implements vscode.Disposable {
  private readonly channels = new Map<string, { channel: vscode.OutputChannel; tail: Tail }>();

  /** Shows the log of a connector, and follows it from then on. */
  show(name: string, file: string): void {
    let known = this.channels.get(file);
    if (known === undefined) {
      const channel = vscode.window.createOutputChannel(`Pillion: ${name}`);
      const tail = new Tail(file, readAtMostBytes, (text) => channel.append(text));
      known = { channel, tail };
      this.channels.set(file, known);
      fs.watchFile(file, { interval: lookEveryMs, persistent: false }, () => void tail.readOn());
    }
    void known.tail.readOn();
    known.channel.show(true);
  }

  dispose(): void {
    for (const [file, { channel }] of this.channels) {
      fs.unwatchFile(file);
      channel.dispose();
    }
  }
}
