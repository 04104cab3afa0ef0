// says: declare it by batchStage(), whose run is given many documents
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", { reads: orders, writes: [lines], batch: 10, *run() {} });
