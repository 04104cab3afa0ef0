import { groupStage } from "@headway/engine";
import { prints, profiles } from "../collections.ts";
import { profileManual } from "../profile/profile-manual.ts";

/** A manual becomes its profile: type, maker, models, language, revision and date, each with witnesses. */
export const profiling = groupStage("profiling", {
  reads: prints,
  per: ({ manual }) => manual,
  quiet: "500ms",
  writes: [profiles],
  retry: { attempts: 5 },
  *run({ key, documents }) {
    if (documents.length > 0) yield profiles.document(key, { manual: key, ...profileManual(documents) });
  },
});
