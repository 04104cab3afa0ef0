#!/usr/bin/env python3
"""Tells Headway of a mail archive with plain AMQP 0-9-1; Headway then reads it.

    apt install python3-pika        (or: pip install pika)
    HEADWAY_BROKER_URL=amqp://… python3 inject-archive.py LIST FILE

A small file travels in the event. Of a large one only its path does: it has to be below the folder that HEADWAY_INBOX names
where Headway works. Telling the same again changes nothing.
"""
import base64
import datetime
import hashlib
import json
import os
import sys
import uuid

import pika

URL = os.environ.get("HEADWAY_BROKER_URL", "amqp://localhost")
EXCHANGE = os.environ.get("HEADWAY_BROKER_EXCHANGE", "headway.events")
# An event may have 1 MiB, and base64 makes three bytes four.
SMALL = 700_000


def describe(name, path):
    """The data of the event: docs/reference/schemas/events/ArchiveIngested.v1.json."""
    with open(path, "rb") as file:
        content = file.read()
    data = {
        "source_name": name,
        "source_type": "local",
        "file_name": os.path.basename(path),
        "file_size_bytes": len(content),
        "file_hash_sha256": hashlib.sha256(content).hexdigest(),
    }
    if len(content) <= SMALL:
        data["content_base64"] = base64.b64encode(content).decode("ascii")
    else:
        data["file_path"] = os.path.abspath(path)
    return data


def main(name, path):
    data = describe(name, path)
    # The same fact, the same id, however often it is told.
    fact = f"{name}/{data['file_name']}/{data['file_hash_sha256']}"
    event = {
        "event_type": "ArchiveIngested",
        "event_id": str(uuid.uuid5(uuid.NAMESPACE_URL, fact)),
        "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "version": "1.0",
        "data": data,
    }
    with pika.BlockingConnection(pika.URLParameters(URL)) as connection:
        channel = connection.channel()
        # With confirms, publishing returns when the broker has it for good; what no queue wants is an error.
        channel.confirm_delivery()
        channel.basic_publish(
            EXCHANGE,
            "archive.ingested",
            json.dumps(event).encode("utf-8"),
            pika.BasicProperties(
                content_type="application/json",
                delivery_mode=pika.spec.PERSISTENT_DELIVERY_MODE,
                message_id=event["event_id"],
                type=event["event_type"],
                app_id="example",
            ),
            mandatory=True,
        )
    print(event["event_id"])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: inject-archive.py LIST FILE")
    main(*sys.argv[1:])
