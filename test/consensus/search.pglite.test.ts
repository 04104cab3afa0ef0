import { describeSearch } from "./search.ts";

describeSearch("PGlite", () => ({ memory: true }));
