// Reads a frame as a person who listens to it would: every element that is shown, with its role and name as the browser itself
// computes them, and every text, in the order of the page. It runs in a world of its own: the page has no hand in its code, but in
// what it reads, also by elements whose names stand before properties of the document. Then it fails, or sees less of that page.
//
// below is the number of an element of the last reading, of which alone the rest is read, or -1. listening says which elements have
// scripts that wait for clicks: how many there are in all, and the numbers of those.
//
// It returns records, or null where it cannot see what there is. The elements stay in pillionSeen, by their numbers.
(below, listening) => {
  const field = "\x1f", record = "\x1e";
  const begun = Date.now();
  const before = globalThis.pillionSeen || [];
  const seen = [], out = [];
  let isBlind = !("computedRole" in Element.prototype);

  const every = (root, all) => {
    for (const e of root.querySelectorAll("*")) {
      all.push(e);
      if (e.shadowRoot) every(e.shadowRoot, all);
    }
    return all;
  };
  const listeners = new Set();
  {
    const [total, numbers] = listening.split(":");
    if (numbers) {
      const all = every(document, []);
      // The page may have changed since they were counted.
      if (all.length === Number(total)) for (const n of numbers.split(",")) listeners.add(all[Number(n)]);
    }
  }
  const focused = new Set();
  for (let e = document.activeElement; e; e = e.shadowRoot && e.shadowRoot.activeElement) if (e !== document.body) focused.add(e);
  const modals = document.querySelectorAll(":modal");
  if (modals.length > 1) isBlind = true;

  const plainRoles = new Set(["", "none", "presentation", "generic", "paragraph", "emphasis", "strong", "graphics-symbol", "rowgroup"]);
  const wholeRoles = new Set(["textbox", "searchbox", "spinbutton", "slider", "ColorWell", "Date", "DateTime", "InputTime"]);
  const inputRoles = { date: "Date", month: "DateTime", week: "DateTime", "datetime-local": "DateTime", time: "InputTime", color: "ColorWell" };
  const tagRoles = { iframe: "Iframe", frame: "Iframe", canvas: "Canvas", video: "Video", audio: "Audio" };

  const plain = (text) => text.replace(/[ \t\n\r\f]+/g, " ").trim();
  const clean = (text) => text.slice(0, 4000).toWellFormed().replace(/[\x1e\x1f]/g, "\ufffd");
  const wordOf = (text) => (/^[\w-]{1,40}$/.test(text) ? text : "");

  const roleOf = (e, tag) => {
    const role = e.computedRole;
    if (role !== "" && role !== "generic" && role !== "image") return role;
    switch (tag) {
      case "input":
        return inputRoles[e.type] || role;
      case "summary":
        return e.parentNode.localName === "details" ? "DisclosureTriangle" : role;
      case "img":
        return e.getAttribute("alt") === "" && !e.hasAttribute("aria-label") && !e.hasAttribute("aria-labelledby") && !e.title ? "none" : role;
    }
    return tagRoles[tag] || role;
  };

  const valueOf = (e, tag, role) => {
    switch (tag) {
      case "input":
        switch (e.type) {
          case "checkbox": case "radio": case "button": case "submit": case "reset": case "image": case "file":
            return "";
          case "password":
            return "•".repeat(e.value.length);
        }
        return e.value;
      case "textarea":
        return e.value;
      case "select":
        return e.multiple || !e.selectedOptions.length ? "" : plain(e.selectedOptions[0].label);
      case "progress": case "meter":
        return String(e.value);
    }
    switch (role) {
      case "slider": case "spinbutton": case "progressbar": case "meter": case "scrollbar":
        return e.getAttribute("aria-valuetext") || e.getAttribute("aria-valuenow") || "";
      case "textbox": case "searchbox":
        return plain(e.textContent);
    }
    return "";
  };

  const statesOf = (e, tag, role) => {
    const all = [];
    const aria = (name) => (e.hasAttribute("aria-" + name) ? wordOf(e.getAttribute("aria-" + name)) : "");
    const add = (name, value) => {
      if (value === true || value === "true") all.push(name);
      else if (value && value !== "false") all.push(name + "=" + value);
    };
    const isField = tag === "input" || tag === "textarea" || tag === "select";
    if (tag === "input" && (e.type === "checkbox" || e.type === "radio")) add("checked", e.indeterminate ? "mixed" : e.checked);
    else add("checked", aria("checked"));
    add("pressed", aria("pressed"));
    add("selected", tag === "option" ? e.selected : aria("selected"));
    let expanded = aria("expanded");
    if (role === "DisclosureTriangle") expanded = String(e.parentNode.open);
    else if (tag === "select" && role === "combobox") expanded ||= "false";
    if (expanded) all.push(expanded === "true" ? "expanded" : "expanded=" + expanded);
    add("disabled", aria("disabled") === "true" || ((isField || tag === "button" || tag === "option" || tag === "fieldset") && e.matches(":disabled")));
    add("readonly", aria("readonly") || (isField && e.readOnly === true));
    add("required", aria("required") || (isField && e.required === true));
    add("focused", focused.has(e));
    add("modal", aria("modal") || (tag === "dialog" && e.matches(":modal")));
    add("invalid", aria("invalid") || (isField && e.matches(":user-invalid")));
    if (role === "heading") add("level", aria("level") || wordOf((/^h([1-6])$/.exec(tag) || ["", "2"])[1]));
    if (role === "treeitem") add("level", aria("level"));
    return all.join(" ");
  };

  // A root that its page keeps to itself leaves an element that has a size and nothing that could have one.
  const hidesRoot = (e, tag) => {
    if (!tag.includes("-") || e.shadowRoot || !(e.offsetWidth > 0 && e.offsetHeight > 0) || !e.matches(":defined")) return false;
    if (e.firstElementChild) return getComputedStyle(e.firstElementChild).display !== "none" && !e.firstElementChild.checkVisibility();
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getClientRects().length === 0;
  };

  let room = 16 << 20;
  const write = (depth, ...fields) => {
    if (room <= 0) return;
    const line = depth + field + fields.join(field);
    room -= line.length;
    out.push(room > 0 ? line : depth + field + "#" + field + "the rest of this frame is left out: it is too large");
  };
  const text = (data, depth) => {
    const words = plain(data);
    if (words) write(depth, "#", clean(words));
  };
  const pseudo = (e, which, depth) => {
    const content = getComputedStyle(e, which).content;
    if (content[0] === '"') text(content.slice(1, content.indexOf('"', 1)), depth);
  };

  const childrenOf = (e, tag) => {
    if (e.shadowRoot) return e.shadowRoot.childNodes;
    if (tag === "slot") {
      const assigned = e.assignedNodes();
      if (assigned.length) return assigned;
    }
    return e.childNodes;
  };

  const inside = (e, tag, depth, isShown, modal) => {
    if (isShown) pseudo(e, "::before", depth);
    const isClosed = tag === "details" && !e.open;
    for (const child of childrenOf(e, tag)) {
      if (isClosed && child.localName !== "summary") continue;
      if (child.nodeType === 3) {
        if (isShown) text(child.data, depth);
      } else if (child.nodeType === 1) element(child, depth, getComputedStyle(e).cursor, modal);
    }
    if (isShown) pseudo(e, "::after", depth);
  };


  const element = (e, depth, cursorAbove, modal) => {
    if (isBlind || room <= 0) return;
    const now = Date.now();
    // Each role takes the browser a whole reading of the page where it does not keep one.
    if ((seen.length < 50 && now - begun > 1500) || now - begun > 6000) isBlind = true;
    const tag = e.localName, look = getComputedStyle(e), display = look.display;
    const hasNoBox = display === "contents" || tag === "option" || tag === "optgroup" || tag === "area";
    if (display === "none" || (!hasNoBox && !e.checkVisibility()) || e.getAttribute("aria-hidden") === "true" || e.inert === true) return;
    if (modal === e) modal = null;
    else if (modal && e.getRootNode() === document && !e.contains(modal)) return;
    if (hidesRoot(e, tag) || ((tag === "video" || tag === "audio") && e.controls)) isBlind = true;
    const isShown = look.visibility === "visible";
    let role = isShown ? roleOf(e, tag) : "";
    const isEditable = isShown && e.isContentEditable && e.hasAttribute("contenteditable");
    const isFocusable = isShown && ((e.tabIndex >= 0 && (tag !== "a" || e.hasAttribute("href"))) || e.hasAttribute("tabindex") || isEditable);
    let name = "";
    if (plainRoles.has(role) && !isFocusable) {
      const isClickable = isShown && (listeners.has(e) || e.hasAttribute("onclick") || (look.cursor === "pointer" && cursorAbove !== "pointer"));
      if (role !== "" && role !== "none" && (e.hasAttribute("aria-label") || role === "graphics-symbol")) name = plain(e.computedName);
      if (isClickable) {
        role = "clickable";
        if (!name && e.textContent.length < 2000) name = plain(e.innerText || "");
        if (name.length > 100) name = "";
      } else if (!name) {
        inside(e, tag, depth, isShown, modal);
        return;
      }
    } else name = plain(e.computedName);
    const number = seen.push(e) - 1;
    const flags = (isFocusable ? "f" : "") + (isEditable ? "e" : "");
    const url = role === "link" && typeof e.href === "string" ? e.href : "";
    write(depth, role || "generic", number, flags, statesOf(e, tag, role), clean(name), clean(url), clean(valueOf(e, tag, role)));
    if (!wholeRoles.has(role) && role !== "Iframe") inside(e, tag, depth + 1, isShown, modal);
  };

  if (!isBlind) {
    const from = below < 0 ? document.documentElement : before[below];
    if (from && from.isConnected) element(from, 0, "", below < 0 ? modals[0] || null : null);
  }
  if (isBlind) return null;
  globalThis.pillionSeen = seen;
  return clean(document.title) + record + out.join(record);
}
