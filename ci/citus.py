"""citus.py: see ci/citus."""
import collections
import io
import os
import random
import re
import subprocess
import sys
import threading
import time

import psycopg2

ROWS = """
SELECT i AS id, nullif(i % 20, 13) AS g, CASE WHEN i % 50 <> 0 THEN (i * 37 % 211)::int4 END AS h, (i * 31 % 97)::int2 AS s,
    CASE WHEN i % 40 = 0 THEN NULL WHEN i % 997 = 0 THEN 'NaN' WHEN i % 499 = 0 THEN '-Infinity' ELSE (i * 7919 % 10007) / 7.0 END::float8 AS x,
    (i * 104729 % 65537) / 65537.0::float8 AS k, ((i * 31 % 1009) / 3.0)::float4 AS f, CASE WHEN i % 30 <> 0 THEN (i * 61 % 5003) / 3.0 END AS n,
    left(CASE WHEN i % 7 < 3 THEN upper(md5((i % 4000)::text)) ELSE md5((i % 4000)::text) END, 1 + (i % 12)::int) AS t, left(md5((i % 3000)::text), 9) COLLATE "C" AS tc, date '2020-01-01' + (i * 17 % 700)::int AS d,
    timestamp '2020-01-01' + i * 7 % 5000 * interval '1 hour' + i * interval '1 second' AS ts, timestamptz '2020-01-01 UTC' + i * 11 % 6007 * interval '1 minute' AS tz,
    md5(i::text)::uuid AS u,
    ARRAY(SELECT ((i * 13 + e * 7919) % 100)::float4 FROM generate_series(1, 12) e) AS a,
    ARRAY(SELECT CASE WHEN i % 3 = 0 THEN e ELSE (i * e * 37 % 50)::int4 END FROM generate_series(1, 12) e) AS b,
    ARRAY(SELECT md5((i * e)::text) FROM generate_series(1, (i % 6)::int) e) AS words
FROM generate_series(1::int8, 6000) i
"""
TABLES = f"""
DROP SCHEMA IF EXISTS gpusort_citus, gpusort_local CASCADE;
CREATE SCHEMA gpusort_citus;
CREATE SCHEMA gpusort_local;
CREATE TABLE gpusort_local.r AS {ROWS};
CREATE TABLE gpusort_local.c AS SELECT i % 2000 + 1 AS id, i * 7 % 6011 AS y, (i % 5)::int4 AS w FROM generate_series(1::int8, 6000) i;
CREATE TABLE gpusort_local.labels AS SELECT g, 'label ' || g % 7 AS label FROM generate_series(0, 19) g;
CREATE TABLE gpusort_local.sets AS
    SELECT g, id % 4 AS day, gpusort.sorted_set_agg(x) AS s FROM gpusort_local.r WHERE g IS NOT NULL GROUP BY g, id % 4;
CREATE TABLE gpusort_citus.r (LIKE gpusort_local.r);
CREATE TABLE gpusort_citus.c (LIKE gpusort_local.c);
CREATE TABLE gpusort_citus.labels (LIKE gpusort_local.labels);
CREATE TABLE gpusort_citus.sets (LIKE gpusort_local.sets);
SELECT create_distributed_table('gpusort_citus.r', 'id', shard_count => 8);
SELECT create_distributed_table('gpusort_citus.c', 'id', colocate_with => 'gpusort_citus.r');
SELECT create_distributed_table('gpusort_citus.sets', 'g', shard_count => 6);
SELECT create_reference_table('gpusort_citus.labels');
INSERT INTO gpusort_citus.r SELECT * FROM gpusort_local.r;
INSERT INTO gpusort_citus.c SELECT * FROM gpusort_local.c;
INSERT INTO gpusort_citus.labels SELECT * FROM gpusort_local.labels;
INSERT INTO gpusort_citus.sets SELECT * FROM gpusort_local.sets;
ANALYZE gpusort_local.r, gpusort_citus.r;
"""
NOT_OURS = {'gpusort.enable_sort': 'off', 'gpusort.enable_array_sort': 'off', 'gpusort.enable_aggregates': 'off'}
FORCED = {'gpusort.force_nodes': 'on', 'work_mem': "'64kB'"}
# Of the sessions that Citus opened on the workers: all that run a query of ours, and some that wait.
END_SESSIONS = """SELECT run_command_on_workers($$SELECT count(*) FILTER (WHERE state = 'active') FROM (
    SELECT state, pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND application_name LIKE 'citus_internal%' AND query LIKE '%gpusort_citus.%'
        AND (state = 'active' OR random() < 0.1) OFFSET 0) ended$$)"""


def read_queries():
    with open('ci/citus.sql', encoding='utf8') as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith('--')]


def is_ordered(query):
    """True if ORDER BY stands outside of any parentheses."""
    while '(' in query:
        query = re.sub(r'\([^()]*\)', '', query)
    return 'ORDER BY' in query


