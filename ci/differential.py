"""differential.py COMPARISONS SECONDS JOBS ROWS [SEED]: see ci/differential, which runs it on a server of its own.

A query is a dictionary of parts (keys, conditions, limits, a call), so that one that fails can
be made smaller by leaving parts out. What is drawn for each: the table, ORDER BY of one to
three keys in any direction, with other columns, DISTINCT, LIMIT and OFFSET, FETCH FIRST with ties, the first rows
of partitions, windows, groups without aggregates, merge joins, correlated subqueries that are
read again, functions on arrays, aggregates in order, intervals, sorted sets and their merging,
PostgreSQL's own aggregates that sort and gpusort's of the same meaning, alone or a few
together, of groups, with FILTER. And how it is run: the engine, the nodes forced or by cost,
work_mem, parallel workers, plain, prepared, through a cursor, one that moves back and forth,
from PL/pgSQL. PostgreSQL alone runs each query once in a snapshot, and
gpusort RUNS times, each time set up anew: RUNS comparisons.
"""
import collections
import multiprocessing
import os
import random
import sys
import threading
import time

import psycopg2
import psycopg2.extensions

RUNS = 5
ROUND = 2000                   # comparisons, after which the tables are made anew
MOST_ROWS = 20000              # that are compared one by one
SIZES = [0, 50, 3000, 12000]   # rows of the tables r0 to r3; main() sets the last

COLUMNS = {'a': 'int2', 'b': 'int4', 'c': 'int8', 'd': 'float4', 'e': 'float8', 'f': 'numeric', 't': 'text', 'v': 'varchar',
           'n': 'text COLLATE "C"', 'dt': 'date', 'ts': 'timestamptz', 'iv': 'interval', 'u': 'uuid', 'ok': 'bool', 'by': 'bytea', 'l': 'text',
           'm': 'mood', 'ip': 'inet'}
# Equal values of these always look alike.
EXACT = ['a', 'b', 'c', 'd + 0', 'e + 0', 'ts', 'dt', 't', 'n', 'u', 'id', 'l', 'm', 'ip']
ARRAYS = {'ints': 'int4', 'bigs': 'int8', 'smalls': 'int2', 'reals': 'float4', 'doubles': 'float8', 'texts': 'text', 'numerics': 'numeric',
          'times': 'timestamptz'}
TYPES = {}                     # names by OID, read from the server
LETTERS = 'abcdefghiklmnopqrstuvwxyzAEIOSTZ0123456789 -_.,aäÄàáâåÅæçčĎđéèêëěğıİíłñńöøÖóőœřšśßťúüűůýžŽþδΔέωΣςабвгГдёЁжЖйіяЯ\u0301\u0308'
COLLATIONS = ['en-x-icu', 'und-x-icu', 'de-x-icu', 'sv-x-icu', 'cs-x-icu', 'da-x-icu', 'hu-x-icu', 'tr-x-icu', 'lt-x-icu', 'fr-CA-x-icu', 'el-x-icu', 'ru-x-icu', 'uk-x-icu',
              'en_US', 'de_DE', 'C']
OFF = {'gpusort.enable_sort': 'off', 'gpusort.enable_array_sort': 'off', 'gpusort.enable_aggregates': 'off', 'gpusort.engine': 'cpu', 'max_parallel_workers_per_gather': '0'}

