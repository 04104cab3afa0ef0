import { join } from "node:path";
import { type Blobs, openBlobs, readSettings, type Settings } from "@headway/consensus";
import type { Database } from "@headway/engine/operate";
import type { Place } from "./shared-options.ts";

/** The bytes of archives, for who has the database open already. */
export const openKeptBlobs = (place: Place, database: Database): Promise<Blobs> =>
  openBlobs({
    folder: join(place.data, "blobs"),
    database: Promise.resolve(database),
    option: place.database,
    settings: settingsOrDefaults(),
  });

/** Whoever reads and removes looks in every place there is, so a bad setting need not keep him from it. */
function settingsOrDefaults(): Settings {
  try {
    return readSettings(process.env);
  } catch {
    return readSettings({});
  }
}