class Session:
    """A connection on which the names of tables mean the distributed ones, or the local ones."""

    def __init__(self, where, tables):
        self.connection = psycopg2.connect(where, application_name='ci/citus')
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        schemas = {'citus': 'gpusort_citus, gpusort_distributed, gpusort, public', 'local': 'gpusort_local, gpusort, public'}
        self.run(f'SET search_path = {schemas[tables]}')
        self.run("SET extra_float_digits = 1; SET statement_timeout = '60s'")
        if tables == 'local':
            for name, value in NOT_OURS.items():
                self.run(f'SET {name} = {value}')
        else:
            self.run("SET citus.propagate_set_commands = 'local'")

    def run(self, command):
        self.cursor.execute(command)

    def rows(self, query, settings=None):
        """The rows as text, which tells NaN and -0 apart too, in an order that may be compared."""
        self.run('BEGIN')
        try:
            for name, value in (settings or {}).items():
                self.run(f'SET LOCAL {name} = {value}')
            self.run(query)
            rows = [repr(row) for row in self.cursor.fetchall()]
        finally:
            if not self.connection.closed:
                self.run('ROLLBACK')
        return rows if is_ordered(query) else sorted(rows)

    def where(self, query):
        """What of a query runs on the coordinator and what on the workers, by its plan."""
        self.run('BEGIN; SET LOCAL gpusort.force_nodes = on')
        try:
            self.run('EXPLAIN (VERBOSE, COSTS OFF) ' + query)
            plan = [row[0] for row in self.cursor.fetchall()]
        finally:
            self.run('ROLLBACK')
        place, found = 'coordinator', {'coordinator': [], 'workers': []}
        task = 0
        for line in plan:
            indent = len(line) - len(line.lstrip())
            if line.strip().startswith('->  Task'):
                place, task = 'workers', indent
            elif place == 'workers' and indent <= task:
                place = 'coordinator'
            node = re.match(r'\s*(?:->  )?((?:Partial |Finalize )?(?:Hash|Group|Mixed)?Aggregate|Incremental Sort|Sort|WindowAgg|Limit|Custom Scan \(Gpusort\w+\))$', line)
            if node and node[1] not in found[place]:
                found[place].append(node[1].replace('Custom Scan ', '').strip('()'))
            for name in re.findall(r'(worker_\w*partial_agg|coord_\w*combine_agg)', line):
                if name not in found[place] and 'Query:' not in line:
                    found[place].append(name)
        return '; '.join(f'{name}: {", ".join(nodes) or "-"}' for name, nodes in found.items())


def outcome(session, query, settings=None):
    """Rows, or the message of the error."""
    try:
        return session.rows(query, settings)
    except psycopg2.Error as error:
        return f'{error.pgcode or "no code"}: {error}'.splitlines()[0]


def compare(session, queries, expected, settings, name):
    equal = 0
    for query in queries:
        got = outcome(session, query, settings)
        if got == expected[query]:
            equal += 1
        else:
            print(f'DIFFERS ({name}): {query}')
            if isinstance(got, str):
                print('    ' + got)
            else:
                unlike = [pair for pair in zip(got, expected[query]) if pair[0] != pair[1]]
                print(f'    {len(got)} rows, expected {len(expected[query])}; first: {[text[:200] for text in (unlike or [()])[0]]}')
    print(f'{equal} of {len(queries)} queries equal, {name}', flush=True)
    return equal == len(queries)


class Killer(threading.Thread):
    """Ends sessions on the workers, and a worker, until it is told to stop."""

    def __init__(self):
        super().__init__()
        self.done, self.ended, self.stopped = threading.Event(), 0, 0

    def run(self):
        commands = [os.environ.get(name) for name in ('CITUS_STOP', 'CITUS_START')]
        connection = None
        while not self.done.wait(random.uniform(0, 0.05)):
            if all(commands) and random.random() < 0.005:
                subprocess.run(commands[0], shell=True, check=True)
                time.sleep(0.5)
                subprocess.run(commands[1], shell=True, check=True)
                self.stopped += 1
            try:
                if connection is None:
                    connection = psycopg2.connect(os.environ['CITUS'])
                    connection.autocommit = True
                cursor = connection.cursor()
                cursor.execute(END_SESSIONS)
                self.ended += sum(int(match[1]) for row in cursor.fetchall() if (match := re.search(r',t,(\d+)\)', row[0])))
            except psycopg2.Error:
                connection = None


def kill(queries, expected, seconds):
    """Runs queries while sessions end: results or errors, and all of them equal afterwards."""
    killer = Killer()
    equal, errors, wrong = 0, collections.Counter(), []
    session = None
    killer.start()
    end = time.time() + seconds
    try:
        while time.time() < end:
            query, settings = random.choice(queries), random.choice([None, FORCED])
            try:
                session = session or Session(os.environ['CITUS'], 'citus')
                got = outcome(session, query, settings)
            except psycopg2.Error as error:
                session, got = None, f'connecting: {error}'
            if session and session.connection.closed:
                session = None
            if isinstance(got, str):
                errors[got if got.startswith('no code') else got.split(':')[0]] += 1
            elif got == expected[query]:
                equal += 1
            else:
                wrong.append(query)
    finally:
        killer.done.set()
        killer.join()
    print(f'{equal} queries equal, {errors.total()} errors, {len(wrong)} wrong results, while {killer.ended} queries on workers were ended '
          f'and a worker was stopped {killer.stopped} times; errors by code: {dict(errors.most_common())}')
    for query in wrong:
        print(f'WRONG (workers ended): {query}')
    if killer.ended == 0:
        print('no query was ended: nothing was shown')
    return not wrong and killer.ended > 0


