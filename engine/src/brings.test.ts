import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bringing } from "./brings.ts";
import { collection } from "./define/collection.ts";
import { pipeline } from "./define/pipeline.ts";
import { service } from "./define/service.ts";
import { stage } from "./define/stage.ts";
import { startEngine } from "./engine.ts";
import type { Lent } from "./engine-options.ts";

const letters = collection("letters", z.object({ text: z.string() }));
const stamped = collection("stamped", z.object({ text: z.string() }));
const stamps = service("stamps").as<{ stamp(text: string): string }>();
const stamping = stage("stamping", {
  reads: letters,
  writes: [stamped],
  needs: [stamps],
  *run({ id, text }, { stamps }) {
    yield stamped.document(id, { text: stamps.stamp(text) });
  },
});
const plain = pipeline("post", { stages: [stamping] });
const database = { memory: true } as const;

describe("a pipeline that brings its services", () => {
  it("runs without any given, and ends them after the engine", async () => {
    const seen: (Lent | string)[] = [];
    const post = bringing(plain, {
      services(lent) {
        seen.push(lent);
        lent.onStop(() => void seen.push("first"));
        lent.onStop(() => void seen.push("last"));
        return { stamps: { stamp: (text) => `${text}!` } };
      },
    });
    const engine = await startEngine({ pipelines: [post], services: {}, database, data: "files" });
    await engine.accept(letters.document("a", { text: "Hi" }));
    await engine.settled({ stages: ["stamping"] });
    expect(await engine.read(stamped, "a")).toMatchObject({ text: "Hi!" });
    await engine.stop();
    expect(seen).toEqual([
      expect.objectContaining({ data: "files", option: database, env: process.env }),
      "last",
      "first",
    ]);
  });

  it("refuses another service of the same name, and a missing one", async () => {
    const given = { stamps: { stamp: (text: string) => text } };
    const both = bringing(plain, { services: () => given });
    await expect(startEngine({ pipelines: [both], services: given, database })).rejects.toThrow(
      'The pipeline "post" brings the service "stamps", and there is another service of that name',
    );
    const none = bringing(plain, { services: () => ({}) });
    await expect(startEngine({ pipelines: [none], services: {} as never, database })).rejects.toThrow(
      'Stage "stamping" needs the service "stamps"',
    );
  });
});

it("a version that is no text is refused with one sentence", () => {
  const spec = { reads: letters, writes: [], version: 2 as unknown as string, *run() {} };
  expect(() => stage("counting", spec)).toThrow(
    'Stage "counting" has version 2; it must be a text such as "2".',
  );
});
