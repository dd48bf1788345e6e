# The life of the device worker: start, idleness, restart, shutdown, crash.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Connections;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $long = $ENV{GPUSORT_LONG};
my $node = start_emulated('worker');

is($node->safe_psql('postgres', "SELECT backend_type, state FROM pg_stat_activity WHERE backend_type LIKE 'gpusort%'"),
	'gpusort device 0|idle', 'the worker is in pg_stat_activity');
is($node->safe_psql('postgres', 'SELECT device, name, state, module, to_device_bytes_per_s > 0, latency_us > 0, restarts, last_error FROM gpusort.devices'),
	'0|emulated device 0|ready|emulated|t|t|0|', 'the device is described');
is($node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[3, 1, 2])'),
	'{1,2,3}', 'it sorts');
is($node->safe_psql('postgres', "SELECT jobs > 0, keys > 0, fallbacks FROM gpusort.stats WHERE engine = 'gpu'"),
	't|t|0', 'what it sorted is counted');
is($node->safe_psql('postgres', 'SELECT jobs > 0, copy_in_ms > 0, sort_ms > 0, copy_out_ms > 0 FROM gpusort.devices'),
	't|t|t|t', 'and what it took on the device, stage by stage');

# An idle worker does nothing at all: no processor time, no wake-up.
sub activity
{
	my ($pid) = @_;
	my @fields = split / /, slurp_file("/proc/$pid/stat") =~ s/^.*\) //r;
	my ($switches) = slurp_file("/proc/$pid/status") =~ /^voluntary_ctxt_switches:\s+(\d+)/m;
	return ($fields[11] + $fields[12], $switches);
}
my $pid = worker_pid($node);
my ($ticks, $switches);
foreach my $attempt (1 .. 4)
{
	# What was under way when the first look was taken is over at the next.
	my @before = activity($pid);
	sleep($long ? 10 : 3);
	my @after = activity($pid);
	($ticks, $switches) = ($after[0] - $before[0], $after[1] - $before[1]);
	last if $ticks == 0 && $switches <= 2;
}
is($ticks, 0, 'an idle worker uses no processor time');
cmp_ok($switches, '<=', 2, 'an idle worker sleeps');

# Ended by hand it comes back; asked for the GPU, a query waits for that.
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 60000)");
is($node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[3, 1, 2])'),
	'{1,2,3}', 'a query that must use the GPU waits for the new worker');
isnt(worker_pid($node), $pid, 'another worker has taken over');
is(device($node, 'restarts'), 1, 'the restart is counted');
is(device($node, 'faults'), 0, 'it is no fault');

# Rights.
$node->safe_psql('postgres', 'CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher; CREATE ROLE stranger LOGIN');
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.devices, gpusort.arena()', extra_params => [ '-U', 'watcher' ]),
	1, 'pg_monitor sees the devices');
$node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.stats; SELECT count(*) FROM gpusort.jobs', extra_params => [ '-U', 'watcher' ]);
foreach my $user ('watcher', 'stranger')
{
	my ($ret, $out, $err) = $node->psql('postgres', 'SELECT gpusort.stats_reset()', extra_params => [ '-U', $user ]);
	like($err, qr/permission denied/, "$user may not reset the counters");
}
$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.stats'), 0, 'counters can be reset');

# Long sorts are shown while they run.
inject($node, 'delay 1000 300');
my $background = $node->background_psql('postgres');
$background->query_safe(q{CREATE TABLE large AS SELECT array_agg((i * 7919::bigint % 3000017)::int4) a FROM generate_series(1, 3000000) i});
$background->query_until(qr/started/, "\\echo started\nSELECT (gpusort.array_sort(a))[1:3] FROM large;\n");
wait_until($node, q{EXISTS (SELECT FROM gpusort.jobs WHERE engine = 'gpu' AND keys = 3000000)});
pass('a long sort shows in gpusort.jobs');
inject($node, 'none');
$background->quit;
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.jobs'), 0, 'and is gone when it has ended');

# Shutdown with jobs in flight, in each mode.
foreach my $mode ('smart', 'fast', 'immediate')
{
	inject($node, 'delay 1000 300');
	my $busy = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c',
			'SELECT (gpusort.array_sort(a))[1:3] FROM large' ], '>', \my $output, '2>', \my $errors);
	wait_for($node, 'queued + running > 0');
	my $start = time;
	$node->stop($mode);
	cmp_ok(time - $start, '<', 30, "shutdown $mode with a job in flight");
	$busy->finish;
	is($output, "{1,2,3}\n", 'smart shutdown lets the query end') if $mode eq 'smart';
	$node->start;
	ok(wait_ready($node), "ready after shutdown $mode");
}

# A backend that dies hard takes the server through crash recovery; nothing is left of it.
inject($node, 'delay 1000 300');
my $victim = $node->background_psql('postgres', on_error_stop => 0);
my $victim_pid = $victim->query_safe('SELECT pg_backend_pid()');
$victim->query_until(qr/started/, "\\echo started\nSELECT (gpusort.array_sort(a))[1:3] FROM large;\n");
wait_for($node, 'queued + running > 0');
ok(kill_hard($node, $victim_pid), 'a backend is killed');
eval { $victim->quit; };
ok(wait_ready($node), 'ready after a crash');
is(slabs_lost($node), 0, 'no slab is lost in a crash');
is($node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT (gpusort.array_sort(a))[1:3] FROM large'),
	'{1,2,3}', 'it sorts after a crash');
$node->stop;

# No module, or no such device: one line in the log, and the CPU sorts.
foreach my $case ([ "gpusort.device_library = '\$libdir/gpusort_nowhere'", qr/there is no device module/ ],
	[ "gpusort.devices = '7'", qr/there are 1 devices/ ])
{
	my ($setting, $reason) = @$case;
	$node->append_conf('postgresql.conf', $setting);
	my $log = -s $node->logfile;
	$node->start;
	$node->poll_query_until('postgres', "SELECT state = 'unavailable' FROM gpusort.devices");
	like($node->safe_psql('postgres', 'SELECT last_error FROM gpusort.devices'), $reason, 'the view says why');
	is($node->safe_psql('postgres', 'SELECT gpusort.array_sort(ARRAY[3, 1, 2])'), '{1,2,3}', 'the CPU sorts');
	my ($ret, $out, $err) = $node->psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[3, 1, 2])');
	like($err, qr/no GPU is available.*HINT/s, 'engine = gpu says that there is none');
	my @lines = grep { /LOG:  gpusort/ } split /\n/, slurp_file($node->logfile, $log);
	is(scalar(@lines), 1, 'one line in the log');
	$node->stop;
	$node->append_conf('postgresql.conf', "gpusort.device_library = '\$libdir/gpusort_emulated'\ngpusort.devices = 'all'");
}

# Two devices share the work.
$ENV{GPUSORT_EMULATED_DEVICES} = 2;
$node->start;
delete $ENV{GPUSORT_EMULATED_DEVICES};
ok(wait_ready($node, 60, 1), 'a second device gets a worker of its own');
# The second sort must come while the first runs, which a busy machine may prevent.
foreach my $delay (500, 2000, 8000)
{
	inject($node, "delay 2 $delay");
	my @busy = map { IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c',
				'SELECT gpusort.array_sort(ARRAY[3, 1, 2])' ], '>', \my $output) } 1 .. 2;
	$_->finish foreach @busy;
	last if device($node, 'jobs', 1) > 0;
}
cmp_ok(device($node, 'jobs', 1), '>', 0, 'both devices are used');
$node->stop;

done_testing();
