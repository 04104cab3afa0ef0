import { openPglite } from "../../engine/src/databases/pglite.ts";
import { describeStore } from "./store.ts";

describeStore("PGlite", () => openPglite({ folder: null, inline: true }));
