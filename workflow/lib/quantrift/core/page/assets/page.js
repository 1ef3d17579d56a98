"use strict";
// Sorts a table by the column whose heading was selected, within each body; empty cells stay last in both directions.
for (const button of document.querySelectorAll("tr.columns button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const column = heading.cellIndex;
    const numeric = heading.classList.contains("num");
    const sign = heading.getAttribute("aria-sort") === (numeric ? "descending" : "ascending") ? !numeric : numeric;
    const direction = sign ? -1 : 1;
    for (const other of heading.parentElement.cells) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    for (const body of heading.closest("table").tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains("subject") && row.cells.length > column);
      const shown = (cell) => (cell.classList.contains("empty") ? undefined : cell.dataset.value ?? cell.textContent);
      const value = (row) => shown(row.cells[column]);
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
        return direction * (numeric ? Number(x) - Number(y) : x.localeCompare(y, "en"));
      });
      body.append(...rows);
    }
    showRows(heading.closest("section"));
  });
}
// Long tables begin with their first rows; a filter shows the rows that have all of its words, of the whole table.
function showRows(section) {
  const [fold, filter] = [section.querySelector(".fold"), section.querySelector(".filter input")];
  if (!fold) return;
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const most = words.length || fold.getAttribute("aria-expanded") === "true" ? Infinity : Number(fold.dataset.rows);
  let found = 0;
  for (const body of section.querySelector("table").tBodies) {
    const before = found;
    const heading = body.querySelector(".subject")?.textContent ?? "";
    for (const row of body.rows) {
      if (row.classList.contains("subject")) continue;
      const text = `${heading} ${row.textContent}`.toLowerCase();
      const wanted = words.every((word) => text.includes(word)) && found < most;
      row.classList.toggle("away", !wanted);
      found += wanted;
    }
    body.classList.toggle("away", found === before);
  }
  fold.hidden = words.length > 0;
  section.querySelector(".found").textContent = words.length ? `${found} row${found === 1 ? "" : "s"} found` : "";
}
for (const fold of document.querySelectorAll(".fold")) {
  const section = fold.closest("section");
  const label = fold.textContent;
  const input = section.querySelector(".filter input");
  input.parentElement.hidden = false;
  input.addEventListener("input", () => showRows(section));
  fold.addEventListener("click", () => {
    const open = fold.getAttribute("aria-expanded") !== "true";
    fold.setAttribute("aria-expanded", String(open));
    fold.textContent = open ? `Show the first ${fold.dataset.rows} rows` : label;
    showRows(section);
    if (!open) section.scrollIntoView({ block: "nearest" });
  });
  fold.hidden = false;
  showRows(section);
}
// A command is copied, or selected where the browser does not let a page copy.
for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const [code, said] = [button.parentElement.querySelector("code"), button.parentElement.querySelector("[role=status]")];
    try {
      await navigator.clipboard.writeText(code.textContent);
      said.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      said.textContent = "selected";
    }
  });
}
// The contents mark the section that is read: the last one that begins above the middle of the screen.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const parts = [...document.querySelectorAll("main section[id]")].filter((part) => links.has(part.id));
const inSight = new Set();
const reading = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
  const current = parts.findLast((part) => inSight.has(part));
  if (!current) return;
  for (const link of links.values()) link.removeAttribute("aria-current");
  const link = links.get(current.id);
  link.setAttribute("aria-current", "true");
  const list = link.closest("nav");
  const [own, all] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (own.top < all.top || own.bottom > all.bottom) list.scrollTop += own.top - all.top - all.height / 2;
}, { rootMargin: "0px 0px -60% 0px" });
for (const part of parts) reading.observe(part);
// Group headings stop beside the first column, which stays in sight.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) target.closest(".table").style.setProperty("--first", `${target.offsetWidth}px`);
});
for (const first of document.querySelectorAll("tr.columns > :first-child")) widths.observe(first);
// Statistics that were asked for stand right of everything else, so the table goes there.
for (const box of document.querySelectorAll("[data-part]")) {
  box.addEventListener("change", () => {
    const table = box.closest("section").querySelector(".table");
    const [first, wanted] = ["tr.columns > :first-child", `tr.columns .${box.dataset.part}`].map((s) => table.querySelector(s));
    if (box.checked) table.scrollLeft = wanted.offsetLeft - first.offsetWidth;
  });
}
// On a narrow screen the contents would push the results away.
if (matchMedia("(max-width: 62rem)").matches) document.querySelector("nav details").open = false;
// What is folded on the screen belongs on paper.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => (part.open = true)));
