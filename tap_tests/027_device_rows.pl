# Rows beyond work_mem in device memory: where EXPLAIN says they were, and the right rows
# whatever happens to the device in each phase of the sort, also after some were returned.
#
# WITH_CUDA=yes GPUSORT_TEST_LIBRARY=gpusort_cuda takes a real device instead of the emulated one, and leaves out
# the faults that only that has.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $library = $ENV{GPUSORT_TEST_LIBRARY} // 'gpusort_emulated';
my $real = $library ne 'gpusort_emulated';
my $node = start_emulated('rows', "gpusort.device_library = '\$libdir/$library'", 'gpusort.devices = 0', 'gpusort.gpu_buffer_size = 2MB',
	'gpusort.force_nodes = on', 'max_parallel_workers_per_gather = 0',
	"work_mem = '64kB'", 'jit = off', 'gpusort.min_gpu_keys = 10000');
$node->safe_psql('postgres', q{
	CREATE TABLE held AS
	SELECT i, (i * 7919::int8) % 55001 AS k, i % 2 = 0 AS bool, CASE WHEN i % 3 > 0 THEN i END AS nulls, (i % 100) * 90000000000000000 AS apart,
		left(md5((i / 2)::text), 20 + i % 9) COLLATE "C" AS hash, CASE WHEN i % 5 > 0 THEN i / 100.0 END AS number
	FROM generate_series(1, 55000) i;
	ANALYZE held;
	-- What a query returns from a cursor; when some rows have come, something happens.
	CREATE FUNCTION rows_of(query text, what text, after int, scroll bool) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		c refcursor;
		one record;
		seen text[] := '{}';
		old int;
	BEGIN
		IF scroll THEN OPEN c SCROLL FOR EXECUTE query; ELSE OPEN c NO SCROLL FOR EXECUTE query; END IF;
		LOOP
			FETCH c INTO one;
			EXIT WHEN NOT FOUND;
			seen := seen || one::text;
			CONTINUE WHEN cardinality(seen) <> after;
			IF what = 'end of the worker' THEN
				SELECT worker_pid, pg_terminate_backend(worker_pid) INTO old FROM gpusort.devices WHERE device = 0;
				WHILE EXISTS (SELECT FROM gpusort.devices WHERE device = 0 AND worker_pid = old) LOOP
					PERFORM pg_sleep(0.01);
				END LOOP;
			ELSE
				PERFORM gpusort_test.inject_fault(what);
			END IF;
		END LOOP;
		CLOSE c;
		RETURN md5(array_to_string(seen, ' '));
	END $$});

my $columns = 'SELECT i, k, bool, nulls FROM held';
my %query = (
	'keys that fit a word' => "$columns ORDER BY k DESC",
	'keys that do not' => "$columns ORDER BY apart, bool, k");
my $records = 'SELECT i, hash, bool, number FROM held ORDER BY hash DESC, i';
sub all_rows { return "SELECT md5(string_agg(q::text, ' ')) FROM ($_[0] OFFSET 0) q"; }
sub expected_rows { return $node->safe_psql('postgres', 'SET gpusort.enable_sort = off; ' . all_rows($_[0])); }
my %rows = map { $_ => expected_rows($query{$_}) } keys %query;

my $place = qr/Sort Method: in device memory  Engine: gpu\S*.*  Device Memory: \d+kB  Devices: 0  Disk: \d+kB  Moved/;
sub explained { my ($settings, $query) = @_; return $node->safe_psql('postgres', "$settings; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query"); }

# How many sorts of rows fell back, and why.  Runs are too short for a device, so none of them is counted.
sub fallbacks
{
	return $node->safe_psql('postgres', q{
		SELECT coalesce(sum(fallbacks), 0) || coalesce(' ' || string_agg(DISTINCT r, ', '), '')
		FROM gpusort.stats LEFT JOIN LATERAL jsonb_object_keys(fallback_reasons::jsonb) r ON true WHERE used_for = 'rows'});
}
sub reset_stats { $node->safe_psql('postgres', 'SELECT gpusort.stats_reset()'); return; }

