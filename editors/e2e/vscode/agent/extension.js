// An agent for the tests: a model that answers with fixed words, a chat participant that calls tools of Pillion's, and the same
// by a command, for a VS Code whose chat wants a sign-in.
const vscode = require("vscode");

async function call(token) {
  const found = await vscode.lm.invokeTool("pillion_search", { input: { query: "write_note" }, toolInvocationToken: token });
  const text = found.content.map((part) => part.value ?? "").join("");
  const tool = /"tool": "([^"]*write_note)"/.exec(text)?.[1] ?? "nothing";
  const result = await vscode.lm.invokeTool("pillion_call", { input: { tool, arguments: { name: "todo", text: "from an agent" } }, toolInvocationToken: token });
  return result.content.map((part) => part.value ?? "").join("");
}

exports.activate = (context) => {
  if (vscode.lm.registerLanguageModelChatProvider) {
    context.subscriptions.push(
      vscode.lm.registerLanguageModelChatProvider("pillion-test", {
        provideLanguageModelChatInformation: () => [
          { id: "fixed", name: "Fixed", family: "fixed", version: "1", maxInputTokens: 10000, maxOutputTokens: 1000, capabilities: { toolCalling: true } },
        ],
        provideLanguageModelChatResponse: async (_model, messages, _options, progress) => {
          progress.report(new vscode.LanguageModelTextPart(`the model was told ${messages.length} message(s)`));
        },
        provideTokenCount: async (_model, text) => String(text).length,
      }),
    );
  }
  context.subscriptions.push(
    vscode.chat.createChatParticipant("pillion-test.agent", async (request, _context, stream) => {
      stream.markdown(`ANSWER: ${await call(request.toolInvocationToken)}`);
    }),
    vscode.commands.registerCommand("pillion-test.invoke", async () => {
      try {
        void vscode.window.showInformationMessage(`ANSWER: ${(await call(undefined)).replaceAll("\n", " ")}`);
      } catch (error) {
        void vscode.window.showErrorMessage(`ANSWER: ${error}`);
      }
    }),
    vscode.commands.registerCommand("pillion-test.server", async () => {
      const tools = vscode.lm.tools.map((tool) => tool.name);
      try {
        const result = await vscode.lm.invokeTool(tools.find((name) => /^mcp_pillion_call$/.test(name)), { input: { tool: "notes__write_note", arguments: { name: "todo", text: "from the chat" } }, toolInvocationToken: undefined });
        void vscode.window.showInformationMessage(`SERVED: ${result.content.map((part) => part.value ?? "").join("").replaceAll("\n", " ")}`);
      } catch (error) {
        void vscode.window.showErrorMessage(`SERVED: ${error} ${tools}`);
      }
    }),
    vscode.commands.registerCommand("pillion-test.models", async () => {
      const models = await vscode.lm.selectChatModels({ vendor: "pillion-test" });
      void vscode.window.showInformationMessage(`MODELS: ${models.length}`);
    }),
    vscode.commands.registerCommand("pillion-test.commands", async () => {
      const all = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("pillion."));
      const twice = all.filter((id, i) => all.indexOf(id) !== i);
      const extension = vscode.extensions.getExtension("pillion.pillion");
      const contributed = extension.packageJSON.contributes.commands.map((one) => one.command);
      const missing = contributed.filter((id) => !all.includes(id));
      const handedOut = extension.exports === undefined ? "nothing" : "something";
      void vscode.window.showInformationMessage(
        `COMMANDS: ${all.filter((id) => id.startsWith("pillion.server.")).length} of the server, twice: ${twice.join(",") || "none"}, missing: ${missing.join(",") || "none"}, handed out: ${handedOut}`,
      );
    }),
  );
};