TABLES = """
DROP TABLE IF EXISTS r{i}, s{i};
SELECT setseed({fraction});
CREATE TABLE r{i} AS SELECT i AS id, (random() * {spread})::int2 AS a, (random() * {spread} - 50)::int4 AS b,
    (random() * 1e{digits})::int8 AS c, (random() * {spread})::float4 AS d,
    CASE WHEN random() < 0.05 THEN (ARRAY['NaN', '-0', 'Infinity', '-Infinity'])[1 + (random() * 3)::int]::float8 ELSE random() * {spread} END AS e,
    CASE WHEN random() < 0.02 THEN 'NaN' ELSE (random() * {spread})::numeric(20, 4) * 10.0 ^ (random() * 9)::int END AS f,
    left(md5((random() * {spread})::int::text), (random() * 12)::int) AS t, (random() * {spread})::int::text::varchar AS v,
    repeat('x', (random() * 9)::int) || (random() * {spread})::int AS n,
    date '2000-01-01' + (random() * {spread})::int AS dt, timestamptz '2000-01-01 UTC' + random() * interval '90 days' AS ts,
    (random() * {spread})::int * interval '7 hours' + (random() * 3)::int * interval '1 month' AS iv,
    md5((random() * {spread})::int::text)::uuid AS u, random() < 0.5 AS ok, decode(md5((random() * {spread})::int::text), 'hex') AS by,
    (ARRAY['cote', 'coté', 'Côte', 'co-te', 'straße', '', '', '', ''])[1 + (random() * 8)::int] ||
        (SELECT string_agg(substr('{letters}', 1 + (random() * {alphabet} + i * 0 + k * 0)::int, 1), '') FROM generate_series(1, (random() * 4)::int) k) COLLATE "{linguistic}" AS l,
    (enum_range(NULL::mood))[1 + (random() * 3)::int] AS m, set_masklen('10.0.0.0'::inet + (random() * {spread})::int, 8 + i % 24) AS ip
FROM generate_series(1, {rows}) i;
CREATE INDEX ON r{i} (b); CREATE INDEX ON r{i} (t);
UPDATE r{i} SET {nulled} = NULL WHERE random() < 0.2;
CREATE TABLE s{i} AS SELECT i AS id, (random() * 9)::int AS g,
    ARRAY(SELECT (random() * {spread})::int4 + i * 0 FROM generate_series(1, (random() * {length})::int)) AS ints,
    ARRAY(SELECT (random() * 1e15)::int8 + i * 0 FROM generate_series(1, (random() * {length})::int)) AS bigs,
    ARRAY(SELECT CASE WHEN random() < 0.9 THEN ((random() * 99)::int + i * 0)::int2 END FROM generate_series(1, (random() * {length})::int)) AS smalls,
    CASE WHEN random() < 0.9 THEN ARRAY(SELECT (random() * {spread} + i * 0)::float4 FROM generate_series(1, (random() * {length})::int)) END AS reals,
    ARRAY(SELECT CASE WHEN random() < 0.1 THEN 'NaN' ELSE random() + i * 0 END::float8 FROM generate_series(1, (random() * {length})::int)) AS doubles,
    ARRAY(SELECT md5((random() * {spread} + i * 0)::int::text) FROM generate_series(1, (random() * 9)::int)) AS texts,
    ARRAY(SELECT (random() * {spread} + i * 0)::numeric(12, 2) FROM generate_series(1, (random() * 9)::int)) AS numerics,
    ARRAY(SELECT timestamptz '2000-01-01 UTC' + (random() * {spread} + i * 0) * interval '1 minute' FROM generate_series(1, (random() * {length})::int)) AS times
FROM generate_series(1, {arrays}) i;
ANALYZE r{i}, s{i};
"""


def draw_named(rng):
    """An aggregate of gpusort, and PostgreSQL's words for the same."""
    number = rng.choice(['a', 'b', 'c', 'd + 0', 'e + 0'])
    exact = rng.choice(EXACT)
    kind = {**COLUMNS, 'd + 0': 'float8', 'e + 0': 'float8', 'id': 'int4', 'n': 'text'}[exact]
    descending, nulls_first = rng.choice(['', ', true', ', false']), rng.choice([True, False])
    order = ('DESC' if 'true' in descending else '') + (f' NULLS {"FIRST" if nulls_first else "LAST"}' if descending else '')
    sets = f'gpusort.sorted_set_agg({exact}{descending}{f", {nulls_first}".lower() if descending else ""})'
    fraction = rng.choice(['0', '0.25', '0.5', '0.999', '1', "'{0.9, 0.1, NULL, 0.5}'::float8[]"])
    pairs = [(f'gpusort.median({number})', f'percentile_cont(0.5) WITHIN GROUP (ORDER BY {number})'),
             (f'gpusort.percentile_cont({fraction}) WITHIN GROUP (ORDER BY {number})', f'percentile_cont({fraction}) WITHIN GROUP (ORDER BY {number})'),
             (f'gpusort.percentile_cont_agg({number}, {fraction})', f'percentile_cont({fraction}) WITHIN GROUP (ORDER BY {number})'),
             (f'gpusort.percentile_disc_agg({exact}, {fraction})', f'percentile_disc({fraction}) WITHIN GROUP (ORDER BY {exact})'),
             (f'gpusort.mode_agg({exact})', f'mode() WITHIN GROUP (ORDER BY {exact})'),
             (f'gpusort.sorted_array({sets}, NULL::{kind})', f'array_agg({exact} ORDER BY {exact} {order})'),
             (f'gpusort.sorted_set_median(gpusort.sorted_set_agg({number}))', f'percentile_cont(0.5) WITHIN GROUP (ORDER BY {number})'),
             (f'gpusort.sorted_set_percentile_disc({sets}, {fraction}, NULL::{kind})', f'percentile_disc({fraction}) WITHIN GROUP (ORDER BY {exact})'),
             (f'coalesce(gpusort.sorted_set_count({sets}), 0)', 'count(*)'),
             (f'coalesce(gpusort.sorted_set_count_distinct({sets}), 0)', f'count(DISTINCT {exact})')]
    return tuple(f'({call})::text' for call in rng.choice(pairs)), (sets, exact, kind, order)


