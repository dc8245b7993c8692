/** Questions as pages: the whole of what is asked, and what may be answered, the safest first (S16, S17). */

import type {
  ApprovalBody,
  ApprovalChoice,
  Ask,
  Asker,
  Change,
  Condition,
  ConsentBody,
  ConsentItem,
  ElicitationBody,
  InputBody,
  JoinBody,
  NamedFile,
  PermissionScope,
  SamplingBody,
  StoreBody,
  WidenBody,
  WidenChange,
} from "../generated/protocol";
import { browserQuestion, browserYes, isBrowserStart } from "./browser";
import { formFields, formHtml } from "./form";
import { block, button, foreign, list, row, said, value, values, type Html } from "./page";
import { dedented, html, label, quoted } from "./visible";
import { scopeWords } from "./words";

const foreignNote = "What stands in this type, beside a bar, is not Pillion's words: it comes from a file, a caller or a connector.";

/** The path of a file: URI for people; another URI as it is. */
export function pathOf(uri: string | undefined): string {
  if (uri === undefined || !uri.startsWith("file://")) {
    return uri ?? "";
  }
  try {
    return decodeURIComponent(uri.slice("file://".length));
  } catch {
    return uri;
  }
}

/** Who asks, in words; what it calls itself is in quotes. */
export function askerWords(asker: Asker): string {
  const kind = asker.kind === "cli" ? "a terminal" : asker.kind === "editor" ? "you, in this editor" : "an agent";
  const parts = [asker.name !== undefined && asker.kind !== "editor" ? `${kind} that calls itself ${quoted(asker.name)}` : kind];
  if (asker.program !== undefined) {
    parts.push(`program ${quoted(asker.program)}`);
  }
  if (asker.pid !== undefined) {
    parts.push(`pid ${asker.pid}`);
  }
  return parts.join(", ");
}

function changed(changes: readonly Change[] | undefined): Html {
  return (changes ?? [])
    .map((c) => value("what changed", c.path) + value("before", c.before) + value("now", c.after))
    .join("");
}

function files(all: readonly NamedFile[]): Html {
  const line = (f: NamedFile) => f.path + (f.changed ? " (changed)" : "");
  return (
    values("files of this repository that it names; your answer covers them as they are now, not what they import", all.filter((f) => f.steers !== true).map(line)) +
    values("files beside it that steer runners such as npx, uv or make; your answer covers them too", all.filter((f) => f.steers === true).map(line))
  );
}

/** Whether a definition stands in the user's own file and not in the repository's. */
function isOwn(item: ConsentItem): boolean {
  const path = pathOf(item.uri);
  const root = pathOf(item.root).replace(/\/$/, "") + "/";
  return item.root !== "" && path !== "" && !path.toLowerCase().endsWith("/.mcp.json") && !path.startsWith(root);
}

function consentHeading(items: readonly ConsentItem[]): string {
  const programs = items.filter((item) => item.shown.url === undefined).length;
  if (items.every(isOwn)) {
    return "May these connectors of your own run in this folder?";
  }
  const one = items.length === 1;
  const subject = one ? "this connector of the repository" : `these ${items.length} connectors of the repository`;
  if (programs === 0) {
    return `May ${subject} be connected to?`;
  }
  return programs === items.length ? `May ${subject} run ${one ? "a program" : "programs"} on this machine?` : `May ${subject} run, or be connected to?`;
}

const consentTitles: [string, string][] = [
  ["later", "Not now"],
  ["never", "Never"],
  ["allow", "Allow"],
  ["allowFollow", "Allow, and follow changes to the files"],
];

/** What may be decided about one definition: to follow changes is offered where there are files to follow. */
function consentChoices(item: ConsentItem): [string, string][] {
  return consentTitles.filter(([decision]) => decision !== "allowFollow" || item.shown.files.some((f) => f.steers !== true));
}

function secrets(item: ConsentItem): Html {
  return (item.secrets ?? [])
    .map(
      (secret, i) =>
        `<label class="check"><input type="checkbox" name="secret:${i}:${html(item.connector)}" data-for="secrets:${html(item.connector)}"><span>Give ${foreign(secret.name)} to ${foreign(secret.destination)}</span></label>`,
    )
    .join("");
}

