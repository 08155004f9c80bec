"""Lines into an index of tantivy with the lines themselves kept; prints what they take.

Usage: tantivy_lines.py FILE FOLDER
"""

import json
import os
import sys
import time

import tantivy

HEAP_BYTES = 512_000_000

path, folder = sys.argv[1:]
schema = tantivy.SchemaBuilder()
schema.add_text_field("message", stored=True, tokenizer_name="default", index_option="basic")
index = tantivy.Index(schema.build(), path=folder)
start = time.process_time()
writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
messages = 0
with open(path, encoding="utf-8", errors="replace", newline="\n") as lines:
    for line in lines:
        line = line.rstrip("\n")
        if line:
            document = tantivy.Document()
            document.add_text("message", line)
            writer.add_document(document)
            messages += 1
writer.commit()
writer.wait_merging_threads()
cpu_seconds = time.process_time() - start
sizes = {entry.name: entry.stat().st_size for entry in os.scandir(folder)}
total = sum(sizes.values())
stored = sum(size for name, size in sizes.items() if name.endswith(".store"))
print(
    json.dumps(
        {
            "messages": messages,
            "bytes": total,
            "index_bytes": total - stored,
            "cpu_seconds": cpu_seconds,
        }
    )
)
