import { describe, expect, it } from "vitest";
import { ServiceCalls, serviceOf } from "./service-calls.ts";

const thrownBy = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("Nothing was thrown.");
};

class Client {
  readonly #secret = "private";
  readonly chat = { completions: { create: async () => Promise.reject(new Error("nested")) } };
  read(): string {
    return this.#secret;
  }
  fail(): never {
    throw new Error("at once");
  }
}

describe("calls to services", () => {
  it("mark what comes out of them, at once, later, nested, and as the cause of something else", async () => {
    const client = new ServiceCalls(() => 0).watch("client", new Client()) as Client;
    const outer = async () => {
      await client.chat.completions.create().catch((cause) => {
        throw new Error("wrapped", { cause });
      });
    };
    expect(serviceOf(await thrownBy(() => client.fail()))).toBe("client");
    expect(serviceOf(await thrownBy(() => client.chat.completions.create()))).toBe("client");
    expect(serviceOf(await thrownBy(outer))).toBe("client");
    expect(serviceOf(new Error("of the stage itself"))).toBeUndefined();
  });

  it("leave a service what it is: private fields, frozen objects, functions, fields, what the language brings along", async () => {
    const calls = new ServiceCalls(() => 0);
    const client = calls.watch("client", new Client()) as Client;
    expect([client.read(), client instanceof Client]).toEqual(["private", true]);
    const frozen = calls.watch("frozen", Object.freeze({ name: "f", say: () => "said" })) as {
      name: string;
      say(): string;
    };
    expect([frozen.say(), frozen.name, Object.keys(frozen), "say" in frozen]).toEqual([
      "said",
      "f",
      ["name", "say"],
      true,
    ]);
    expect({ ...frozen }.name).toBe("f");
    const double = calls.watch(
      "double",
      Object.assign((n: number) => 2 * n, { unit: "m" }),
    ) as {
      (n: number): number;
      unit: string;
    };
    expect([double(2), double.unit]).toEqual([4, "m"]);
    const held = calls.watch("held", { bytes: new Uint8Array([1]), since: new Date(0) }) as {
      bytes: Uint8Array;
      since: Date;
    };
    expect([Buffer.from(held.bytes).length, held.since.getTime()]).toEqual([1, 0]);
    expect(calls.watch("word", "word")).toBe("word");
  });

  it("hand out the very promise of the service, and know whose answer is waited for", async () => {
    const calls = new ServiceCalls(() => 0);
    let answer = () => {};
    const promise = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const press = calls.watch("press", { print: () => promise }) as { print(): Promise<void> };
    expect(calls.awaited).toBeUndefined();
    expect(press.print()).toBe(promise);
    expect(calls.awaited).toBe("press");
    answer();
    await promise;
    expect(calls.awaited).toBeUndefined();
  });
});
