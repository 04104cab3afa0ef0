import { type Catalogue, doneSchema, failedSchema, failedType } from "../decide/envelope.ts";
import type { Emit } from "../decide/signal.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { Stage } from "../define/stage.ts";
import { startDatabaseDispatch } from "../dispatch/database.ts";
import type { Dispatch } from "../dispatch/dispatch.ts";
import { defaultExchange, startRabbitDispatch } from "../dispatch/rabbitmq.ts";
import type { Database } from "../store/database.ts";
import { repeatDeaths } from "../store/outbox.ts";
import { quarantine } from "../store/quarantine.ts";
import type { Clock } from "./clock.ts";
import type { Controls } from "./controls.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import { openReception, type Receiver, type Reception } from "./receive.ts";
import type { RunningWorker } from "./worker.ts";

/** A RabbitMQ that carries notifications and events. */
export interface BrokerOption {
  /** `amqp://user:password@host/vhost`. */
  readonly url: string;
  /** The topic exchange for events; `headway.events` by default. */
  readonly exchange?: string;
}

export interface NewsParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly emit: Emit;
  readonly controls: Controls;
  readonly name: string;
  /** The stages of this process. */
  readonly stages: ReadonlySet<number>;
  readonly broker: BrokerOption | null;
  readonly receivers: readonly Receiver[];
}

/** Transport of notifications to and from a worker. */
export interface News {
  readonly dispatch: Dispatch;
  /** Connects the running worker; before, notifications are dropped. */
  tell(worker: Pick<RunningWorker, "wake" | "hear">, reap: () => void): void;
  /** Stops receiving. */
  stop(): void;
}

/** Connects a worker, started later, with the transport: the database, or a broker in front. */
export async function openNews(parts: NewsParts): Promise<News> {
  const { db, clock, graph, controls } = parts;
  const all = graph.stages.map((plan) => plan.number);
  let worker: Pick<RunningWorker, "wake" | "hear"> | null = null;
  let reap: () => void = () => undefined;
  const byDatabase = await startDatabaseDispatch(db, clock, {
    work: (stages) => worker?.wake(stages),
    // A stage may have been resumed, a breaker closed, a document deleted by a person.
    controls: () =>
      void controls.refresh().then(
        () => {
          worker?.wake(all);
          reap();
        },
        () => undefined,
      ),
  });
  const reception = openReception({
    ...parts,
    notFoundYet: (number) => {
      const plan = graph.stages.find((one) => one.number === number) as PlannedStage;
      return controls.policies(plan)["not-found-yet"];
    },
    hear: (stage, receipt) => (worker ? worker.hear(stage, receipt) : receipt.again()),
  });
  const { broker } = parts;
  return {
    dispatch: broker ? await startBroker({ ...parts, broker }, byDatabase, reception) : byDatabase,
    tell(running, reaping) {
      worker = running;
      reap = reaping;
    },
    stop: reception.stop,
  };
}

async function startBroker(
  { broker, db, clock, graph, emit, name, stages, receivers }: NewsParts & { readonly broker: BrokerOption },
  byDatabase: Dispatch,
  reception: Reception,
): Promise<Dispatch> {
  if (!/^amqps?:\/\/[^/]/.test(broker.url) || !URL.canParse(broker.url)) {
    throw new DefinitionError("The broker must be an address such as amqp://user:password@host/vhost.");
  }
  const options = {
    url: broker.url,
    exchange: broker.exchange ?? defaultExchange,
    name,
    receives: receivers.map((one) => one.type),
    catalogue: catalogueOf(graph.stages.map((plan) => plan.stage)),
    stages: graph.stages.map(({ number, stage }) => ({
      number,
      name: stage.name,
      failed: failedType(stage.announces),
      mine: stages.has(number),
    })),
  };
  return await startRabbitDispatch(options, {
    otherwise: byDatabase,
    clock,
    emit,
    delivery: reception.delivery,
    forgotten: async () => {
      await repeatDeaths(db);
    },
    unfit: async (event, detail) => {
      const body = Buffer.from(JSON.stringify(event));
      await quarantine(
        db,
        { queue: "outbox", reason: "bad-data", detail, body, properties: "{}" },
        clock.now(),
      );
      emit({ kind: "delivery.quarantined", queue: "outbox", reason: "bad-data", detail });
    },
  });
}

/** The data schemas of all events announced by these stages. */
export function catalogueOf(stages: readonly Pick<Stage, "announces">[]): Catalogue {
  const done = stages.flatMap(({ announces }) => announces.done ?? []);
  const failed = stages.map(({ announces }) => failedType(announces));
  return new Map([
    ...done.map((type) => [type, doneSchema] as const),
    ...failed.map((type) => [type, failedSchema] as const),
  ]);
}
