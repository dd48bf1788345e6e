# Every fault a device can have: with engine = auto the CPU gives the right result,
# with engine = gpu there is a clear error; faults are counted and the worker is back
# in time.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = start_emulated('faults', 'gpusort.device_timeout = 2s', 'gpusort.gpu_buffer_size = 2MB');

# Arrays that fit a slab of 128 kB, and one that needs a session.
$node->safe_psql('postgres', q{
	CREATE TABLE data AS
	SELECT 'slab' AS kind, array_agg(((i * 7919) % 1009)::int4 ORDER BY i) AS a FROM generate_series(1, 1000) i
	UNION ALL
	SELECT 'session', array_agg(((i * 7919) % 100003)::int4 ORDER BY i) FROM generate_series(1, 100000) i;
	ALTER TABLE data ADD sorted int4[];
	UPDATE data SET sorted = ARRAY(SELECT x FROM unnest(a) x ORDER BY x);
	CREATE TABLE pairs AS
	SELECT kind, a, ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY u(x, i) ORDER BY x, i)::int4[] AS permutation FROM data});

# One question for each way to a device, about the arrays of a kind. All answer "t".
my %question = (
	keys  => sub { "SELECT gpusort.array_sort(a) = sorted FROM data WHERE kind = '$_[0]'" },
	index => sub { "SELECT gpusort.array_argsort(a) = permutation FROM pairs WHERE kind = '$_[0]'" },
	by    => sub { "SELECT gpusort.array_sort_by(ARRAY(SELECT generate_series(1, cardinality(a))), a) = permutation FROM pairs WHERE kind = '$_[0]'" },
	top   => sub { "SELECT gpusort.array_top_n(a, 10, false) = sorted[1:10] FROM data WHERE kind = '$_[0]'" },
	# The nodes: arrays of many rows at once, and rows in the place of a Sort.
	batch => sub {
		my $rows = $_[0] eq 'slab' ? 50 : 3;
		return "SET gpusort.force_nodes = on; SELECT bool_and(s = sorted) FROM (SELECT gpusort.array_sort(a) AS s, sorted
			FROM data, generate_series(1, $rows) WHERE kind = '$_[0]' OFFSET 0) q";
	},
	rows => sub {
		return "SET gpusort.force_nodes = on; SELECT array_agg(x) = (SELECT sorted FROM data WHERE kind = '$_[0]')
			FROM (SELECT x FROM data, unnest(a) x WHERE kind = '$_[0]' ORDER BY x) q";
	});
sub ask { my ($what, $kind) = @_; return $question{$what}->($kind); }

# What each fault is called where a user sees it; does it end the worker? How many jobs meet
# it: a batch is tried again when the device was short of memory.
my %fault = (
	error         => [ 'device fault', 1, 1 ],
	out_of_memory => [ 'out of device memory', 0, 1000 ],
	wrong         => [ 'failed verification', 0, 1 ],
	hang          => [ 'device fault', 1, 1 ],
	exit          => [ 'device fault', 1, 1 ]);

my @seconds;
my $ended = 0;
foreach my $name (sort keys %fault)
{
	my ($reason, $ends, $count) = @{ $fault{$name} };
	foreach my $kind ('slab', 'session')
	{
		foreach my $what ($ends ? ('batch', 'keys', 'rows') : ('batch', 'by', 'index', 'keys', 'rows', 'top'))
		{
			inject($node, "$name $count");
			is($node->safe_psql('postgres', ask($what, $kind)), 't', "$name, $kind, $what: right result with engine = auto");
			next unless $ends;
			$ended++;
			push @seconds, wait_ready($node);
			ok($seconds[-1], sprintf('%s, %s: worker back (%.1f s)', $name, $kind, $seconds[-1]));
			# A job that ends well says that the device works: the next fault is not one in a row.
			$node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[2, 1])');
		}
	}
	inject($node, "$name $count");
	my ($ret, $out, $err) = $node->psql('postgres', "SET gpusort.engine = gpu; " . ask('keys', 'slab'));
	like($err, qr/ERROR:  the GPU could not sort this: .*$reason.*HINT/s, "$name: clear error with engine = gpu");
	$ended++ if $ends;
	wait_ready($node);
	inject($node, 'none');
	is($node->safe_psql('postgres', "SET gpusort.engine = gpu; " . ask('keys', 'slab')), 't', "$name: the next sort works");
}
is(wait_slabs($node), 0, 'no slab is lost');