function consentItem(item: ConsentItem): Html {
  const { shown } = item;
  const pairs = (of: Record<string, string> | undefined) =>
    Object.keys(of ?? {})
      .sort()
      .map((key) => `${key} = ${of?.[key] ?? ""}`);
  return [
    `<h2>${html(quoted(item.name))}</h2>`,
    isOwn(item) ? said("It stands in your own file. It asks because it runs something of this repository, which others can change.") : "",
    item.reason === "changed" ? said("This connector was allowed here before. Since then something has changed.", "warning") : "",
    list(
      changed(item.changes),
      value("program", shown.command),
      values("arguments, one a line", shown.args ?? []),
      value("working folder", shown.cwd),
      values("variables that it is given", pairs(shown.env)),
      value("address", shown.url),
      values("headers that are sent", pairs(shown.headers)),
      values("variables of yours that it reads", shown.reads),
      files(shown.files),
      values("look twice", item.warnings),
      shown.command === undefined ? "" : value("folder whose path it is told, and no other", pathOf(item.root)),
      value("from the file", pathOf(item.uri)),
      block("as it stands there", dedented(item.definitionText)),
    ),
    (item.secrets ?? []).length > 0 ? said("A yes hands over these secrets of yours; say so for each:") + secrets(item) : "",
  ].join("");
}

function consentPage(body: ConsentBody): Html {
  const programs = body.items.some((item) => item.shown.url === undefined);
  const single = body.items.length === 1 ? body.items[0] : undefined;
  const needs = (item: ConsentItem, decision: string) =>
    decision.startsWith("allow") && (item.secrets ?? []).length > 0 ? { needs: `secrets:${item.connector}` } : {};
  const items = body.items
    .map((item) => {
      const radios =
        single !== undefined
          ? ""
          : `<fieldset><legend>${html(quoted(item.name))}</legend>${consentChoices(item)
              .map(
                ([decision, title]) =>
                  `<label class="check"><input type="radio" name="decision:${html(item.connector)}" value="${decision}" data-for="decisions">${html(title)}</label>`,
              )
              .join("")}</fieldset>`;
      return `<section class="item">${consentItem(item)}${radios}</section>`;
    })
    .join("");
  const buttons =
    single === undefined
      ? [button("later-all", "Not now, all of them"), button("decide", "Decide as chosen above", { needs: "decisions" })]
      : consentChoices(single).map(([decision, title]) => button(decision, title, needs(single, decision)));
  return [
    `<h1>${html(consentHeading(body.items))}</h1>`,
    said(
      programs
        ? "A connector that you allow runs as you: it can read your files and keys. Allow what you know."
        : "Whoever is at an address reads what is sent there: the arguments of calls, and the headers. Allow whom you know.",
    ),
    said(foreignNote, "note"),
    items,
    `<div class="bar">${said("Your answer counts for exactly these definitions, in this folder. A change asks again.", "note")}${
      body.items.some((item) => (item.secrets ?? []).length > 0) ? said("To allow it, say above of each secret that it may be handed over.", "note") : ""
    }${row(...buttons)}</div>`,
  ].join("");
}

const browserStanding: [ApprovalChoice, string, string][] = [
  ["session", "session:", "Allow a browser in this session"],
  ["connector", "connector:user", "Always allow one, in every session"],
];

const standing: [ApprovalChoice, string][] = [
  ["session", "this tool"],
  ["readOnly", "the read-only tools of this connector"],
  ["tool", "this tool"],
  ["connector", "the tools that this connector has now"],
];

/** The buttons that give more than one call, one for each choice and place where it may count. */
export function standingChoices(body: ApprovalBody): { action: string; title: string }[] {
  if (isBrowserStart(body)) {
    return browserStanding.filter(([choice]) => body.choices.includes(choice)).map(([choice, action, title]) => ({ action, title: choice === "session" ? browserYes(body) : title }));
  }
  const all: { action: string; title: string }[] = [];
  for (const [choice, what] of standing) {
    if (!body.choices.includes(choice)) {
      continue;
    }
    if (choice === "session" || body.scopes.length === 0) {
      all.push({ action: `${choice}:`, title: `Allow ${what} until the session ends` });
      continue;
    }
    for (const scope of body.scopes) {
      if (scope !== "session") {
        all.push({ action: `${choice}:${scope}`, title: `Always allow ${what}, in ${scopeWords(scope)}` });
      } else if (choice !== "tool") {
        all.push({ action: `${choice}:${scope}`, title: `Allow ${what} until the session ends` });
      }
    }
  }
  return all;
}

