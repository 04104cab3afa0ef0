/** A reference in a text, at `text.slice(start, end)`. */
export interface Link {
  readonly start: number;
  readonly end: number;
  readonly kind: "draft" | "rfc" | "issue" | "pull" | "url" | "cve" | "message";
  /** Label in a report, independent of the spelling in the text. */
  readonly label: string;
  /** Address: always http or https; null if unknown. */
  readonly href: string | null;
}

export interface LinkOptions {
  /** Prefix for a tracker's keys such as `ABC-123`. */
  readonly issueBase?: string;
}

/**
 * Drafts, RFCs, issues, pull requests, vulnerabilities, archived messages and plain addresses, in the order of the
 * text and without overlaps. Every pattern has a bounded length or always matches its input, so the time is linear.
 */
export function findLinks(text: string, options: LinkOptions = {}): readonly Link[] {
  const found = finders.flatMap((find, rank) => find(text, options).map((link) => ({ link, rank })));
  found.sort((a, b) => a.link.start - b.link.start || a.rank - b.rank);
  const links: Link[] = [];
  for (const { link } of found) {
    if (link.start >= (links.at(-1)?.end ?? 0)) links.push(link);
  }
  return links;
}

type Finder = (text: string, options: LinkOptions) => readonly Link[];

/** A pattern for a whole link. */
function finder(
  pattern: RegExp,
  read: (groups: readonly (string | undefined)[], options: LinkOptions) => Named | null,
): Finder {
  return (text, options) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const named = read(match, options);
      return named === null ? [] : [{ start: match.index, end: match.index + match[0].length, ...named }];
    });
}

type Named = Pick<Link, "kind" | "label" | "href">;

