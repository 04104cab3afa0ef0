"""Counts the mails of the corpora without any of our code: Python's own mailbox and email modules.

    python3 bench/quality/count-mails.py ../shared/corpora > bench/quality/known-counts.json

For each archive: how many mails it has, and how many different Message-IDs are in them (a mail without one counts as
different from all others). For each list: the same over all of its archives.
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
        for at, key in enumerate(box.keys()):
            found = email.message_from_bytes(box.get_bytes(key))
            yield str(found["message-id"] or "").strip() or f"none {path} {at}"


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
