/**
 * The script of the search page. Results go through `textContent`: no word of a mail becomes markup.
 * Written for any browser of the last years, without a library.
 */
export const searchScript = `"use strict";
(() => {
  const index = self.headwayIndex || [];
  const [input, out, said] = ["q", "found", "said"].map((id) => document.getElementById(id));
  const fold = (text) => text.normalize("NFKD").replace(/[\\u0300-\\u036f]/g, "").toLowerCase();
  const fields = [["t", 8], ["p", 4], ["s", 3], ["l", 2], ["w", 1]];
  for (const one of index) for (const [key] of fields) one["_" + key] = fold(one[key] || "");
  const termsOf = (text) => fold(text).split(/[^\\p{L}\\p{N}@._+-]+/u).filter(Boolean).slice(0, 12);
  const rank = (one, terms) => {
    let sum = 0;
    for (const term of terms) {
      let best = 0;
      for (const [key, weight] of fields) {
        const at = one["_" + key].indexOf(term);
        if (at < 0) continue;
        const whole = at === 0 || /[^\\p{L}\\p{N}]/u.test(one["_" + key][at - 1]);
        best = Math.max(best, whole ? weight : weight / 3);
      }
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  };
  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const marked = (node, text, terms) => {
    const folded = fold(text);
    if (folded.length !== text.length) return void (node.textContent = text);
    let from = 0;
    while (from < text.length) {
      let at = -1;
      let length = 0;
      for (const term of terms) {
        const found = folded.indexOf(term, from);
        if (found >= 0 && (at < 0 || found < at)) [at, length] = [found, term.length];
      }
      if (at < 0) break;
      node.append(text.slice(from, at), make("mark", text.slice(at, at + length)));
      from = at + length;
    }
    node.append(text.slice(from));
  };
  const show = () => {
    const terms = termsOf(input.value);
    out.replaceChildren();
    if (terms.length === 0) return void (said.textContent = index.length + " threads can be searched.");
    const hits = index.map((one) => [rank(one, terms), one]).filter(([score]) => score > 0);
    hits.sort(([a, x], [b, y]) => b - a || (x.d < y.d ? 1 : -1));
    said.textContent = hits.length === 0 ? "Nothing found." : hits.length + (hits.length === 1 ? " thread" : " threads");
    for (const [, one] of hits.slice(0, 100)) {
      const row = make("li", "", "row " + one.v);
      const head = make("h3");
      const link = make("a");
      link.href = one.u;
      marked(link, one.t, terms);
      head.append(link);
      const meta = make("p", "", "meta");
      meta.append(make("span", one.n, "badge " + one.v), " " + one.l + " · " + one.d);
      const line = make("p");
      marked(line, one.s, terms);
      row.append(head, meta, line);
      out.append(row);
    }
  };
  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", show);
  document.getElementById("ask").addEventListener("submit", (event) => event.preventDefault());
  show();
  input.focus();
})();
`;