# Most of the times, since any single one depends on what else the machine does.
@seconds = sort { $a <=> $b } @seconds;
cmp_ok($seconds[ @seconds / 2 ], '<', 6, 'the worker is back within 6 s');

my $stats = $node->safe_psql('postgres', q{
	SELECT sum(fallbacks) > 0, sum(verification_failures) > 0,
		bool_or(fallback_reasons ? 'device fault'), bool_or(fallback_reasons ? 'out of device memory')
	FROM gpusort.stats WHERE engine = 'gpu'});
is($stats, 't|t|t|t', 'faults are counted in gpusort.stats');
is(device($node, 'faults'), $ended, 'and in gpusort.devices');
isnt(device($node, 'last_error'), '', 'which shows the last one');

# Faults in a row: the worker waits longer each time.
my $log = -s $node->logfile;
foreach my $fault (1 .. 3)
{
	wait_ready($node);
	inject($node, 'error');
	$node->safe_psql('postgres', ask('keys', 'slab'));
}
wait_for($node, q{state = 'backing off'});
is($node->safe_psql('postgres', ask('keys', 'slab')), 't', 'the CPU sorts while the device is away');
my $back = wait_ready($node);
cmp_ok($back, '>', 0, 'the worker is back after three faults in a row');
note(sprintf('after %.1f s', $back));
my @lines = grep { /failed and will be restarted/ } split /\n/, slurp_file($node->logfile, $log);
is(scalar(@lines), 3, 'one line in the log for each fault');

# Without verification nothing is found: the check is what finds it.
inject($node, 'wrong');
is($node->safe_psql('postgres', "SET gpusort.verify = off; " . ask('keys', 'slab')), 'f', 'only verification finds a wrong result');

my ($ret, $out, $err) = $node->psql('postgres', "SELECT gpusort_test.inject_fault('sloth')");
like($err, qr/device 0 does not take fault "sloth"/, 'an unknown fault is refused');
$node->stop;

# Device memory short of one job, which fills a slab of 8 MB: the CPU sorts it, and the limit is kept.
# From here on no fault is looked for, and a busy machine is none.
$node->append_conf('postgresql.conf', "gpusort.device_timeout = 1min\ngpusort.gpu_memory_limit = 1MB\ngpusort.gpu_buffer_size = 128MB\ngpusort.engine = gpu\ngpusort.force_nodes = on");
$node->start;
wait_ready($node);
$node->safe_psql('postgres', q{
	CREATE TABLE many AS SELECT g, a, sorted FROM data, generate_series(1, 1500) g WHERE kind = 'slab'
	UNION ALL SELECT 750, a, sorted FROM data WHERE kind = 'session';
	SET gpusort.engine = cpu;
	CREATE TABLE ordered AS SELECT * FROM many ORDER BY g;
	SELECT gpusort.stats_reset()});
my $auto = 'SET gpusort.engine = auto; ';
is($node->safe_psql('postgres', $auto . 'SELECT count(*) FILTER (WHERE s = sorted) FROM (SELECT sorted, gpusort.array_sort(a) AS s FROM ordered OFFSET 0) q'),
	1501, 'a batch of arrays that the device has no memory for');
is($node->safe_psql('postgres', $auto . 'SELECT count(*) FILTER (WHERE s = sorted) FROM (SELECT sorted, gpusort.array_sort_by(a, a) AS s FROM ordered OFFSET 0) q'),
	1501, 'the same with a payload');
