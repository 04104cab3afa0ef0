// says: declare it by groupStage(), whose run is given all documents of a group
import { stage } from "@headway/engine";
import { invoices, lines } from "./shop.ts";

export default stage("invoicing", { reads: lines, writes: [invoices], per: () => "all", *run() {} });
