"""Reads documents, then answers questions; see fts5.go for the lines."""

import json
import re
import sqlite3
import sys
import time

db = sqlite3.connect(":memory:")
db.execute("create virtual table t using fts5(name, tags, description, body)")


def documents():
    for line in sys.stdin:
        if not line.strip():
            return
        yield json.loads(line)


db.executemany("insert into t values (?, ?, ?, ?)", documents())
db.execute("insert into t(t) values ('optimize')")
db.commit()
print("ready", flush=True)
for line in sys.stdin:
    question = " OR ".join(re.findall(r"\w+", line))
    begin = time.perf_counter_ns()
    found = db.execute(
        "select name from t where t match ? order by bm25(t, 4, 3, 2, 1) limit 10", (question,)
    ).fetchall()
    print(time.perf_counter_ns() - begin, len(found), flush=True)
