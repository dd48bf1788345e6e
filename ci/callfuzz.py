"""callfuzz.py CALLS SECONDS JOBS [SEED]: see ci/callfuzz, which runs it on a server of its own.

Functions, aggregates and window functions come from pg_proc: all of the extension's that take no
internal argument and that the role `fuzz` may call. For each call a type of elements is drawn, to which
polymorphic arguments keep mostly. Arguments are literals, or columns of a few rows, so that plan
nodes take their part. Settings change every SETTINGS calls.
"""
import collections
import multiprocessing
import os
import random
import sys
import time

import psycopg2
import psycopg2.extensions

SETTINGS = 40
WORDS = ['a', 'b', 'B', 'ä', 'aa', '', ' ', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', '\U0001f600', 'co-te', '"', '\\\\', '{', 'NULL']
WHOLE = ['0', '1', '-1', '2', '3', '5', '7', '100']
# Values of each type, ordinary and extreme.
VALUES = {
    'int2': WHOLE + ['32767', '-32768'], 'int4': WHOLE + ['2147483647', '-2147483648'],
    'int8': WHOLE + ['9223372036854775807', '-9223372036854775808', '9007199254740993'],
    'float4': WHOLE + ['NaN', 'Infinity', '-Infinity', '-0', '1e-45', '3.4e38', '0.1'],
    'float8': WHOLE + ['NaN', 'Infinity', '-Infinity', '-0', '5e-324', '1.7e308', '0.1', '-0.5'],
    'numeric': WHOLE + ['NaN', 'Infinity', '-Infinity', '0.1', '1e400', '-1e-400', '99999999999999999999999999.000001', '1.50'],
    'text': WORDS, 'varchar': WORDS, 'bpchar': WORDS, 'name': WORDS[:8], '"char"': ['a', '', 'z'], 'citext': WORDS,
    'bytea': ['', '\\\\x00', '\\\\xff00', 'a'], 'bool': ['t', 'f'], 'uuid': ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '5' * 32],
    'date': ['2000-01-01', 'infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '1999-12-31'],
    'time': ['00:00', '24:00', '12:34:56.789'], 'timetz': ['00:00+15', '24:00-15', '12:00+00'],
    'timestamp': ['2000-01-01', 'infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999'],
    'timestamptz': ['2000-01-01 UTC', 'infinity', '-infinity', '4713-01-02 BC', '294276-12-30'],
    'interval': ['0', '1 month', '30 days', '720 hours', '-178000000 years', '178000000 years', '-1 microsecond'],
    'oid': ['0', '1', '4294967295'], 'money': ['0', '-92233720368547758.08', '92233720368547758.07', '1'],
    'inet': ['0.0.0.0/0', '10.0.0.1', '::', 'ffff::/16'], 'cidr': ['10.0.0.0/8', '::/0'], 'macaddr': ['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff'],
    'macaddr8': ['00:00:00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff:ff:ff'], 'bit(3)': ['000', '101'], 'varbit': ['', '1', '0101010101'],
    'jsonb': ['null', '1', '[]', '{}', '"a"'], 'tsvector': ['', 'a b'], 'pg_lsn': ['0/0', 'FFFFFFFF/FFFFFFFF'], 'xid8': ['0', '18446744073709551615'],
    'mood': ['sad', 'ok', 'happy'], 'small': WHOLE, 'ratio': ['0', '1.5', '-2'], 'word': WORDS, 'pair': ['(1,a)', '(,)', '(-5,"b c")'],
    'int4range': ['empty', '[1,5)', '(,)'], 'int4multirange': ['{}', '{[1,2),[5,9)}'], 'json': ['1', '{}'], 'point': ['(0,0)', '(1,NaN)'], 'xid': ['1', '2'],
    'regclass': ['pg_class', '0'],
}
# Names that format_type gives them.
KNOWN = {'smallint': 'int2', 'integer': 'int4', 'bigint': 'int8', 'real': 'float4', 'double precision': 'float8', 'boolean': 'bool', 'character varying': 'varchar',
         'time without time zone': 'time', 'time with time zone': 'timetz', 'timestamp without time zone': 'timestamp', 'timestamp with time zone': 'timestamptz',
         'character': 'bpchar', 'bit varying': 'varbit', 'bit': 'bit(3)'}
NUMBERS = ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']
TYPES = sorted(VALUES) + NUMBERS * 3 + ['text'] * 3
SETUP = """
CREATE EXTENSION gpusort_distributed CASCADE;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN small AS int4 CHECK (VALUE < 1000);
CREATE DOMAIN ratio AS float4;
CREATE DOMAIN word AS text;
CREATE ROLE fuzz LOGIN;
GRANT CREATE ON SCHEMA public TO fuzz;
"""
FUNCTIONS = """
SELECT p.oid::regproc::text, p.prokind, p.proretset, p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL, p.provariadic <> 0, coalesce(a.aggkind::text, ''), a.aggnumdirectargs,
       ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u(t, i) ORDER BY i)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE n.nspname ~ '^gpusort' AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND NOT 'cstring'::regtype = ANY (p.proargtypes::oid[])
      AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY 1, p.proargtypes::text
"""


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def draw_value(rng, kind):
    if rng.random() < 0.08:
        return f'NULL::{kind}'
    if kind in NUMBERS and rng.random() < 0.3:
        return f'{quoted(str(rng.randint(-300, 300)))}::{kind}'
    return f'{quoted(rng.choice(VALUES[kind]))}::{kind}'


def draw_array(rng, kind, length=None):
    """An array expression: mostly of one dimension and few elements, or as many as wanted."""
    way = rng.random() if length is None or rng.random() < 0.1 else 1
    if way < 0.06:
        return f'NULL::{kind}[]'
    if way < 0.12:
        return quoted(rng.choice(['{}', '[5:4]={}', '{NULL}', '{NULL,NULL,NULL}'])) + f'::{kind}[]' if way >= 0.07 else f"'{{}}'::{kind}[]"
    value = lambda: draw_value(rng, kind).rsplit('::', 1)[0]
    if way < 0.2:
        lengths = rng.choice(['2,2', '1,3', '3,1,2', '1,1,1,1,1,1', '2', '300', '70,2'])
        return f'array_fill({value()}::{kind}, ARRAY[{lengths}]{rng.choice(["", ", ARRAY[" + ",".join(["-3"] * (lengths.count(",") + 1)) + "]"])})'
    if way < 0.24:
        return f'array_cat({draw_array(rng, kind)}, array_fill({value()}::{kind}, ARRAY[{rng.choice([20, 1000, 20000])}]))'
    values = [value() for _ in range(length or rng.choice([1, 2, 3, 3, 5, 8, 20, 120]))]
    if length is None and rng.random() < 0.3:
        values = [each for each in values if each != 'NULL'] or ['NULL']
    made = f'ARRAY[{", ".join(values)}]::{kind}[]'
    if kind not in ('json', 'point', 'xid') and rng.random() < 0.4:
        made = f'gpusort.array_sort({made})' if rng.random() < 0.7 else f'gpusort.array_sort({made}, true)'
    return made


def draw_set(rng, kind):
    if rng.random() < 0.1:
        return quoted(rng.choice(['integer {1,2}', 'integer DESC {NULL,3}', 'text COLLATE "C" {a}', 'x', '{1}', 'integer', 'point {}', '23 {1}', 'mood {sad}'])) + '::gpusort.sorted_set'
    return f'(SELECT gpusort.sorted_set_agg(x{rng.choice(["", ", true", ", false, true"])}) FROM unnest({draw_array(rng, kind)}) x)'


def draw_argument(rng, declared, kind, length=None):
    """An expression for an argument of the declared type, in a call about elements of a kind."""
    if declared in ('anyarray', 'anycompatiblearray'):
        return draw_array(rng, kind if rng.random() < 0.95 else rng.choice(TYPES), length)
    if declared in ('anyelement', 'anycompatible', 'anynonarray', 'anycompatiblenonarray', '"any"'):
        way = rng.random()
        if way < 0.1:
            return quoted(rng.choice(VALUES[kind]))
        if way < 0.25:
            return draw_value(rng, rng.choice(NUMBERS if kind in NUMBERS else TYPES))
        return draw_array(rng, kind) if way > 0.98 else draw_value(rng, kind)
    if declared == 'gpusort.float4_array':
        return draw_array(rng, 'float4', length)
    if declared == 'gpusort.sorted_set':
        return draw_set(rng, kind)
    if declared == 'double precision' and rng.random() < 0.6:
        return rng.choice(['0', '0.5', '1', '0.999', '0.25']) + '::float8'
    if declared == 'bigint' and rng.random() < 0.7:
        return rng.choice(['1', '2', '3', '10', '1000', '0', '2147483647']) + '::int8'
    if declared == 'text' and rng.random() < 0.6:
        return quoted(rng.choice(['SELECT 1 AS a', 'SELECT i AS a FROM generate_series(1, 50) i', 'TABLE pg_class', 'VALUES (1), (NULL)', 'a', 'column1', 'oid', 'a DESC', 'SELECT', 'SELECT 1; SELECT 2', '']))
    known = KNOWN.get(declared.removesuffix('[]'), declared.removesuffix('[]'))
    if declared.endswith('[]'):
        return draw_array(rng, known if known in VALUES else 'float8')
    return draw_value(rng, known) if known in VALUES else f'NULL::{declared}'


def draw_call(rng, function):
    name, prokind, returns_set, returns_record, variadic, aggkind, ndirect, declared = function
    kind, length = rng.choice(TYPES), rng.choice([None, None, 1, 3, 40])
    arguments = lambda: [draw_argument(rng, each, kind, length) for each in declared]
    if variadic:
        declared = declared[:-1] + [declared[-1].replace('[]', '')] * rng.randint(1, 3)
    if prokind == 'f':
        if returns_set:
            shape = ' AS t(' + rng.choice(['a int', 'column1 int', 'a int, b text', 'a oid']) + ')' if returns_record else ''
            return f'SELECT * FROM {name}({", ".join(arguments())}){shape}'
        if rng.random() < 0.8 or not declared:
            return f'SELECT {name}({", ".join(arguments())})'
    # Rows of arguments, all of the same types: those that differ are cast to the first row's by the server, or an error.
    columns = [f'c{i}' for i in range(len(declared))]
    rows = ', '.join('(' + ', '.join(arguments()) + ')' for _ in range(rng.choice([1, 2, 3, 10]))) if columns else '(1), (2)'
    source = f'(VALUES {rows}) v{"(" + ", ".join(columns) + ")" if columns else ""}'
    if rng.random() < 0.2:
        source += f', generate_series(1, {rng.choice([0, 2, 300, 3000])})'
    if prokind == 'f':
        return f'SELECT {name}({", ".join(columns)}) FROM {source}' + rng.choice(['', '', ' LIMIT 1', ' ORDER BY 1'])
    if prokind == 'w':
        return f'SELECT {name}({", ".join(columns)}) OVER ({rng.choice(["", "ORDER BY c0", "PARTITION BY c0"]) if columns else ""}) FROM {source}'
    if aggkind in ('o', 'h'):
        direct, ordered = columns[:ndirect], columns[ndirect:]
        literals = [draw_argument(rng, each, kind) for each in declared[:ndirect]]
        return f'SELECT {name}({", ".join(rng.choice([literals, direct]))}) WITHIN GROUP (ORDER BY {", ".join(ordered)} {rng.choice(["", "DESC"])}) FROM {source}' + \
            (' GROUP BY ' + ', '.join(direct) if direct and rng.random() < 0.5 else '')
    options = columns[:1] + [rng.choice([column, draw_argument(rng, each, kind)]) for column, each in zip(columns[1:], declared[1:])]
    distinct = 'DISTINCT ' if len(columns) == 1 and rng.random() < 0.2 else ''
    call = f'{name}({distinct}{", ".join(options) if columns else "*"})'
    return f'SELECT {call}{"" if distinct else rng.choice(["", "", "", "", " FILTER (WHERE random() < 0.5)", " OVER ()"])} FROM {source}'


def connect(user=None):
    connection = psycopg2.connect(user=user) if user else psycopg2.connect('')
    connection.autocommit = True
    return connection


def change_settings(cursor, rng):
    for name, values in {'work_mem': ['64kB', '4MB', '64MB'], 'gpusort.engine': ['auto', 'cpu', 'auto'], 'gpusort.force_nodes': ['on', 'row_by_row', 'off'], 'gpusort.enable_aggregates': ['on', 'off'],
                         'gpusort.explain_choices': ['off', 'off', 'on'], 'extra_float_digits': ['1', '0']}.items():
        cursor.execute(f'SET {name} = {quoted(rng.choice(values))}')


def run_job(calls, seconds, seed):
    """Makes the calls. Returns how many ended in which way, and what failed."""
    rng, counts, failures, end = random.Random(seed), collections.Counter(), [], time.monotonic() + seconds
    connection = connect('fuzz')
    cursor = connection.cursor()
    cursor.execute(FUNCTIONS)
    functions = collections.defaultdict(list)
    for function in cursor.fetchall():
        functions[function[0]].append(function)
    names = sorted(functions)
    while sum(counts.values()) < calls and time.monotonic() < end and len(failures) < 20:
        try:
            if sum(counts.values()) % SETTINGS == 0:
                change_settings(cursor, rng)
            call = draw_call(rng, rng.choice(functions[rng.choice(names)]))
            cursor.execute(call)
            counts['result'] += 1
        except psycopg2.Error as error:
            code = error.pgcode or 'crash'
            counts[code] += 1
            if code.startswith('XX'):
                failures.append(f'{code} {error.pgerror}    {call}')
            if connection.closed:
                failures.append(f'the session ended: {error}    {call}')
                for _ in range(60):
                    try:
                        connection = connect('fuzz')
                        break
                    except psycopg2.OperationalError:
                        time.sleep(1)
                cursor = connection.cursor()
    return counts, failures, sum(map(len, functions.values()))


def main():
    calls, seconds, jobs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randint(1, 10 ** 9)
    print(f'seed {seed}' + (f' to {seed + jobs - 1}, one a job' if jobs > 1 else ''), flush=True)
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(SETUP)
        cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'")
        if cursor.fetchone():
            cursor.execute('CREATE EXTENSION citext')
        else:
            del VALUES['citext']
            TYPES.remove('citext')
    with multiprocessing.Pool(jobs) as pool:
        results = pool.starmap(run_job, [(-(-calls // jobs), seconds, seed + i) for i in range(jobs)], 1)
    counts = sum((result[0] for result in results), collections.Counter())
    failures = [failure for result in results for failure in result[1]]
    print(', '.join(f'{code} {count}' for code, count in counts.most_common()))
    print('\n'.join(failures))
    print(f'{sum(counts.values())} calls of {results[0][2]} functions, {len(failures)} failed, {jobs} jobs, seed {seed}')
    return 1 if failures or counts['result'] == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
