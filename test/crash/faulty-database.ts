export * from "../../engine/src/drill/faulty-database.ts";
