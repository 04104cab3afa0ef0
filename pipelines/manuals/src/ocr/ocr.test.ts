import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { openOcr } from "./ocr.ts";
import { recognisedBoxes, recognisedLines, recognisedParts } from "./recognised-text.ts";
import { parseTsv } from "./tesseract.ts";

const answers: { status: number; body: string }[] = [];
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const { status, body } = answers.shift() ?? { status: 500, body: "" };
    response.writeHead(status).end(body);
  });
}).listen(0, "127.0.0.1");
afterAll(() => server.close());
const address = async () => {
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/read`;
};

describe("a reader of pictures", () => {
  it("is off by default, and an unknown word is refused with the known ones", () => {
    expect(openOcr("off", "eng")).toBeNull();
    expect(() => openOcr("magic", "eng")).toThrow("tesseract.js");
  });

  it("over HTTP gives words in points, line by line", async () => {
    const words = [
      { text: "Pump", box: [20, 20, 60, 40], confidence: 96, line: "1" },
      { text: "speed", box: [70, 20, 120, 40], confidence: 90, line: "1" },
      { text: "~", box: [1, 1, 2, 2], confidence: 4, line: "2" },
      { text: 7, box: "no" },
    ];
    answers.push({ status: 200, body: JSON.stringify({ words }) });
    const found = recognisedLines((await openOcr(await address(), "eng")?.read(Buffer.from("png"))) ?? [], 2);
    expect(found).toEqual({
      lines: [
        [
          ["Pump", 10, 10, 30, 20, 96],
          ["speed", 35, 10, 60, 20, 90],
        ],
      ],
      confidence: 93,
    });
    expect(recognisedParts(found.lines)).toEqual(["Pump speed"]);
    expect(recognisedBoxes(found.lines, "Pump speed")).toEqual([[10, 10, 60, 20]]);
  });

  it("that is away, or answers rubbish, is a transient fault of the service", async () => {
    const read = async () => await openOcr(await address(), "eng")?.read(Buffer.from("png"));
    answers.push({ status: 503, body: "" }, { status: 200, body: "<html>" });
    for (const _ of [1, 2])
      await expect(read()).rejects.toMatchObject({ code: "ocr.unavailable", kind: "transient" });
  });

  it("tesseract's table of words is read, and anything else in it is left out", () => {
    const tsv = [
      "level\tpage",
      "5\t1\t1\t1\t1\t1\t10\t20\t30\t12\t95.5\tRemedy",
      "4\t1\t1\t1\t1\t0\t1\t1\t1\t1\t-1\t",
      "5\tx",
    ].join("\n");
    expect(parseTsv(tsv)).toEqual([
      { text: "Remedy", box: [10, 20, 40, 32], confidence: 95.5, line: "1.1.1.1" },
    ]);
  });
});
