import { join } from "node:path";
import { type Blobs, openBlobs, readSettings, type Settings } from "@headway/consensus";
import type { Database } from "@headway/engine/operate";
import type { Place } from "./shared-options.ts";

/** The blob store, for commands with an open database. */
export const openKeptBlobs = (place: Place, database: Database): Promise<Blobs> =>
  openBlobs({
    folder: join(place.data, "blobs"),
    database: Promise.resolve(database),
    option: place.database,
    settings: settingsOrDefaults(),
  });

/** Reading and removing covers all stores, so invalid settings need not prevent either. */
function settingsOrDefaults(): Settings {
  try {
    return readSettings(process.env);
  } catch {
    return readSettings({});
  }
}
