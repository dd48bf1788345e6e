# Aggregates run in parts on several servers, as engines for that do: rows to a state on each,
# states to a result on another, by calls that say no types.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use PartialAggregates;

# Two servers: what one makes of its rows, the other reads. The worker is of
# GPUSORT_OLD_INSTALL, a folder with its bin/ (ci/upgrade), else of the same version.
my @nodes;
foreach my $name ('worker', 'coordinator')
{
	my $node = PostgreSQL::Test::Cluster->new($name,
		$ENV{GPUSORT_OLD_INSTALL} && $name eq 'worker' ? (install_path => $ENV{GPUSORT_OLD_INSTALL}) : ());
	$node->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nfsync = off\nstatement_timeout = '180s'");
	$node->start;
	# OIDs of what is made from here on differ between the two.
	$node->safe_psql('postgres', 'CREATE TABLE before AS SELECT 1') if $name eq 'worker';
	$node->safe_psql('postgres', q{
		CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
		CREATE EXTENSION gpusort_distributed CASCADE;});
	create_partial_aggregates($node);
	$node->safe_psql('postgres', q{
		ALTER DATABASE postgres SET gpusort_test.bare_calls = on;

		CREATE TABLE rows AS SELECT i, CASE WHEN i % 50 <> 0 THEN i * 37 % 211 END AS h FROM generate_series(1, 200) i;
		-- An argument of each type, of rows, and each option.
		CREATE FUNCTION argument(name text, type text) RETURNS text LANGUAGE sql AS $$
			SELECT CASE
				WHEN name = 'n' THEN '7::bigint' WHEN name = 'buckets' THEN '5000::bigint' WHEN name IN ('descending', 'nulls_first') THEN 'true'
				WHEN name = 'fraction' THEN '0.3::float8' WHEN name = 'fractions' THEN 'ARRAY[0.1, 0.5, NULL, 1]::float8[]'
				WHEN type IN ('int2', 'int4', 'int8') THEN h || '::' || type
				WHEN type IN ('float4', 'float8') THEN '(' || h || ' / 7.0)::' || type
				WHEN type = 'numeric' THEN h || ' / 7.0' WHEN type = 'text' THEN 'md5(' || h || '::text)' WHEN type = 'uuid' THEN 'md5(' || h || '::text)::uuid'
				WHEN type = 'date' THEN 'date ''2020-01-01'' + ' || h WHEN type = 'interval' THEN h || ' * interval ''1 minute'''
				ELSE type || ' ''2020-01-01'' + ' || h || ' * interval ''1 minute''' END
			FROM (SELECT CASE name WHEN 'key' THEN 'coalesce(h, 1000 + i)' ELSE 'h' END AS h) a $$;
		CREATE VIEW aggregates AS
			SELECT p.oid::regprocedure::text AS aggregate, p.prorettype::regtype::text AS result, p.proname AS name,
				string_agg(argument(names.name, t.typname), ', ' ORDER BY o) AS arguments
			FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace,
				unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, o) JOIN pg_type t ON t.oid = a.type, LATERAL (SELECT p.proargnames[a.o] AS name) names
			WHERE n.nspname = 'gpusort_distributed' OR (n.nspname = 'gpusort' AND p.prokind = 'a' AND p.proname IN ('median', 'percentile_cont_agg'))
			GROUP BY p.oid;});
	push @nodes, $node;
}
my ($worker, $coordinator) = @nodes;

# On one server: shards to states, states to the result that all rows give.
my $in_parts = q{
	CREATE FUNCTION in_parts(a aggregates, shards int) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text; BEGIN
		EXECUTE format('SELECT combine(%L, s, NULL::%s)::text FROM (SELECT partial(%L, %s) AS s FROM rows GROUP BY i %% %s) p',
			a.aggregate, a.result, a.aggregate, a.arguments, shards) INTO result;
		RETURN result;
	END $$;
	CREATE FUNCTION in_parts_of_rows(a aggregates) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text; BEGIN
		EXECUTE format('SELECT combine(%L, s, NULL::%s)::text FROM (SELECT partial_of_row(%L, ROW(%s)) AS s FROM rows GROUP BY i %% 4) p',
			a.aggregate, a.result, a.aggregate, a.arguments) INTO result;
		RETURN result;
	END $$;
	CREATE FUNCTION at_once(a aggregates) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text; BEGIN
		EXECUTE format('SELECT gpusort.%I(%s)::text FROM rows', a.name, a.arguments) INTO result;
		RETURN result;
	END $$;};
$_->safe_psql('postgres', $in_parts) foreach @nodes;
my $count = $coordinator->safe_psql('postgres', 'SELECT count(*) FROM aggregates');
cmp_ok($count, '>', 200, "$count aggregates have declared types");
foreach my $shards (1, 4)
{
	is($coordinator->safe_psql('postgres', "SELECT string_agg(aggregate, ' ') FROM aggregates a WHERE in_parts(a, $shards) IS DISTINCT FROM at_once(a)"),
		'', "every one gives the same of $shards shards");
}

# Several arguments come as the fields of one row, which has no collation.
is($coordinator->safe_psql('postgres', q{SELECT string_agg(aggregate, ' ') FROM aggregates a WHERE in_parts_of_rows(a) IS DISTINCT FROM at_once(a)}),
	'', 'nor does it matter that the arguments are fields of a row');
is($coordinator->safe_psql('postgres', q{
	SELECT position('POSIX' IN encode(partial_of_row('gpusort_distributed.top_n_agg(text, bigint)', ROW(h::text COLLATE "POSIX", 2::bigint)), 'escape')) > 0 FROM rows}),
	't', 'the collation is that of the field');
