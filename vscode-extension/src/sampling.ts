/** Connectors' requests for a model's answer, by the models that VS Code has (F3). The prompt was shown; the answer is, too. */

import * as vscode from "vscode";
import type { Answer, Ask, SamplingBody } from "./generated/protocol";
import type { OpenPage } from "./documents/web_page";
import { wordsOf } from "./plain/fault";
import type { Posted } from "./plain/page";
import { replyPage, samplingMessages, samplingResult } from "./plain/sampling";
import { label } from "./plain/visible";

const replies = new WeakMap<OpenPage, { model: string; text: string }>();
/** Models that are answering, each for its page. */
const answering = new WeakMap<OpenPage, vscode.CancellationTokenSource>();

async function chooseModel(): Promise<vscode.LanguageModelChat | undefined> {
  const models = "lm" in vscode ? await vscode.lm.selectChatModels({}) : [];
  if (models.length <= 1) {
    return models[0];
  }
  const picked = await vscode.window.showQuickPick(
    models.map((model) => ({ label: label(model.name), description: label(`${model.vendor} ${model.family}`), model })),
    { title: "Which model is to answer?" },
  );
  return picked?.model;
}

/** Has the model answer, shows what it says, and sends it once the user says so. */
export async function askModel(ask: Ask, posted: Posted, page: OpenPage, answer: (answer: Answer) => Promise<void>): Promise<void> {
  const body = ask.body as SamplingBody;
  if (posted.action === "send-reply") {
    const reply = replies.get(page);
    if (reply !== undefined) {
      await answer({ resultText: samplingResult(reply.model, reply.text) });
    }
    return;
  }
  if (answering.has(page)) {
    return; // It was pressed twice.
  }
  // The page goes with its question: once it was declined, withdrawn or put aside nobody waits for the model.
  const source = new vscode.CancellationTokenSource();
  answering.set(page, source);
  const closed = page.panel.onDidDispose(() => source.cancel());
  try {
    await letAnswer(body, page, source.token);
  } catch (error) {
    if (!source.token.isCancellationRequested) {
      page.tell({ type: "state", text: wordsOf(error) });
    }
  } finally {
    closed.dispose();
    answering.delete(page);
    source.dispose();
  }
}

async function letAnswer(body: SamplingBody, page: OpenPage, token: vscode.CancellationToken): Promise<void> {
  const model = await chooseModel();
  if (token.isCancellationRequested) {
    return;
  }
  if (model === undefined) {
    page.tell({ type: "state", text: "VS Code has no language model here, or none was chosen." });
    return;
  }
  page.tell({ type: "state", text: "The model is answering…" });
  const messages = samplingMessages(body.paramsText).map(({ role, text }) =>
    role === "assistant" ? vscode.LanguageModelChatMessage.Assistant(text) : vscode.LanguageModelChatMessage.User(text),
  );
  const response = await model.sendRequest(messages, { justification: `The connector "${label(body.name)}" asks for a model's answer.` }, token);
  let text = "";
  for await (const part of response.text) {
    if (token.isCancellationRequested) {
      return;
    }
    text += part;
  }
  if (token.isCancellationRequested) {
    return; // What came until then is not the whole.
  }
  replies.set(page, { model: model.id, text });
  page.show(replyPage(body, model.name, text));
}
