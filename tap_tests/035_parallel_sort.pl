# Parallel workers that sort together: one of them ends, the query is canceled, all memory is in files, or there is
# hardly any.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SmallDisk;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('parallel');
$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'gpusort'
max_parallel_workers_per_gather = 2
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
gpusort.force_nodes = on
});
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpusort;
	CREATE TABLE data AS SELECT i AS id, (i * 7919::bigint % 100003)::int AS x, repeat('x', 150) AS wide FROM generate_series(1, 100000) i;
	ALTER TABLE data SET (parallel_workers = 2);
	CREATE FUNCTION slow(int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS
		'BEGIN IF $1 % 100 = 0 THEN PERFORM pg_sleep(0.01); END IF; RETURN $1; END';
	VACUUM ANALYZE data});

my $workers = q{FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND leader_pid IS NOT NULL};
my $nothing_left = q{SELECT (SELECT count(*) FROM pg_ls_tmpdir()) + (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker')};
my $sorted = 'SELECT count(*), min(x), max(x) FROM (SELECT x FROM data ORDER BY x OFFSET 0) q';
my $expected = $node->safe_psql('postgres', $sorted);

# While rows are read, and while parts are returned: the workers wait for the leader then.
my %queries = (
	'reading' => 'SELECT count(*) FROM (SELECT slow(x) AS y FROM data ORDER BY y OFFSET 0) q',
	'returning' => 'SELECT sum(slow(x)), max(wide) FROM (SELECT x, wide FROM data ORDER BY x OFFSET 0) q');

foreach my $memory ('64kB', '64MB')
{
	foreach my $when (sort keys %queries)
	{
		foreach my $how ('a worker', 'the query', 'the leader')
		{
			my ($output, $errors) = ('', '');
			my $query = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'),
				'-c', "SET work_mem = '$memory'", '-c', $queries{$when} ], '>', \$output, '2>', \$errors);
			$node->poll_query_until('postgres', "SELECT count(*) > 0 $workers");
			my $call = $how eq 'a worker' ? 'pg_terminate_backend(pid)'
				: $how eq 'the query' ? 'pg_cancel_backend(leader_pid)' : 'pg_terminate_backend(leader_pid)';
			$node->safe_psql('postgres', "SELECT $call $workers LIMIT 1");
			$query->finish;
			# A worker may have been at its end.
			like("$output$errors", qr/terminating (connection|background worker)|canceling statement|^\d+/m, "$memory, $when: $how ends");
			ok($node->poll_query_until('postgres', "SELECT ($nothing_left) = 0"), 'nothing is left');
			is($node->safe_psql('postgres', $sorted), $expected, 'the next sort is right');
		}
	}
}

# Temporary files are counted against their limit, and are where they should be.
my ($status, $output, $errors) = $node->psql('postgres', "SET work_mem = '64kB'; SET temp_file_limit = '100kB'; $sorted");
like($errors, qr/temporary file size exceeds "?temp_file_limit/, 'temp_file_limit holds');
is($node->safe_psql('postgres', $nothing_left), 0, 'no file is left');
like($node->safe_psql('postgres', "SET work_mem = '64kB'; EXPLAIN (ANALYZE, COSTS OFF) SELECT x FROM data ORDER BY x"),
	qr/parallel, external/, 'rows beyond work_mem are in files');

# Wide rows, of which a run has few: what tells where to cut it takes little memory.
$node->safe_psql('postgres', q{
	CREATE TABLE wide AS SELECT (i * 7919::bigint % 15013)::int AS x, repeat('ab', 900) AS t FROM generate_series(1, 15000) i;
	ALTER TABLE wide SET (parallel_workers = 2);
	ANALYZE wide});
sub kilobytes
{
	my ($memory, $query) = @_;

	my ($kilobytes) = $node->safe_psql('postgres', "SET work_mem = '$memory'; EXPLAIN (ANALYZE, COSTS OFF) $query") =~
		/parallel, external.*Memory: (\d+)kB/;
	return $kilobytes;
}
cmp_ok(kilobytes('1MB', 'SELECT * FROM wide ORDER BY x'), '<', 4 * 1024, 'three processes keep to work_mem');

# Parts have so many bytes, not so many rows; and a run of one row tells where to cut, too.
cmp_ok(kilobytes('1MB', "SELECT x, CASE WHEN x < 500 THEN repeat('x', 20000) END AS t FROM wide ORDER BY x"), '<', 4 * 1024,
	'wide rows of neighboring keys are in several parts');
cmp_ok(kilobytes('64kB', "SELECT x, repeat(chr(65 + x % 20), 60000) AS t FROM wide WHERE x < 500 ORDER BY x"), '<', 1024,
	'rows as large as work_mem are in several parts');

# Where rows are returned again, workers sort parts again, but for one that comes late.
my @parts;
foreach (1 .. 10)
{
	@parts = $node->safe_psql('postgres', q{
		SET enable_material = off;
		SET work_mem = '1MB';
		EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) SELECT count(*), max(r.t) FROM generate_series(1, 3) l LEFT JOIN LATERAL
			(SELECT * FROM wide ORDER BY x OFFSET 1) r ON r.x < l * 100}) =~ /Worker \d:\s+Sort Method: parallel.*Parts: (\d+)/g;
	last if @parts;
}
cmp_ok(scalar(@parts), '>', 0, 'a worker has sorted parts in the last run');

