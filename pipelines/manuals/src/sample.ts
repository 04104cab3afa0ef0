import { fileURLToPath } from "node:url";

/** The service manual that comes with the package; some of its pages cannot be read, on purpose. */
export const sampleManualPath = (): string =>
  fileURLToPath(new URL("../sample/tide-gauge.pdf", import.meta.url));
