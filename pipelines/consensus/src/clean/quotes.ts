import { address, dated, verb, verbAlone, verbAtEnd } from "./attribution-words.ts";
import type { Cut, Page } from "./page.ts";

/** Quoted lines, with any mailer's mark. */
export function findQuotes(page: Page): readonly Cut[] {
  const quoted = page.texts.map(() => false);
  markAngles(page, quoted);
  markIndented(page, quoted);
  markInitials(page, quoted);
  markBars(page, quoted);
  markWrapped(page, quoted);
  markElisions(page, quoted);
  const cuts: Cut[] = [];
  quoted.forEach((is, at) => {
    if (is) cuts.push({ from: at, to: at + 1, kind: "quote" });
  });
  return cuts;
}

const angle = /^[ \u00a0]?(?:>|&gt;)/;
/** `>From` is an escaped line of a mailbox; `>= 3` and `>50 %` are wrapped arithmetic. */
const doubtful = /^ ?>(?:From |>*(?:[=\d]|-[->]|\s?$))/;

function markAngles({ texts, kept }: Page, quoted: boolean[]): void {
  for (let at = 0; at < texts.length; at++) {
    if (
      !kept[at] &&
      angle.test(texts[at]!) &&
      !doubtful.test(texts[at]!) &&
      !closesAddress(texts, quoted, at)
    ) {
      quoted[at] = true;
    }
  }
  const isNear = (at: number) => {
    const isPair =
      /^ ?>\d/.test(texts[at]!) && [at - 1, at + 1].some((near) => /^ ?>\d/.test(texts[near] ?? ""));
    return quoted[at - 1] || quoted[at + 1] || isPair;
  };
  const settle = (at: number) => {
    if (quoted[at] || kept[at] || !doubtful.test(texts[at]!) || closesAddress(texts, quoted, at)) return;
    if (isNear(at) || /^ ?>[ >]*$/.test(texts[at]!)) quoted[at] = true;
  };
  for (let at = 0; at < texts.length; at++) settle(at);
  for (let at = texts.length - 1; at >= 0; at--) settle(at);
}

/** The second half of `<x@y`, broken by a mailer: `> wrote:` or a lone `>`. */
function closesAddress(texts: readonly string[], quoted: readonly boolean[], at: number): boolean {
  const text = texts[at]!;
  if (quoted[at - 1] || text.startsWith(">>") || /^ ?>\s?>/.test(text)) return false;
  if (verbAlone.test(text)) return true;
  const above = texts[at - 1] ?? "";
  return above.lastIndexOf("<") > above.lastIndexOf(">") && !/^ ?> \S/.test(text);
}

const indented = /^[ \t\u00a0]{2,16}>(?:[ >]|$)/;

/** An indented `> ` counts in a group, or after an announcement. */
function markIndented({ texts, kept }: Page, quoted: boolean[]): void {
  forEachRun(
    texts,
    (at) => !kept[at] && !quoted[at] && indented.test(texts[at]!),
    (from, to) => {
      const isQuote = to - from > 1 || quoted[to] || isProse(texts.slice(from, to), 1);
      if (isQuote || isAnnounced(texts, quoted, from)) quoted.fill(true, from, to);
    },
  );
}

/** A quote directly above, or an introduction above, with blank lines in between. */
function isAnnounced(texts: readonly string[], quoted: readonly boolean[], at: number): boolean {
  let above = at - 1;
  while (above >= 0 && above > at - 4 && texts[above] === "") above--;
  return quoted[at - 1] === true || (above >= 0 && announces(texts[above]!));
}

function announces(text: string): boolean {
  if (text.length > 500) return false;
  return (
    verbAtEnd.test(text) ||
    (/[:：>]$/.test(text) && (address.test(text) || (dated.test(text) && verb.test(text))))
  );
}

const initials = /^[ \t]{0,8}(\p{L}[\p{L}\d_.-]{0,14})>(?=[ >]|$)/u;
/** Programs with their name as a prompt. */
const prompts = new Set(
  [
    "sqlite mysql mariadb sql psql postgres irb pry ghci prelude main gdb lldb ftp sftp telnet scala",
    "ps router switch cmd mongo redis julia octave maxima node js php perl lua guile scheme user erl",
    "iex ocaml grub boot ok config cqlsh hive spark influx virsh nslookup smb lftp dig ntpq chronyc",
    "maple stata gap pari swipl bash sh zsh repl clj kd db adb mdb hql ql",
  ].flatMap((line) => line.split(" ")),
);

