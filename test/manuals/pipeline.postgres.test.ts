import { describe } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { describeManuals } from "./pipeline.ts";

const postgres = useOwnSchema("manuals");

describe("on PostgreSQL", () => describeManuals(() => ({ url: postgres.url, schema: postgres.fresh() })));
