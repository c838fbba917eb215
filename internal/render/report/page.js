
"use strict";
const search = document.getElementById("search");
const selects = Array.from(document.querySelectorAll("select[data-filter]"));
const articles = Array.from(document.querySelectorAll("#list > article"));
const texts = new Map(articles.map((a) => [a, a.textContent.toLowerCase()]));
const count = document.getElementById("count");
function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const a of articles) {
    const fits = selects.every((s) => s.value === "" || a.dataset[s.dataset.filter] === s.value) &&
      words.every((w) => texts.get(a).includes(w));
    a.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  count.textContent = shown + " of " + articles.length + " lessons";
}
search.addEventListener("input", apply);
for (const s of selects) s.addEventListener("change", apply);
document.getElementById("filters").addEventListener("submit", (e) => e.preventDefault());