def key_text(key):
    return f'{key[0]} {key[1]} {key[2]}'.strip()


def draw_keys(rng, columns, most):
    return [(name, rng.choice(['', 'DESC']), rng.choice(['', '', 'NULLS FIRST', 'NULLS LAST']))
            for name in rng.sample(sorted(columns), rng.randint(1, most))]


def draw_builtin(rng):
    """A call of one of PostgreSQL's aggregates that sort, whose result its rules leave no choice of."""
    number = rng.choice(['a', 'b', 'c', 'd + 0', 'e + 0', 'b', 'c'])
    exact = rng.choice(EXACT + ['ok'])
    direction, nulls = rng.choice(['', 'DESC']), rng.choice(['', '', 'NULLS FIRST', 'NULLS LAST'])
    fraction = rng.choice(['0', '0.25', '0.5', '0.999', '1', "'{0.9, 0.1, NULL, 0.5}'::float8[]"])
    call = rng.choice([
        f'percentile_cont({fraction}) WITHIN GROUP (ORDER BY {number} {direction})',
        f'percentile_disc({fraction}) WITHIN GROUP (ORDER BY {exact if exact != "ok" else number} {direction})',
        f'mode() WITHIN GROUP (ORDER BY {exact} {direction})',
        f'percentile_disc({fraction}) WITHIN GROUP (ORDER BY round(f, 4) {direction})',
        f'mode() WITHIN GROUP (ORDER BY round(f, {rng.choice([-6, 0, 4])}) {direction})',
        f'count(DISTINCT {rng.choice(sorted(COLUMNS))})',
        f'sum(DISTINCT {rng.choice(["a", "b", "c"])})',
        f'array_agg({exact} ORDER BY {exact} {direction} {nulls})',
        f'array_agg(id ORDER BY {rng.choice(sorted(COLUMNS))} {direction} {nulls}, id)',
        f"string_agg(t, ',' ORDER BY {exact} {direction} {nulls}, t, id)"])
    return f'({call}{rng.choice(["", "", "", " FILTER (WHERE id % 3 > 0)"])})::text'


def draw_query(rng):
    """The parts of a random query."""
    i = rng.choice([0, 1, 1, 1, 2, 2, 2, 2, 3, 3])
    kind = rng.choice(['order', 'order', 'order', 'partition', 'join', 'distinct', 'array', 'array', 'aggregate', 'builtin', 'builtin',
                       'named', 'merged', 'bucket', 'window', 'group', 'subquery'])
    if SIZES[3] > MOST_ROWS:
        # The order of these rows is partly open, so all have to be fetched.
        i = min(i, 2) if kind in ('group', 'bucket') else rng.choice([i, 3])
    query = {'kind': kind, 'table': i, 'keys': draw_keys(rng, COLUMNS, 3)}
    if rng.random() < 0.3:
        query['where'] = rng.choice(['b > 0', 'a < 40', 'ok', 'e IS NOT NULL', "t < 'c'", 'id % 3 = 1'])
    if rng.random() < 0.3:
        query['limit'] = rng.choice([0, 1, 7, 100, 5000])
        if rng.random() < 0.4:
            query['offset'] = rng.choice([1, 10, 3000])
    if kind == 'order' and rng.random() < 0.2:
        query['ties'] = rng.choice([1, 10, 300])
    if kind == 'order' and rng.random() < 0.3:
        query['also'] = rng.sample(sorted(COLUMNS), rng.randint(1, 3))
    if kind == 'partition':
        query['by'] = rng.choice(sorted(COLUMNS))
        query['first'] = rng.randint(1, 5)
        query['function'] = rng.choice(['row_number', 'rank', 'dense_rank'])
    if kind == 'aggregate':
        # Not of what is equal and looks different: whose turn is first is open.
        query['of'] = rng.choice(EXACT + ['ok', 'by', 'v'])
        query['descending'] = rng.random() < 0.5
        query['group'] = rng.random() < 0.5
    if kind == 'builtin':
        query['calls'] = [draw_builtin(rng) for _ in range(rng.randint(1, 3))]
        query['group'] = rng.choice(['', 'a', 'b', 'ok', 'v', 'a, ok'])
    if kind in ('order', 'partition') and rng.random() < 0.15:
        query['both'] = True
    if kind == 'window':
        query['by'] = rng.choice(sorted(COLUMNS))
        query['frame'] = rng.choice(['ROWS BETWEEN 2 PRECEDING AND CURRENT ROW', 'ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING', ''])
    if kind == 'group':
        query['names'] = rng.sample([name for name in EXACT if '+' not in name and name != 'id'], rng.randint(1, 3))
        query['as'] = rng.choice(['GROUP BY', 'DISTINCT', 'UNION', 'EXCEPT', 'count'])
    if kind == 'subquery':
        query['compared'] = rng.choice(['a', 'b', 't', 'u', 'ok', 'l'])
        query['operator'] = rng.choice(['=', '>=', '<'])
        query['outer'] = rng.choice([1, 3, 10] if i < 3 else [1, 3])
    if kind == 'join':
        query['inner'] = rng.choice([1, 6, 60] if i < 3 else [1, 6])
    if kind == 'named':
        query['pairs'] = [draw_named(rng)[0] for _ in range(rng.randint(1, 3))]
        query['group'] = rng.choice(['', 'a', 'b', 'ok', 'v', 'a, ok'])
    if kind == 'merged':
        query['set'] = draw_named(rng)[1]
        query['parts'] = rng.choice(['ok', 'a', 'id % 3', 'v'])
    if kind == 'bucket':
        query['of'] = rng.choice(['a', 'b', 'c', 'd', 'e', 'dt', 'ts'])
        query['intervals'] = rng.choice([1, 2, 10, 1000, 10000])
        query['descending'] = rng.choice(['', '', ', true'])
    if kind == 'array':
        query['of'] = rng.choice(sorted(ARRAYS))
        query['call'] = rng.choice(['sort', 'sort', 'desc', 'first', 'argsort', 'top', 'distinct', 'median'])
        query['filter'] = rng.choice(['', 'WHERE id % 2 = 0', 'WHERE g < 5', 'LIMIT 17'])
    return query