# Where /dev/shm is nearly full, a sort asks for all that it takes there, or the leader is alone. PostgreSQL finds what it needs.
SKIP:
{
	my $numbers = q{SELECT md5(string_agg(x || wide, ' ')) FROM (SELECT x, wide FROM data ORDER BY x OFFSET 0) q};
	my $without = 'SET gpusort.enable_sort = off; SET gpusort.enable_aggregates = off; SET gpusort.enable_index_build = off;';
	my $sorts = qq{
		SET work_mem = '256kB'; SET maintenance_work_mem = '1MB'; SET enable_material = off;
		$numbers;
		SELECT md5(string_agg(t, ' ')) FROM (SELECT md5(x::text) COLLATE "C" AS t FROM data ORDER BY t OFFSET 0) q;
		SELECT md5(string_agg(x || t, ' ')) FROM (SELECT x, t FROM wide ORDER BY x LIMIT 1000) q;
		SELECT sum(r * x) FROM (SELECT x, row_number() OVER (PARTITION BY x % 1000 ORDER BY x) AS r FROM data) q;
		SELECT sum(g * n) FROM (SELECT x % 100 AS g, count(DISTINCT x / 7) AS n FROM data GROUP BY 1) q;
		SELECT percentile_disc(0.3) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY x / 7 % 14000) FROM data;
		SELECT l, count(*), sum(r.x * r.n) FROM generate_series(1, 4) l LEFT JOIN LATERAL
			(SELECT x, row_number() OVER () AS n FROM (SELECT x FROM wide ORDER BY x OFFSET 1) s) r ON r.x % l = 0 GROUP BY l ORDER BY l;
		BEGIN;
		CREATE INDEX i ON data (x, id);
		SET LOCAL enable_seqscan = off;
		SET LOCAL enable_bitmapscan = off;
		SELECT md5(string_agg(id::text, ' ')) FROM (SELECT id FROM data WHERE x >= 0 ORDER BY x OFFSET 0) q;
		ROLLBACK;
		};
	my $right = $node->safe_psql('postgres', "$without $sorts");
	$node->stop;
	my $why_not = start_with_small_memory($node, '16m');
	$node->start if $why_not;
	skip $why_not, 4 if $why_not;
	my $fill = sub {
		$node->safe_psql('postgres', q{COPY (SELECT 1) TO PROGRAM 'cat > /dev/null; cd /dev/shm; rm -f filler; } .
			qq{head -c \$(((\$(df -k --output=avail . | tail -1) - $_[0]) * 1024)) /dev/zero > filler'});
	};
	# Three sorts in a query keep what they have until it ends.
	foreach my $case ([ 10000, 3 ], [ 2000, 3 ], [ 1200, 1 ])
	{
		my ($free, $n) = @$case;
		$fill->($free);
		my ($status, $output, $errors) = $node->psql('postgres', $sorts . 'SELECT ' . join(', ', ("($numbers)") x $n), on_error_stop => 0);
		is("$output$errors", "$right\n" . join('|', ($right =~ /^(.*)/) x $n), "sorts where $free kB are free");
	}
	# Nor does a sort take more of its own memory where it must not fill the shared one.
	$fill->(7000);
	my ($memory) = $node->safe_psql('postgres', "SET work_mem = '256kB'; EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) SELECT x, wide FROM data ORDER BY x") =~ /Memory: (\d+)kB/;
	cmp_ok($memory, '<', 2048, 'memory of a sort where the half of shared memory is taken');
}

# A server has few segments of shared memory if it has few connections; many processes take no more of them than their share.
SKIP:
{
	skip 'this system does not list what is mapped', 1 unless -r '/proc/self/maps';
	$node->append_conf('postgresql.conf', "max_connections = 5\nmax_wal_senders = 0\nautovacuum_max_workers = 1\nmax_worker_processes = 20\n" .
		"max_parallel_workers = 20\nmax_parallel_workers_per_gather = 8\nwork_mem = '256MB'");
	$node->restart;
	my $segments = $node->safe_psql('postgres', q{
		ALTER TABLE data SET (parallel_workers = 8);
		CREATE FUNCTION segments() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$
			SELECT count(DISTINCT substring(line FROM '/(?:shm|pg_dynshmem)/(\S+)')) FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), '\n') line $$;
		SELECT max(n) FROM (SELECT CASE WHEN row_number() OVER () = 99000 THEN segments() END AS n, x, w
			FROM (SELECT x, repeat(wide, 18) AS w FROM data ORDER BY x OFFSET 0) q) r WHERE w <> ''});
	cmp_ok($segments, '<', 40, 'nine processes map few segments');
}

$node->stop;
done_testing();
