import { fileURLToPath } from "node:url";

/** The bundled archive of an invented working group; see its README for what is in it. */
export const samplePath = (): string => fileURLToPath(new URL("../sample/tidewg.mbox", import.meta.url));