const findAddresses: Finder = (text) =>
  [
    ...text.matchAll(/(?<![\p{L}\p{N}_])https?:\/\/[^\s<>"`\\^{|}\p{C}«»“”„。，、；：！？）」』】]+/giu),
  ].flatMap((match) => {
    const address = trimAddress(match[0]);
    if (!/^https?:\/\/[^/?#]/i.test(address) || !URL.canParse(address)) return [];
    return [{ start: match.index, end: match.index + address.length, ...nameAddress(address) }];
  });

/** Trailing punctuation belongs to the sentence, and a closing bracket too, unless opened in the address. */
function trimAddress(address: string): string {
  const open = { ")": count(address, "("), "]": count(address, "[") };
  const close = { ")": count(address, ")"), "]": count(address, "]") };
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] as string;
    if (last === ")" || last === "]") {
      if (close[last] <= open[last]) break;
      close[last] -= 1;
    } else if (!/[.,;:!?'*_~’‘…]/.test(last)) break;
  }
  return address.slice(0, end);
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/** Kinds of references by host and path. */
const places: readonly {
  readonly pattern: RegExp;
  readonly kind: Link["kind"];
  readonly label: (groups: readonly string[]) => string;
}[] = [
  {
    pattern: /^https?:\/\/(?:www\.)?github\.com\/([\w.-]{1,60}\/[\w.-]{1,120})\/pull\/(\d{1,10})(?:[/?#]|$)/i,
    kind: "pull",
    label: ([repository, number]) => `${repository}#${number}`,
  },
  {
    pattern:
      /^https?:\/\/(?:www\.)?github\.com\/([\w.-]{1,60}\/[\w.-]{1,120})\/issues\/(\d{1,10})(?:[/?#]|$)/i,
    kind: "issue",
    label: ([repository, number]) => `${repository}#${number}`,
  },
  {
    pattern: /^https?:\/\/[\w.-]{1,100}\/([\w./-]{1,200}?)\/(?:-\/)?merge_requests\/(\d{1,10})(?:[/?#]|$)/i,
    kind: "pull",
    label: ([repository, number]) => `${repository}!${number}`,
  },
  {
    pattern:
      /^https?:\/\/[\w.-]{0,100}gitlab[\w.-]{0,100}\/([\w./-]{1,200}?)\/(?:-\/)?(?:issues|work_items)\/(\d{1,10})(?:[/?#]|$)/i,
    kind: "issue",
    label: ([repository, number]) => `${repository}#${number}`,
  },
  {
    pattern:
      /^https?:\/\/[\w.:-]{1,100}\/(?:[\w-]{1,40}\/)?browse\/([A-Z][A-Z0-9_]{1,20}-\d{1,9})(?:[/?#]|$)/,
    kind: "issue",
    label: ([key]) => key as string,
  },
  {
    pattern: /^https?:\/\/[\w.:-]{1,100}\/(?:[\w-]{1,40}\/)?show_bug\.cgi\?id=(\d{1,9})(?:[&#]|$)/i,
    kind: "issue",
    label: ([number]) => `Bug ${number}`,
  },
  {
    pattern: /^https?:\/\/(?:datatracker|tools|www)\.ietf\.org\/[a-z-/]{1,40}(draft-[a-z0-9-]{3,150})/i,
    kind: "draft",
    label: ([name]) => (name as string).toLowerCase().replace(/-$/, ""),
  },
  {
    pattern:
      /^https?:\/\/(?:(?:www\.)?rfc-editor\.org|(?:datatracker|tools|www)\.ietf\.org)\/[a-z/]{1,20}rfc0{0,4}([1-9]\d{0,4})(?!\d)/i,
    kind: "rfc",
    label: ([number]) => `RFC ${number}`,
  },
  {
    pattern:
      /^https?:\/\/(?:mailarchive\.ietf\.org\/arch\/msg|lore\.kernel\.org|lists\.apache\.org\/thread|marc\.info\/\?|[\w.-]{1,100}\/(?:pipermail|archives?|hyperkitty)\/)/i,
    kind: "message",
    label: () => "",
  },
];

function nameAddress(address: string): Named {
  for (const { pattern, kind, label } of places) {
    const [whole, ...groups] = pattern.exec(address) ?? [];
    if (whole !== undefined) return { kind, label: label(groups as string[]) || address, href: address };
  }
  return { kind: "url", label: address, href: address };
}

const section = String.raw`(?:section|sec\.?|§{1,2}|appendix)`;
const sectionNumber = String.raw`(?:[a-z]|\d{1,3})(?:\.\d{1,3}){0,8}`;
const rfcNumber = String.raw`RFC[\s-]?0{0,4}([1-9]\d{0,4})(?![\w]|-\d|\.\d)`;
const startOfWord = String.raw`(?<![\p{L}\p{N}_/-])`;

const findRfcSections = finder(
  new RegExp(`${startOfWord}(${section})\\s?(${sectionNumber}),?\\s(?:of|in)\\s\\[?${rfcNumber}`, "giu"),
  ([, part, number, rfc]) => nameRfc(rfc as string, part, number),
);

const findRfcs = finder(
  new RegExp(
    `${startOfWord}${rfcNumber}(?:\\]?,?\\s?\\(?(${section})\\s?(${sectionNumber})(?![\\p{L}\\p{N}_]))?`,
    "giu",
  ),
  ([, rfc, part, number]) => nameRfc(rfc as string, part, number),
);

function nameRfc(rfc: string, part: string | undefined, number: string | undefined): Named {
  const href = `https://www.rfc-editor.org/rfc/rfc${rfc}`;
  if (part === undefined || number === undefined) return { kind: "rfc", label: `RFC ${rfc}`, href };
  const isAppendix = /^appendix/i.test(part) || /^[a-z]/i.test(number);
  const place = isAppendix ? number.toUpperCase() : number;
  return {
    kind: "rfc",
    label: `RFC ${rfc}, ${isAppendix ? "Appendix" : "Section"} ${place}`,
    href: `${href}#${isAppendix ? "appendix" : "section"}-${place}`,
  };
}

const findSeries = finder(
  /(?<![\p{L}\p{N}_/-])(BCP|STD)[\s-]?([1-9]\d{0,3})(?![\p{L}\p{N}_])/gu,
  ([, series, number]) => ({
    kind: "rfc",
    label: `${series} ${number}`,
    href: `https://www.rfc-editor.org/info/${(series as string).toLowerCase()}${number}`,
  }),
);

const findDrafts = finder(
  /(?<![\p{L}\p{N}_/-])draft(?:-[a-z0-9]{1,40}){2,12}(?![\p{L}\p{N}_-])/giu,
  ([name]) => {
    const draft = (name as string).toLowerCase();
    const isVersion = /-\d\d$/.test(draft);
    const href = `https://datatracker.ietf.org/doc/${isVersion ? `html/${draft}` : `${draft}/`}`;
    return { kind: "draft", label: draft, href };
  },
);

const findVulnerabilities = finder(
  /(?<![\p{L}\p{N}_-])CVE-(\d{4}-\d{4,9})(?![\p{L}\p{N}_])/giu,
  ([, number]) => ({
    kind: "cve",
    label: `CVE-${number}`,
    href: `https://www.cve.org/CVERecord?id=CVE-${number}`,
  }),
);

const findPeps = finder(
  /(?<![\p{L}\p{N}_-])PEP[\s-]?0{0,3}([1-9]\d{0,3})(?![\p{L}\p{N}_])/gu,
  ([, number]) => ({
    kind: "url",
    label: `PEP ${number}`,
    href: `https://peps.python.org/pep-${(number as string).padStart(4, "0")}/`,
  }),
);

const findRepositoryIssues = finder(
  /(?<![\p{L}\p{N}_./@-])([a-z\d][a-z\d-]{0,38}\/[\w.-]{1,100})#(\d{1,9})(?![\p{L}\p{N}_])/giu,
  ([, repository, number]) => ({
    kind: "issue",
    label: `${repository}#${number}`,
    href: `https://github.com/${repository}/issues/${number}`,
  }),
);

/** Prefixes of numbers that are no tracker's project: standards, algorithms, sizes, dates and zones. */
const notProjects = new Set(
  [
    "UTF UCS ISO IEC RFC CVE PEP BCP STD ECMA FIPS ANSI IEEE ITU DIN EN JIS GB KOI CP EUC US ASCII WINDOWS LATIN TR",
    "SHA SHA2 SHA3 MD AES DES RSA DSA DH ECDSA ED HMAC BLAKE CHACHA POLY CRC GCM CBC CCM SHAKE PBKDF SM KDF",
    "TLS SSL DTLS HTTP HTTPS IPV IP QUIC TCP UDP SMTP IMAP POP USB PCI DDR RS HDMI MPEG MP CD DVD VT ARM RISC X86 AMD",
    "GPL LGPL AGPL BSD MIT CC APACHE MPL EPL EUPL COVID SARS UTC GMT EST EDT CST CDT MST MDT PST PDT CET CEST",
    "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC Q1 Q2 Q3 Q4 FY IETF WG JSR JEP ISBN ISSN TOP PART STEP",
  ].flatMap((names) => names.split(" ")),
);

const findKeys = finder(
  /(?<![\p{L}\p{N}_./@#-])([A-Z][A-Z\d]{1,14})-([1-9]\d{0,6})(?![\p{L}\p{N}_]|-[\p{L}\p{N}]|\.\d|\/\d)/gu,
  ([key, project], { issueBase }) => {
    if (notProjects.has(project as string)) return null;
    const href = issueBase === undefined ? null : `${issueBase}${key}`;
    return { kind: "issue", label: key as string, href: href !== null && isWebAddress(href) ? href : null };
  },
);

const isWebAddress = (address: string): boolean => /^https?:\/\//i.test(address) && URL.canParse(address);

const findMessageIds = finder(
  /(?<![\p{L}\p{N}_-])(?:message-id:\s?<|mid:)([^\s<>()"@]{1,200}@[\p{L}\p{N}.-]{1,200})(?:>|(?![\p{L}\p{N}.-]))/giu,
  ([, id]) => ({ kind: "message", label: id as string, href: null }),
);

/** At the same position the earlier finder wins. */
const finders: readonly Finder[] = [
  findAddresses,
  findMessageIds,
  findDrafts,
  findRfcSections,
  findRfcs,
  findSeries,
  findVulnerabilities,
  findPeps,
  findRepositoryIssues,
  findKeys,
];
