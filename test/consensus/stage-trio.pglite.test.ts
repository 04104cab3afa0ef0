import { openPglite } from "../../engine/src/store/pglite.ts";
import { describeTrio } from "./stage-trio.ts";

describeTrio("PGlite", () => openPglite({ folder: null, inline: true }));
