/** A PDF of text and lines, written by hand with every byte known: for the sample, benchmarks and tests. */
export interface PdfPage {
  readonly texts: readonly PdfText[];
  /** From x0, y0 to x1, y1, in points from the top left. */
  readonly lines?: readonly (readonly [x0: number, y0: number, x1: number, y1: number])[];
  readonly rotate?: 0 | 90 | 180 | 270;
  readonly landscape?: boolean;
  readonly links?: readonly {
    readonly box: readonly [number, number, number, number];
    readonly uri: string;
  }[];
  /** A grey picture in this box. */
  readonly picture?: readonly [x0: number, y0: number, x1: number, y1: number];
  /** Cuts the content after this many bytes. */
  readonly cutAt?: number;
}

export interface PdfText {
  readonly x: number;
  /** The baseline, from the top. */
  readonly y: number;
  readonly text: string;
  readonly size?: number;
  readonly bold?: boolean;
}

export interface PdfBook {
  readonly title: string;
  readonly pages: readonly PdfPage[];
  readonly bookmarks?: readonly { readonly title: string; readonly page: number }[];
  /** The page with printed number 1; earlier pages are i, ii, iii. */
  readonly firstNumbered?: number;
}

const a4 = { width: 595, height: 842 } as const;

export function writePdf(book: PdfBook): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const catalog = add("");
  const tree = add("");
  const fonts = [false, true].map((bold) =>
    add(
      `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica${bold ? "-Bold" : ""} /Encoding /WinAnsiEncoding >>`,
    ),
  );
  const image = add(
    stream(
      "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
      "\x80",
    ),
  );
  const kids = book.pages.map((page) => addPage(page, { add, tree, fonts, image }));
  objects[tree - 1] =
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`;
  const outlines = book.bookmarks?.length ? addOutlines(book.bookmarks, kids, add) : null;
  const numbered = (book.firstNumbered ?? 1) - 1;
  const labels = numbered > 0 ? `/PageLabels << /Nums [0 << /S /r >> ${numbered} << /S /D >>] >>` : "";
  objects[catalog - 1] =
    `<< /Type /Catalog /Pages ${tree} 0 R ${outlines ? `/Outlines ${outlines} 0 R` : ""} ${labels} >>`;
  const info = add(`<< /Title (${escapeText(book.title)}) >>`);
  return assemble(objects, catalog, info);
}

interface Adding {
  readonly add: (body: string) => number;
  readonly tree: number;
  readonly fonts: readonly number[];
  readonly image: number;
}

function addPage(page: PdfPage, { add, tree, fonts, image }: Adding): number {
  const [width, height] = page.landscape ? [a4.height, a4.width] : [a4.width, a4.height];
  const texts = page.texts.map(
    ({ x, y, text, size = 10, bold = false }) =>
      `BT /F${bold ? 2 : 1} ${size} Tf ${x} ${height - y} Td (${escapeText(text)}) Tj ET`,
  );
  const lines = (page.lines ?? []).map(
    ([x0, y0, x1, y1]) => `0.5 w ${x0} ${height - y0} m ${x1} ${height - y1} l S`,
  );
  const picture = page.picture
    ? [
        `q ${page.picture[2] - page.picture[0]} 0 0 ${page.picture[3] - page.picture[1]} ${page.picture[0]} ${height - page.picture[3]} cm /Im Do Q`,
      ]
    : [];
  const whole = [...picture, ...lines, ...texts].join("\n");
  const content = add(stream("<<", page.cutAt === undefined ? whole : whole.slice(0, page.cutAt)));
  const links = (page.links ?? []).map(({ box: [x0, y0, x1, y1], uri }) =>
    add(
      `<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [${x0} ${height - y1} ${x1} ${height - y0}] /A << /S /URI /URI (${escapeText(uri)}) >> >>`,
    ),
  );
  return add(
    [
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${page.rotate ?? 0}`,
      `/Resources << /Font << /F1 ${fonts[0]} 0 R /F2 ${fonts[1]} 0 R >> /XObject << /Im ${image} 0 R >> >>`,
      `/Annots [${links.map((link) => `${link} 0 R`).join(" ")}] /Contents ${content} 0 R >>`,
    ].join(" "),
  );
}

function addOutlines(
  marks: readonly { readonly title: string; readonly page: number }[],
  kids: readonly number[],
  add: (body: string) => number,
): number {
  // Items follow at once, so their numbers are known in advance.
  const first = add("<< >>");
  const items = marks.map((mark, index) => {
    const own = first + 1 + index;
    const before = index > 0 ? `/Prev ${own - 1} 0 R` : "";
    const after = index < marks.length - 1 ? `/Next ${own + 1} 0 R` : "";
    return add(
      `<< /Title (${escapeText(mark.title)}) /Parent ${own - index + marks.length} 0 R ${before} ${after} /Dest [${kids[mark.page - 1]} 0 R /Fit] >>`,
    );
  });
  return add(`<< /Type /Outlines /First ${items[0]} 0 R /Last ${items.at(-1)} 0 R /Count ${items.length} >>`);
}

const stream = (head: string, body: string): string =>
  `${head} /Length ${Buffer.byteLength(body, "latin1")} >>\nstream\n${body}\nendstream`;

/** What WinAnsi has outside of Latin-1 and the sample uses. */
const winAnsi: Readonly<Record<string, string>> = {
  "–": "\x96",
  "’": "\x92",
  "“": "\x93",
  "”": "\x94",
  "•": "\x95",
};

const escapeText = (text: string): string =>
  text.replaceAll(/[–’“”•]/g, (sign) => winAnsi[sign] ?? sign).replaceAll(/[\\()]/g, (sign) => `\\${sign}`);

function assemble(objects: readonly string[], catalog: number, info: number): Buffer {
  let text = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  const offsets = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root ${catalog} 0 R /Info ${info} 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
