import { Tokenizer } from "htmlparser2";
import { openTextWriter, type TextWriter } from "./text-writer.ts";

/**
 * The text of an HTML mail in the form of a plain mail: paragraphs, lists, quotes with `> `, rows of tables with
 * tabs. Nothing is run or fetched; hidden content is left out.
 */
export function htmlToText(html: string): string {
  const text = convert(html, true);
  // A never closed hidden element would swallow the mail.
  return text === "" ? convert(html, false) : text;
}

function convert(html: string, hides: boolean): string {
  const writer = openTextWriter();
  const page = openPage(writer, hides);
  let name = "";
  let attribute = "";
  let value = "";
  let attributes = new Map<string, string>();
  const addData = (data: string) => {
    if (value.length < attributeCharactersMax) value += data;
  };
  const endTag = () => {
    page.open(name, attributes);
    name = "";
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, Math.min(end, start + 60)).toLowerCase();
        attributes = new Map();
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, Math.min(end, start + 60)).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => addData(html.slice(start, Math.min(end, start + attributeCharactersMax))),
      onattribentity: (code) => addData(String.fromCodePoint(code)),
      onattribend: () => {
        if (keptAttributes.has(attribute) && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag: (start, end) =>
        page.close(
          html
            .slice(start, Math.min(end, start + 60))
            .toLowerCase()
            .trim(),
        ),
      ontext: (start, end) => page.write(html.slice(start, end)),
      ontextentity: (code) => page.write(String.fromCodePoint(code)),
      oncdata: (start, end) => page.write(html.slice(start, end)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return writer.finish();
}

const attributeCharactersMax = 4000;
const keptAttributes = new Set("class style href hidden alt data-emoji start type".split(" "));

interface Page {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  write(text: string): void;
}

/** Void elements, which are never closed. */
const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const unread = new Set("style script head title template svg iframe select textarea".split(" "));
const lineBlocks = new Set(
  "div tr section article header footer address center form fieldset dt dd figure main nav aside o:p li".split(
    " ",
  ),
);
const paragraphs = new Set("p h1 h2 h3 h4 h5 h6 table ul ol dl pre blockquote".split(" "));

const inBody = new Set("body div p table pre br blockquote span font a b i".split(" "));

/** A state machine without a stack of elements, so the depth of nesting costs nothing. */
function openPage(writer: TextWriter, hides: boolean): Page {
  let skipped: { name: string; depth: number } | null = null;
  let link: { href: string; at: number } | null = null;
  let margin = 2;
  const lists: { next: number | null }[] = [];
  const closeLink = () => {
    if (link) writeLink(writer, link);
    link = null;
  };
  const openBlock = (name: string, attributes: ReadonlyMap<string, string>) => {
    if (name === "br") writer.breakLine();
    else if (name === "hr") writer.writeRule();
    else if (name === "p") {
      margin = isTight(attributes) ? 1 : 2;
      writer.ensureBreak(margin);
    } else if (name === "ul" || name === "ol") {
      writer.ensureBreak(lists.length > 0 ? 1 : 2);
      if (lists.length < listsMax) lists.push({ next: name === "ol" ? readStart(attributes) : null });
    } else if (paragraphs.has(name)) writer.ensureBreak(2);
    else if (lineBlocks.has(name)) writer.ensureBreak(1);
    if (name === "blockquote") writer.changeQuote(1);
    if (name === "pre") writer.changePre(1);
    if (name === "li") writer.writeBullet(nextBullet(lists), Math.max(0, lists.length - 1));
    if (name === "td" || name === "th") writer.separateCell();
  };
  return {
    open(name, attributes) {
      if (skipped !== null) {
        // A paragraph ends at the next paragraph, a head at the body.
        const isOver = skipped.name === "p" ? name === "p" : skipped.name === "head" && inBody.has(name);
        if (isOver) skipped = null;
        else {
          if (name === skipped.name) skipped.depth++;
          return;
        }
      }
      const isHidden = hides && (attributes.has("hidden") || isInvisible(attributes.get("style") ?? ""));
      if ((unread.has(name) || isHidden) && !voids.has(name)) {
        skipped = { name, depth: 1 };
        return;
      }
      if (name === "body") return;
      if (name === "a") {
        closeLink();
        link = { href: attributes.get("href") ?? "", at: writer.length() };
      } else if (name === "img" && attributes.has("data-emoji")) writer.write(attributes.get("alt") ?? "");
      else openBlock(name, attributes);
    },
    close(name) {
      if (skipped !== null) {
        if (name === skipped.name || (name === "body" && skipped.name !== "p")) skipped.depth--;
        if (skipped.depth <= 0) skipped = null;
        return;
      }
      if (name === "a") closeLink();
      else if (name === "br") writer.breakLine();
      else if (name === "p") writer.ensureBreak(margin);
      else if (paragraphs.has(name)) writer.ensureBreak(lists.length > 1 ? 1 : 2);
      else if (lineBlocks.has(name)) writer.ensureBreak(1);
      if (name === "ul" || name === "ol") lists.pop();
      if (name === "blockquote") writer.changeQuote(-1);
      if (name === "pre") writer.changePre(-1);
    },
    write(text) {
      if (skipped === null) writer.write(text);
    },
  };
}

const listsMax = 8;

function nextBullet(lists: { next: number | null }[]): string {
  const list = lists.at(-1);
  if (!list || list.next === null) return "- ";
  return `${list.next++}. `;
}

const readStart = (attributes: ReadonlyMap<string, string>) => {
  const start = Number.parseInt(attributes.get("start") ?? "1", 10);
  return Number.isSafeInteger(start) ? start : 1;
};

/** Outlook and similar mailers make every line a paragraph without margins. */
const isTight = (attributes: ReadonlyMap<string, string>) =>
  /MsoNormal|MsoPlainText/.test(attributes.get("class") ?? "") ||
  /margin(-bottom|-top)?\s?:\s?0(?!\.?[1-9])/.test(attributes.get("style") ?? "");

const isInvisible = (style: string) =>
  style !== "" && /(^|[;\s])(display\s?:\s?none|visibility\s?:\s?hidden|mso-hide\s?:\s?all)/i.test(style);

/** The address of a link, unless invalid or already in the text. */
function writeLink(writer: TextWriter, link: { href: string; at: number }) {
  const href = link.href.trim();
  if (!/^(https?|ftp):\/\/\S+$/i.test(href) || href.length > 1000) return;
  const text = writer.since(link.at).trim();
  const plain = (address: string) => address.toLowerCase().replace(/^(https?|ftp):\/\/(www\.)?|\/$/g, "");
  if (text === "" || plain(text).replace(/\s/g, "") === plain(href) || text.includes(href)) return;
  writer.write(` (${href})`);
}
