/** Arguments as documents: edited as JSON with the help of the tool's own schema, then run, or allowed once. */

import * as vscode from "vscode";
import { requests, type ApprovalBody, type Ask, type Tool } from "../generated/protocol";
import { editorSchema } from "../plain/editor_schema";
import { wordsOf } from "../plain/fault";
import { formFields, template } from "../plain/form";
import { freeSlot } from "../plain/slots";
import { neutral } from "../plain/visible";
import type { Session } from "../session";

/** The scheme of the documents, and of their schemas. package.json names as many slots. */
const argumentsScheme = "pillion-arguments";
const schemaScheme = "pillion-schema";
const slots = 8;

interface Draft {
  /** Which of the schemas is its own: none where more are open than there are slots. */
  slot: number | undefined;
  text: Uint8Array;
  changedAt: number;
  /** What its button does with the text. */
  run: (text: string) => Promise<void>;
  title: string;
}

/** The documents, in memory alone, each until its tab is closed. */
export class ArgumentEditors implements vscode.FileSystemProvider, vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  private readonly drafts = new Map<string, Draft>();
  private readonly schemas: string[] = Array.from({ length: slots }, () => "{}");
  private readonly fileChanged = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly schemaChanged = new vscode.EventEmitter<vscode.Uri>();
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeFile = this.fileChanged.event;
  readonly onDidChange = this.schemaChanged.event;
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly faults = vscode.languages.createDiagnosticCollection("pillion arguments");
  private readonly subscriptions: vscode.Disposable[];
  private next = 0;

  constructor(private readonly session: Session) {
    const selector: vscode.DocumentSelector = { scheme: argumentsScheme };
    this.subscriptions = [
      vscode.workspace.registerFileSystemProvider(argumentsScheme, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this),
      vscode.languages.registerCodeLensProvider(selector, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.faults.delete(document.uri)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const uri of closed.map(uriOf)) {
          if (uri !== undefined && tabsOf(uri).length === 0) {
            this.forget(uri);
          }
        }
      }),
    ];
  }

  /** Opens the arguments of a call that is asked about: what is written may be allowed once (S10). */
  async openForApproval(ask: Ask, body: ApprovalBody): Promise<void> {
    let text = body.argumentsText;
    try {
      // Only the layout is another: digits would not survive a round trip, so a text with long numbers stays as it is.
      if (!/\d{16}/.test(text)) {
        text = JSON.stringify(JSON.parse(text), null, 2) + "\n";
      }
    } catch {
      // It is edited as it is.
    }
    await this.open(body.tool, text, "Allow once with these arguments", async (edited) => {
      const { accepted, reason } = await this.session.client.request(requests.askAnswer, {
        askId: ask.askId,
        answer: { decision: "once", argumentsText: edited },
      });
      if (!accepted) {
        throw new Error(reason ?? "the question has ended");
      }
    });
  }

  /** Opens arguments of a call that the user is about to make. */
  async openForCall(tool: Tool, text: string | undefined, run: (text: string) => Promise<void>): Promise<void> {
    await this.open(tool, text ?? template(formFields(tool.inputSchemaText ?? "{}")), `Run ${tool.label}`, run);
  }

  /** Does what the document's button says. */
  async run(uri: vscode.Uri | undefined): Promise<void> {
    const at = uri ?? vscode.window.activeTextEditor?.document.uri;
    const draft = at === undefined ? undefined : this.drafts.get(at.toString());
    if (at === undefined || draft === undefined) {
      void vscode.window.showInformationMessage("Pillion: what these arguments were for has ended.");
      return;
    }
    const document = await vscode.workspace.openTextDocument(at);
    const text = document.getText().trim();
    try {
      JSON.parse(text);
    } catch (error) {
      this.complain(document, error);
      return;
    }
    try {
      await document.save();
      await draft.run(text);
      await vscode.window.tabGroups.close(tabsOf(at));
      this.forget(at);
    } catch (error) {
      this.complain(document, error);
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const draft = this.drafts.get(document.uri.toString());
    const top = new vscode.Range(0, 0, 0, 0);
    return draft === undefined ? [] : [new vscode.CodeLens(top, { title: `$(play) ${draft.title}`, command: "pillion.arguments.run", arguments: [document.uri] })];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.schemas[Number(/\d+/.exec(uri.path)?.[0] ?? 0)] ?? "{}";
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const draft = this.found(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: draft.changedAt, size: draft.text.length };
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.found(uri).text;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const draft = this.found(uri);
    draft.text = content;
    draft.changedAt = Date.now();
    this.fileChanged.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  delete(uri: vscode.Uri): void {
    this.drafts.delete(uri.toString());
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    this.faults.dispose();
    this.fileChanged.dispose();
    this.schemaChanged.dispose();
    this.lensesChanged.dispose();
    for (const one of this.subscriptions) {
      one.dispose();
    }
  }

  private async open(tool: Tool, text: string, title: string, run: Draft["run"]): Promise<void> {
    const whole = tool.inputSchemaText === undefined ? (await this.session.client.request(requests.toolDetail, { tool: tool.id })).tool : tool;
    const slot = freeSlot([...this.drafts.values()].map((draft) => draft.slot), slots);
    if (slot !== undefined) {
      this.schemas[slot] = editorSchema(whole.inputSchemaText ?? "{}");
      this.schemaChanged.fire(vscode.Uri.from({ scheme: schemaScheme, authority: "tool", path: `/${slot}.json` }));
    }
    const name = `${tool.label.replace(/[^\w.-]+/g, "_").slice(0, 60)}-${++this.next}.json`;
    const folder = slot === undefined ? "pillion-arguments" : `pillion-arguments-${slot}`;
    const uri = vscode.Uri.from({ scheme: argumentsScheme, path: `/${folder}/${name}` });
    this.drafts.set(uri.toString(), { slot, text: new TextEncoder().encode(text), changedAt: Date.now(), run, title });
    try {
      await vscode.window.showTextDocument(uri, { preview: false });
    } catch (error) {
      this.forget(uri);
      throw error;
    }
    this.lensesChanged.fire();
  }

  private forget(uri: vscode.Uri): void {
    this.drafts.delete(uri.toString());
    this.faults.delete(uri);
  }

  private complain(document: vscode.TextDocument, error: unknown): void {
    const message = wordsOf(error);
    this.faults.set(document.uri, [new vscode.Diagnostic(new vscode.Range(0, 0, document.lineCount, 0), message, vscode.DiagnosticSeverity.Error)]);
    void vscode.window.showErrorMessage(neutral(`Pillion: ${message}`));
  }

  private found(uri: vscode.Uri): Draft {
    const draft = this.drafts.get(uri.toString());
    if (draft === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return draft;
  }
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => uriOf(tab)?.toString() === uri.toString());
}
