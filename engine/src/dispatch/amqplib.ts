import type { ChannelModel, Options } from "amqplib";
import { packageError } from "../define/definition-error.ts";

type Connect = (url: string, options: ConnectOptions) => Promise<ChannelModel>;
type ConnectOptions = Partial<Options.Connect> & {
  readonly noDelay?: boolean;
  readonly timeout?: number;
  readonly clientProperties?: object;
};

/** The driver of RabbitMQ, an optional package; without it a broker is refused at start. */
export async function loadConnect(): Promise<Connect> {
  try {
    const { connect } = await import("amqplib");
    return connect as Connect;
  } catch (error) {
    throw packageError(error, { name: "amqplib", purpose: "or unset HEADWAY_BROKER_URL" });
  }
}