def tail(query, keys):
    text = ' ORDER BY ' + ', '.join(map(key_text, keys))
    if 'ties' in query:
        return text + f' FETCH FIRST {query["ties"]} ROWS WITH TIES'
    if 'limit' in query:
        text += f' LIMIT {query["limit"]}'
    if 'offset' in query:
        text += f' OFFSET {query["offset"]}'
    return text


def array_sql(query):
    """The call, and the same in plain SQL."""
    a, call = query['of'], query['call']
    plain = lambda order, extra='': f'CASE WHEN {a} IS NOT NULL THEN ARRAY(SELECT x FROM unnest({a}) WITH ORDINALITY u(x, i) ORDER BY {order}{extra}) END'
    calls = {
        'sort': (f'gpusort.array_sort({a})', plain('x')),
        'desc': (f'gpusort.array_sort({a}, true)', plain('x DESC')),
        'first': (f'gpusort.array_sort({a}, false, true)', plain('x NULLS FIRST')),
        'argsort': (f'gpusort.array_argsort({a})', f'CASE WHEN {a} IS NOT NULL THEN ARRAY(SELECT i::int4 FROM unnest({a}) WITH ORDINALITY u(x, i) ORDER BY x, i) END'),
        'top': (f'gpusort.array_top_n({a}, 5)', plain('x DESC NULLS LAST', ' LIMIT 5')),
        'distinct': (f'gpusort.array_sort_distinct({a})', f'CASE WHEN {a} IS NOT NULL THEN ARRAY(SELECT DISTINCT x FROM unnest({a}) x ORDER BY x) END'),
        'median': (f'gpusort.array_percentile_disc({a}, 0.5)', f'(SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM unnest({a}) x)')}
    rest = f'FROM s{query["table"]} {query["filter"]} ORDER BY id'
    if 'LIMIT' in rest:
        rest = f'FROM (SELECT * FROM s{query["table"]} ORDER BY id {query["filter"]}) q ORDER BY id'
    return tuple(f'SELECT id, {c}::text {rest}' for c in calls[call])


