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
      const value = (row) => row.cells[column].dataset.value;
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
        return direction * (numeric ? Number(x) - Number(y) : x.localeCompare(y, "en"));
      });
      body.append(...rows);
    }
  });
}
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
