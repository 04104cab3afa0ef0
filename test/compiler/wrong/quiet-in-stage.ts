// says: declare it by groupStage(): only groups have a quiet time
import { stage } from "@headway/engine";
import { invoices, lines } from "./shop.ts";

export default stage("invoicing", { reads: lines, writes: [invoices], quiet: "30s", *run() {} });
