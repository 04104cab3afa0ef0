// says: Did you mean to write 'needs'?
import { stage } from "@headway/engine";
import { lines, orders, prices } from "./shop.ts";

export default stage("pricing", { reads: orders, writes: [lines], need: [prices], *run() {} });
