"""Counts the mails of the corpora without any of our code: Python's own mailbox and email modules.

    python3 bench/quality/count-mails.py ../shared/corpora > bench/quality/known-counts.json

For each archive: how many mails it has, and how many different Message-IDs are in them (a mail without one is known by
its From, Date and Subject). For each list: the same over all of its archives. Python takes a line of prose that begins
with "From " for the beginning of a mail; what has no header field after such a line is not counted.
"""

import email
import gzip
import json
import mailbox
import os
import re
import sys
import tempfile


def archives(root):
    for folder in sorted(os.listdir(root)):
        if not folder.startswith("list-"):
            continue
        for place, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if re.search(r"\.(mbox|txt|txt\.gz)$", name) and name != "SOURCE.txt":
                    yield folder, os.path.join(place, name)


def message_ids(path):
    with open(path, "rb") as file:
        stored = file.read()
    with tempfile.NamedTemporaryFile() as unpacked:
        unpacked.write(gzip.decompress(stored) if path.endswith(".gz") else stored)
        unpacked.flush()
        box = mailbox.mbox(unpacked.name)
        for key in box.keys():
            raw = box.get_bytes(key)
            if not re.match(rb"[!-9;-~]+[ \t]*:", raw):
                continue
            found = email.message_from_bytes(raw)
            given = str(found["message-id"] or "").strip()
            yield given or " ".join(str(found[name]) for name in ("from", "date", "subject"))


def main(root):
    files, lists = {}, {}
    for folder, path in archives(root):
        ids = list(message_ids(path))
        if not ids:
            continue
        files[os.path.relpath(path, root)] = {"mails": len(ids), "messages": len(set(ids))}
        known = lists.setdefault(folder, [])
        known.extend(ids)
    totals = {name: {"mails": len(ids), "messages": len(set(ids))} for name, ids in lists.items()}
    json.dump({"files": files, "lists": totals}, sys.stdout, indent=2, sort_keys=True)
    print()


main(sys.argv[1])
