// says: the id is no field of the body: give it to document(id, body)
import { collection } from "@headway/engine";
import { z } from "zod";

export default collection("orders", z.object({ id: z.string(), total: z.number() }));
