import { openPglite } from "../../engine/src/store/pglite.ts";
import { describeStore } from "./store.ts";

describeStore("PGlite", () => openPglite({ folder: null, inline: true }));