function approvalPage(ask: Ask, body: ApprovalBody): Html {
  const isForOnce = body.choices.includes("once");
  const all = standingChoices(body);
  // Where nothing is allowed for once, such as a browser, the narrowest yes stands in its place.
  const [narrowest, more] = isForOnce ? [[{ action: "once", title: "Allow once" }], all] : [all.slice(0, 1), all.slice(1)];
  const description = body.tool.description ?? body.tool.summary;
  const isBrowser = isBrowserStart(body);
  return [
    isBrowser
      ? `<h1>${html(browserQuestion(body))}</h1>`
      : `<h1>${body.method === undefined ? "May this tool be called" : "May this be asked for"} with exactly these arguments?</h1>`,
    isBrowser ? said(description) : "",
    said(foreignNote, "note"),
    list(
      isBrowser ? "" : value(body.method === undefined ? "tool" : "request", body.tool.label),
      `<dt>asked for by</dt><dd>${html(askerWords(ask.asker))}</dd>`,
      `<dt>why it asks</dt><dd>${html(label(body.reason, 2000))}</dd>`,
      changed(body.tool.changed),
      block(isBrowser ? "what drives it" : "arguments, exactly as they will be sent", body.argumentsText),
      // The first sentence seldom holds what is to be minded; below the arguments it hides none of them, however long it is.
      description === "" || isBrowser ? "" : block("what its connector says that it does", description),
    ),
    more.length === 0
      ? ""
      : `<details><summary>Allow more than this${isForOnce ? " call" : ""}</summary>${more.map((c) => row(button(c.action, c.title))).join("")}</details>`,
    `<details><summary>Decline with words for whoever asks</summary><div class="field"><label for="words">Words that go along with your no</label><textarea id="words" name="words"></textarea></div>${row(button("decline-words", "Decline with these words"))}</details>`,
    `<div class="bar">${said(isBrowser ? "Nothing begins before you answer." : "Nothing is sent before you answer.", "note")}${row(
      button("decline", "Decline"),
      ...narrowest.map((choice) => button(choice.action, choice.title)),
      isForOnce ? button("edit", "Edit the arguments…") : "",
    )}</div>`,
  ].join("");
}

