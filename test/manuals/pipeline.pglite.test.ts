import { describe } from "vitest";
import { describeManuals } from "./pipeline.ts";

describe("on PGlite", () => describeManuals(() => null));
