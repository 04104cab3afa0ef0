import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Hostile text: markup, ANSI, direction, quotes, slashes, percent signs. */
export const hostileText =
  "bad <script>alert(1)</script><img src=x onerror=alert(1)> \u001b[31mred\u001b[0m \u202eltr\u202c %2F%00 'q' \"d\" /../ #?&";
export const hostileId = "a/b'c\"d%2Fe%25<script>alert(2)</script>@example.org";
const longName = "N".repeat(5_000);
const bodyLine = "The tide of <b>this</b> line \u202e is \u001b[1mlong\u001b[0m in the end.\n";

const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;

/** Hostile text of a size. */
export const hostileBody = (bytes: number): string =>
  bodyLine.repeat(Math.ceil(bytes / Buffer.byteLength(bodyLine)));

/** A thread of two mails: a large body under hostile headers, and an answer with an objection. */
export async function writeHostileArchive(folder: string, bytes: number): Promise<string> {
  const body = hostileBody(bytes);
  const path = join(folder, "hostile.mbox");
  const first = [
    "From hostile@example.org Mon Feb  2 10:00:00 2026",
    `From: ${encoded(`${hostileText} ${longName}`)} <mara@example.org>`,
    "To: hostile@lists.example.org",
    `Subject: ${encoded(hostileText)}`,
    `Message-ID: <${hostileId}>`,
    "Date: Mon, 2 Feb 2026 10:00:00 +0000",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    "This mail starts a call for adoption of the draft. <script>alert(3)</script>",
    "",
    body,
  ];
  const answer = [
    "From other@example.org Tue Feb  3 10:00:00 2026",
    `From: ${encoded("Ola <script>alert(4)</script>")} <ola@example.org>`,
    `Subject: ${encoded(`Re: ${hostileText}`)}`,
    "Message-ID: <answer@example.org>",
    `In-Reply-To: <${hostileId}>`,
    "Date: Tue, 3 Feb 2026 10:00:00 +0000",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    `I object to adoption: ${hostileText.replace(/\n/g, " ")}`,
    "",
  ];
  await writeFile(path, `${first.join("\n")}\n${answer.join("\n")}\n`);
  return path;
}
