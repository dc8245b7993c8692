/** What can be done with resources and prompts. */

import * as vscode from "vscode";
import { requests } from "../generated/protocol";
import { typeIn } from "../input_box";
import { expanded, templateVariables } from "../plain/uri_template";
import { label, quoted } from "../plain/visible";
import type { Node } from "../views/connectors";
import { type Commands, type Context } from "./context";

/** The commands of resources and prompts. */
export function offeredCommands({ client, offered }: Context): Commands {
  return {
    "pillion.resource.open": async (node: Node | undefined) => {
      if (node?.kind === "template") {
        const uri = await fillTemplate(node.template.uriTemplate);
        return uri === undefined ? undefined : offered.openResource({ connector: node.connector.id, uri, name: uri });
      }
      if (node?.kind === "resource") {
        return offered.openResource(node.resource);
      }
      const { resources } = await client.request(requests.resources, {});
      const picked = await vscode.window.showQuickPick(
        resources.map((resource) => ({ label: label(resource.title ?? resource.name), description: label(resource.uri, 100), detail: label(resource.description ?? "", 200), resource })),
        { title: "Open which resource?", matchOnDescription: true },
      );
      return picked === undefined ? undefined : offered.openResource(picked.resource);
    },
    "pillion.prompt.open": async (node: Node | undefined) => {
      if (node?.kind === "prompt") {
        return offered.openPrompt(node.prompt);
      }
      const { prompts } = await client.request(requests.prompts, {});
      const picked = await vscode.window.showQuickPick(
        prompts.map((prompt) => ({ label: label(prompt.title ?? prompt.name), detail: label(prompt.description ?? "", 200), prompt })),
        { title: "Which prompt?" },
      );
      return picked === undefined ? undefined : offered.openPrompt(picked.prompt);
    },
  };
}

/** Asks for the variables of a template. */
async function fillTemplate(template: string): Promise<string | undefined> {
  const values = new Map<string, string>();
  for (const name of templateVariables(template)) {
    const typed = await typeIn({ title: label(template, 100), prompt: `Value of ${quoted(name)}`, ignoreFocusOut: true });
    if (typed === undefined) {
      return undefined;
    }
    values.set(name, typed);
  }
  return expanded(template, values);
}
