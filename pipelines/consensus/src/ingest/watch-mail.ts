import { type WatchOptions, watchFolder } from "@headway/intake";
import { mailRecogniser } from "./recognise-mail.ts";

/** Watches a folder for mail until the signal ends it. */
export const watchMail = (folder: string, options: Omit<WatchOptions, "recogniser">): Promise<void> =>
  watchFolder(folder, { recogniser: mailRecogniser, ...options });
