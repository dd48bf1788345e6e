# The type sorted_set from outside: forged bytes and texts, COPY in binary form, dump and
# restore into a database of another encoding, and types that are gone.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('sets');
$node->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nfsync = off\nstatement_timeout = '180s'");
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', qq{
	CREATE EXTENSION gpusort;
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE TABLE rows AS SELECT i, CASE WHEN i <> 3 THEN i * 7 % 11 END AS x, chr(96 + i) || repeat('ä', i) AS t FROM generate_series(1, 6) i;
	CREATE TABLE kept (name text PRIMARY KEY, s gpusort.sorted_set);
	INSERT INTO kept
		SELECT 'int4', gpusort.sorted_set_agg(x) FROM rows
		UNION ALL SELECT 'float8 down', gpusort.sorted_set_agg(x / 3.0::float8, true) FROM rows
		UNION ALL SELECT 'date', gpusort.sorted_set_agg(date '2020-01-01' + x) FROM rows
		UNION ALL SELECT 'text', gpusort.sorted_set_agg(t COLLATE "POSIX") FROM rows
		UNION ALL SELECT 'numeric', gpusort.sorted_set_agg(x / 3.0, true, false) FROM rows
		UNION ALL SELECT 'enum', gpusort.sorted_set_agg((enum_range(NULL::mood))[i % 3 + 1]) FROM rows
		UNION ALL SELECT 'jsonb', gpusort.sorted_set_agg(to_jsonb(t)) FROM rows
		UNION ALL SELECT 'inet', gpusort.sorted_set_agg('10.0.0.0'::inet + i) FROM rows
		UNION ALL SELECT 'none', gpusort.sorted_set_agg(x) FROM rows WHERE false
		UNION ALL SELECT 'empty', 'int8 {}'::gpusort.sorted_set;
	CREATE VIEW texts AS SELECT string_agg(format('%s: %s', name, s), E'\\n' ORDER BY name) AS texts FROM kept;

	-- What becomes of a value: its text, and what functions make of it, or the code of the error.
	CREATE FUNCTION used(set gpusort.sorted_set) RETURNS text LANGUAGE sql AS
		'SELECT concat_ws('' '', set, gpusort.merge(set, set), gpusort.sorted_set_count(set), gpusort.sorted_set_count_distinct(set))';
	CREATE FUNCTION receive(bytes bytea, type anyelement) RETURNS anyelement AS 'gpusort_test', 'test_receive' LANGUAGE C;
	CREATE FUNCTION outcome(bytes bytea) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		RETURN 'set ' || used(receive(bytes, NULL::gpusort.sorted_set));
	EXCEPTION WHEN OTHERS THEN
		RETURN CASE WHEN SQLSTATE = 'XX000' AND SQLERRM LIKE 'unsupported jsonb version number%' THEN '22P03' ELSE SQLSTATE END;
	END \$\$;
	CREATE FUNCTION read(written text) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		RETURN 'set ' || used(written::gpusort.sorted_set);
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END \$\$;});
my $texts = $node->safe_psql('postgres', 'TABLE texts');
like($texts, qr/^int4: integer \{2,3,6,7,9,NULL\}$/m, 'sets have a text');

# The binary form, which the client's encoding does not change.
is($node->safe_psql('postgres', q{SELECT string_agg(name, ' ') FROM kept WHERE s IS NOT NULL AND outcome(gpusort_internal.sorted_set_send(s)) <> 'set ' || used(s)}), '', 'what is sent is received');
$node->safe_psql('postgres', "SET client_encoding = 'LATIN1'; COPY kept TO '$folder/kept' (FORMAT binary)");
$node->safe_psql('postgres', "CREATE TABLE again (LIKE kept); COPY again FROM '$folder/kept' (FORMAT binary)");
is($node->safe_psql('postgres', 'SELECT count(*) FROM kept JOIN again USING (name) WHERE kept.s::text = again.s::text'), '9', 'with another encoding of the client');

