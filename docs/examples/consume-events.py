#!/usr/bin/env python3
"""Consumes events of Headway with plain AMQP 0-9-1: each fact once, whatever is repeated.

    apt install python3-pika        (or: pip install pika)
    HEADWAY_BROKER_URL=amqp://… python3 consume-events.py 'json.parsed' '#.failed'

What is new is printed as a line of JSON. It ends with Ctrl-C.
"""
import json
import os
import sqlite3
import sys

import pika

URL = os.environ.get("HEADWAY_BROKER_URL", "amqp://localhost")
EXCHANGE = os.environ.get("HEADWAY_BROKER_EXCHANGE", "headway.events")
QUEUE = os.environ.get("QUEUE", "example.events")
KEYS = sys.argv[1:] or ["#.parsed", "#.failed"]


def open_memory(path):
    """What we have dealt with, and what came of it, in one place: so one commit holds both."""
    memory = sqlite3.connect(path)
    memory.execute("create table if not exists seen (event_id text primary key, event_type text not null)")
    return memory


def deal_with(memory, event):
    """True if it was new. What it leads to belongs into the same transaction as its id."""
    with memory:
        added = memory.execute(
            "insert or ignore into seen values (?, ?)", (event["event_id"], event["event_type"])
        )
        return added.rowcount == 1


def main():
    memory = open_memory(os.environ.get("MEMORY", "example-events.sqlite"))
    channel = pika.BlockingConnection(pika.URLParameters(URL)).channel()
    # Not passive: whoever comes first makes it, so that it does not matter who starts first.
    channel.exchange_declare(EXCHANGE, "topic", durable=True)
    channel.queue_declare(QUEUE, durable=True, arguments={"x-queue-type": "quorum"})
    for key in KEYS:
        channel.queue_bind(QUEUE, EXCHANGE, key)
    channel.basic_qos(prefetch_count=50)
    print(f"Waiting for {', '.join(KEYS)}; stop with Ctrl-C.", file=sys.stderr, flush=True)
    known = 0
    for method, _properties, body in channel.consume(QUEUE):
        event = json.loads(body)
        if event["version"].split(".")[0] != "1":
            # Made by a newer Headway than this program knows: leave it in the queue and stop, so that somebody sees it.
            sys.exit(f"Version {event['version']} of {event['event_type']} is not known here.")
        if deal_with(memory, event):
            print(json.dumps(event), flush=True)
        else:
            known += 1
            print(f"{known} known before.", file=sys.stderr, flush=True)
        # Only now: if this program dies before, the broker gives it to us again.
        channel.basic_ack(method.delivery_tag)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
