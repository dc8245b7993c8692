/** The only place that opens an input box: what it says may be foreign. */

import * as vscode from "vscode";
import { withoutLinks, type InputBoxWords } from "./plain/input_box";

/** Lets the user type something; undefined where he does not. */
export function typeIn(options: Omit<vscode.InputBoxOptions, keyof InputBoxWords> & InputBoxWords): Thenable<string | undefined> {
  return vscode.window.showInputBox(withoutLinks(options));
}