function hostOf(address: string): string {
  return /^https:\/\/([^/?#]*)/.exec(address)?.[1] ?? "";
}

function elicitationPage(ask: Ask, body: ElicitationBody): Html {
  const asker = `<dt>asked for by</dt><dd>${html(askerWords(ask.asker))}</dd>`;
  if (body.url !== undefined) {
    return [
      `<h1>The connector ${html(quoted(body.name))} asks, not Pillion: open this page?</h1>`,
      said("What you do there is between you and the page. It is opened in your browser once you say so, and by nothing before."),
      said(foreignNote, "note"),
      list(value("connector", body.name), asker, block("what it says", body.message), value("the page, whole", body.url), value("its host", hostOf(body.url))),
      `<div class="bar">${row(button("decline", "Decline"), button("cancel", "Dismiss"), button("copy", "Copy the address"), button("accept", "Open the page"))}</div>`,
    ].join("");
  }
  return [
    `<h1>The connector ${html(quoted(body.name))} asks, not Pillion</h1>`,
    said("Fill this in only if you want that connector to have what you write. A form is no place for passwords."),
    said(foreignNote, "note"),
    list(value("connector", body.name), asker, block("what it says", body.message)),
    formHtml(formFields(body.schemaText ?? "{}")),
    `<div class="bar">${row(button("decline", "Decline"), button("cancel", "Dismiss"), button("accept", "Send"))}</div>`,
  ].join("");
}

function samplingPage(body: SamplingBody): Html {
  let readable = body.paramsText;
  try {
    readable = JSON.stringify(JSON.parse(body.paramsText), null, 2);
  } catch {
    // It is shown as it came.
  }
  return [
    `<h1>The connector ${html(quoted(body.name))} asks, not Pillion: may your editor's model answer this?</h1>`,
    said("Nothing else goes along with it, and you see the answer before the connector does."),
    said(foreignNote, "note"),
    list(value("connector", body.name), block("its request", readable)),
    `<div class="bar">${row(button("decline", "Decline"), button("ask-model", "Ask the model"))}</div>`,
  ].join("");
}

function inputPage(body: InputBody): Html {
  return [
    `<h1>What is the value of this input of one of your connectors?</h1>`,
    said(foreignNote, "note"),
    list(
      value("input", body.id),
      value("what its file says that it is", body.description),
      value("given to", body.destination),
      values("values to choose from", body.options ?? []),
      value("value that the file offers", body.default),
    ),
    body.secret ? said("It is a secret: it is kept in the keyring or sealed, and replaced where it stands in results and logs.") : "",
    `<div class="bar">${said("It is given to nothing else, and asked for again where what it is given to changes.", "note")}${row(
      button("cancel", "Give no value"),
      button("type", body.secret ? "Type the value, hidden…" : "Type the value…"),
    )}</div>`,
  ].join("");
}

function joinPage(body: JoinBody): Html {
  // An agent joins through Pillion's own program, so that which one it is depends on who started that.
  const isKnown = body.program !== "" && body.parent !== "";
  return [
    `<h1>May this program join this window?</h1>`,
    said("It would see your connectors' tools and may ask for calls; each of them asks you as your own do."),
    said(foreignNote, "note"),
    list(
      value("program", body.program),
      value("process id", String(body.pid)),
      value("started by", body.parent),
      value("what it calls itself, a claim", body.claimedName),
    ),
    `<div class="bar">${said(
      isKnown ? "What is remembered counts in every window, for this program where that one starts it." : "The system does not say which program it is, so that nothing can be remembered of it.",
      "note",
    )}${row(
      button("decline", "Not now"),
      isKnown ? button("never", "Never") : "",
      button("session", "Allow in this window"),
      isKnown ? button("allow", "Allow, now and later") : "",
    )}</div>`,
  ].join("");
}

function storePage(body: StoreBody): Html {
  const unsealed = body.unsealed ?? [];
  return [
    `<h1>${unsealed.length > 0 ? "Are these decisions yours? If they are, they count again." : "Go on without the decisions that cannot be read?"}</h1>`,
    said(unsealed.length > 0 ? "Until you confirm, they do not count." : "Until you confirm, every call asks and nothing of a repository runs."),
    list(value("file", body.file), value("now kept as", body.setAside), value("what is wrong", body.reason), values("decisions", unsealed)),
    `<div class="bar">${row(button("later", "Leave it"), button("confirm", unsealed.length > 0 ? "They are mine" : "Go on with an empty one"))}</div>`,
  ].join("");
}

const widenHeadings: Record<WidenChange, string> = {
  rule: "Is this to stand for calls from now on?",
  ruleRemove: "No longer hold to this rule of yours, so that calls may run that it stops?",
  connector: "May this connector be on for you?",
  tool: "May this tool be listed again, to your editor and to agents?",
  mode: "May calls run again?",
};

function conditions(where: readonly Condition[] | undefined): Html {
  return (where ?? [])
    .map(
      (c) =>
        value("only where this argument", c.path) +
        (c.equals === undefined ? "" : value("is", JSON.stringify(c.equals))) +
        value("matches", c.glob) +
        value("is a path in the folder", c.under),
    )
    .join("");
}

function countsWhere(scope: PermissionScope | undefined, root: string | undefined): Html {
  if (scope === undefined) {
    return "";
  }
  return scope === "project" && root !== undefined ? value("it counts in", pathOf(root)) : `<dt>it counts in</dt><dd>${html(scopeWords(scope))}</dd>`;
}

function widenPage(ask: Ask, body: WidenBody): Html {
  const tools = body.tools ?? [];
  return [
    `<h1>${html((widenHeadings[body.change]) ?? "May this be changed? It gives more than stands now.")}</h1>`,
    body.change === "connector" ? said("A connector that is on runs as you: it can read your files and keys. Switch on what you know.") : "",
    said(foreignNote, "note"),
    body.now.length === 0 ? said("No rule stands about it now: its calls ask, unless they only read on a connector that is yours or trusted.") : "",
    list(
      value("connector", body.name),
      body.tool !== undefined && tools.length === 0 ? value("tool", `${body.name ?? ""}.${body.tool}`) : "",
      values("what holds now", body.now),
      value("what will hold", body.then),
      countsWhere(body.scope, body.root),
      conditions(body.where),
      values("variables of yours that it reads", body.reads ?? []),
      value("in the file", pathOf(body.uri)),
      body.definitionText === undefined ? "" : block("as it stands there", dedented(body.definitionText)),
      ...tools.map(
        (tool) =>
          value("tool", tool.label) +
          (tool.description === undefined ? "" : block("what its connector says that it does", tool.description)) +
          (tool.inputSchemaText === undefined ? "" : block("arguments that it takes", tool.inputSchemaText)),
      ),
      `<dt>asked for by</dt><dd>${html(askerWords(ask.asker))}</dd>`,
      value("hash of what is shown", body.hash),
    ),
    `<div class="bar">${said("Nothing has changed yet. A yes counts for exactly this.", "note")}${row(button("keep", "Keep as it is"), button("make", "Make the change"))}</div>`,
  ].join("");
}

/** The whole page of a question. One of a kind that is not known says so, and can be answered elsewhere. */
export function questionPage(ask: Ask): Html {
  const inner = (): Html => {
    switch (ask.kind) {
      case "consent":
        return consentPage(ask.body as ConsentBody);
      case "approval":
        return approvalPage(ask, ask.body as ApprovalBody);
      case "elicitation":
      case "url":
        return elicitationPage(ask, ask.body as ElicitationBody);
      case "sampling":
        return samplingPage(ask.body as SamplingBody);
      case "input":
        return inputPage(ask.body as InputBody);
      case "join":
        return joinPage(ask.body as JoinBody);
      case "store":
        return storePage(ask.body as StoreBody);
      case "widen":
        return widenPage(ask, ask.body as WidenBody);
      default:
        return said("This version of the extension does not know this kind of question. It stays open; answer it with pillion answer in a terminal.");
    }
  };
  return `<div data-question>${inner()}</div>`;
}

/** A question in a line, for lists and notifications: its title, and what it is about. */
export function questionLine(ask: Ask): { title: string; about: string; icon: string } {
  const line = (title: string, about: string, icon: string) => ({ title, about: label(about, 160), icon });
  switch (ask.kind) {
    case "consent": {
      const { items } = ask.body as ConsentBody;
      return line(
        items.length === 1 ? `Allow ${quoted(items[0]?.name ?? "")}?` : `Allow ${items.length} connectors?`,
        items.length === 1 ? [items[0]?.shown.command ?? items[0]?.shown.url ?? "", ...(items[0]?.shown.args ?? [])].join(" ") : items.map((i) => quoted(i.name)).join(", "),
        "shield",
      );
    }
    case "approval": {
      const body = ask.body as ApprovalBody;
      if (isBrowserStart(body)) {
        return line(browserQuestion(body), body.reason, "globe");
      }
      return line(`Call ${label(body.tool.label, 80)}?`, body.argumentsText, "question");
    }
    case "elicitation": {
      const body = ask.body as ElicitationBody;
      return line(`${quoted(body.name)} asks for something`, body.message, "checklist");
    }
    case "url": {
      const body = ask.body as ElicitationBody;
      return line(`${quoted(body.name)} wants a page opened`, body.url ?? "", "link-external");
    }
    case "sampling": {
      const body = ask.body as SamplingBody;
      return line(`${quoted(body.name)} wants a model's answer`, "", "sparkle");
    }
    case "input": {
      const body = ask.body as InputBody;
      return line(`Value of ${quoted(body.id)}`, body.description, "key");
    }
    case "join": {
      const body = ask.body as JoinBody;
      return line("A program wants to join", [body.parent, body.program].filter((path) => path !== "").join(" → ") || body.claimedName, "plug");
    }
    case "store":
      return line("Decisions that do not count", (ask.body as StoreBody).file, "warning");
    case "widen": {
      const body = ask.body as WidenBody;
      return line((widenHeadings[body.change]) ?? "A change is wanted", body.then, "unlock");
    }
    default:
      return line("A question", ask.kind, "question");
  }
}
