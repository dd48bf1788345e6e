#!/usr/bin/env python3
"""What bench/everyday and bench/run parallel ask of DuckDB.

duckdb_queries.py data FACTOR FOLDER           writes TPC-H's tables of that scale factor, and schema.sql
duckdb_queries.py measure FOLDER RUNS QUERIES  prints id, contender, median ms, least ms, runs as CSV

schema.sql makes the tables, and where FOLDER has CSV files of TPC-H's, these fill them. QUERIES is a
CSV file of id, contender, threads (0 for all), kind, query.
"""
import csv
import os
import statistics
import sys
import time

import duckdb

TABLES = ("customer", "orders", "lineitem")
# Where a query took longer twice, its second time is all, as in bench/prepare.sql.
LONG_MS = 5000


def write(factor, folder):
    connection = duckdb.connect()
    connection.execute(f"CALL dbgen(sf = {factor})")
    with open(f"{folder}/schema.sql", "w") as schema:
        for table in TABLES:
            connection.execute(f"COPY {table} TO '{folder}/{table}.csv' (FORMAT csv, HEADER false)")
            schema.write(connection.execute("SELECT sql FROM duckdb_tables() WHERE table_name = ?", [table]).fetchone()[0])


def loaded(folder):
    connection = duckdb.connect()
    with open(f"{folder}/schema.sql") as schema:
        connection.execute(schema.read())
    for table in TABLES:
        if os.path.exists(f"{folder}/{table}.csv"):
            connection.execute(f"COPY {table} FROM '{folder}/{table}.csv' (FORMAT csv, HEADER false)")
    return connection


def milliseconds(connection, kind, query):
    started = time.perf_counter()
    if kind == "copy":
        connection.execute(f"COPY ({query}) TO '/dev/null' (FORMAT csv, DELIMITER '\t', HEADER false)")
    elif kind == "fetch":
        connection.execute(query).fetchmany(100)
    else:
        connection.execute(query)
    return 1000 * (time.perf_counter() - started)


def measure(folder, runs, queries):
    connection = loaded(folder)
    connection.execute("SET enable_progress_bar = false")
    out = csv.writer(sys.stdout)
    with open(queries, newline="") as lines:
        for number, contender, threads, kind, query in csv.reader(lines):
            connection.execute(f"SET threads = {int(threads) or len(os.sched_getaffinity(0))}")
            warming = milliseconds(connection, kind, query)
            taken = [milliseconds(connection, kind, query)]
            if min(warming, taken[0]) <= LONG_MS:
                taken += [milliseconds(connection, kind, query) for _ in range(runs - 1)]
            out.writerow([number, contender, round(statistics.median_low(taken), 3), round(min(taken), 3), len(taken)])


if sys.argv[1] == "data":
    write(sys.argv[2], sys.argv[3])
else:
    measure(sys.argv[2], int(sys.argv[3]), sys.argv[4])
