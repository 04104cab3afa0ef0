import { fileURLToPath } from "node:url";

/** The bundled archive of an invented working group; see the README there. */
export const samplePath = (): string => fileURLToPath(new URL("../sample/tidewg.mbox", import.meta.url));
