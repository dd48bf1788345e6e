# The view gpusort.jobs: what it shows of an ORDER BY in memory, spilled, bounded, in
# parallel workers and behind cursors, and that whatever ends a sort takes it away; and
# gpusort.memory, which shows what another backend has.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = PostgreSQL::Test::Cluster->new('jobs');
$node->init;
$node->append_conf('postgresql.conf', join("\n", "shared_preload_libraries = 'gpusort'", 'gpusort.force_nodes = on', 'fsync = off',
		'jit = off', "work_mem = '64MB'", 'max_worker_processes = 16', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
		'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 0'));
$node->start;

# pass(i, gate) is i, but waits there while somebody holds the advisory lock of the gate's number.
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpusort;
	CREATE TABLE numbers AS SELECT i, (i * 7919) % 100003 AS x FROM generate_series(1, 20000) i;
	CREATE TABLE noted (jobs bigint);
	ANALYZE numbers;
	CREATE FUNCTION pass(i int, gate int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		IF i = gate THEN
			WHILE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = gate)
			LOOP
				PERFORM pg_sleep(0.005);
			END LOOP;
		END IF;
		RETURN i;
	END $$});

# Starts a query whose input waits at its gate-th row; returns it, and who holds the gate.
sub start_gated
{
	my ($gate, $sql) = @_;
	my $holder = $node->background_psql('postgres');
	$holder->query_safe("SELECT pg_advisory_lock($gate)");
	my $query = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sql ], '>', \my $output, '2>', \my $errors);
	return ($query, $holder);
}

# What the view shows, as soon as a condition holds for it.
sub shown
{
	my ($columns, $condition) = @_;
	my $seen = '';
	for (my $start = time; $seen eq '' && time < $start + 60; sleep 0.01)
	{
		$seen = $node->safe_psql('postgres', "SELECT $columns FROM gpusort.jobs WHERE $condition");
	}
	return $seen;
}

sub none_left
{
	my ($name) = @_;
	return is($node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.jobs'), 0, "$name: none is left");
}

# While the input is read, in memory and when it spills. The 15,000th row has not come.
my $sum = 'SELECT sum(x) FROM (SELECT x FROM numbers ORDER BY pass(i, 15000), x OFFSET 0) q';
foreach my $case ([ 'in memory', '64MB', 'parts = 0' ], [ 'spilled', '64kB', 'parts > 1' ])
{
	my ($name, $memory, $parts) = @$case;
	my ($query, $holder) = start_gated(15000, "SET work_mem = '$memory'; $sum");
	is(shown("used_for, coalesce(engine, 'not yet'), phase, keys, rows_returned, $parts, round(done::numeric, 2)",
			'rows_read BETWEEN 14900 AND 14999'),
		'rows|not yet|reading|20000|0|t|0.75', "$name: while it reads");
	$holder->quit;
	$query->finish;
	none_left($name);
}

# What a cursor has fetched so far; a second one beside it.
my $declare = q{BEGIN; DECLARE %s NO SCROLL CURSOR FOR SELECT i FROM numbers ORDER BY x; MOVE %d IN %s;};
my $state = 'phase, keys, rows_read, rows_returned > 0, rows_returned <= %d, done < 0.5';
foreach my $memory ('64MB', '64kB')
{
	my $parts = $memory eq '64MB' ? '0' : '2';
	is($node->safe_psql('postgres', "SET work_mem = '$memory';" . sprintf($declare, 'a', 5000, 'a')
			. 'SELECT ' . sprintf($state, 5000) . ", least(parts, 2) FROM gpusort.jobs; COMMIT"),
		"returning|20000|20000|t|t|t|$parts", "$memory: while it returns rows");
	is($node->safe_psql('postgres', "SET work_mem = '$memory';" . sprintf($declare, 'a', 5000, 'a') . sprintf($declare, 'b', 300, 'b')
			. 'SELECT count(*), min(pid) = max(pid) FROM gpusort.jobs; CLOSE a; SELECT count(*) FROM gpusort.jobs;'
			. 'MOVE ALL IN b; SELECT count(*) FROM gpusort.jobs'),
		"2|t\n1\n0", "$memory: two at a time, until they are closed or at their end");
	none_left($memory);
}
is($node->safe_psql('postgres', join('', map { sprintf($declare, "c$_", 300, "c$_") } 1 .. 6)
			. 'SELECT count(*) FROM gpusort.jobs; CLOSE c6; CLOSE c1; SELECT count(*) FROM gpusort.jobs; CLOSE ALL; SELECT count(*) FROM gpusort.jobs'),
	"4\n3\n0", 'no more than four of a backend');

# With a bound rows are read that are not kept.
is($node->safe_psql('postgres', q{BEGIN; DECLARE a NO SCROLL CURSOR FOR SELECT i FROM numbers ORDER BY x LIMIT 2000; MOVE 400 IN a;
	SELECT phase, keys, rows_read, rows_returned < 2000 FROM gpusort.jobs; COMMIT}),
	'returning|20000|20000|t', 'bounded: all rows read are counted');

# Aborts: of the transaction, of a subtransaction and not of another one, by a cancel.
is($node->safe_psql('postgres', sprintf($declare, 'a', 300, 'a') . 'ROLLBACK; SELECT count(*) FROM gpusort.jobs'), 0, 'rolled back');
is($node->safe_psql('postgres', 'BEGIN; SAVEPOINT s; ' . sprintf($declare, 'a', 300, 'a')
		. 'SAVEPOINT t; ROLLBACK TO t; SELECT count(*) FROM gpusort.jobs; RELEASE t; RELEASE s; SELECT count(*) FROM gpusort.jobs;'
		. sprintf('SAVEPOINT u; DECLARE b CURSOR FOR SELECT i FROM numbers ORDER BY x; MOVE 10 IN b; ')
		. 'SELECT count(*) FROM gpusort.jobs; ROLLBACK TO u; SELECT count(*) FROM gpusort.jobs; COMMIT'),
	"1\n1\n2\n1", 'subtransactions');
is($node->safe_psql('postgres', q{DO $$
	BEGIN
		BEGIN
			PERFORM 1 / (x - x) FROM (SELECT x FROM numbers ORDER BY x OFFSET 0) q;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO noted SELECT count(*) FROM gpusort.jobs;
		END;
	END $$; SELECT jobs FROM noted}), 0, 'an error that is caught');
{
	my ($query, $holder) = start_gated(15000, "SET work_mem = '64kB'; $sum");
	isnt(shown('pid', 'rows_read BETWEEN 14900 AND 14999'), '', 'shown');
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM gpusort.jobs');
	$query->finish;
	none_left('cancelled');
	$holder->quit;
}
{
	my ($query, $holder) = start_gated(15000, $sum);
	isnt(shown('pid', 'rows_read BETWEEN 14900 AND 14999'), '', 'shown');
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 60000) FROM gpusort.jobs');
	$query->finish;
	none_left('terminated');
	$holder->quit;
}

