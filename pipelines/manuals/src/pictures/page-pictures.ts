import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { permanent } from "@headway/engine";
import type { Papers } from "../ingest/papers.ts";
import { type RenderOptions, renderLimits } from "../pdf/render.ts";
import type { RenderReply, RenderRequest } from "./render-process.ts";

/** A picture of a page, or of a part of a page. */
export interface PagePicture {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** Pixels per point. */
  readonly scale: number;
}

export interface PictureRequest extends Partial<RenderOptions> {
  readonly blob: string;
  /** From 1, as the file counts. */
  readonly page: number;
}

/** Page pictures, painted when asked for; to be closed. */
export interface PagePictures {
  picture(request: PictureRequest): Promise<PagePicture>;
  close(): void;
}

const limits = { timeMs: 20_000, idleMs: 30_000, keptMax: 48, memoryMb: 512 } as const;
export const pictureWidth = 1_000;

/** One process paints, one page after another. Pictures asked for lately are kept. */
export function openPagePictures(papers: Pick<Papers, "path">): PagePictures {
  const kept = new Map<string, Promise<PagePicture>>();
  const painter = makePainter();
  return {
    picture(request) {
      const { blob, page, width = pictureWidth, marks = [], region } = request;
      const key = JSON.stringify([blob, page, width, marks, region ?? null]);
      const found =
        kept.get(key) ??
        papers
          .path(blob)
          .then((path) => painter.paint({ path, page, width, marks, ...(region && { region }) }));
      kept.delete(key);
      kept.set(key, found);
      found.catch(() => kept.delete(key));
      for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - limits.keptMax)))
        kept.delete(oldest);
      return found;
    },
    close() {
      kept.clear();
      painter.end();
    },
  };
}

function makePainter() {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(idle);
    child?.kill("SIGKILL");
    child = null;
  };
  const now = async (request: RenderRequest): Promise<PagePicture> => {
    clearTimeout(idle);
    child ??= startChild();
    const reply = await ask(child, request).catch((error) => {
      end();
      throw error;
    });
    idle = setTimeout(end, limits.idleMs).unref();
    if ("code" in reply) throw permanent(reply.code, reply.message);
    return { ...reply, png: Buffer.from(reply.png) };
  };
  return {
    end,
    paint(request: RenderRequest): Promise<PagePicture> {
      const next = last.then(() => now(request));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

function startChild(): ChildProcess {
  const module = new URL(
    import.meta.url.endsWith(".ts") ? "./render-process.ts" : "./render-process.js",
    import.meta.url,
  );
  const source = module.pathname.endsWith(".ts");
  const tsx = source ? pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href : null;
  const child = fork(fileURLToPath(module), {
    execArgv: [
      ...(tsx ? ["--conditions=@headway/source", `--import=${tsx}`] : []),
      `--max-old-space-size=${limits.memoryMb}`,
    ],
    // No variable of this process is handed on: some are secrets.
    env: { HEADWAY_RENDERS: "1", PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function ask(child: ChildProcess, request: RenderRequest): Promise<RenderReply> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) =>
      settle(() => reject(permanent("pdf.page", `Page ${request.page} cannot be shown: ${what}.`)));
    const timer = setTimeout(() => fail(`painting took more than ${limits.timeMs / 1_000} s`), limits.timeMs);
    const onMessage = (reply: unknown) => settle(() => resolve(reply as RenderReply));
    const onExit = () => fail("its process ended");
    const settle = (then: () => void) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      child.off("error", onExit);
      then();
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
    child.on("error", onExit);
    child.send(request, (error) => error && fail("its process does not listen"));
  });
}

export const pictureWidthMax = renderLimits.widthMax;
