import type {
  AssessmentDocument,
  MessageDocument,
  PositionDocument,
  SummaryDocument,
  ThreadReportInput,
} from "../src/report/thread-report.ts";

/** The words of a story, replaceable by hostile words. */
export interface Words {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly kind: string;
}

export const plainWords: Words = {
  name: "Ada",
  title: "Key update",
  text: "I support this.",
  kind: "adopted",
};

/** A thread of three messages in which everything a report can show happens once, all in the given words. */
export function aStory({ name, title, text, kind }: Words = plainWords): ThreadReportInput {
  const person = (address: string) => ({ name, address });
  const message = (id: string, date: string | null): MessageDocument => ({
    id,
    list: title,
    messageId: `${id}@example.org`,
    subject: title,
    from: person(`${id}@example.org`),
    date,
    inReplyTo: null,
    references: [],
    listId: null,
    text,
    clean: text,
    removed: [{ start: 0, end: 1, kind }],
    attachments: [{ filename: name, type: "text/plain", size: 1, sha256: "" }],
    flags: id === "m3" ? [kind] : [],
    occurrences: [],
  });
  const quoted = (id: string) => ({ message: id, start: 0, end: text.length, quote: text });
  return {
    thread: {
      id: "t1",
      list: title,
      subject: title,
      messages: [
        { message: "m1", parent: null },
        { message: "m2", parent: "m1" },
        { message: "m3", parent: "m2" },
      ],
      roots: ["m1"],
      participants: [person("m1@example.org"), person("m2@example.org"), person("m3@example.org")],
      firstDate: "2024-01-02T03:04:05.000Z",
      lastDate: "2024-02-03T04:05:06.000Z",
    },
    messages: [
      message("m1", "2024-01-02T03:04:05.000Z"),
      message("m2", null),
      message("m3", "2024-02-03T04:05:06Z"),
    ],
    assessment: anAssessment({ title, kind, by: person("m1@example.org"), quoted: quoted("m1") }),
    positions: [
      aPosition({
        id: "p1",
        stance: "object",
        person: person("m1@example.org"),
        ...quoted("m1"),
        supersededBy: "p2",
      }),
      aPosition({
        id: "p2",
        stance: "support",
        person: person("m1@example.org"),
        ...quoted("m2"),
        because: kind,
      }),
      aPosition({ id: "p3", stance: "question", person: person("m3@example.org"), ...quoted("m3") }),
    ],
    summary: aSummary(text, [quoted("m1"), quoted("m2")]),
  };
}

export function aPosition(
  given: Partial<PositionDocument> & Pick<PositionDocument, "id" | "stance" | "person">,
): PositionDocument {
  return {
    list: "list",
    thread: "t1",
    message: "m1",
    start: 0,
    end: 0,
    quote: "",
    at: "2024-01-02T03:04:05.000Z",
    because: "",
    supersededBy: null,
    ...given,
  };
}

type Quoted = Pick<PositionDocument, "message" | "start" | "end" | "quote">;

function anAssessment({
  title,
  kind,
  by,
  quoted,
}: {
  readonly title: string;
  readonly kind: string;
  readonly by: PositionDocument["person"];
  readonly quoted: Quoted;
}): AssessmentDocument {
  return {
    id: "t1",
    list: title,
    subject: "x",
    messages: [],
    salient: [],
    level: "rough",
    confidence: 0.72,
    reasons: [title],
    calls: [{ kind, by, ...quoted }],
    decisions: [{ kind, by, ...quoted }],
    votes: [
      { by, value: 1, binding: true, counts: true, ...quoted },
      { by, value: -1, binding: false, counts: false, ...quoted },
      { by, value: 0, binding: null, counts: true, ...quoted },
    ],
    tally: { for: 1, against: 0, abstain: 1 },
  };
}

function aSummary(text: string, citations: readonly Quoted[]): SummaryDocument {
  return {
    id: "t1",
    list: "list",
    model: "extractive",
    sentences: [{ text, citations: [...citations] }],
    dropped: 2,
  };
}
