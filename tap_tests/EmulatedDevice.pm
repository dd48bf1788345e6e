# What the tests of the device worker share: a server with the emulated device,
# and questions they keep asking it.
package EmulatedDevice;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(start_emulated wait_ready wait_until wait_for slabs_lost wait_slabs inject worker_pid device);

# A started server whose device 0 is emulated and ready. Settings are lines of
# postgresql.conf.
sub start_emulated
{
	my ($name, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', join("\n",
		"shared_preload_libraries = 'gpusort'",
		"gpusort.device_library = '\$libdir/gpusort_emulated'",
		'gpusort.min_gpu_keys = 0', 'max_worker_processes = 16', 'fsync = off', 'restart_after_crash = on', @settings));
	$node->start;
	$node->safe_psql('postgres', q{
		CREATE EXTENSION gpusort;
		CREATE SCHEMA gpusort_test;
		CREATE FUNCTION gpusort_test.inject_fault(fault text, device int4 DEFAULT 0) RETURNS void
			AS '$libdir/gpusort_test', 'test_inject_fault' LANGUAGE C STRICT VOLATILE;});
	wait_ready($node);
	return $node;
}

# Seconds until the device is ready, or 0 if it is not within the limit.
sub wait_ready
{
	my ($node, $limit, $device) = @_;
	$limit //= 60;
	my $start = time;
	while (time < $start + $limit)
	{
		return time - $start + 0.001 if device($node, 'state', $device) eq 'ready';
		sleep 0.05;
	}
	return 0;
}

# Waits until the condition holds: in the server, which misses no short moment.
sub wait_until
{
	my ($node, $condition) = @_;
	$node->safe_psql('postgres', qq{
		DO \$\$
		BEGIN
			WHILE NOT ($condition)
			LOOP
				PERFORM pg_sleep(0.001);
				PERFORM pg_stat_clear_snapshot();
				IF clock_timestamp() > now() + interval '2 minutes' THEN
					RAISE 'it has not come to that within two minutes';
				END IF;
			END LOOP;
		END \$\$});
	return;
}

# The same for a condition on a device.
sub wait_for
{
	my ($node, $condition) = @_;
	wait_until($node, "EXISTS (SELECT FROM gpusort.devices WHERE $condition)");
	return;
}

# A column of the view gpusort.devices.
sub device
{
	my ($node, $column, $device) = @_;
	$device //= 0;
	return $node->safe_psql('postgres', "SELECT $column FROM gpusort.devices WHERE device = $device");
}

sub worker_pid { return device($_[0], 'worker_pid'); }

# Slabs that are not free, and sessions.
sub slabs_lost
{
	my ($node) = @_;
	return $node->safe_psql('postgres', 'SELECT slabs - free + sessions + waiters FROM gpusort.arena()');
}

# Slabs that are still not free after the limit.
sub wait_slabs
{
	my ($node, $limit) = @_;
	$limit //= 60;
	my $start = time;
	my $lost;
	while (($lost = slabs_lost($node)) != 0 && time < $start + $limit) { sleep 0.05; }
	return $lost;
}

sub inject
{
	my ($node, $fault) = @_;
	$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('$fault')");
	return;
}

1;