# Forged bytes and texts: a set that can be used, or an error with a code of its own.
my $fuzz = q{
	WITH b AS (SELECT n, get_byte(s, n) AS byte FROM generate_series(0, length(s) - 1) n), forged AS (
		SELECT substr(s, 1, n) AS state FROM b
		UNION ALL SELECT s || '\x00'
		UNION ALL SELECT set_byte(s, n, flipped & 255) FROM b, unnest(ARRAY[byte # 1, byte # 128, byte # 32, ~byte, byte + 1, byte - 1, 0, 255]) flipped
		UNION ALL SELECT overlay(s PLACING pattern FROM n + 1)
			FROM b, unnest(ARRAY['\x00000000', '\x7fffffff', '\xffffffff', '\xffffff7f']::bytea[]) pattern WHERE n <= length(s) - 4
		UNION ALL SELECT substr(s, 1, n) || substr(o, n + 3) FROM b, (SELECT gpusort_internal.sorted_set_send(k.s) AS o FROM kept k WHERE k.name IN ('int4', 'text')) k
		UNION ALL SELECT decode(repeat(md5(n::text), 1 + n % 5), 'hex') FROM b)
	SELECT outcome(state) AS outcome FROM forged};
my ($tries, $sets) = (0, 0);
foreach my $name ('int4', 'float8 down', 'date', 'text', 'numeric', 'enum', 'jsonb', 'inet', 'empty')
{
	my ($tried, $good, $codes) = split /\|/, $node->safe_psql('postgres', qq{
		SELECT count(*), count(*) FILTER (WHERE outcome LIKE 'set%'), string_agg(DISTINCT outcome, ' ') FILTER (WHERE outcome NOT LIKE 'set%')
		FROM (SELECT gpusort_internal.sorted_set_send(s) AS s FROM kept WHERE name = '$name' OFFSET 0) k, LATERAL ($fuzz) f});
	$tries += $tried;
	$sets += $good;
	unlike($codes, qr/\b(XX\w\w\w|53\w\w\w|58\w\w\w)\b/, "$name: $tried forgeries, of which $good are sets; others raise $codes");
}
cmp_ok($tries, '>', 10_000, "$tries forgeries in all");
cmp_ok($sets, '<', $tries / 2, "$sets of them sets");
my ($tried, $good, $codes) = split /\|/, $node->safe_psql('postgres', q{
	SELECT count(*), count(*) FILTER (WHERE outcome LIKE 'set%'), string_agg(DISTINCT outcome, ' ') FILTER (WHERE outcome NOT LIKE 'set%') FROM (
		SELECT read(overlay(s::text PLACING piece FROM n FOR width)) AS outcome
		FROM kept, generate_series(1, length(s::text)) n, unnest(ARRAY['', '"', '{', '}', 'DESC ', ' NULLS FIRST', ' COLLATE "C"', '\\', 'é']) piece, generate_series(0, 1) width) o});
unlike($codes, qr/\b(XX\w\w\w|53\w\w\w|58\w\w\w)\b/, "texts: $tried forgeries, of which $good are sets; others raise $codes");
cmp_ok($tried, '>', 4_000, "$tried forged texts");

# Bytes that are not in order are put in order, as those of another database may be.
is($node->safe_psql('postgres', q{
		WITH b AS (SELECT gpusort_internal.sorted_set_send('int4 {1,2}') AS b)
		SELECT outcome(overlay(b PLACING substr(b, length(b) - 3) || substr(b, length(b) - 7, 4) FROM length(b) - 7)) FROM b}),
	'set integer {1,2} integer {1,1,2,2} 2 2', 'values out of order are put in order');

# Numbers have no collation, whatever the bytes say.
is($node->safe_psql('postgres', q{
		WITH b AS (SELECT gpusort_internal.sorted_set_send('int4 {1,2}') AS b), f AS (
			SELECT set_byte(decode(replace(encode(b, 'hex'), encode('UTF8', 'hex') || '0000', encode('UTF8\\012pg_catalog\\001C', 'hex')), 'hex'), 5, get_byte(b, 5) + 11) AS f FROM b)
		SELECT s, s OPERATOR(gpusort.=) 'int4 {1,2}' FROM (SELECT receive(f, NULL::gpusort.sorted_set) AS s FROM f) s}),
	'integer {1,2}|t', 'a number has no collation');

# A type whose receive function could run code of its owner.
is($node->safe_psql('postgres', q{
		CREATE FUNCTION run(text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''code was run''; END';
		CREATE DOMAIN evil AS text CHECK (run(VALUE));
		SELECT outcome(decode(replace(encode(b, 'hex'), encode('mood', 'hex'), encode('evil', 'hex')), 'hex')), outcome(b) LIKE 'set mood _sad,%'
		FROM (SELECT gpusort_internal.sorted_set_send(s) AS b FROM kept WHERE name = 'enum') x}),
	'0A000|t', 'no domain is received');

# A type that is gone is an error, not other values.
$node->safe_psql('postgres', q{CREATE TYPE gone AS ENUM ('a'); CREATE TABLE orphans AS SELECT gpusort.sorted_set_agg('a'::gone) AS s; DROP TYPE gone});
my ($status, $stdout, $stderr) = $node->psql('postgres', 'TABLE orphans');
like($stderr, qr/type with OID \d+ does not exist/, 'a type that is gone is an error');
$node->safe_psql('postgres', 'DROP TABLE orphans');

# Dump and restore, into a database of another encoding too.
$node->safe_psql('postgres', 'DROP TABLE again; DROP FUNCTION receive, outcome; DROP DOMAIN evil');
foreach my $encoding ('UTF8', 'LATIN1')
{
	my $database = 'restored_' . lc $encoding;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$node->command_ok([ 'pg_dump', '-f', "$folder/dump.sql", '-d', $node->connstr('postgres') ], 'pg_dump');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$folder/dump.sql", '-d', $node->connstr($database) ], "restored in $encoding");
	is($node->safe_psql($database, "SET client_encoding = 'UTF8'; TABLE texts"), $texts, 'with the same values');
}
$node->stop;

done_testing();