def sql(query):
    """Two queries with the same rows in the same order: ours, and PostgreSQL's own."""
    table, keys = f'r{query["table"]}', query['keys']
    if query.get('both'):
        table = f'(SELECT * FROM r1 UNION ALL SELECT * FROM {table}) u'
    where = f' WHERE {query["where"]}' if 'where' in query else ''
    names = ', '.join(key[0] for key in keys)
    complete = keys + [('id', '', '')]
    kind = query['kind']
    if kind == 'order':
        names = ', '.join([key[0] for key in keys] + query.get('also', []))
        # Two tables may have rows of the same number.
        complete += [(name, '', '') for name in query.get('also', []) if query.get('both')]
        # With ties and nothing that tells them apart, their order is open: one row each.
        text = f'SELECT {names}, id FROM {table}{where}' + tail(query, complete)
        if 'ties' in query:
            text = f'SELECT * FROM (SELECT {names}, id FROM {table}{where}{tail(query, keys)}) q ORDER BY {", ".join(map(key_text, complete))}'
        return text, text
    if kind == 'partition':
        text = (f'SELECT * FROM (SELECT id, {query["by"]} AS p, {query["function"]}() OVER (PARTITION BY {query["by"]} ORDER BY '
                f'{", ".join(map(key_text, complete))}) AS n FROM {table}{where}) q WHERE n <= {query["first"]} ORDER BY p, n, id')
        return text, text
    if kind == 'window':
        order = ', '.join(map(key_text, complete))
        text = (f'SELECT id, sum(b) OVER (PARTITION BY {query["by"]} ORDER BY {order} {query["frame"]}), lag(id) OVER (ORDER BY {order}), '
                f'first_value(id) OVER (PARTITION BY {query["by"]} ORDER BY {order}) FROM {table}{where} ORDER BY id, 2, 3, 4')
        return text, text
    if kind == 'group':
        names = ', '.join(query['names'])
        text = {'GROUP BY': f'SELECT {names} FROM {table}{where} GROUP BY {names}', 'DISTINCT': f'SELECT DISTINCT {names} FROM {table}{where}',
                'UNION': f'SELECT {names} FROM {table}{where} UNION SELECT {names} FROM r1', 'EXCEPT': f'SELECT {names} FROM {table}{where} EXCEPT SELECT {names} FROM r1',
                'count': f'SELECT {names}, count(*) FROM {table}{where} GROUP BY {names}'}[query['as']]
        return text, text
    if kind == 'subquery':
        order, column = ', '.join(map(key_text, complete)), query['compared']
        text = (f'SELECT x.id, ARRAY(SELECT id FROM {table} y WHERE y.{column} {query["operator"]} x.{column} ORDER BY {order} LIMIT {query.get("limit", 5000)})::text '
                f'FROM (SELECT * FROM {table}{where} ORDER BY id DESC LIMIT {query["outer"]}) x ORDER BY x.id')
        return text, text
    if kind == 'join':
        key = keys[0][0]
        text = f'SELECT x.id, y.id FROM {table} x JOIN (SELECT * FROM {table}{where} ORDER BY id LIMIT {query["inner"]}) y USING ({key}) ORDER BY {key}, 1, 2'
        return text, text
    if kind == 'distinct':
        text = f'SELECT DISTINCT ON ({names}) {names}, id FROM {table}{where}' + tail(query, complete)
        return text, text
    if kind == 'aggregate':
        of, group = query['of'], ('a', ' GROUP BY a ORDER BY a') if query['group'] else ('1', '')
        ours = f'gpusort.sorted_agg({of}, {str(query["descending"]).lower()})::text, gpusort.count_distinct({of}), (gpusort.top_n_agg({of}, 3))::text'
        plain = (f'array_agg({of} ORDER BY {of}{" DESC" if query["descending"] else ""})::text, count(DISTINCT {of}), '
                 f'((array_agg({of} ORDER BY {of} DESC NULLS LAST))[1:3])::text')
        return tuple(f'SELECT {group[0]}, {what} FROM {table}{where}{group[1]}' for what in (ours, plain))
    if kind == 'bucket':
        # Who comes first within an interval is open, so in_order() sorts these rows by id.
        call = f'gpusort.bucket({query["of"]}, {query["intervals"]}{query["descending"]}) OVER ()'
        text = f'SELECT {call} AS interval, id FROM {table}{where} ORDER BY interval'
        return text, text + ', id'
    if kind == 'named':
        by = query['group']
        return tuple(f'SELECT {by or 1}, {", ".join(pair[i] for pair in query["pairs"])} FROM {table}{where}' + (f' GROUP BY {by} ORDER BY {by}' if by else '')
                     for i in (0, 1))
    if kind == 'merged':
        sets, of, element, order = query['set']
        return (f'SELECT gpusort.sorted_array(gpusort.merge_agg(s), NULL::{element})::text FROM (SELECT {sets} AS s FROM {table}{where} GROUP BY {query["parts"]}) q',
                f'SELECT array_agg({of} ORDER BY {of} {order})::text FROM {table}{where}')
    if kind == 'builtin':
        by = query['group']
        text = f'SELECT {by or 1}, {", ".join(query["calls"])} FROM {table}{where}' + (f' GROUP BY {by} ORDER BY {by}' if by else '')
        return text, text
    return array_sql(query)