/** `JD> `, `Anna> `: the same letters at least twice, or below an introduction. */
function markInitials({ texts, kept }: Page, quoted: boolean[]): void {
  const found = texts.map((text, at) => (kept[at] || quoted[at] ? undefined : initials.exec(text)?.[1]));
  const counts = new Map<string, number>();
  for (const name of found) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  found.forEach((name, at) => {
    if (name === undefined || prompts.has(name.toLowerCase())) return;
    const isOften = (counts.get(name) ?? 0) > 1 && /^\p{Lu}/u.test(name);
    if (isOften || (found[at - 1] === name && quoted[at - 1]) || isAnnounced(texts, quoted, at))
      quoted[at] = true;
  });
}

const bar = /^ ?[|¦](?: |$|>)/;
const colon = /^ ?: /;
const drawing = /[|¦+][^|¦+]*[|¦+]|[-=_]{3}[|+]|[|+][-=_]{3}|[─-╿]|[|¦]\s*$/;

/** `| ` and `: ` also draw tables, grammars and pipes: quotes only if announced, or with prose. */
function markBars({ texts, kept }: Page, quoted: boolean[]): void {
  for (const mark of [bar, colon]) {
    let isUsual = false;
    forEachRun(
      texts,
      (at) => !kept[at] && !quoted[at] && mark.test(texts[at]!),
      (from, to) => {
        const run = texts.slice(from, to);
        const isDrawn = run.some(
          (text) => text.length > 2 && drawing.test(text.slice(2)) && !/^ ?[|:] [-=_]+$/.test(text),
        );
        const isFramed = [texts[from - 1], texts[to]].some(
          (text) => text !== undefined && /^\s*[+|┌└├]/.test(text),
        );
        const isTable = run.every((text) => /^\s*\S.*[|¦]$/.test(text.slice(2)));
        if (isTable) return;
        isUsual ||= !isFramed && isAnnounced(texts, quoted, from);
        if (isUsual || (mark === bar && !isFramed && !isDrawn && isProse(run, 2)))
          quoted.fill(true, from, to);
      },
    );
  }
}

function isProse(run: readonly string[], linesMin: number): boolean {
  const words = run.map((text) =>
    text
      .slice(2)
      .split(" ")
      .filter((word) => /^["'(]?\p{L}{2,}[.,;:!?)"']*$/u.test(word)),
  );
  const full = words.filter((each) => each.length >= 5).length;
  return full >= linesMin && full * 2 >= run.length;
}

/** A quoted line wrapped by a mailer, with its last words on a separate line. */
function markWrapped({ texts, kept }: Page, quoted: boolean[]): void {
  let repeats = 0;
  for (let at = 1; at < texts.length; at++) {
    if (texts[at] === "" && texts[at - 1] === "") repeats = 0;
    if (quoted[at] || kept[at] || texts[at] === "" || !quoted[at - 1]) continue;
    const isBetween = quoted[at + 1] === true;
    if (!isRest(texts[at - 1]!, texts[at]!) || !(isBetween || (repeats > 0 && (texts[at + 1] ?? "") === "")))
      continue;
    quoted[at] = true;
    repeats++;
  }
}

function isRest(above: string, text: string): boolean {
  const first = /^\S{1,80}/.exec(text)?.[0] ?? "";
  return (
    above.length >= 60 &&
    above.length + first.length >= 70 &&
    text.length < 60 &&
    text.length < above.length &&
    first !== "" &&
    !/[.!?:]["')]?$/.test(above) &&
    /^[\p{Ll}\p{N}("'<]|^\p{Lu}[\p{L}.,-]*(?: \S+){0,2}$/u.test(text)
  );
}

const elided = "snip|cut|elided|trimmed|deleted|omitted|snap|schnipp|schnapp|couic|corte";
const frame = { open: "^[[(<{*-]{1,4}\\s?", close: "\\s?[\\])>}*-]{1,4}$" };
const elision = new RegExp(
  [
    "^(?:\\.{3,5}|…)$",
    `${frame.open}(?:\\.{2,5}|…)${frame.close}`,
    `${frame.open}(?:big |lots of |more |rest )?(?:${elided})(?:ped)?(?: for brevity| here|\\.{3})?${frame.close}`,
  ].join("|"),
  "i",
);

/** `[...]` beside a quote belongs to the quote. */
function markElisions({ texts, kept, nextWords }: Page, quoted: boolean[]): void {
  let above = -1;
  for (let at = 0; at < texts.length; at++) {
    if (texts[at] === "") continue;
    const isNear = (above >= 0 && quoted[above]) || quoted[nextWords[at + 1]!];
    if (!kept[at] && !quoted[at] && isNear && elision.test(texts[at]!.trim())) quoted[at] = true;
    above = at;
  }
}

function forEachRun(
  texts: readonly string[],
  isPart: (at: number) => boolean,
  visit: (from: number, to: number) => void,
): void {
  for (let at = 0; at < texts.length; at++) {
    if (!isPart(at)) continue;
    let end = at + 1;
    while (end < texts.length && isPart(end)) end++;
    visit(at, end);
    at = end - 1;
  }
}
