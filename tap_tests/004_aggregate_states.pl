# Serialized states of the set aggregates: what one process wrote another reads, and
# any other bytes are an error, whoever calls the functions.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use PartialAggregates;

my $node = PostgreSQL::Test::Cluster->new('states');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nstatement_timeout = '180s'\nmax_parallel_workers = 4");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpusort;});
create_partial_aggregates($node);
$node->safe_psql('postgres', q{
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE DOMAIN small AS int CHECK (VALUE < 1000);
	CREATE TYPE pair AS (a int, t text);
	CREATE COLLATION german (provider = 'libc', locale = 'C');
	CREATE TABLE v AS SELECT i, CASE WHEN i <> 3 THEN i * 7 % 11 END AS x, chr(96 + i) || repeat('ä', i) AS t FROM generate_series(1, 6) i;

	-- Aggregates that have a state to forge: what is called, and what plain SQL makes of the same rows.
	CREATE TABLE calls (name text, aggregate regprocedure, arguments text, result text, plain text, state bytea);
	INSERT INTO calls VALUES
		('int4', 'gpusort.sorted_agg(anyelement)', 'x', 'int4[]', 'array_agg(x ORDER BY x)'),
		('int4, descending', 'gpusort.sorted_agg(anyelement, boolean)', 'x, true', 'int4[]', 'array_agg(x ORDER BY x DESC)'),
		('int2', 'gpusort.sorted_agg(anyelement)', 'i::int2', 'int2[]', 'array_agg(i::int2 ORDER BY i)'),
		('float8', 'gpusort.sorted_agg(anyelement)', 'x / 3.0::float8', 'float8[]', 'array_agg(x / 3.0::float8 ORDER BY x)'),
		('date', 'gpusort.sorted_agg(anyelement)', 'date ''2020-01-01'' + x', 'date[]', 'array_agg(date ''2020-01-01'' + x ORDER BY x)'),
		('time', 'gpusort.sorted_agg(anyelement)', 'time ''01:00'' + x * interval ''1 hour''', 'time[]', 'array_agg(time ''01:00'' + x * interval ''1 hour'' ORDER BY x)'),
		('timestamptz', 'gpusort.sorted_agg(anyelement)', 'to_timestamp(x)', 'timestamptz[]', 'array_agg(to_timestamp(x) ORDER BY x)'),
		('uuid', 'gpusort.sorted_agg(anyelement)', 'md5(t)::uuid', 'uuid[]', 'array_agg(md5(t)::uuid ORDER BY md5(t)::uuid)'),
		('text', 'gpusort.sorted_agg(anyelement)', 't', 'text[]', 'array_agg(t ORDER BY t)'),
		('text in a collation', 'gpusort.sorted_agg(anyelement)', 't COLLATE german', 'text[]', 'array_agg(t ORDER BY t COLLATE german)'),
		('bytea', 'gpusort.sorted_agg(anyelement)', 't::bytea', 'bytea[]', 'array_agg(t::bytea ORDER BY t::bytea)'),
		('numeric', 'gpusort.sorted_agg(anyelement)', 'x / 3.0', 'numeric[]', 'array_agg(x / 3.0 ORDER BY x)'),
		('numeric of all kinds', 'gpusort.sorted_agg(anyelement)', '(ARRAY[''NaN'', ''-Infinity'', ''0.000'', ''1e-1000'', ''-1.5e2000'', ''1234567890.12340'']::numeric[])[i]',
			'numeric[]', '(SELECT array_agg(n ORDER BY n) FROM unnest(ARRAY[''NaN'', ''-Infinity'', ''0.000'', ''1e-1000'', ''-1.5e2000'', ''1234567890.12340'']::numeric[]) n)'),
		('bool', 'gpusort.sorted_agg(anyelement)', 'x > 3', 'bool[]', 'array_agg(x > 3 ORDER BY x > 3)'),
		('enum', 'gpusort.sorted_agg(anyelement)', '(enum_range(NULL::mood))[i % 3 + 1]', 'mood[]', 'array_agg((enum_range(NULL::mood))[i % 3 + 1] ORDER BY (enum_range(NULL::mood))[i % 3 + 1])'),
		('domain', 'gpusort.sorted_agg(anyelement)', 'x::small', 'small[]', 'array_agg(x::small ORDER BY x)'),
		('composite', 'gpusort.sorted_agg(anyelement)', '(x, t)::pair', 'pair[]', 'array_agg((x, t)::pair ORDER BY (x, t)::pair)'),
		('range', 'gpusort.sorted_agg(anyelement)', 'int4range(i, i + 3)', 'int4range[]', 'array_agg(int4range(i, i + 3) ORDER BY i)'),
		('cidr', 'gpusort.sorted_agg(anyelement)', 'set_masklen(''10.0.0.0''::cidr, 8 + i)', 'cidr[]', 'array_agg(set_masklen(''10.0.0.0''::cidr, 8 + i) ORDER BY i)'),
		('text by int4', 'gpusort.sorted_agg_by(anyelement, anycompatible)', 't, x', 'text[]', 'array_agg(t ORDER BY x)'),
		('jsonb by array', 'gpusort.sorted_agg_by(anyelement, anycompatible, boolean)', 'to_jsonb(t), ARRAY[x, i], true', 'jsonb[]', 'array_agg(to_jsonb(t) ORDER BY ARRAY[x, i] DESC)'),
		('aclitem by text', 'gpusort.sorted_agg_by(anyelement, anycompatible)', 'makeaclitem(10, 10, ''SELECT'', i > 3), t', 'aclitem[]', 'array_agg(makeaclitem(10, 10, ''SELECT'', i > 3) ORDER BY t)'),
		('top', 'gpusort.top_n_agg(anyelement, bigint)', 'x, 3', 'int4[]', '(array_agg(x ORDER BY x DESC NULLS LAST))[1:3]'),
		('approximate', 'gpusort.approx_sorted_agg(anyelement, bigint)', 'x, 100', 'int4[]', 'array_agg(x ORDER BY x)'),
		('top by', 'gpusort.top_n_agg_by(anyelement, anycompatible, bigint)', 't, i, 2', 'text[]', '(array_agg(t ORDER BY i DESC))[1:2]'),
		('median', 'gpusort.median(float8)', 'x::float8', 'float8', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)'),
		('median of intervals', 'gpusort.median(interval)', 'x * interval ''1 hour''', 'interval', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY x * interval ''1 hour'')'),
		('percentile', 'gpusort.percentile_cont_agg(float8, float8)', 'x::float8, 0.3::float8', 'float8', 'percentile_cont(0.3) WITHIN GROUP (ORDER BY x)'),
		('percentiles', 'gpusort.percentile_disc_agg(anyelement, float8[])', 't, ''{0.2,0.7}''::float8[]', 'text[]', 'percentile_disc(''{0.2,0.7}''::float8[]) WITHIN GROUP (ORDER BY t)'),
		('mode', 'gpusort.mode_agg(anyelement)', 'i % 4', 'int4', 'mode() WITHIN GROUP (ORDER BY i % 4)'),
		('distinct', 'gpusort.count_distinct(anyelement)', 'i % 4', 'int8', 'count(DISTINCT i % 4)'),
		('distinct texts', 'gpusort.count_distinct(anyelement)', 'left(t, 1 + i % 2)', 'int8', 'count(DISTINCT left(t, 1 + i % 2))'),
		('histogram', 'gpusort.histogram_agg(anyelement, bigint)', 'i, 3', 'int8[]', '''{2,2,2}''::int8[]');
	DO $$ DECLARE c calls; BEGIN
		FOR c IN TABLE calls LOOP
			EXECUTE format('UPDATE calls SET state = (SELECT partial(%L, %s) FROM v) WHERE name = %L', c.aggregate, c.arguments, c.name);
		END LOOP;
	END $$;

	-- The text that a state ends in, alone or combined with others, or the code of the error.
	CREATE FUNCTION outcome(c calls, variadic states bytea[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text; BEGIN
		EXECUTE format('SELECT combine(%L, s, NULL::%s)::text FROM unnest($1) s', c.aggregate, c.result) INTO result USING states;
		RETURN result;
	EXCEPTION WHEN OTHERS THEN
		RETURN CASE WHEN SQLSTATE = 'XX000' AND SQLERRM LIKE 'unsupported jsonb version number%' THEN '22P03' ELSE SQLSTATE END;
	END $$;
	CREATE FUNCTION plain(c calls, rows text DEFAULT 'v') RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text; BEGIN
		EXECUTE format('SELECT (%s)::text FROM %s GROUP BY ()', c.plain, rows) INTO result;
		RETURN result;
	END $$;});

# What was written is read: alone, split in two halves, and without anybody saying types.
foreach my $bare ('off', 'on')
{
	is($node->safe_psql('postgres', "SET gpusort_test.bare_calls = $bare;
			SELECT string_agg(format('%s: %s, not %s', name, outcome(c, state), plain(c)), E'\\n') FROM calls c
			WHERE outcome(c, state) IS DISTINCT FROM plain(c)"), '', "every state is read, bare calls $bare");
}
is($node->safe_psql('postgres', q{
	CREATE FUNCTION halves(c calls) RETURNS bytea[] LANGUAGE plpgsql AS $$
	DECLARE result bytea[]; BEGIN
		EXECUTE format('SELECT array_agg(s) FROM (SELECT partial(%L, %s) AS s FROM v GROUP BY i <= 4) p', c.aggregate, c.arguments) INTO result;
		RETURN result;
	END $$;
	SELECT string_agg(format('%s: %s, not %s', name, outcome(c, VARIADIC halves(c)), plain(c)), E'\n') FROM calls c
	WHERE outcome(c, VARIADIC halves(c)) IS DISTINCT FROM plain(c)}), '', 'states of halves make the whole');
is($node->safe_psql('postgres', q{
	SELECT string_agg(DISTINCT outcome(c, NULL::bytea), ' ') FROM calls c WHERE name NOT LIKE 'distinct%'}), '',
	'without a state there is no result');
is($node->safe_psql('postgres', q{SELECT DISTINCT outcome(c, NULL::bytea) FROM calls c WHERE name LIKE 'distinct%'}), '0', 'or a count of none');

# Functions declared with concrete types work for a caller that says no types.
is($node->safe_psql('postgres', q{
	CREATE FUNCTION transition(internal, int4) RETURNS internal AS '$libdir/gpusort', 'gpusort_sorted_agg_transition' LANGUAGE C;
	CREATE FUNCTION final(internal, int4) RETURNS int4[] AS '$libdir/gpusort', 'gpusort_set_agg_final' LANGUAGE C;
	CREATE AGGREGATE concrete(int4) (SFUNC = transition, STYPE = internal, FINALFUNC = final, FINALFUNC_EXTRA,
		COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize);
	SET gpusort_test.bare_calls = on;
	SELECT combine('concrete(int4)', s, NULL::int4[]) FROM (SELECT partial('concrete(int4)', x) AS s FROM v GROUP BY i % 2) p}),
	'{2,3,6,7,9,NULL}', 'concrete types need no expression');
my ($status, $stdout, $stderr) = $node->psql('postgres', q{SET gpusort_test.bare_calls = on;
	SELECT partial('gpusort.sorted_agg(anyelement)', x) FROM v});
like($stderr, qr/could not determine input data type/, 'polymorphic ones do');
($status, $stdout, $stderr) = $node->psql('postgres', q{SET gpusort_test.bare_calls = on;
	SELECT combine('concrete(int4)', state, NULL::int4[]) FROM calls WHERE name = 'text'});
like($stderr, qr/holds values of type text, which do not make a integer\[\]/, 'and a state of another type is none of theirs');

# States of different aggregates, types or orders.
$node->safe_psql('postgres', q{INSERT INTO calls SELECT 'numeric avg', 'avg(numeric)'::regprocedure, 'x', 'numeric', 'avg(x)', partial('avg(numeric)', x::numeric) FROM v});
is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT outcome(a, a.state, b.state), ' ') FROM calls a, calls b
	WHERE a.name <> b.name AND a.aggregate::text LIKE 'gpusort%' AND b.aggregate::text LIKE 'gpusort%'
	AND NOT (a.name LIKE 'int4%' AND b.name LIKE 'int4%') AND NOT (a.name LIKE 'numeric%' AND b.name LIKE 'numeric%') AND NOT (a.name = 'text' AND b.name = 'text in a collation')}),
	'42804', 'states of different kinds and types do not combine');
is($node->safe_psql('postgres', q{SELECT outcome(a, a.state, b.state) FROM calls a, calls b WHERE a.name = 'int4' AND b.name = 'int4, descending'}),
	'{2,2,3,3,6,6,7,7,9,9,NULL,NULL}', 'those of different orders do, in the order of the first');
my $foreign = q{CREATE FUNCTION wrong(first text, second text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
		PERFORM combine(aggregate, state, NULL::int4[]) FROM (SELECT * FROM calls WHERE name IN (first, second) ORDER BY name = second) c;
		RETURN 'done';
	EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;};
is($node->safe_psql('postgres', "$foreign; SELECT wrong('int4', 'numeric avg')"), 'argument is not the state of a set aggregate',
	'nor do those of other aggregates');

# Forged bytes: an error, or a state that is as good as any; never a crash, a wait or much memory.
my $fuzz = q{
	CREATE FUNCTION fuzz(c calls, most int, OUT tries bigint, OUT results bigint, OUT codes text) LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM setseed(0.5);
		CREATE TEMP TABLE forged ON COMMIT DROP AS SELECT state FROM (
		WITH b AS (SELECT n, get_byte(c.state, n) AS byte FROM generate_series(0, length(c.state) - 1) n)
		SELECT substr(c.state, 1, n) AS state FROM b
		UNION ALL SELECT c.state || decode(repeat('00', n), 'hex') FROM generate_series(1, 4) n
		UNION ALL SELECT set_byte(c.state, n, flipped & 255)
			FROM b, unnest(ARRAY[byte # 1, byte # 128, byte # 32, ~byte, byte + 1, byte - 1, 0, 255]) flipped
		UNION ALL SELECT overlay(c.state PLACING pattern FROM n + 1)
			FROM b, unnest(ARRAY['\x00000000', '\x7fffffff', '\xffffffff', '\x07ffffff', '\xffffff7f', '\x0100000000']::bytea[]) pattern
			WHERE n <= length(c.state) - length(pattern)
		UNION ALL SELECT substr(c.state, 1, (random() * length(c.state))::int) || substr(o.state, (random() * length(o.state))::int)
			FROM calls o, generate_series(1, 10)
		UNION ALL SELECT decode(repeat(md5(random()::text), 1 + (random() * 5)::int), 'hex') FROM generate_series(1, 50)
		UNION ALL SELECT substr(c.state, 1, 4 + (random() * 50)::int) || decode(repeat(md5(random()::text), 3), 'hex') FROM generate_series(1, 50)) f ORDER BY random() LIMIT most;
		SELECT count(*), count(*) FILTER (WHERE code !~ '^[0-9A-Z]{5}$'), string_agg(DISTINCT code, ' ') FILTER (WHERE code ~ '^[0-9A-Z]{5}$')
			INTO tries, results, codes
			FROM (SELECT outcome(c, state, c.state) AS code FROM forged UNION ALL SELECT outcome(c, c.state, state) FROM forged) o;
	END $$;};
$node->safe_psql('postgres', $fuzz);
my $peak = q{substring(pg_read_file('/proc/self/status') FROM 'VmPeak:\s+(\d+)')::int};
my ($tries, $results) = (0, 0);
foreach my $name (split /\n/, $node->safe_psql('postgres', q{SELECT name FROM calls WHERE aggregate::text LIKE 'gpusort%'}))
{
	my $most = $name =~ /^(int4|text|composite|numeric of all kinds)$/ ? 2000 : 400;
	my $answer = $node->safe_psql('postgres', "SELECT $peak \\gset before_
		SELECT f.*, $peak - :before_substring FROM calls c, fuzz(c, $most) f WHERE name = '$name'");
	my ($tried, $good, $codes, $memory) = split /\|/, $answer;
	$tries += $tried;
	$results += $good;
	unlike($codes, qr/\b(XX\w\w\w|53\w\w\w|58\w\w\w)\b/, "$name: $tried forgeries, of which $good are states; others raise $codes");
	# A histogram is as long as the number of buckets in the state.
	cmp_ok($memory, '<', 100_000, "and take no more than 100 MB ($memory kB)") unless $name eq 'histogram';
}
cmp_ok($tries, '>', 10_000, "$tries forgeries in all");
cmp_ok($results, '<', $tries / 2, "$results of them states");

# Anybody's bytes, as any role.
$node->safe_psql('postgres', 'CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA gpusort TO stranger');
($status, $stdout, $stderr) = $node->psql('postgres', q{SET ROLE stranger;
	SELECT combine('gpusort.sorted_agg(anyelement)', decode(repeat('41', 40), 'hex'), NULL::int4[]) FROM generate_series(1, 2)});
like($stderr, qr/ERROR:  serialized state of a set aggregate is not valid/, 'letters are no state');

# A state that was handed over within a process is found by its number once, and not after its query.
is($node->safe_psql('postgres', q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers = 0;
	CREATE TEMP TABLE few AS SELECT i FROM generate_series(1, 1000) i;
	CREATE TABLE counted AS SELECT i FROM few;
	SELECT gpusort.mode_agg(i % 7), gpusort.count_distinct(i), gpusort.median(i) FROM counted;
	CREATE FUNCTION found(number int) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN combine('gpusort.mode_agg(anyelement)', '\x47534800' || little_endian(number), NULL::int4);
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END $$;
	CREATE FUNCTION little_endian(number int) RETURNS bytea LANGUAGE sql RETURN set_byte(set_byte('\x00000000', 0, number % 256), 1, number / 256);
	SELECT found, count(*) FROM generate_series(1, 1000) number, found(number) GROUP BY 1}),
	"1|1000|500.5\n22P03|1000", 'numbers of states that are gone are refused');

# Between processes, with settings that would lose digits, and an encoding of the client's that is not the database's.
is($node->safe_psql('postgres', q{
	CREATE TYPE unsent AS (a aclitem, f float8);
	CREATE TABLE many AS SELECT i, (makeaclitem(10, 10, 'SELECT', false), sqrt(i))::unsent AS o, (i % 7, 'ä' || i % 5)::pair AS p, to_jsonb('ü' || i % 9) AS j, 'ß' || i % 99 AS t FROM generate_series(1, 20000) i;
	ANALYZE many;
	SET client_encoding = 'LATIN1';
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET extra_float_digits = -5;
	CREATE TABLE parallel AS SELECT gpusort.sorted_agg(p) AS p,
		gpusort.sorted_agg_by(j, i) AS j, gpusort.sorted_agg(t) AS t, gpusort.sorted_agg_by(o, i) AS o FROM many;
	SET max_parallel_workers_per_gather = 0;
	SELECT p = (SELECT array_agg(p ORDER BY p) FROM many),
		j = (SELECT array_agg(j ORDER BY i) FROM many), t = (SELECT array_agg(t ORDER BY t) FROM many),
		o = (SELECT array_agg(o ORDER BY i) FROM many) FROM parallel}),
	't|t|t|t', 'texts and numbers inside of values are the same');
like($node->safe_psql('postgres', q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	EXPLAIN (COSTS OFF) SELECT gpusort.sorted_agg(p) FROM many}), qr/Partial Aggregate/, 'which parallel workers had sent');

# Rows without a named type are not sent.  The leader's own state would not be.
my $rows = 'SELECT gpusort.sorted_agg((i, t)) = array_agg((i, t) ORDER BY i) FROM many';
($status, $stdout, $stderr) = $node->psql('postgres', "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET parallel_leader_participation = off; SELECT gpusort.sorted_agg((i, t)) FROM many");
like($stderr, qr/values of type record cannot be sent to another process\n.*composite type/, 'rows of no named type are refused by parallel workers');
is($node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $rows"), 't', 'one process sorts them');
$node->stop;

done_testing();
