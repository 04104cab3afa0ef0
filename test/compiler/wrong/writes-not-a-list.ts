// says: is missing the following properties from type 'readonly AnyCollection[]'
import { stage } from "@headway/engine";
import { lines, orders } from "./shop.ts";

export default stage("pricing", { reads: orders, writes: lines, *run() {} });
