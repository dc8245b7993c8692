/** Answers out of what a page posted. Only the exact action is a yes; whatever is not known answers nothing. */

import type {
  Answer,
  ApprovalBody,
  ApprovalChoice,
  Ask,
  ConsentBody,
  ConsentDecision,
  ElicitationBody,
  JoinDecision,
  PermissionScope,
} from "../generated/protocol";
import { filled, formFields, type Fault } from "./form";
import type { Posted } from "./page";
import { standingChoices } from "./question_page";

/** What a posted action comes to: an answer, faults to show in the form, or nothing that decides the question. */
export type Reply = { answer: Answer } | { faults: Fault[] } | undefined;

const consentDecisions: readonly string[] = ["allow", "allowFollow", "later", "never"] satisfies ConsentDecision[];
const joinDecisions: readonly string[] = ["allow", "session", "never", "decline"] satisfies JoinDecision[];

function consent(body: ConsentBody, { action, values }: Posted): Reply {
  const decisions: Record<string, ConsentDecision> = {};
  const single = body.items.length === 1 ? body.items[0] : undefined;
  if (single !== undefined && consentDecisions.includes(action)) {
    decisions[single.connector] = action as ConsentDecision;
  } else if (action === "later-all") {
    for (const item of body.items) {
      decisions[item.connector] = "later";
    }
  } else if (action === "decide") {
    for (const item of body.items) {
      const chosen = values[`decision:${item.connector}`];
      if (typeof chosen === "string" && consentDecisions.includes(chosen)) {
        decisions[item.connector] = chosen as ConsentDecision;
      }
    }
  }
  if (Object.keys(decisions).length === 0) {
    return undefined;
  }
  const secrets: Record<string, string[]> = {};
  for (const item of body.items) {
    const all = item.secrets ?? [];
    if (!decisions[item.connector]?.startsWith("allow") || all.length === 0) {
      continue;
    }
    if (!all.every((_, i) => values[`secret:${i}:${item.connector}`] === true)) {
      return { faults: [{ path: "", message: `say of each secret that it may be given to "${item.name}"` }] };
    }
    secrets[item.connector] = all.map((secret) => secret.name);
  }
  return { answer: Object.keys(secrets).length > 0 ? { decisions, secrets } : { decisions } };
}

function approval(body: ApprovalBody, { action, values }: Posted): Reply {
  if (action === "decline" || (action === "once" && body.choices.includes("once"))) {
    return { answer: { decision: action } };
  }
  if (action === "decline-words") {
    return { answer: { decision: "decline", text: typeof values.words === "string" ? values.words : "" } };
  }
  if (!standingChoices(body).some((choice) => choice.action === action)) {
    return undefined;
  }
  const [decision, scope] = action.split(":") as [ApprovalChoice, PermissionScope | ""];
  return { answer: scope === "" ? { decision } : { decision, scope } };
}

function elicitation(body: ElicitationBody, { action, values }: Posted): Reply {
  if (action === "decline" || action === "cancel") {
    return { answer: { action } };
  }
  if (action !== "accept") {
    return undefined;
  }
  if (body.url !== undefined) {
    return { answer: { action } };
  }
  const form = filled(formFields(body.schemaText ?? "{}"), values);
  return "faults" in form ? form : { answer: { action, contentText: form.text } };
}

/** The answer that a posted action gives to a question. */
export function replyTo(ask: Ask, posted: Posted): Reply {
  const { action } = posted;
  switch (ask.kind) {
    case "consent":
      return consent(ask.body as ConsentBody, posted);
    case "approval":
      return approval(ask.body as ApprovalBody, posted);
    case "elicitation":
    case "url":
      return elicitation(ask.body as ElicitationBody, posted);
    case "sampling":
      return action === "decline" ? { answer: { declined: true } } : undefined;
    case "input":
      return action === "cancel" ? { answer: { cancelled: true } } : undefined;
    case "join":
      return joinDecisions.includes(action) ? { answer: { decision: action as JoinDecision } } : undefined;
    case "store":
      return action === "confirm" || action === "later" ? { answer: { decision: action } } : undefined;
    case "widen":
      return action === "make" || action === "keep" ? { answer: { decision: action } } : undefined;
    default:
      return undefined;
  }
}
