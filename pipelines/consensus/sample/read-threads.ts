/** A mail as it was authored: see the README for the format of the thread files. */
export interface Authored {
  readonly id: string;
  readonly by: string;
  /** In the author's own zone: `2026-02-02 09:12`. */
  readonly at: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Reads a thread file: the subject, and then mails introduced by `@@ id person date time`. */
export function readThread(text: string): Authored[] {
  const [head = "", ...parts] = text.split(/^@@ /m);
  const threadSubject = fieldsOf(head).get("subject") ?? "";
  return parts.map((part) => {
    const [first = "", ...rest] = part.split("\n");
    const [id = "", by = "", day = "", time = ""] = first.split(" ");
    const blank = rest.indexOf("");
    const fields = fieldsOf(rest.slice(0, blank).join("\n"));
    const isReply = fields.has("re") || fields.has("in-reply-to");
    const subject = fields.get("subject") ?? `${isReply ? "Re: " : ""}[tidewg] ${threadSubject}`;
    const body = rest
      .slice(blank + 1)
      .join("\n")
      .trimEnd();
    return { id, by, at: `${day} ${time}`, fields: new Map([...fields, ["subject", subject]]), body };
  });
}

function fieldsOf(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line.includes(":") && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}
