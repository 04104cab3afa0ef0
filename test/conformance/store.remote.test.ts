import { openThroughDoor } from "../support/through-door.ts";
import { describeStore } from "./store.ts";

describeStore("PGlite of another process", openThroughDoor);
