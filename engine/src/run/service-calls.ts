/**
 * The services of an attempt, watched: a fault is put down to a service only if it came out of a call to the service, or if
 * the time was over while a call was waited for. Values that services return are not watched.
 */
export class ServiceCalls {
  readonly #waiting = new Map<string, number>();

  /** A service that still owes an answer. */
  get awaited(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  watch(name: string, service: unknown, depth = 0): unknown {
    if (typeof service === "function") return this.#watchFunction(name, service as Callable, undefined);
    if (!isWatchable(service) || depth >= depthMax) return service;
    return new Proxy(Object.create(Object.getPrototypeOf(service)), this.#handler(name, service, depth));
  }

  /** The proxy stands in front of an empty object, because a frozen service would not let its methods be watched. */
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
    // Beside the caller, who gets the promise itself: clients hand out promises with methods of their own.
    answer.then(answered, (thrown) => {
      answered();
      blame(name, thrown);
    });
    return answer;
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

/** The service that a thrown value, or what caused it, came from. */
export function serviceOf(thrown: unknown): string | undefined {
  let cause = thrown;
  for (let depth = 0; depth <= causesMax && typeof cause === "object" && cause !== null; depth++) {
    const name = blames.get(cause);
    if (name !== undefined) return name;
    cause = (cause as { cause?: unknown }).cause;
  }
  return undefined;
}

/** Objects that people wrote; what the language brings along has to stay what it is. */
const isWatchable = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  Object.prototype.toString.call(value) === "[object Object]" &&
  !isPromise(value);

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
