# Plans of other extensions: nothing changes below a node whose owner may know its
# children, whichever module is loaded first. Aggregates of others, where the extension is and
# where it is not. And the collations that some servers lack.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('others');
$node->init;
$node->append_conf('postgresql.conf', 'max_parallel_workers_per_gather = 0');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpusort;
	CREATE TABLE t AS SELECT i * 7919 % 10007 AS x, ARRAY[3, i, 1] AS a FROM generate_series(1, 1000) i;
	ANALYZE t;});

my $plan = 'EXPLAIN (COSTS OFF) SELECT * FROM t ORDER BY x';
my $ordered = q{SELECT bool_and(before <= x), count(*), sum(x)
	FROM (SELECT x, lag(x, 1, 0) OVER () AS before FROM (SELECT x FROM t ORDER BY x OFFSET 0) q) r};
foreach my $modules ([ 'gpusort', 'gpusort_test' ], [ 'gpusort_test', 'gpusort' ])
{
	my $load = join '; ', map { "LOAD '$_'" } @$modules;
	my $session = "$load; SET gpusort.force_nodes = on";
	my $order = "$modules->[0] before $modules->[1]";

	like($node->safe_psql('postgres', "$session; $plan"), qr/^Custom Scan \(GpusortRows\)/, "$order: an ORDER BY is ours");
	foreach my $owner ('list', 'left')
	{
		my $owned = "$session; SET gpusort_test.sort_owner = '$owner'";
		my ($status, $stdout, $stderr) = $node->psql('postgres', "$owned; $plan");

		is($stderr, '', "$order, child by $owner: its owner finds its Sort");
		like($stdout, qr/^Custom Scan \(SortOwner\)\n.*Sort\n/, 'which is in the plan');
		unlike($stdout, qr/Gpusort/, 'and nothing of ours below');
		($status, $stdout, $stderr) = $node->psql('postgres', "$owned; SET gpusort.explain_choices = on; $plan");
		like($stderr, qr/NOTICE:  gpusort: sort on t\.x kept: it stands below a node of another extension, which may know it$/,
			'and the reason is told');
		is($node->safe_psql('postgres', "$owned; $ordered"),
			$node->safe_psql('postgres', $ordered), 'results are those of the server alone');
		unlike($node->safe_psql('postgres', "$owned; EXPLAIN (COSTS OFF) SELECT gpusort.array_sort(a) FROM t ORDER BY x"),
			qr/Gpusort/, 'nor for array functions');
	}
}

# Rows are sorted below any aggregate of many groups, also where the extension was not created.
$node->safe_psql('postgres', 'CREATE DATABASE bare');
foreach my $database ('postgres', 'bare')
{
	$node->safe_psql($database, q{
		CREATE TABLE grouped AS SELECT i % 50000 AS g, i::numeric AS n FROM generate_series(1, 100000) i;
		ANALYZE grouped;
		CREATE AGGREGATE average(numeric) (SFUNC = numeric_avg_accum, STYPE = internal, FINALFUNC = numeric_avg);});
	my $average = 'SELECT g, average(n) FROM grouped GROUP BY g ORDER BY g';
	my $load = "LOAD 'gpusort'; SET work_mem = '1GB'";
	like($node->safe_psql($database, "$load; EXPLAIN (COSTS OFF) $average"), qr/^GroupAggregate\n.*GpusortRows/s,
		"$database: rows are sorted below an aggregate of another extension");
	is($node->safe_psql($database, "$load; $average"), $node->safe_psql($database, "$load; SET gpusort.enable_sort = off; $average"),
		'with the same results');
}

# A foreign join has a local plan of its own, for rows that change while they are locked.
SKIP:
{
	skip 'postgres_fdw is not installed', 1
		unless $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");
	my ($host, $port) = ($node->host, $node->port);
	$node->safe_psql('postgres', qq{
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'postgres', fdw_startup_cost '10000');
		CREATE USER MAPPING FOR CURRENT_USER SERVER here;
		CREATE FOREIGN TABLE f (x int, a int[]) SERVER here OPTIONS (table_name 't');
		ANALYZE f;});
	like($node->safe_psql('postgres', q{LOAD 'gpusort'; SET gpusort.force_nodes = on; SET enable_hashjoin = off;
			SET enable_nestloop = off;
			EXPLAIN (COSTS OFF) UPDATE t SET a = f2.a FROM f f1 JOIN f f2 ON f1.x = f2.x WHERE t.x = f1.x}),
		qr/GpusortRows.*Foreign Scan\n *Relations[^\n]*\n *->  Merge Join\n[^\n]*\n *->  Sort\n.*->  Sort\n/s,
		'the plan of a foreign join is left alone');
}

# A collation with rules of its own.
SKIP:
{
	skip 'the server has no ICU', 1
		unless $node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collname = 'en-x-icu'");
	$node->safe_psql('postgres', "CREATE DATABASE characters TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
	my ($status, $stdout, $stderr) = $node->psql('characters', q{LOAD 'gpusort'; SET gpusort.explain_choices = on;
			EXPLAIN SELECT * FROM generate_series(1, 10000) i ORDER BY i::text COLLATE "en-x-icu"});
	like($stderr, qr/NOTICE:  gpusort: sort on .* taken$/, 'a sort in a linguistic collation is taken, and told');
}
$node->stop;

done_testing();
