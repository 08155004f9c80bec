"""Lines into a table of ClickHouse, merged into one part; prints what they take.

Usage: clickhouse.py FILE FOLDER [text]

With `text` the table has ClickHouse's index of words as well.
"""

import json
import sys
import time

from chdb import session

path, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
index = ""
if "text" in options:
    index = ", INDEX words message TYPE text(tokenizer = splitByNonAlpha)"
clickhouse = session.Session(folder)
clickhouse.query("CREATE DATABASE logs ENGINE = Atomic")
clickhouse.query(
    f"CREATE TABLE logs.lines (message String CODEC(ZSTD(3)){index}) "
    "ENGINE = MergeTree ORDER BY tuple()"
)
start = time.process_time()
quoted = path.replace("\\", "\\\\").replace("'", "\\'")
clickhouse.query(
    "INSERT INTO logs.lines SELECT line "
    f"FROM file('{quoted}', 'LineAsString', 'line String') WHERE line != ''"
)
clickhouse.query("OPTIMIZE TABLE logs.lines FINAL")
cpu_seconds = time.process_time() - start
answer = clickhouse.query(
    "SELECT sum(rows) AS messages, sum(bytes_on_disk) AS bytes, "
    "sum(secondary_indices_compressed_bytes) AS index_bytes "
    "FROM system.parts WHERE database = 'logs' AND active",
    "JSONEachRow",
)
told = {name: int(value) for name, value in json.loads(str(answer)).items()}
print(json.dumps({**told, "cpu_seconds": cpu_seconds}))