def draw_settings(rng, emulated):
    settings = {'gpusort.force_nodes': rng.choice(['on', 'on', 'row_by_row', 'off']), 'gpusort.min_gpu_keys': rng.choice(['0', '1000', '100000']), 'gpusort.engine': rng.choice(['cpu', 'auto', 'gpu'] if emulated else ['cpu', 'auto']),
                'work_mem': rng.choice(['64kB', '256kB', '4MB', '40MB', '64MB']), 'max_parallel_workers_per_gather': rng.choice(['0', '1', '2', '4', '8']),
                'enable_hashagg': rng.choice(['on', 'off']), 'enable_hashjoin': rng.choice(['on', 'off']),
                'enable_incremental_sort': rng.choice(['on', 'off']), 'enable_indexscan': rng.choice(['on', 'off']), 'gpusort.cpu_threads': rng.choice(['1', '4']),
                'gpusort.enable_aggregates': rng.choice(['on', 'on', 'off'])}
    if settings['max_parallel_workers_per_gather'] != '0':
        settings.update({'parallel_setup_cost': '0', 'parallel_tuple_cost': '0', 'min_parallel_table_scan_size': '0'})
    return settings


def fetch(cursor, text, settings, how, columns=None):
    """The rows, their values as PostgreSQL writes them, or the error's code. Runs in the transaction that is open."""
    with cursor.connection.cursor() as control:
        try:
            control.execute('; '.join(['SAVEPOINT before', *(f"SET LOCAL {name} = '{value}'" for name, value in settings.items())]))
            if how == 'prepared':
                control.execute(f"PREPARE p AS {text}; SET LOCAL plan_cache_mode = 'force_generic_plan'")
                cursor.execute('EXECUTE p')
            elif how == 'cursor':
                control.execute(f'DECLARE k CURSOR FOR {text}')
                rows, size = [], 1
                while True:
                    cursor.execute(f'FETCH {size} FROM k')
                    piece = cursor.fetchall()
                    rows += piece
                    if len(piece) < size or len(rows) >= MOST_ROWS:
                        return rows[:MOST_ROWS]
                    size = 37 if size == 1 else 1000
            elif how == 'scroll':
                control.execute(f'DECLARE k SCROLL CURSOR FOR {text}')
                return there_and_back(cursor)
            elif how == 'plpgsql' and columns:
                control.execute(f'CREATE FUNCTION pg_temp.f() RETURNS SETOF record LANGUAGE plpgsql AS $f$ DECLARE r record; BEGIN FOR r IN {text} LOOP RETURN NEXT r; END LOOP; END $f$')
                cursor.execute('SELECT * FROM pg_temp.f() AS q(' + ', '.join(f'c{i} {name}' for i, name in enumerate(columns)) + ')')
            else:
                cursor.execute(text)
            return cursor.fetchall()[:MOST_ROWS]
        except psycopg2.Error as error:
            if error.pgcode is None or error.pgcode.startswith(('57', '08', 'XX')):
                raise
            return [f'error {error.pgcode}']
        finally:
            if not cursor.connection.closed:
                control.execute('ROLLBACK TO before; RELEASE before' + ('; DEALLOCATE ALL' if how == 'prepared' else ''))


def there_and_back(cursor):
    """The rows of the scroll cursor k, of which some were read before, backwards, and are read again."""
    cursor.execute('FETCH 50 FROM k')
    first = cursor.fetchall()
    cursor.execute('FETCH BACKWARD 20 FROM k')
    back = cursor.fetchall()
    # With fewer than 50 rows the cursor stands behind the last one.
    last = first[:-1] if len(first) == 50 else first
    if back != last[::-1][:20]:
        return ['another row backwards', *map(repr, back)]
    cursor.execute('MOVE ABSOLUTE 0 IN k')
    cursor.execute(f'FETCH {MOST_ROWS} FROM k')
    rows = cursor.fetchall()
    return rows if rows[:50] == first else ['another row at the second time', *map(repr, rows)]


def in_order(query, rows):
    """The rows, in one of the orders that the query leaves open: by id within an interval, groups in any order."""
    if any(isinstance(row, str) for row in rows):
        return rows
    if query['kind'] == 'group':
        return sorted(rows, key=repr)
    if query['kind'] != 'bucket':
        return rows
    intervals = [row[0] for row in rows]
    by_interval = sorted(rows, key=lambda row: (row[0] is None, int(row[0] or 0), int(row[1])))
    return by_interval if intervals == [row[0] for row in by_interval] else rows


def digest(text):
    """The query of the number of rows of a query, and of a hash of them and their order."""
    return f"SELECT count(*), md5(string_agg(q::text, E'\\n')) FROM ({text}) q"


