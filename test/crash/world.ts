export * from "../../engine/src/drill/world.ts";
