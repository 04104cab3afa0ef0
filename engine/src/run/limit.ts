/** Runs functions, at most so many at the same time, in the order they came. */
export function limitTo(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  let head = 0;
  const next = () => {
    running -= 1;
    const start = waiting[head];
    if (!start) return;
    head += 1;
    if (head === waiting.length) {
      waiting.length = 0;
      head = 0;
    }
    start();
  };
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await run();
    } finally {
      next();
    }
  };
}
