import { openPglite } from "../../engine/src/databases/pglite.ts";
import { describeTrio } from "./stage-trio.ts";

describeTrio("PGlite", () => openPglite({ folder: null, inline: true }));
