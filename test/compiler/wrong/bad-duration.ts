// says: Type '"soon"' is not assignable to type
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", { reads: orders, writes: [lines], timeout: "soon", *run() {} });
