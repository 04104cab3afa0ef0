import type { Header, Thread } from "../src/threads/thread.ts";
import { threadMessages } from "../src/threads/thread.ts";

/** Plays a script of imaptest: a growing and shrinking mailbox, with the answers of THREAD. */
export function playScript(
  script: string,
  mails: readonly Header[],
): { expected: string[]; given: string[] } {
  const waiting = script.includes("state: created") ? [...mails] : [];
  let box = script.includes("state: created") ? [] : [...mails];
  let deleted: readonly number[] = [];
  const [expected, given]: [string[], string[]] = [[], []];
  for (const line of script.toLowerCase().split("\n")) {
    const doomed = /^ok store ([\d,]+) \+flags \\deleted/.exec(line)?.[1];
    const answer = /^\* thread (.*)$/.exec(line)?.[1];
    if (line === "ok append") box.push(waiting.shift() as Header);
    else if (doomed !== undefined) deleted = doomed.split(",").map(Number);
    else if (line === "ok expunge") box = box.filter((_, at) => !deleted.includes(at + 1));
    else if (answer !== undefined) {
      expected.push(answer);
      given.push(formatAnswer(threadMessages(box), box));
    }
  }
  return { expected, given };
}

function formatAnswer(threads: readonly Thread[], box: readonly Header[]): string {
  const numbers = new Map(box.map(({ id }, at) => [id, String(at + 1)]));
  return threads
    .map(({ members, roots }) => {
      const format = (id: string): string => {
        const children = members.filter(({ parent }) => parent === id).map((child) => format(child.id));
        const below = children.length === 1 ? children[0] : children.map((each) => `(${each})`).join("");
        return below === "" ? (numbers.get(id) as string) : `${numbers.get(id)} ${below}`;
      };
      const trees = roots.map(format);
      return trees.length === 1 ? `(${trees[0]})` : `(${trees.map((tree) => `(${tree})`).join("")})`;
    })
    .join("");
}

/** The first message of each Message-ID. */
export const firstOfEach = (headers: readonly Header[]): readonly Header[] => [
  ...new Map([...headers].reverse().map((header) => [header.messageId, header])).values(),
];

export const parentsIn = (threads: readonly Thread[]): Map<string, string | null> =>
  new Map(threads.flatMap(({ members }) => members.map(({ id, parent }) => [id, parent])));

/** A comment before each entry holds the moments (or, now and then, ids) of all ancestors and of the entry. */
export function pipermailParents(html: string, messages: readonly Header[]): Map<string, string | null> {
  const byMoment = new Map(messages.map((header) => [Date.parse(header.date ?? "") / 1000, header.id]));
  const byMessageId = new Map(messages.map((header) => [header.messageId, header.id]));
  const idOf = (step: string): string => {
    const [, moment, messageId] = /^(\d{11})(?:\.\d+|\/(.*))$/.exec(step) ?? [];
    return (byMessageId.get(messageId ?? "") ?? byMoment.get(Number(moment))) as string;
  };
  return new Map(
    [...html.matchAll(/<!--\d+ (\S*) -->\s*<LI>/g)].map(([, path]) => {
      const steps = (path as string).match(/0\d{10}(?:\.\d+|\/\S*?)(?=-(?:0\d{10}[./]|$))/g) ?? [];
      const [own, parent] = [steps.at(-1) as string, steps.at(-2)];
      return [idOf(own), parent === undefined ? null : idOf(parent)];
    }),
  );
}