def differences(connection, query, runs):
    """The results and queries of those runs (settings, how) that differ from PostgreSQL's, by their number; all in one snapshot."""
    found, run, results = {}, (OFF, 'plain'), {}
    large = SIZES[query['table']] > MOST_ROWS and query['kind'] != 'array'
    with connection.cursor() as cursor:
        cursor.execute('BEGIN ISOLATION LEVEL REPEATABLE READ')
        try:
            for i, run in enumerate(runs):
                # Of many rows cursors fetch the first ones; else a digest of all is compared.
                some = large and run[1] in ('cursor', 'scroll')
                ours, plain = map(digest, sql(query)) if large and not some else sql(query)
                if some not in results:
                    rows = fetch(cursor, plain, OFF, 'cursor' if some else 'plain')
                    results[some] = rows, [TYPES[column.type_code] for column in cursor.description or ()]
                expected, columns = results[some]
                got = fetch(cursor, ours, *run, columns)
                # What the GPU cannot sort is an error where it is asked for.
                refused = run[0].get('gpusort.engine') == 'gpu' and got[:1] in (['error 55000'], ['error 0A000'])
                if not refused and got != expected and in_order(query, got) != in_order(query, expected):
                    found[i] = expected, got, plain, ours
        except psycopg2.Error as error:
            error.run = run
            raise
        finally:
            if not connection.closed:
                cursor.execute('ROLLBACK')
    return found


def differs(connection, query, settings, how):
    """None, or both results and queries."""
    return differences(connection, query, [(settings, how)]).get(0)


def shrink(connection, query, settings, how):
    """Leaves out parts and settings as long as the results still differ."""
    again = True
    while again:
        again = False
        smaller = [({k: v for k, v in query.items() if k != part}, settings) for part in ('where', 'limit', 'offset', 'ties', 'both', 'also') if part in query]
        smaller += [({**query, 'group': ''}, settings)] if query['kind'] in ('builtin', 'named') and query['group'] else []
        smaller += [({**query, part: [call]}, settings) for part in ('calls', 'pairs') for call in query.get(part, ()) if len(query[part]) > 1]
        smaller += [({**query, 'keys': query['keys'][:i] + query['keys'][i + 1:]}, settings) for i in range(len(query['keys'])) if len(query['keys']) > 1]
        smaller += [(query, {k: v for k, v in settings.items() if k != name}) for name in settings]
        for candidate, fewer in smaller:
            if differs(connection, candidate, fewer, how):
                query, settings, again = candidate, fewer, True
                break
        if not again and how != 'plain' and differs(connection, query, settings, 'plain'):
            how, again = 'plain', True
    return query, settings, how


def connect(database):
    connection = psycopg2.connect('', dbname=database)
    connection.autocommit = True
    return connection


def write(stop, seed, database):
    """Changes rows of every table until told to stop."""
    rng = random.Random(seed)
    connection = connect(database)
    columns = ', '.join(COLUMNS)
    with connection.cursor() as cursor:
        while not stop.wait(0.05 * max(1, SIZES[3] / 12000)):
            i = rng.randint(0, 3)
            cursor.execute(rng.choice([
                f'UPDATE r{i} SET b = b + 1, e = -e WHERE id % 97 = {rng.randint(0, 96)}',
                f'DELETE FROM r{i} WHERE id % 997 = {rng.randint(0, 996)}',
                f"INSERT INTO r{i} (id, {columns}) SELECT nextval('ids'), {columns} FROM r{i} WHERE id % 499 = {rng.randint(0, 498)}",
                f'UPDATE s{i} SET ints = ints || g WHERE id % 97 = {rng.randint(0, 96)}',
                f'VACUUM r{i}', f'VACUUM s{i}', f'ANALYZE r{i}',
                f'BEGIN; SAVEPOINT x; UPDATE r{i} SET a = 1 WHERE id % 50 = 0; ROLLBACK TO x; DELETE FROM r{i} WHERE id % 991 = 1; COMMIT']
            ))
    connection.close()


def compare(connection, rng, on_device, counts):
    """One query in RUNS ways. The number of ways that differ."""
    query = draw_query(rng)
    runs = [(draw_settings(rng, on_device), rng.choice(['plain', 'plain', 'prepared', 'cursor', 'scroll', 'plpgsql'])) for _ in range(RUNS)]
    try:
        found = differences(connection, query, runs)
    except psycopg2.Error as error:
        settings, how = getattr(error, 'run', runs[0])
        print(f'ERROR below ({how}, {settings}):\n  ' + '\n  '.join(sql(query)), flush=True)
        raise
    counts[query['kind']] += RUNS
    for i in list(found)[:1]:
        # Rows that are written meanwhile may take the difference away: then the query as it was drawn is shown.
        query, settings, how = shrink(connection, query, *runs[i])
        expected, got, plain, ours = differs(connection, query, settings, how) or found[i]
        first = next((i for i, (x, y) in enumerate(zip(expected, got)) if x != y), min(len(expected), len(got)))
        here = lambda rows: ' '.join(map(repr, rows[first:first + 1]))
        at = next((i for i, (x, y) in enumerate(zip(here(expected), here(got))) if x != y), 0)
        print(f'DIFFERENT ({how}, {settings}):\n  {ours}\n  {plain}\n  {len(got)} rows, {len(expected)} expected; row {first} from character {at}: '
              f'{here(got)[max(at - 20, 0):at + 80]!r} instead of {here(expected)[max(at - 20, 0):at + 80]!r}', flush=True)
    return len(found)


