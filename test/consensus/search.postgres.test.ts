import { useOwnSchema } from "../support/own-schema.ts";
import { describeSearch } from "./search.ts";

const { url, fresh } = useOwnSchema("search");
describeSearch("PostgreSQL", () => ({ url, schema: fresh() }));
