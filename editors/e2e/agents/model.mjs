// A model that says what a test wants, behind the address of Gemini's interface.

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * One conversation of a model with an agent. Each turn of the model waits for the test: that of a real one takes long too, and
 * what is meant to happen meanwhile can happen.
 */
export class Model {
  static async start() {
    const model = new Model();
    model.asked = waiting();
    model.server = createServer((request, response) => model.#serve(request, response));
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    model.address = `http://127.0.0.1:${model.server.address().port}`;
    return model;
  }

  async #serve(request, response) {
    let body = "";
    for await (const part of request) {
      body += part;
    }
    if (!request.url.includes(":streamGenerateContent")) {
      response.writeHead(404).end();
      return;
    }
    const { contents, tools } = JSON.parse(body);
    const result = contents.at(-1).parts.find((part) => part.functionResponse)?.functionResponse.response;
    this.asked.put({
      tools: (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []).map((tool) => tool.name),
      result: result && { isError: result.error !== undefined, text: String(result.error ?? result.output) },
      answer: (part) => {
        const candidates = [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }];
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${JSON.stringify({ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } })}\r\n\r\n`);
      },
    });
  }

  /** The next time that the agent wants a turn: which tools it offers, what came of the tool that it was told to call, and its answer. */
  turn() {
    return this.asked.take();
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Values that come, for those who wait for them. */
function waiting() {
  const values = [];
  const takers = [];
  return {
    put: (value) => (takers.length > 0 ? takers.shift()(value) : values.push(value)),
    take: () => (values.length > 0 ? Promise.resolve(values.shift()) : new Promise((taken) => takers.push(taken))),
  };
}
