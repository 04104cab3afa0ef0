import { countingBlobs, type Feeder } from "@headway/intake";
import { feedManuals } from "./feed.ts";
import type { Manuals } from "./manuals.ts";

/** Takes in PDF files of sources. */
export const makeManualFeeder = (manuals: Manuals): Feeder => ({
  async places(places, { allowPrivate, signal }) {
    const { blobs, bytes } = countingBlobs(manuals.blobs);
    const fed = await feedManuals({ ...manuals, blobs }, places, { allowPrivate, signal });
    const { accepted, unchanged, skipped, refused } = fed;
    return { new: accepted.length, unchanged, bytes: bytes(), skipped, refused };
  },
});
