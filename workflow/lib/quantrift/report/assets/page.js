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
// On a narrow screen the contents would push the results away.
if (matchMedia("(max-width: 62rem)").matches) document.querySelector("nav details").open = false;
// What is folded on the screen belongs on paper.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => (part.open = true)));
