import { read } from "../decide/thrown.ts";

/**
 * The watched services of an attempt. A fault belongs to a service if a call to the service threw it, or if a call was
 * unanswered when the time was over. Returned values are not watched, except the body of a `Response`.
 */
export class ServiceCalls {
  readonly #waiting = new Map<string, number>();

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

  #call(name: string, act: () => unknown): unknown {
    let answer: unknown;
    try {
      answer = act();
    } catch (thrown) {
      blame(name, thrown);
      throw thrown;
    }
    if (!isPromise(answer)) return answer;
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + 1);
    const answered = () => {
      const left = (this.#waiting.get(name) ?? 1) - 1;
      if (left > 0) this.#waiting.set(name, left);
      else this.#waiting.delete(name);
    };
    // The caller gets the promise itself: promises of some clients have further methods.
    answer.then(
      (value) => {
        answered();
        if (value instanceof Response) watchBody(name, value);
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
function watchBody(name: string, response: Response): void {
  for (const key of ["json", "text", "arrayBuffer", "bytes"] as const) {
    const reading: unknown = read(response, key);
    if (typeof reading !== "function") continue;
    const value = async () => {
      try {
        return await (reading.call(response) as Promise<unknown>);
      } catch (thrown) {
        blame(name, thrown);
        throw thrown;
      }
    };
    Object.defineProperty(response, key, { value, configurable: true, writable: true });
  }
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