foreach my $keys (sort keys %query)
{
	foreach my $verify ('on', 'off')
	{
		like(explained("SET gpusort.verify = $verify", $query{$keys}), $place, "$keys, verify = $verify: the rows are in device memory");
		is($node->safe_psql('postgres', "SET gpusort.verify = $verify; " . all_rows($query{$keys})), $rows{$keys}, 'and come in order');
	}
	like(explained("SET gpusort.engine = 'gpu'", $query{$keys}), $place, "$keys: with engine = gpu too");
}
sub number { my ($what, $explained) = @_; return $explained =~ /$what: (\d+)kB/ ? $1 : undef; }
my $words = explained('SELECT 1', $query{'keys that do not'});
cmp_ok(number('Moved', $words), '>=', 2 * number('Device Memory', $words) - 1, 'words that come back to order ties are counted as moved');
my $json = $node->safe_psql('postgres', "EXPLAIN (ANALYZE, FORMAT json) $query{'keys that fit a word'}");
like($json, qr/"Sort Space Type": "Device Memory"/, 'other formats say where the rows were');
unlike(explained("SET work_mem = '64MB'", $query{'keys that fit a word'}), qr/Device Memory|Disk/, 'within work_mem they are in memory');
like(explained("SET gpusort.engine = 'gpu'", $records), qr/Sort Method: external distribution/, 'rows with values not passed by value go to parts');
is($node->safe_psql('postgres', all_rows($records)), expected_rows($records), 'and come in order');
is(fallbacks(), '0', 'nothing fell back');
is(wait_slabs($node), 0, 'no slab or session is left');

# A device that fails before a row was returned.
foreach my $keys (sort keys %query)
{
	my @faults = ('error 1', 'out_of_memory 1000', 'wrong 1', 'exit 1', (map { "wrong_fetch 1 $_" } 0, 2, 30, 100));
	foreach my $fault ($real ? () : @faults)
	{
		reset_stats();
		inject($node, $fault);
		is($node->safe_psql('postgres', all_rows($query{$keys})), $rows{$keys}, "$keys, $fault: the right rows");
		like(fallbacks(), qr/^1 /, 'by one fallback');
		inject($node, 'none');
		wait_ready($node);
	}
}

# One that fails when rows were returned: the rest comes from the CPU, and none twice.
foreach my $keys (sort keys %query)
{
	foreach my $after (1, 20000)
	{
		foreach my $what ('end of the worker', $real ? () : ('error 1', 'wrong_fetch', 'wrong_fetch 1 2'))
		{
			foreach my $scroll ('false', 'true')
			{
				reset_stats();
				is($node->safe_psql('postgres', "SELECT rows_of('$query{$keys}', '$what', $after, $scroll)"), $rows{$keys},
					"$keys, $what after $after rows, " . ($scroll eq 'true' ? 'with' : 'without') . ' scrolling: the right rows');
				like(fallbacks(), $what =~ /wrong/ ? qr/^1 .*failed verification/ : qr/^1 /, 'by one fallback');
				inject($node, 'none') unless $real;
				wait_ready($node);
			}
		}
	}
}

# The same within work_mem, where rows come back in blocks, too.
foreach my $what ('end of the worker', $real ? () : ('error 1', 'wrong_fetch 1 2'))
{
	reset_stats();
	is($node->safe_psql('postgres', "SET work_mem = '4MB'; SELECT rows_of('$records', '$what', 1, false)"), expected_rows($records),
		"records within work_mem, $what after 1 row: the right rows");
	like(fallbacks(), qr/^1 /, 'by one fallback');
	inject($node, 'none') unless $real;
	wait_ready($node);
}
is(wait_slabs($node), 0, 'no slab or session is left');

# Many cursors.  Rows within work_mem leave some sessions to others, and nobody waits for the own ones.
foreach my $work_mem ('64kB', '64MB')
{
	is($node->safe_psql('postgres', qq{
		SET gpusort.engine = 'gpu'; SET work_mem = '$work_mem'; SET statement_timeout = '20s';
		BEGIN;
		DO 'DECLARE c refcursor; BEGIN FOR i IN 1 .. 65 LOOP c := ''c'' || i; OPEN c SCROLL FOR SELECT k FROM held ORDER BY k; MOVE c; END LOOP; END';
		SELECT sessions > 60 FROM gpusort.arena();
		FETCH 1 FROM c65;
		COMMIT}), $work_mem eq '64kB' ? "t\n2" : "f\n2", "65 cursors, work_mem = $work_mem");
}

# One key that more rows have than a block holds.
reset_stats();
is($node->safe_psql('postgres', q{
	SET work_mem = '300MB';
	SELECT count(*), count(t), bool_and(t >= before) FROM (SELECT t, lag(t) OVER () AS before
		FROM (SELECT CASE WHEN i % 9 < 7 THEN md5(i::text) END COLLATE "C" AS t FROM generate_series(1, 1250000) i ORDER BY t OFFSET 0) s) q}),
	'1250000|972222|t', 'many rows of one key');
is($node->safe_psql('postgres', q{SELECT sum(device_sorts) FROM gpusort.stats WHERE used_for = 'rows'}), '1', 'are sorted once');
is(wait_slabs($node), 0, 'no slab or session is left');

