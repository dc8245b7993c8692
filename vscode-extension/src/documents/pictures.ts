/** Pictures of connectors, read so that a page can show them. */

import * as vscode from "vscode";
import type { Attachment } from "../generated/protocol";
import { fileName, isPicture, type Picture } from "../plain/result_page";

const maxPictureBytes = 20 * 1024 * 1024;

/** Those of the files that are pictures, as far as they can be read and are not too big. */
export async function pictures(all: readonly Attachment[]): Promise<Picture[]> {
  const found: Picture[] = [];
  for (const one of all) {
    if (isPicture(one.mimeType) && one.bytes <= maxPictureBytes) {
      try {
        const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(one.uri));
        found.push({ name: fileName(one), mimeType: one.mimeType, base64: Buffer.from(bytes).toString("base64") });
      } catch {
        // It stands in the list of files.
      }
    }
  }
  return found;
}
