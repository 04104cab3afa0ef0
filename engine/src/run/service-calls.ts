import type { Called, Calls } from "../decide/result-facts.ts";
import { read } from "../decide/thrown.ts";

/**
 * The watched services of an attempt. A fault belongs to a service if a call to the service threw it, or if a call was
 * unanswered when the time was over. Returned values are not watched, except the body of a `Response`.
 */
export class ServiceCalls {
  readonly #waiting = new Map<string, number>();
  readonly #answered = new Map<string, Called>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Calls that have ended, by service; null: none. */
  get answered(): Calls | null {
    return this.#answered.size === 0 ? null : Object.fromEntries(this.#answered);
  }

  /** A service with an unanswered call. */
  get awaited(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  watch(name: string, service: unknown, depth = 0): unknown {
    if (typeof service === "function") return this.#watchFunction(name, service as Callable, undefined);
    if (!isWatchable(service) || depth >= depthMax) return service;
    return new Proxy(Object.create(Object.getPrototypeOf(service)), this.#handler(name, service, depth));
  }

  /** The target of the proxy is an empty object: a frozen target would have to show its own methods. */
  #handler(name: string, service: object, depth: number): ProxyHandler<object> {
    const get = (_: object, key: string | symbol) => {
      const value: unknown = Reflect.get(service, key, service);
      if (typeof value === "function") return this.#watchFunction(name, value as Callable, service);
      return this.watch(name, value, depth + 1);
    };
    return {
      get,
      set: (_, key, value) => Reflect.set(service, key, value, service),
      has: (_, key) => Reflect.has(service, key),
      deleteProperty: (_, key) => Reflect.deleteProperty(service, key),
      ownKeys: () => Reflect.ownKeys(service),
      getOwnPropertyDescriptor(target, key) {
        const found = Reflect.getOwnPropertyDescriptor(service, key);
        const { enumerable } = found ?? {};
        return (
          found && {
            value: get(target, key),
            writable: true,
            enumerable: enumerable === true,
            configurable: true,
          }
        );
      },
    };
  }

  /** Methods get the service itself as `this`: a proxy has no private fields. */
  #watchFunction(name: string, call: Callable, service: object | undefined): unknown {
    return new Proxy(call, {
      apply: (_, self, given) => this.#call(name, () => Reflect.apply(call, service ?? self, given)),
    });
  }

  #count(name: string, startedMs: number, answer: unknown): void {
    const { count, ms, tokens } = this.#answered.get(name) ?? noCalls;
    const used = tokensOf(answer);
    const sum = used === undefined ? tokens : (tokens ?? 0) + used;
    const called = { count: count + 1, ms: ms + this.#nowMs() - startedMs };
    this.#answered.set(name, sum === undefined ? called : { ...called, tokens: sum });
  }

  /** Tokens that a body read later reports. */
  #addTokens(name: string, body: unknown): void {
    const used = tokensOf(body);
    const called = this.#answered.get(name);
    if (called && used !== undefined)
      this.#answered.set(name, { ...called, tokens: (called.tokens ?? 0) + used });
  }

  #call(name: string, act: () => unknown): unknown {
    const startedMs = this.#nowMs();
    let answer: unknown;
    try {
      answer = act();
    } catch (thrown) {
      this.#count(name, startedMs, undefined);
      blame(name, thrown);
      throw thrown;
    }
    if (!isPromise(answer)) {
      this.#count(name, startedMs, answer);
      return answer;
    }
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + 1);
    const answered = (value?: unknown) => {
      this.#count(name, startedMs, value);
      const left = (this.#waiting.get(name) ?? 1) - 1;
      if (left > 0) this.#waiting.set(name, left);
      else this.#waiting.delete(name);
    };
    // The caller gets the promise itself: promises of some clients have further methods.
    answer.then(
      (value) => {
        answered(value);
        if (value instanceof Response) watchBody(name, value, (body) => this.#addTokens(name, body));
      },
      (thrown) => {
        answered();
        blame(name, thrown);
      },
    );
    return answer;
  }
}

/** The body of a response is read later: a broken or unreadable body belongs to the service, too. */
function watchBody(name: string, response: Response, onJson: (body: unknown) => void): void {
  for (const key of ["json", "text", "arrayBuffer", "bytes"] as const) {
    const reading: unknown = read(response, key);
    if (typeof reading !== "function") continue;
    const value = async () => {
      try {
        const body = await (reading.call(response) as Promise<unknown>);
        if (key === "json") onJson(body);
        return body;
      } catch (thrown) {
        blame(name, thrown);
        throw thrown;
      }
    };
    Object.defineProperty(response, key, { value, configurable: true, writable: true });
  }
}

const noCalls: Called = { count: 0, ms: 0 };

/** Tokens as servers of models report them: `usage` with a total, or with input and output. */
function tokensOf(answer: unknown): number | undefined {
  const usage = typeof answer === "object" && answer !== null ? read(answer, "usage") : undefined;
  if (typeof usage !== "object" || usage === null) return undefined;
  const number = (key: string): number | undefined => {
    const value = read(usage, key);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  const total = number("total_tokens");
  if (total !== undefined) return total;
  const given = number("input_tokens") ?? number("prompt_tokens");
  const made = number("output_tokens") ?? number("completion_tokens");
  return given === undefined && made === undefined ? undefined : (given ?? 0) + (made ?? 0);
}

type Callable = (...given: unknown[]) => unknown;

/** Clients such as `client.chat.completions.create` are nested this deep. */
const depthMax = 4;

const blames = new WeakMap<object, string>();

function blame(name: string, thrown: unknown): void {
  if (typeof thrown === "object" && thrown !== null && !blames.has(thrown)) blames.set(thrown, name);
}

const causesMax = 8;

/** The service that threw a value, or one of its causes. */
export function serviceOf(thrown: unknown): string | undefined {
  let cause = thrown;
  for (let depth = 0; depth <= causesMax && typeof cause === "object" && cause !== null; depth++) {
    const name = blames.get(cause);
    if (name !== undefined) return name;
    cause = read(cause, "cause");
  }
  return undefined;
}

/** Plain objects and instances of authors' classes; built-in objects break behind a proxy. */
const isWatchable = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  Object.prototype.toString.call(value) === "[object Object]" &&
  !isPromise(value);

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
