# Rows beyond work_mem and beyond the memory of one device are divided by key over all devices:
# where EXPLAIN says they were, and the right rows whatever happens to a device.
#
# WITH_CUDA=yes GPUSORT_TEST_LIBRARY=gpusort_cuda takes the devices of a host that has several instead of
# three emulated ones, and leaves out the faults that only those have.
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
# All columns of so many rows need more memory than one device may have, but not more than two; one column does not.
my ($rows, $limit, $work_mem) = $real ? (600011, '32MB', '4MB') : (55001, '2MB', '64kB');
$ENV{GPUSORT_EMULATED_DEVICES} = 3;
my $node = start_emulated('devices', "gpusort.device_library = '\$libdir/$library'", 'gpusort.devices = all', "gpusort.gpu_memory_limit = $limit",
	'gpusort.gpu_buffer_size = 2MB', 'gpusort.force_nodes = on', 'max_parallel_workers_per_gather = 0', "work_mem = '$work_mem'", 'jit = off',
	'gpusort.min_gpu_keys = 0', 'autovacuum = off');
delete $ENV{GPUSORT_EMULATED_DEVICES};
my $devices = $real ? $node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.devices') : 3;
if ($devices < 2)
{
	$node->stop;
	plan(skip_all => 'there is one device only');
}
ok(wait_ready($node, 60, $_), "device $_ is ready") foreach 0 .. $devices - 1;
my $all = join(', ', 0 .. $devices - 1);
$node->safe_psql('postgres', qq{
	CREATE TABLE held AS
	SELECT i::int4, (i * 7919::int8) % $rows AS k, i % 2 = 0 AS bool, CASE WHEN i % 3 > 0 THEN i::int4 END AS nulls, (i % 100) * 90000000000000000 AS apart
	FROM generate_series(1, $rows - 1) i;
	ANALYZE held;
	-- What a query returns from a cursor; when some rows have come, something happens to a device.
	CREATE FUNCTION rows_of(query text, what text, device int, after int, scroll bool) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE
		c refcursor;
		one record;
		seen text := '';
		count int := 0;
		old int;
	BEGIN
		IF scroll THEN OPEN c SCROLL FOR EXECUTE query; ELSE OPEN c NO SCROLL FOR EXECUTE query; END IF;
		LOOP
			FETCH c INTO one;
			EXIT WHEN NOT FOUND;
			seen := CASE WHEN length(seen) < 1000 THEN seen || one ELSE md5(seen) || one END;
			count := count + 1;
			CONTINUE WHEN count <> after;
			IF what = 'end of the worker' THEN
				SELECT worker_pid, pg_terminate_backend(worker_pid) INTO old FROM gpusort.devices d WHERE d.device = rows_of.device;
				WHILE EXISTS (SELECT FROM gpusort.devices d WHERE d.device = rows_of.device AND worker_pid = old) LOOP
					PERFORM pg_sleep(0.01);
				END LOOP;
			ELSIF what <> 'nothing' THEN
				PERFORM gpusort_test.inject_fault(what, device);
			END IF;
		END LOOP;
		CLOSE c;
		RETURN count || ' ' || md5(seen);
	END \$\$});

my $columns = 'SELECT i, k, bool, nulls, apart FROM held';
my %query = (
	'keys that fit a word' => "$columns ORDER BY k DESC",
	'keys that do not' => "$columns ORDER BY apart, bool, k",
	'keys with NULLs' => "$columns ORDER BY nulls, k",
	'keys with ties' => "$columns ORDER BY k % 1000");
sub all_rows { return "SELECT rows_of('$_[0]', 'nothing', 0, 0, false)"; }
sub explained { my ($settings, $query) = @_; return $node->safe_psql('postgres', "$settings; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query"); }
sub fallbacks { return $node->safe_psql('postgres', q{SELECT coalesce(sum(fallbacks), 0) FROM gpusort.stats WHERE used_for = 'rows'}); }
sub reset_stats { $node->safe_psql('postgres', 'SELECT gpusort.stats_reset()'); return; }

