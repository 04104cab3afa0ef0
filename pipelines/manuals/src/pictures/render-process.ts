import { withLent } from "../pdf/lent-pdf.ts";
import { writePng } from "../pdf/png.ts";
import { type RenderOptions, renderPage } from "../pdf/render.ts";

/** A process of its own: a page that breaks or never ends costs only its picture. */
export interface RenderRequest extends RenderOptions {
  readonly path: string;
  readonly page: number;
}

export type RenderReply =
  | { readonly png: Uint8Array; readonly width: number; readonly height: number; readonly scale: number }
  | { readonly code: string; readonly message: string };

if (process.send !== undefined && process.env.HEADWAY_RENDERS === "1")
  process.on("message", (request: RenderRequest) => {
    void answer(request).then((reply) => process.send?.(reply));
  });

async function answer({ path, page, ...options }: RenderRequest): Promise<RenderReply> {
  try {
    const { width, height, bytes, scale } = await withLent(path, (pdfium, pdf) =>
      renderPage(pdfium, pdf, page, options),
    );
    return { png: writePng({ width, height, bytes }), width, height, scale };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { code: typeof code === "string" ? code : "pdf.page", message: String(message) };
  }
}
