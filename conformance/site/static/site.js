"use strict";
(() => {
  const root = document.body.dataset.root;
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // ---- filters, which stand in the address ---------------------------------------------------------

  const fields = (form) => [...form.elements].filter((field) => field.name);

  function recall(form) {
    const told = new URLSearchParams(location.search);
    for (const field of fields(form)) {
      if (!told.has(field.name)) continue;
      field.value = told.get(field.name);
      if (field.selectedIndex === -1) field.value = "";
    }
  }

  function remember(form) {
    const told = new URLSearchParams(location.search);
    for (const field of fields(form)) {
      if (field.value) told.set(field.name, field.value);
      else told.delete(field.name);
    }
    const query = told.size ? `?${told}` : location.pathname;
    history.replaceState(null, "", query + location.hash);
  }

  function listen(form, apply) {
    recall(form);
    form.addEventListener("input", () => {
      remember(form);
      apply();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  function value(form, name) {
    return form.elements[name]?.value ?? "";
  }

  // A row stays if every word is in its text, and the cell of the library, or any, has the verdict.
  function keeps(entry, form) {
    const asked = words(value(form, "q"));
    const [library, verdict, way] = ["library", "verdict", "way"].map((name) => value(form, name));
    if (!asked.every((word) => entry.text.includes(word))) return false;
    if (way && entry.way !== way) return false;
    const cells = library ? entry.cells.filter((cell) => cell.of === library) : entry.cells;
    if (verdict) return cells.some((cell) => cell.text.includes(verdict));
    return !library || cells.some((cell) => !/^(none|lacks)/.test(cell.text));
  }

  for (const form of document.querySelectorAll("form[data-filters]")) {
    const place = document.getElementById(form.dataset.filters);
    const heads = [...place.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    const entries = [...place.querySelectorAll("tbody tr, article")].map((node) => ({
      node,
      text: node.textContent.toLowerCase(),
      way: node.dataset.way,
      cells: [...node.querySelectorAll("td")].map((cell) => ({
        of: heads[cell.cellIndex],
        text: `${cell.className.replace("-", " ")} ${cell.textContent}`.trim(),
      })),
    }));
    listen(form, () => {
      let shown = 0;
      for (const entry of entries) {
        entry.node.hidden = !keeps(entry, form);
        shown += entry.node.hidden ? 0 : 1;
      }
      form.querySelector("output").textContent = `${shown} of ${entries.length}`;
    });
  }

  // ---- search --------------------------------------------------------------------------------------

  const MOST = 100;
  const search = document.getElementById("search");

  function hit([kind, name, text, address]) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + (address || `${window.gradspec.kinds[kind]}/${name.split(" ")[0]}.html`);
    link.textContent = name;
    const tag = document.createElement("span");
    tag.className = "kind";
    tag.textContent = window.gradspec.kinds[kind];
    const told = document.createElement("p");
    told.textContent = text;
    item.append(link, tag, told);
    return item;
  }

  // What is called by the words comes first, then what begins so, then what only speaks of them.
  function rank([, name], asked) {
    const called = name.toLowerCase();
    if (called === asked || called.split(" ").includes(asked)) return 0;
    return called.startsWith(asked) ? 1 : called.includes(asked) ? 2 : 3;
  }

  function found(index, form) {
    const asked = value(form, "q").trim().toLowerCase();
    const [kind, library, verdict] = ["kind", "library", "verdict"].map((name) => value(form, name));
    if (!asked && !kind && !library && !verdict) return null;
    const code = Object.entries(index.codes).find(([, outcome]) => outcome === verdict)?.[0];
    const at = index.columns.indexOf(library);
    const fits = ([what, name, text, , codes]) => {
      const all = `${name} ${text}`.toLowerCase();
      if (!words(asked).every((word) => all.includes(word))) return false;
      if (kind && index.kinds[what] !== kind) return false;
      const own = at < 0 ? codes : codes.charAt(at);
      if (code) return own.includes(code);
      return at < 0 || (own !== "" && own !== ".");
    };
    return index.entries
      .filter(fits)
      .map((entry, place) => [rank(entry, asked), place, entry])
      .sort((one, other) => one[0] - other[0] || one[1] - other[1])
      .map(([, , entry]) => entry);
  }

  if (search) {
    // The index comes after this script; both wait for the page.
    document.addEventListener("DOMContentLoaded", () => {
      listen(search, () => {
        const hits = found(window.gradspec, search);
        const shown = (hits ?? []).slice(0, MOST);
        document.getElementById("results").replaceChildren(...shown.map(hit));
        const told = hits?.length > MOST ? `${hits.length}, the first ${MOST}` : `${hits?.length}`;
        document.getElementById("count").textContent = hits ? `${told} found` : "";
      });
      search.elements.q.focus();
      search.addEventListener("submit", () => document.querySelector("#results a")?.click());
    });
  }

  // ---- keys, and copies ----------------------------------------------------------------------------

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    document.getElementById("find").focus();
  });

  function select(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }

  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    const code = button.parentElement.querySelector("code");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        // Not every place lets a page write there: what is to be copied is selected.
        select(code);
        button.textContent = "Selected";
      }
    });
  }

  // An address within a folded part opens it.
  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    target?.closest("details")?.setAttribute("open", "");
  }
  window.addEventListener("hashchange", unfold);
  unfold();
})();
