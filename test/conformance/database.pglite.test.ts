import { openPglite } from "../../engine/src/databases/pglite.ts";
import { describeDatabase } from "./database.ts";

describeDatabase("PGlite in a thread", () => openPglite({ folder: null, schema: "conformance" }));
describeDatabase("PGlite in this thread", () => openPglite({ folder: null, inline: true }));