my (undef, undef, $differ) = $coordinator->psql('postgres', q{
	SELECT partial_of_row('gpusort_distributed.sorted_agg_by(text, text)', ROW(h::text COLLATE "POSIX", i::text COLLATE "C")) FROM rows});
like($differ, qr/could not determine which collation/, 'which must not differ');

# A state that exceeds work_mem has all its values: the aggregate around it asks for bytes, not for a result.
is($coordinator->safe_psql('postgres', q{
	SET work_mem = '64kB';
	SELECT combine('gpusort.median(float8)', m, NULL::float8), combine('gpusort_distributed.count_distinct(integer)', d, NULL::bigint)
	FROM (SELECT partial('gpusort.median(float8)', i::float8) AS m, partial('gpusort_distributed.count_distinct(integer)', i) AS d
		FROM generate_series(1, 100001) i) p}),
	'50001|100001', 'values beyond work_mem are sent');

# Those of any type cannot know it, and say so.
my ($status, $stdout, $stderr) = $coordinator->psql('postgres', q{SELECT partial('gpusort.sorted_agg(anyelement)', h) FROM rows});
like($stderr, qr/could not determine input data type/, 'aggregates of any type need an expression');

# From each server to the other, as COPY in binary form has them: the bytes name types.
my $folder = PostgreSQL::Test::Utils::tempdir();
foreach my $node (@nodes)
{
	$node->safe_psql('postgres', q{
		CREATE FUNCTION state(a aggregates) RETURNS bytea LANGUAGE plpgsql AS $$
		DECLARE result bytea; BEGIN
			EXECUTE format('SELECT partial(%L, %s) FROM rows', a.aggregate, a.arguments) INTO result;
			RETURN result;
		END $$;
		CREATE FUNCTION combined(a aggregates, states bytea[]) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE result text; BEGIN
			EXECUTE format('SELECT combine(%L, s, NULL::%s)::text FROM unnest($1) s', a.aggregate, a.result) INTO result USING states;
			RETURN result;
		END $$;
		CREATE TABLE states AS SELECT aggregate, state(a) FROM aggregates a;
		CREATE TABLE received_states (LIKE states);
		CREATE TABLE sets (name, s) AS
			SELECT 'enum', gpusort.sorted_set_agg((enum_range(NULL::mood))[i % 3 + 1]) FROM rows
			UNION ALL SELECT 'float8 down', gpusort.sorted_set_agg(h / 7.0::float8, true) FROM rows
			UNION ALL SELECT 'numeric', gpusort.sorted_set_agg(h / 7.0, false, true) FROM rows
			UNION ALL SELECT 'text', gpusort.sorted_set_agg(md5(h::text) COLLATE "POSIX") FROM rows
			UNION ALL SELECT 'jsonb', gpusort.sorted_set_agg(to_jsonb(h)) FROM rows
			UNION ALL SELECT 'inet', gpusort.sorted_set_agg('10.0.0.0'::inet + h) FROM rows
			UNION ALL SELECT 'interval', gpusort.sorted_set_agg(h * interval '1 hour') FROM rows
			UNION ALL SELECT 'uuid', gpusort.sorted_set_agg(md5(h::text)::uuid) FROM rows;
		CREATE TABLE received_sets (LIKE sets);});
}
foreach my $way ([ $worker, $coordinator ], [ $coordinator, $worker ])
{
	my ($from, $to) = @$way;
	my $name = 'of PostgreSQL ' . $from->pg_version . ' on ' . $to->pg_version;
	$from->safe_psql('postgres', "COPY states TO '$folder/states' (FORMAT binary); COPY sets TO '$folder/sets' (FORMAT binary)");
	$to->safe_psql('postgres', "COPY received_states FROM '$folder/states' (FORMAT binary); COPY received_sets FROM '$folder/sets' (FORMAT binary)");
	is($to->safe_psql('postgres', q{
			SELECT count(*), count(*) FILTER (WHERE combined(a, ARRAY[r.state]) IS DISTINCT FROM at_once(a)),
				count(*) FILTER (WHERE combined(a, ARRAY[r.state, s.state]) IS DISTINCT FROM combined(a, ARRAY[s.state, s.state]))
			FROM received_states r JOIN states s USING (aggregate) JOIN aggregates a USING (aggregate)}),
		"$count|0|0", "states $name give the same, alone and combined");
	is($to->safe_psql('postgres', q{
			SELECT count(*), count(*) FILTER (WHERE r.s::text = o.s::text), count(*) FILTER (WHERE gpusort.merge(r.s, o.s)::text = gpusort.merge(o.s, o.s)::text)
			FROM received_sets r JOIN sets o USING (name)}),
		'8|8|8', "sorted sets $name are the same, alone and merged");
}
my $set = $worker->safe_psql('postgres', q{SELECT gpusort.sorted_set_agg((enum_range(NULL::mood))[i % 3 + 1]) FROM rows WHERE i < 6});
is($coordinator->safe_psql('postgres', "SELECT gpusort.merge('$set', 'mood {ok,NULL}')"), 'mood {sad,ok,ok,ok,happy,happy,NULL}', 'and sorted sets travel as text');

# Names without a schema do not collide with those of any type, whichever schemas are searched.
is($coordinator->safe_psql('postgres', q{
	SET search_path = gpusort_distributed, public; SELECT top_n_agg(h, 2), sorted_agg_by(h::text, h) IS NOT NULL FROM rows}), '{210,209}|t', 'calls are resolved');
$_->stop foreach @nodes;

done_testing();