is($node->safe_psql('postgres', $auto . q{SELECT count(*) FILTER (WHERE s = sorted[1:10])
	FROM (SELECT sorted, gpusort.array_top_n(a, 10, false) AS s FROM ordered OFFSET 0) q}), 1501, 'the same for the first n');
foreach my $what (sort keys %question)
{
	is($node->safe_psql('postgres', $auto . ask($what, 'session')), 't', "$what: an array that fits a slab but not the device");
}
is($node->safe_psql('postgres', $auto . 'SELECT bool_and(gpusort.array_sort(a) = sorted) FROM ordered'), 't', 'the array of a row at a time');
is($node->safe_psql('postgres', "SELECT string_agg(DISTINCT reason, ', ') FROM gpusort_internal.stats_fallbacks() WHERE count > 0"),
	'out of device memory', 'all of them are counted as fallbacks');
is($node->safe_psql('postgres', "SELECT bool_and(memory_peak <= memory_limit) FROM gpusort.devices WHERE state = 'ready'"), 't', 'within its limit');
is(wait_slabs($node), 0, 'no slab is lost');

# Sets how long the worker waits for its device; whoever connects afterwards knows, and the worker has been told.
sub be_patient
{
	my ($time) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpusort.device_timeout = '$time'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('gpusort.device_timeout') = '$time'");
	return;
}

# A worker is stopped while its device has a batch. The CPU sorts without it, and leaves the
# batch's keys as they are: when the worker goes on, the device still finds what it was given.
foreach my $call ('array_sort(a)', 'array_sort_by(a, a)')
{
	be_patient('2s');
	my $stopped = worker_pid($node);
	my @before = split /\|/, device($node, 'faults, restarts, verification_failures');
	$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
	inject($node, 'delay 1 1800');
	my ($output, $errors) = ('', '');
	my $query = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', 'SET gpusort.engine = auto',
		'-c', 'DO $$ BEGIN PERFORM pg_sleep(1); END $$', # until somebody watches
		'-c', "SELECT s = sorted FROM (SELECT gpusort.$call AS s, sorted FROM data WHERE kind = 'slab' OFFSET 0) q" ], '>', \$output, '2>', \$errors);
	wait_for($node, 'running > 0');
	sleep 0.1;
	kill 'STOP', $stopped;
	$query->finish;
	is("$output$errors", "t\n", "$call: no answer, and the right result");
	is($node->safe_psql('postgres', q{SELECT string_agg(reason, ' ') FROM gpusort.stats, jsonb_object_keys(fallback_reasons) reason}),
		'the device worker does not answer', "$call: it is counted");
	# With more patience the worker will not take the time it was stopped for the device's.
	be_patient('1min');
	kill 'CONT', $stopped;
	is(wait_slabs($node), 0, "$call: the worker gives the slab back");
	is_deeply([ split /\|/, device($node, 'faults, restarts, verification_failures') ], \@before, "$call: it has found nothing wrong");
	is(worker_pid($node), $stopped, "$call: and goes on");
}

$node->stop;

# The same where an array fits no slab, and its session not the device.
$node->append_conf('postgresql.conf', "gpusort.engine = auto\ngpusort.gpu_buffer_size = 4MB");
$node->start;
wait_ready($node);
foreach my $what ('keys', 'index', 'by', 'top')
{
	is($node->safe_psql('postgres', ask($what, 'session')), 't', "$what: an array that fits neither");
	my ($ret, $out, $err) = $node->psql('postgres', 'SET gpusort.engine = gpu; ' . ask($what, 'session'));
	like($err, qr/ERROR:  the GPU could not sort this: out of device memory.*HINT/s, "$what: with engine = gpu it is an error");
}
is(wait_slabs($node), 0, 'no slab is lost');
$node->stop;

done_testing();
