import { describe } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { describeDispatch } from "./dispatch.ts";

describe("news by the database", () => {
  describeDispatch(useOwnSchema("dispatch"), () => null);
});
