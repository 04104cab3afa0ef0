import { openThroughDoor } from "../support/through-door.ts";
import { describeDatabase } from "./database.ts";

describeDatabase("PGlite of another process", openThroughDoor);
