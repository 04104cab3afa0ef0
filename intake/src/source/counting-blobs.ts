import type { Blobs } from "../blobs.ts";

/** A blob store that counts the bytes put into it. */
export function countingBlobs(blobs: Blobs): { readonly blobs: Blobs; bytes(): number } {
  let bytes = 0;
  return {
    bytes: () => bytes,
    blobs: {
      ...blobs,
      async put(source, options) {
        const stored = await blobs.put(source, options);
        bytes += stored.size;
        return stored;
      },
    },
  };
}