def prepare(cursor):
    """Makes what the tables need.  The collations there are, and whether a device sorts, once those that start have started."""
    cursor.execute("CREATE EXTENSION gpusort; CREATE SEQUENCE ids START 1000000; CREATE TYPE mood AS ENUM ('ok', 'happy'); ALTER TYPE mood ADD VALUE 'sad' BEFORE 'ok'; ALTER TYPE mood ADD VALUE 'fine' BEFORE 'happy'")
    cursor.execute('SELECT DISTINCT collname FROM pg_collation WHERE collname = ANY (%s) ORDER BY 1', (COLLATIONS,))
    collations = [name for name, in cursor.fetchall()]
    while True:
        cursor.execute("SELECT bool_or(state = 'starting'), coalesce(bool_or(state = 'ready'), false) FROM gpusort.devices")
        starting, ready = cursor.fetchone()
        if ready or not starting:
            return collations, ready
        time.sleep(0.1)


def run_job(comparisons, seconds, seed, database):
    """Compares until the number, the time or the fifth difference is reached. Comparisons by kind of query, how many differed, and whether a device took part."""
    end, rng, counts, found = time.monotonic() + seconds, random.Random(seed), collections.Counter(), 0
    connection = connect(database)
    with connection.cursor() as cursor:
        collations, on_device = prepare(cursor)
        cursor.execute('SELECT oid::int, oid::regtype::text FROM pg_type')
        TYPES.update(cursor.fetchall())
    # Values stay as PostgreSQL writes them: -0 is not 0, and NaN is NaN.
    for oid in list(psycopg2.extensions.string_types):
        psycopg2.extensions.string_types[oid] = psycopg2.extensions.UNICODE
    try:
        while sum(counts.values()) < comparisons and found < 5 and time.monotonic() < end:
            linguistic = rng.choice(collations)
            with connection.cursor() as cursor:
                for i in range(4):
                    cursor.execute(TABLES.format(i=i, fraction=rng.random(), spread=rng.choice([3, 100, 30000]), digits=rng.choice([2, 9, 17]),
                                                 rows=SIZES[i], arrays=[1, 20, 200, 800][i], length=rng.choice([5, 60, 300]), linguistic=linguistic, letters=LETTERS, alphabet=rng.choice([41, 46, len(LETTERS) - 1]),
                                                 nulled=rng.choice(sorted(COLUMNS))))
            stop = threading.Event()
            writer = threading.Thread(target=write, args=(stop, rng.random(), database))
            writer.start()
            try:
                before = sum(counts.values())
                while sum(counts.values()) < min(comparisons, before + ROUND) and found < 5 and time.monotonic() < end:
                    found += compare(connection, rng, on_device, counts)
            finally:
                stop.set()
                writer.join()
    except psycopg2.Error as error:
        print(f'ERROR: {error}', flush=True)
        found += 1
    return counts, found, on_device


def main():
    comparisons, seconds, jobs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    SIZES[3] = int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randint(1, 10 ** 9)
    print(f'seed {seed}' + (f' to {seed + jobs - 1}, one a job' if jobs > 1 else ''), flush=True)
    databases = [f'differential_{seed + i}' for i in range(jobs)]
    connection = connect(os.environ.get('PGDATABASE', 'postgres'))
    with connection.cursor() as cursor:
        for database in databases:
            cursor.execute(f'DROP DATABASE IF EXISTS {database}')
            cursor.execute(f'CREATE DATABASE {database}')
    connection.close()
    with multiprocessing.Pool(jobs) as pool:
        results = pool.starmap(run_job, [(-(-comparisons // jobs), seconds, seed + i, database) for i, database in enumerate(databases)], 1)
    counts, found = sum((result[0] for result in results), collections.Counter()), sum(result[1] for result in results)
    print(', '.join(f'{kind} {count}' for kind, count in sorted(counts.items())))
    print(f'{sum(counts.values())} comparisons, {found} different, {jobs} jobs, seed {seed}, {"a device" if results[0][2] else "the CPU alone"}')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