# A cursor that the transaction leaves open, and one that goes back after the worker has ended.
my $pid = worker_pid($node);
is($node->safe_psql('postgres', qq{
	BEGIN;
	DECLARE c SCROLL CURSOR FOR SELECT k FROM held ORDER BY k;
	DECLARE d CURSOR FOR SELECT k FROM held ORDER BY k DESC;
	FETCH ABSOLUTE 50000 FROM c;
	FETCH 1 FROM d;
	SELECT pg_terminate_backend($pid);
	DO 'BEGIN WHILE EXISTS (SELECT FROM gpusort.devices WHERE worker_pid = $pid) LOOP PERFORM pg_sleep(0.01); END LOOP; END';
	FETCH BACKWARD 1 FROM c;
	FETCH ABSOLUTE 7 FROM c;
	FETCH ABSOLUTE 54999 FROM c;
	MOVE 29999 IN d;
	FETCH 1 FROM d;
	FETCH RELATIVE -1 FROM c;
	COMMIT}), "50000\n55000\nt\n49999\n7\n54999\n25000\n54998", 'rows before and after the end of the worker');
wait_ready($node);
is(wait_slabs($node), 0, 'no slab or session is left');

# Parallel workers have a session each.
is($node->safe_psql('postgres', q{
	SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SELECT count(*), bool_and(k > coalesce(before, 0)) FROM (SELECT k, lag(k) OVER () AS before FROM (SELECT k FROM held ORDER BY k OFFSET 0) s) q}),
	'55000|t', 'parallel workers');

# A canceled query leaves nothing behind, and ends at once.
sub canceled
{
	my ($delay) = @_;
	inject($node, "delay 1000 $delay");
	my $query = $node->background_psql('postgres');
	$query->query_until(qr/started/, "\\echo started\nSET application_name = 'victim';\n" . all_rows($query{'keys that fit a word'}) . ";\n");
	wait_until($node, '(SELECT sessions > 0 FROM gpusort.arena())');
	my $ms = $node->safe_psql('postgres', q{
		CREATE TEMP TABLE began AS SELECT clock_timestamp() AS at, pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim';
		DO $$
		BEGIN
			WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'active') LOOP
				PERFORM pg_stat_clear_snapshot();
			END LOOP;
		END $$;
		SELECT 1000 * extract(epoch FROM clock_timestamp() - at) FROM began});
	inject($node, 'none');
	$query->{run}->kill_kill;
	is(wait_slabs($node), 0, 'no slab or session is left');
	return $ms;
}
if ($real)
{
	$node->stop;
	done_testing();
	exit;
}
my @ms = sort { $a <=> $b } map { canceled(20) } 1 .. 5;
cmp_ok($ms[0], '<', 100, sprintf('a canceled query ends within 100 ms (%.1f to %.1f)', $ms[0], $ms[-1]));

# Little device memory: too little for the session; so little that it is known before; and known only when many rows have come.
$node->append_conf('postgresql.conf', 'gpusort.gpu_memory_limit = 2MB');
$node->restart;
wait_ready($node);
my $wide = 'SELECT i, k, nulls FROM held ORDER BY k';
my $right = $node->safe_psql('postgres', 'SET gpusort.enable_sort = off; ' . all_rows($wide));
reset_stats();
is($node->safe_psql('postgres', all_rows($wide)), $right, 'more rows than device memory');
is(fallbacks(), '1 out of device memory', 'is a fallback');
like(explained('SELECT 1', $wide), qr/external distribution/, 'EXPLAIN shows parts');
my $short = 'SELECT i, left(hash, 8) FROM held ORDER BY 2';
is(number('Disk', explained('SELECT 1', $short)), number('Disk', explained("SET gpusort.engine = 'cpu'", $short)),
	'nothing is written for a device that has no memory to bring the widest column in order');
my $many = 'SELECT i, k, bool, nulls, apart FROM held WHERE (i + 1) % 1 = 0 ORDER BY k';
is($node->safe_psql('postgres', 'SET gpusort.min_gpu_keys = 0; ' . all_rows($many)),
	$node->safe_psql('postgres', 'SET gpusort.enable_sort = off; ' . all_rows($many)), 'many more rows than expected');
like(explained('SET gpusort.min_gpu_keys = 0', $many), qr/external distribution.*Disk: \d+kB  Parts: \d+/, 'go to parts when they are too many');
is($node->safe_psql('postgres', 'SELECT memory_peak <= memory_limit FROM gpusort.devices'), 't', 'the limit is kept');
is(wait_slabs($node), 0, 'no slab or session is left');
$node->stop;

done_testing();
