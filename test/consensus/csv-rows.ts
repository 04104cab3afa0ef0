/** Cells of a CSV text as RFC 4180 describes it, strictly: anything else is an error. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
    cell.lastIndex = at;
    const [whole, quoted, plain] = cell.exec(text) as RegExpExecArray;
    row.push(quoted === undefined ? (plain as string) : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (text.startsWith(",", at)) at += 1;
    else if (text.startsWith("\r\n", at)) {
      at += 2;
      rows.push(row);
      row = [];
    } else throw new Error(`There is neither a comma nor the end of a line at ${at}.`);
  }
  return rows;
}
