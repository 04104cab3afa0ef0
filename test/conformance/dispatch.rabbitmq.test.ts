import { afterEach, beforeEach, describe } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";
import { describeDispatch } from "./dispatch.ts";

describe("news by RabbitMQ", () => {
  let vhost: Vhost | undefined;
  beforeEach(async () => {
    vhost = await freshVhost();
  });
  afterEach(() => vhost?.close());
  describeDispatch(useOwnSchema("rabbit"), () => ({ url: (vhost as Vhost).url }));
});