# The CPU engine gives ties in the input's order, too.
my %rows = map { $_ => $node->safe_psql('postgres', "SET gpusort.engine = cpu; " . all_rows($query{$_})) } keys %query;
reset_stats();
foreach my $keys (sort keys %query)
{
	foreach my $verify ('on', 'off')
	{
		like(explained("SET gpusort.verify = $verify", $query{$keys}),
			qr/Sort Method: in device memory  Engine: gpu\S*.*  Device Memory: \d+kB  Devices: $all  Disk: \d+kB  Moved/,
			"$keys, verify = $verify: the rows are on all devices");
		is($node->safe_psql('postgres', "SET gpusort.verify = $verify; " . all_rows($query{$keys})), $rows{$keys}, 'and come in order');
	}
}
like($node->safe_psql('postgres', "EXPLAIN (ANALYZE, FORMAT json) $query{'keys that fit a word'}"), qr/"Devices": \["0", "1"/, 'JSON lists the devices');
like(explained("SET gpusort.engine = 'gpu'", 'SELECT i FROM held ORDER BY i DESC'), qr/Devices: \d  /, 'rows that one device holds are on one');
is(fallbacks(), '0', 'nothing fell back');
is($node->safe_psql('postgres', 'SELECT bool_and(memory_peak <= memory_limit AND sorts > 0) FROM gpusort.devices'), 't', 'each device has sorted, within its limit');
is(wait_slabs($node), 0, 'no slab or session is left');

# Back and forth over the borders of parts.
is($node->safe_psql('postgres', qq{
	BEGIN;
	DECLARE c SCROLL CURSOR FOR SELECT i, k, nulls, bool, apart FROM held ORDER BY k;
	} . join(' ', map { 'MOVE ABSOLUTE ' . int($rows * $_ / 50) . ' IN c; FETCH PRIOR FROM c; FETCH NEXT FROM c;' } 49, 1, 40, 10, 30, 20, 25) . 'COMMIT')
	=~ s/^\d+\|(\d+)\|.*$/$1/gmr, join("\n", map { (int($rows * $_ / 50) - 1, int($rows * $_ / 50)) } 49, 1, 40, 10, 30, 20, 25), 'a cursor that scrolls');

# A device that ends while rows come back: no row is lost, and none comes twice.
foreach my $keys ('keys that do not', 'keys that fit a word')
{
	foreach my $device (0 .. $devices - 1)
	{
		foreach my $after (1, int($rows * 0.6))
		{
			is($node->safe_psql('postgres', "SELECT rows_of('$query{$keys}', 'end of the worker', $device, $after, " . ($device == 1 ? 'true' : 'false') . ')'),
				$rows{$keys}, "$keys: device $device ends after $after rows: the right rows");
			ok(wait_ready($node, 60, $device), 'the device is ready again');
		}
	}
}
is(wait_slabs($node), 0, 'no slab or session is left');

# Faults of one device before and after rows were returned.
unless ($real)
{
	my $keys = 'keys with NULLs';
	foreach my $device (0 .. 2)
	{
		foreach my $fault ('error 1', 'out_of_memory 1000', 'wrong 1', 'exit 1', 'wrong_fetch 1 2')
		{
			$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('$fault', $device)");
			is($node->safe_psql('postgres', all_rows($query{$keys})), $rows{$keys}, "device $device, $fault: the right rows");
			$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('none', $device)");
			wait_ready($node, 60, $device);
		}
		foreach my $fault ('error 1', 'wrong_fetch')
		{
			is($node->safe_psql('postgres', "SELECT rows_of('$query{$keys}', '$fault', $device, 100, false)"), $rows{$keys}, "device $device, $fault later: the right rows");
			$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('none', $device)");
			wait_ready($node, 60, $device);
		}
	}
	is(wait_slabs($node), 0, 'no slab or session is left');
}

# More rows than all devices hold, and rows that cannot be divided because their keys are equal.
foreach my $many ("SELECT h.i, k, bool, nulls, apart FROM held h, generate_series(1, 2 * $devices) g ORDER BY k", "$columns WHERE (i + 1) % 1 = 0 ORDER BY k * 0")
{
	like(explained('SELECT 1', $many), qr/external distribution.*Parts: \d+/, 'rows that the devices cannot hold go to parts');
	is($node->safe_psql('postgres', all_rows($many)), $node->safe_psql('postgres', 'SET gpusort.engine = cpu; ' . all_rows($many)), 'and come in order');
}
is(wait_slabs($node), 0, 'no slab or session is left');
$node->stop;

done_testing();