# Parallel workers, each that reads with a row of its own, beside the leader's.
{
	my ($query, $holder) = start_gated(15000, q{SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 2;
		SET gpusort.force_nodes = on; SELECT count(*) FROM (SELECT x FROM numbers WHERE pass(i, 15000) > 0 ORDER BY x OFFSET 0) q});
	is(shown("min(leader_pid) = max(leader_pid), bool_and(leader_pid IS DISTINCT FROM pid), sum(rows_read) <= 20000",
			"used_for = 'rows' HAVING sum(rows_read) > 10000 AND count(leader_pid) > 0"),
		't|t|t', 'parallel workers are shown');
	$holder->quit;
	$query->finish;
	none_left('parallel');
}
# Memory of another backend, while it sorts, when it has sorted, and when it has gone.
{
	my $session = $node->background_psql('postgres');
	my $memory = 'SELECT in_use_bytes > 0, kept_bytes <= limit_bytes, limit_bytes FROM gpusort.memory WHERE pid = ' . $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe(q{BEGIN; DECLARE a NO SCROLL CURSOR FOR SELECT i, repeat('x', 100 + i % 2) FROM numbers ORDER BY x; MOVE 10 IN a});
	$node->safe_psql('postgres', 'CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher');
	is($node->safe_psql('postgres', $memory, extra_params => [ '-U', 'watcher' ]), 't|t|67108864', 'memory in use');
	my $rows = 'SELECT (SELECT count(*) FROM gpusort.jobs), (SELECT count(*) FROM gpusort.memory)';
	my @stranger = (extra_params => [ '-U', 'stranger' ]);
	$node->safe_psql('postgres', 'CREATE ROLE stranger LOGIN; GRANT SELECT ON numbers TO stranger');
	is($node->safe_psql('postgres', $rows, @stranger), '0|0', 'a role does not see sorts and memory of others');
	is($node->safe_psql('postgres', "BEGIN; DECLARE a NO SCROLL CURSOR FOR SELECT i, repeat('x', 100 + i % 2) FROM numbers ORDER BY x; MOVE 10 IN a; $rows; COMMIT", @stranger),
		'1|1', 'it sees its own');
	$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'client backend'}); # this one and the session
	is($node->safe_psql('postgres', $rows, extra_params => [ '-U', 'watcher' ]), '1|1', 'a member of pg_monitor sees all');
	$session->query_safe('COMMIT');
	is($node->safe_psql('postgres', $memory), 'f|t|67108864', 'memory kept');
	$session->quit;
	ok($node->poll_query_until('postgres', "SELECT NOT EXISTS ($memory)"), 'a backend that has gone has none');
}
$node->stop;

done_testing();
