"use strict";
(() => {
  const field = (id) => document.getElementById(id);
  const [search, status, subject, chapter, level] = ["search", "status", "subject", "chapter", "level"].map(field);
  const claims = [...document.querySelectorAll(".claim")].map((node) => ({
    node,
    text: node.textContent.toLowerCase(),
    section: node.closest("section"),
    cells: [...node.querySelectorAll("summary .cells i")].map((cell) => cell.className),
  }));

  // A claim is shown if every word is in its text and one cell, of the chosen subject, has the verdict.
  function shown(claim, words) {
    const cells = subject.value ? [claim.cells[Number(subject.value)]] : claim.cells;
    return (
      words.every((word) => claim.text.includes(word)) &&
      (!status.value || cells.includes(status.value)) &&
      (!chapter.value || claim.section.dataset.chapter === chapter.value) &&
      (!level.value || claim.node.dataset.level === level.value)
    );
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      claim.node.hidden = !shown(claim, words);
      count += claim.node.hidden ? 0 : 1;
    }
    for (const section of document.querySelectorAll("main section")) {
      section.hidden = !section.querySelector(".claim:not([hidden])");
    }
    field("count").textContent = `${count} of ${claims.length} claims`;
  }

  function open() {
    const claim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (claim?.matches(".claim")) claim.open = true;
  }

  field("filters").addEventListener("input", filter);
  field("filters").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    search.focus();
  });
  // Paper has nothing to unfold: what failed is printed with its reproduction.
  window.addEventListener("beforeprint", () => {
    for (const pre of document.querySelectorAll(".claim pre")) pre.closest("details").open = true;
  });
  window.addEventListener("hashchange", open);
  open();
  filter();
})();