SET_TYPES = ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'date', 'timestamp', 'timestamptz', 'uuid', 'interval', 'inet', 'jsonb', 'bytea', 'bool']
VALUE = """CASE WHEN i % 9 = 0 THEN NULL ELSE (CASE '{type}' WHEN 'date' THEN (date '2020-01-01' + i)::text WHEN 'uuid' THEN md5(i::text) WHEN 'interval' THEN i || ' hours'
    WHEN 'timestamp' THEN (timestamp '2020-01-01' + i * interval '1 minute')::text WHEN 'timestamptz' THEN (timestamptz '2020-01-01 UTC' + i * interval '1 minute')::text
    WHEN 'inet' THEN ('10.0.0.0'::inet + i)::text WHEN 'bytea' THEN '\\x' || md5(i::text) WHEN 'bool' THEN (i % 2 = 0)::text ELSE (i * 37 % 211)::text END)::{type} END"""


def exchange(here, there):
    """Sets made by each server are read and merged by the other, in text and in binary."""
    servers = []
    for where in (here, there):
        connection = psycopg2.connect(where)
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute('CREATE EXTENSION IF NOT EXISTS gpusort; SHOW server_version_num')
        servers.append((cursor, int(cursor.fetchone()[0]) // 10000))
        cursor.execute('CREATE TEMP TABLE made (type text, part int, s gpusort.sorted_set); CREATE TEMP TABLE got (LIKE made)')
        for name in SET_TYPES:
            cursor.execute(f"""INSERT INTO made SELECT '{name}', i % 2, gpusort.sorted_set_agg({VALUE.format(type=name)}, i % 2 = 1)
                FROM generate_series(1, 500) i GROUP BY i % 2, i % 2 = 1
                UNION ALL SELECT '{name}', 2, gpusort.sorted_set_agg({VALUE.format(type=name)}) FROM generate_series(1, 500) i""")
    good = True
    for (source, old), (target, new) in (servers, servers[::-1]):
        for form in ('text', 'binary'):
            data = io.BytesIO()
            source.copy_expert(f'COPY made TO STDOUT (FORMAT {form})', data)
            data.seek(0)
            target.execute('TRUNCATE got')
            target.copy_expert(f'COPY got FROM STDIN (FORMAT {form})', data)
            target.execute("""SELECT count(*), count(*) FILTER (WHERE g.s::text = m.s::text AND
                    gpusort.merge(g.s, m.s)::text = gpusort.merge(m.s, m.s)::text AND gpusort.sorted_set_count_distinct(g.s) = gpusort.sorted_set_count_distinct(m.s))
                FROM got g JOIN made m USING (type, part)""")
            count, equal = target.fetchone()
            print(f'{equal} of {count} sorted sets of PostgreSQL {old} read and merged on {new}, as {form}')
            good = good and equal == count == 3 * len(SET_TYPES)
    return good


def main():
    cluster = os.environ['CITUS']
    setup = psycopg2.connect(cluster)
    setup.autocommit = True
    cursor = setup.cursor()
    cursor.execute("SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS citus")
    cursor.execute("CREATE EXTENSION IF NOT EXISTS gpusort")
    cursor.execute("SELECT (regexp_match(citus_version(), '^\\S+ \\S+'))[1], current_setting('server_version'), (SELECT count(*) FROM citus_get_active_worker_nodes())")
    print('{}, PostgreSQL {}, {} workers'.format(*cursor.fetchone()), flush=True)
    for command in TABLES.split(';\n'):
        if command.strip():
            cursor.execute(command)
    queries = read_queries()
    local, session = Session(cluster, 'local'), Session(cluster, 'citus')
    expected = {query: local.rows(query) for query in queries}
    good = compare(session, queries, expected, None, 'as they are')
    good = compare(session, queries, expected, FORCED, 'nodes forced, 64 kB') and good
    if os.environ.get('CITUS_PLANS'):
        for query in queries:
            print(f'{session.where(query)}\n    {query}')
    good = kill(queries, expected, float(os.environ.get('CITUS_SECONDS', 20))) and good
    local.run('SELECT 1')               # a coordinator that had crashed would have ended this session
    good = compare(Session(cluster, 'citus'), queries, expected, None, 'after that') and good
    if os.environ.get('CITUS_OTHER'):
        good = exchange(cluster, os.environ['CITUS_OTHER']) and good
    # In a session of its own, for those that Citus kept to the workers are ended.
    Session(cluster, 'local').run('DROP SCHEMA gpusort_citus, gpusort_local CASCADE')
    return good


sys.exit(not main())
