import type { Signal } from "@headway/engine";

export interface Progress {
  readonly heard: (signal: Signal) => void;
  /** Attempts that were made. */
  ran(): number;
  end(): void;
}

/** What is worth a line is printed as one; on a terminal a last line counts the rest, in place. */
export function showProgress(out: NodeJS.WriteStream, silent: boolean): Progress {
  const done = new Map<string, number>();
  let ran = 0;
  let drawnAt = 0;
  const live = out.isTTY === true && !silent;

  const status = () => [...done].map(([stage, count]) => `${stage} ${count}`).join("   ");
  const erase = () => (live ? "\r\x1b[2K" : "");
  const draw = (now: number) => {
    if (!live || now - drawnAt < 50) return;
    drawnAt = now;
    out.write(erase() + `  done: ${status()}`.slice(0, (out.columns || 80) - 1));
  };
  return {
    heard(signal) {
      if (signal.kind === "task.done" || signal.kind === "task.retried" || signal.kind === "task.died")
        ran += 1;
      if (signal.kind === "task.done") done.set(signal.stage, (done.get(signal.stage) ?? 0) + 1);
      const line = lineOf(signal);
      if (line && !silent) out.write(`${erase()}  ${line}\n`);
      draw(signal.at.getTime());
    },
    ran: () => ran,
    end() {
      if (live) out.write(erase());
    },
  };
}

function lineOf(signal: Signal): string | null {
  switch (signal.kind) {
    case "documents.accepted":
      return `${signal.inserted + signal.changed + signal.unchanged} letters are in the database: from here on none is lost`;
    case "document.normalised":
      return `${signal.documentId}: ${signal.replaced} ${signal.replaced === 1 ? "character" : "characters"} that PostgreSQL cannot store became U+FFFD`;
    case "task.retried":
      return `${signal.documentId}: ${signal.fault.message}; tried again in ${Math.round((signal.nextAt.getTime() - signal.at.getTime()) / 100) / 10} s`;
    case "task.held":
      return `${signal.documentId}: held, because ${signal.dependency} is down; costs no attempt`;
    case "task.died":
      return `${signal.documentId}: dead in ${signal.stage}, ${signal.fault.code}; the others go on`;
    case "breaker.opened":
      return `${signal.dependency} is down: nothing is sent to it but one document now and then`;
    case "breaker.closed":
      return `${signal.dependency} is back`;
    case "worker.evicted":
      return `a worker that ended without a word held ${signal.freed} tasks: they are free again`;
    default:
      return null;
  }
}
