/**
 * Text with `format=flowed` (RFC 3676) with one line per paragraph, so sentences stay whole. `deletesBlank`
 * stands for `delsp=yes`.
 */
export function unflow(text: string, deletesBlank: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let depth = 0;
  let opening = "";
  const close = () => {
    if (paragraph.length > 0) out.push(opening + paragraph.join(""));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    const marks = countMarks(line);
    if (marks !== depth) close();
    depth = marks;
    const content = line.slice(marks);
    if (paragraph.length === 0)
      opening = line.slice(0, marks) + (marks > 0 && content.startsWith(" ") ? " " : "");
    const words = content.startsWith(" ") ? content.slice(1) : content;
    // The line before a signature looks flowed but is not, nor is a line of blanks, frequent in quoted patches.
    if (words === "-- " || words.trim() === "") {
      close();
      out.push(line);
    } else if (words.endsWith(" ")) paragraph.push(deletesBlank ? words.slice(0, -1) : words);
    else {
      paragraph.push(words);
      close();
    }
  }
  close();
  return out.join("\n");
}

/** Quote depth of a line; a mark after a blank is part of the text. */
function countMarks(line: string): number {
  let marks = 0;
  while (line.charCodeAt(marks) === 62) marks++;
  return marks;
}
