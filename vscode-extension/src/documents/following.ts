/** What the user does that takes a while. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { WorkDoneProgress } from "vscode-languageclient/node";
import { requests, type CallParams } from "../generated/protocol";
import { label } from "../plain/visible";
import type { Session } from "../session";
import type { QuestionDocuments } from "./questions";

/** Shows progress of what takes longer than a second, and lets it be cancelled (U7). Its questions open at once. */
export async function following<T>(session: Session, questions: QuestionDocuments, callId: string, title: string, act: (workDoneToken: string) => Promise<T>): Promise<T> {
  const token = randomUUID();
  let tell: (text: string) => void = () => undefined;
  const reports = session.client.languageClient?.onProgress(WorkDoneProgress.type, token, (report) => {
    if (report.kind !== "end" && report.message !== undefined) {
      tell(label(report.message, 120) + (report.kind === "report" && report.percentage !== undefined ? ` (${report.percentage} %)` : ""));
    }
  });
  const done = questions.expecting(callId, true, () => act(token));
  const settled = done.then(
    () => undefined,
    () => undefined,
  );
  const timer = setInterval(() => {
    if ([...session.asks.values()].some((ask) => ask.callId === callId)) {
      return; // While it waits for the user, its question is all there is to see.
    }
    clearInterval(timer);
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, cancel) => {
      tell = (message) => progress.report({ message });
      cancel.onCancellationRequested(() => void session.client.request(requests.callCancel, { callId } satisfies CallParams).catch(() => undefined));
      return settled;
    });
  }, 1000);
  try {
    return await done;
  } finally {
    clearInterval(timer);
    reports?.dispose();
  }
}
