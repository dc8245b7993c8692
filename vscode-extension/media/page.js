// The script of every page: it posts which button was pressed, with the values of the page, and nothing else.
(() => {
  const vscode = acquireVsCodeApi();
  const deadMs = 500;
  let deadUntil = 0;

  const buttons = () => [...document.querySelectorAll("button[data-action]")];

  const isHeldBack = (button) => {
    const needs = button.dataset.needs;
    if (!needs) {
      return false;
    }
    const wanted = [...document.querySelectorAll(`[data-for="${CSS.escape(needs)}"]`)];
    if (wanted.some((one) => one.type === "radio")) {
      return !wanted.some((one) => one.checked);
    }
    return wanted.some((one) => !one.checked);
  };

  const refresh = () => {
    const isDead = performance.now() < deadUntil;
    for (const button of buttons()) {
      button.disabled = isDead || isHeldBack(button);
    }
    document.body.classList.toggle("dead", isDead);
  };

  // A question takes no key and no click for a moment after it appears: whoever was typing or clicking meant something else.
  const isQuestion = document.querySelector("[data-question]") !== null;
  const die = () => {
    if (!isQuestion) {
      return;
    }
    deadUntil = performance.now() + deadMs;
    refresh();
    setTimeout(refresh, deadMs + 20);
  };

  const values = () => {
    const all = {};
    for (const field of document.querySelectorAll("[name]")) {
      if (field.type === "checkbox" && field.dataset.list !== undefined) {
        all[field.name] = all[field.name] ?? [];
        if (field.checked) {
          all[field.name].push(field.value);
        }
      } else if (field.type === "checkbox") {
        all[field.name] = field.checked;
      } else if (field.type === "radio") {
        if (field.checked) {
          all[field.name] = field.value;
        }
      } else {
        all[field.name] = field.value;
      }
    }
    return all;
  };

  const press = (button) => {
    if (performance.now() >= deadUntil && !button.disabled) {
      vscode.postMessage({ action: button.dataset.action, values: values() });
    }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-action]");
    if (button) {
      press(button);
    }
  });
  document.addEventListener("input", refresh);
  document.addEventListener("change", refresh);
  document.addEventListener("keydown", (event) => {
    const submit = document.querySelector("button[data-submit]");
    if (submit && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      press(submit);
    }
  });
  document.addEventListener("visibilitychange", die);

  const showFaults = (faults) => {
    for (const old of document.querySelectorAll(".fault")) {
      old.remove();
    }
    for (const old of document.querySelectorAll("[aria-invalid]")) {
      old.removeAttribute("aria-invalid");
    }
    let first;
    for (const fault of faults) {
      const field = [...document.querySelectorAll("[data-pointer]")].find((one) => one.dataset.pointer === fault.path);
      const line = document.createElement("p");
      line.className = "fault";
      line.setAttribute("role", "alert");
      line.textContent = (field ? "" : (fault.path || "the arguments") + ": ") + fault.message;
      (field ?? document.getElementById("faults") ?? document.querySelector("main")).append(line);
      field?.querySelector("[name]")?.setAttribute("aria-invalid", "true");
      first = first ?? field;
    }
    first?.querySelector("[name]")?.focus();
  };

  window.addEventListener("message", ({ data }) => {
    if (data.type === "appear") {
      die();
    } else if (data.type === "state") {
      document.getElementById("state").textContent = data.text;
    } else if (data.type === "faults") {
      showFaults(data.faults);
    }
  });
  die();
  refresh();
  vscode.postMessage({ action: "loaded", values: {} });
})();
