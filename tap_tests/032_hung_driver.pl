# Drivers and workers that hang, and devices that are away for a while: the server goes on, stops
# when it is told to, and has the device again when that is possible.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Connections;
use EmulatedDevice;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = start_emulated('hung', 'gpusort.device_timeout = 1s', 'autovacuum = off');
my $sorted = 'SELECT gpusort.array_sort(ARRAY[3, 1, 2])';

# The worker starts again, and the next opening meets a fault.
sub open_with
{
	my ($fault) = @_;
	inject($node, $fault);
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(worker_pid, 60000) FROM gpusort.devices');
	return;
}

sub hang_in_open
{
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpusort.device_timeout = '1h'");
	$node->reload;
	wait_ready($node);
	$node->poll_query_until('postgres', "SELECT current_setting('gpusort.device_timeout') = '1h'");
	open_with('hang_open');
	wait_for($node, q{state = 'starting'});
	sleep 0.5;
	is(device($node, 'state'), 'starting', 'the driver hangs');
	return;
}

# While the driver hangs in open, the worker serves what every process has to.
hang_in_open();
my $start = time;
$node->safe_psql('postgres', q{SET statement_timeout = '30s'; CREATE DATABASE other}, timeout => 60);
is($node->psql('postgres', q{SET statement_timeout = '30s'; DROP DATABASE other}), 0, 'a database can be dropped');
is($node->safe_psql('postgres', $sorted), '{1,2,3}', 'the CPU sorts');
my $hung = worker_pid($node);
ok(PostgreSQL::Test::Utils::system_log('pg_ctl', '-D', $node->data_dir, '-m', 'fast', '-t', '30', 'stop') == 0, 'the server stops');
ok(!kill(0, $hung), 'and the worker with it') or do { kill 'KILL', $hung; $node->stop('immediate'); };
$node->_update_pid(0);
$node->start;

hang_in_open();
$hung = worker_pid($node);
my @processes = split /\n/, $node->safe_psql('postgres', "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1) UNION ALL SELECT pid::text FROM pg_stat_activity");
$node->kill9;
$start = time;
sleep 0.1 while kill(0, $hung) && time < $start + 30;
ok(!kill(0, $hung), 'the worker ends when the postmaster has died');
kill 'KILL', $hung;
# Until the last process of the old server has ended, another does not start.
sleep 0.1 while kill(0, @processes) && time < $start + 120;
$node->start;

# Not for ever: the worker gives up and starts again.
$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpusort.device_timeout');
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('gpusort.device_timeout') = '1s'");
wait_ready($node);
open_with('hang_open');
wait_for($node, 'faults > 0');
like(device($node, 'last_error'), qr/the driver did not open the device/, 'a driver that hangs is given up');
ok(wait_ready($node), 'and asked again');

# A device that is away once, as while it is reset.
open_with('unavailable');
wait_for($node, q{last_error = 'injected absence'});
ok(wait_ready($node), 'a device that was away for a while comes back');
is($node->safe_psql('postgres', "SET gpusort.engine = gpu; $sorted"), '{1,2,3}', 'and sorts');

# A worker that does not answer is waited for once, not by every query.
$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
$hung = worker_pid($node);
kill 'STOP', $hung;
my @seconds;
foreach my $query (1 .. 3)
{
	my ($result, $took) = split /\n/, $node->safe_psql('postgres', "SELECT clock_timestamp() AS start \\gset\n$sorted; SELECT extract(epoch FROM clock_timestamp() - :'start')");
	is($result, '{1,2,3}', 'the CPU sorts while the worker is stopped');
	push @seconds, $took;
}
cmp_ok($seconds[0], '>=', 2, 'the first query waits');
cmp_ok($seconds[1] + $seconds[2], '<', 2, 'the next do not');
is(device($node, 'state, last_error'), 'not answering|the device worker does not answer', 'the view says so');
is($node->safe_psql('postgres', 'SELECT fallback_reasons FROM gpusort.stats WHERE fallbacks > 0'),
	'{"the device worker does not answer": 3}', 'each is counted');
my ($ret, $out, $err) = $node->psql('postgres', "SET gpusort.engine = gpu; $sorted");
like($err, qr/the GPU could not sort this: the device worker does not answer/, 'with engine = gpu it is an error');
kill 'CONT', $hung;
wait_ready($node);
is(worker_pid($node), $hung, 'the same worker answers again');
is($node->safe_psql('postgres', "SET gpusort.engine = gpu; $sorted"), '{1,2,3}', 'and its device sorts');
is(wait_slabs($node), 0, 'no slab is lost');

# A device that has no memory does answer, however long others wait for it. Each query waits for all.
inject($node, 'out_of_memory 4 800');
$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
my @queries = map { IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sorted ], '>', \my $output) } 1 .. 4;
$_->finish foreach @queries;
is($node->safe_psql('postgres', q{SELECT count(*) FROM gpusort.stats WHERE fallback_reasons ? 'the device worker does not answer'}),
	0, 'a device without memory is none that does not answer');
inject($node, 'none');

# A hang is noticed after the time that is set, though other jobs come meanwhile.
$node->safe_psql('postgres', "ALTER SYSTEM SET gpusort.device_timeout = '5s'");
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('gpusort.device_timeout') = '5s'");
$node->safe_psql('postgres', "SET gpusort.engine = gpu; $sorted");
my $faults = device($node, 'faults');
inject($node, 'hang');
@queries = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sorted ], '>', \my $first);
wait_for($node, 'running > 0');
$start = time;
sleep 4;
push @queries, IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sorted ], '>', \my $second);
wait_for($node, "faults > $faults");
cmp_ok(time - $start, '<', 8, 'a hang is noticed in time');
$_->finish foreach @queries;
$node->stop;

# The device module comes after the server has started, and then a backend dies: the server comes back.
my $module = PostgreSQL::Test::Utils::tempdir . '/module.so';
$node->append_conf('postgresql.conf', "gpusort.device_library = '$module'");
$node->start;
$node->poll_query_until('postgres', "SELECT state = 'unavailable' FROM gpusort.devices");
copy($node->config_data('--pkglibdir') . '/gpusort_emulated.so', $module);
my $victim = $node->background_psql('postgres', on_error_stop => 0);
ok(kill_hard($node, $victim->query_safe('SELECT pg_backend_pid()')), 'a backend is killed');
eval { $victim->quit; };
is($node->safe_psql('postgres', $sorted), '{1,2,3}', 'the server is back after a crash');
$node->restart;
ok(wait_ready($node), 'a new start has the device');
$node->stop;

done_testing();
