import { expect, it } from "vitest";
import { showThreads } from "./threads.ts";

const line = {
  id: "quic/t-0123456789abcdef",
  list: "quic",
  subject: "A rather long subject about the migration of connections between networks and hosts",
  messages: 123,
  participants: 12,
  firstDate: null,
  lastDate: "2024-03-05T10:00:00.000Z",
  level: "contested",
  confidence: 0.5,
  decisions: 0,
  votes: 0,
  support: 12,
  object: 11,
  turns: 0,
} as const;

it("threads of one list and of several fit 80 columns", () => {
  const several = [line, { ...line, list: "a-list-with-a-very-long-name.example.org" }];
  for (const lines of [[line], several])
    for (const row of showThreads(lines, { columns: 80 }).split("\n")) expect(row.length).toBeLessThan(81);
});

it("a pipe gets the whole subject", () => {
  expect(showThreads([line], { columns: 80, piped: true })).toContain(line.subject);
});

it("the list is named only where there are several", () => {
  expect(showThreads([line], { columns: 80 })).not.toContain("LIST");
  expect(showThreads([line, { ...line, list: "tls" }], { columns: 80 })).toContain("LIST");
});

it("a thread without a question came to nothing, not to none", () => {
  expect(showThreads([{ ...line, level: "none" }], { columns: 80 })).toContain("nothing");
});
