# What an administrator can do to a device that works, and what users do to their queries,
# all of it in the middle of jobs: nothing is lost, no result is wrong.
#
# GPUSORT_TEST_LIBRARY=gpusort_cuda takes a real device instead of the emulated one,
# GPUSORT_LONG=1 makes the soak one of two minutes.
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

my $library = $ENV{GPUSORT_TEST_LIBRARY} // 'gpusort_emulated';
my $real = $library ne 'gpusort_emulated';
my $long = $ENV{GPUSORT_LONG};
my $events = $ENV{GPUSORT_EVENTS} // 1000;
my $node = start_emulated('events', "gpusort.device_library = '\$libdir/$library'", 'gpusort.gpu_buffer_size = 64MB',
	'gpusort.engine = gpu', 'gpusort.device_timeout = 30s', 'gpusort.force_nodes = on', 'max_connections = 100');
note(device($node, 'name'));

# Many arrays for batches, and one that keeps a session busy for longer than it takes to connect.
my ($arrays, $large) = $real ? (10000, 10000000) : (1000, 15000000);
$node->safe_psql('postgres', qq{
	CREATE TABLE many (a int4[]);
	ALTER TABLE many ALTER a SET STORAGE EXTERNAL;
	INSERT INTO many SELECT ARRAY(SELECT ((i * 7919::bigint * g) % 10007)::int4 FROM generate_series(1, 1000) i)
	FROM generate_series(1, $arrays) g;
	CREATE TABLE large AS SELECT array_agg(((i * 7919::bigint) % 10000019)::int4) AS a FROM generate_series(1, $large) i;
	CREATE TABLE few AS SELECT row_number() OVER () AS k, a, ARRAY(SELECT x FROM unnest(a) x ORDER BY x) AS sorted
	FROM (SELECT a FROM many LIMIT 100) q});
my $sort_many = 'SELECT sum((gpusort.array_sort(a))[1]) FROM many';
my $sort_large = 'SELECT (gpusort.array_sort(a))[1:3] FROM large';
my $answer_many = $node->safe_psql('postgres', "SET gpusort.engine = cpu; $sort_many");
my $answer_large = $node->safe_psql('postgres', "SET gpusort.engine = cpu; $sort_large");
is($node->safe_psql('postgres', $sort_many), $answer_many, 'batches are sorted right');
is($node->safe_psql('postgres', $sort_large), $answer_large, 'a session is, too');

my $check = $node->basedir . '/check.sql';
append_to_file($check, "\\set k random(1, 100)\nSELECT 1 / (gpusort.array_sort(a) = sorted)::int FROM few WHERE k = :k;\n");
my $batch = $node->basedir . '/batch.sql';
append_to_file($batch, "SELECT 1 / bool_and(gpusort.array_sort(a) = sorted)::int FROM few;\n");

# Starts a program that goes on by itself; finish() ends it, and gives its output and errors.
sub start
{
	my ($input, @command) = @_;
	my ($output, $errors) = ('', '');
	return { input => $input, output => \$output, errors => \$errors,
		handle => IPC::Run::start(\@command, '<', \$input, '>', \$output, '2>', \$errors) };
}

sub finish
{
	my ($program) = @_;
	my $ok = $program->{handle}->finish;
	return ($ok, ${ $program->{output} }, ${ $program->{errors} });
}

sub psql { my (@arguments) = @_; return ('psql', '-XAtq', '-d', $node->connstr('postgres'), @arguments); }

sub checkers
{
	my (@options) = @_;
	return start('', 'pgbench', '-n', '-f', $check, '-f', "$batch\@1", @options, $node->connstr('postgres'));
}

my $in_session = '(SELECT sessions > 0 FROM gpusort.arena())';

# Starts the sort of the large array, and returns when the device has it.
sub start_large
{
	my (@settings) = @_;
	my $query = start('', psql((map { ('-c', "SET $_") } @settings), '-c', $sort_large));
	wait_until($node, $in_session);
	return $query;
}

# A query's end, as its user sees it: milliseconds from the call until its backend is idle or
# gone; nothing if the query had ended before. The query runs again until that comes.
sub end_of_query
{
	my ($function) = @_;
	my $query = start('', psql('-v', 'ON_ERROR_STOP=1', '-c', "SET application_name = 'victim'", ('-c', $sort_large) x 20));
	wait_until($node, $in_session);
	my $ms = $node->safe_psql('postgres', qq{
		CREATE TEMP TABLE began AS SELECT clock_timestamp() AS at, $function(pid) FROM pg_stat_activity WHERE application_name = 'victim';
		DO \$\$
		BEGIN
			WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'victim' AND query LIKE '%array_sort%' AND state = 'active')
			LOOP
				PERFORM pg_stat_clear_snapshot();
			END LOOP;
		END \$\$;
		SELECT 1000 * extract(epoch FROM clock_timestamp() - at) FROM began});
	my ($ok, $output, $errors) = finish($query);
	is(wait_slabs($node), 0, 'no slab is lost');
	return $errors =~ /canceling statement due to user request|terminating connection/ ? ($ms) : ();
}
foreach my $function ('pg_cancel_backend', 'pg_terminate_backend')
{
	my @ms = sort { $a <=> $b } map { end_of_query($function) } 1 .. 10;
	cmp_ok(scalar(@ms), '>', 0, "$function ends queries, with an error that says so");
	cmp_ok($ms[0], '<', 100, "$function ends a query within 100 ms");
	note(sprintf('%s: %.1f to %.1f ms', $function, $ms[0], $ms[-1]));
}

# Many events of each kind, while others sort on and must not notice.
my $before = $node->safe_psql('postgres', 'SELECT free, sessions FROM gpusort.arena()');
my $memory_before = device($node, 'memory_in_use');
my $pid_before = worker_pid($node);
my $share = int(1 + 1.1 * $events / 4);
my $statements = sub { join '', map { "$_[0];\n" . ($_ % 20 ? $sort_many : $sort_large) . ";\n" } 1 .. $share };
my @victims = (
	start($statements->('SET statement_timeout = 7'), psql()),
	start($statements->('SET statement_timeout = 3'), psql()),
	start("SET application_name = 'cancelled';\n" . $statements->('SELECT 1'), psql()),
	start('', 'sh', '-c', 'i=0; while [ $i -lt ' . $share . ' ]; do PGAPPNAME=terminated "$@"; i=$((i + 1)); done', 'sh',
		psql('-c', $sort_many)));
my $hunter = start('', psql('-c', q{
	DO $$
	DECLARE
		last_seen timestamptz := clock_timestamp();
		victim record;
	BEGIN
		WHILE clock_timestamp() < last_seen + interval '3 s'
		LOOP
			FOR victim IN SELECT * FROM pg_stat_activity WHERE application_name IN ('cancelled', 'terminated')
			LOOP
				last_seen := clock_timestamp();
				IF victim.state = 'active' AND victim.query LIKE '%array_sort%' AND victim.query_start < last_seen - random() * interval '5 ms' THEN
					PERFORM CASE victim.application_name WHEN 'cancelled' THEN pg_cancel_backend(victim.pid) ELSE pg_terminate_backend(victim.pid) END;
				END IF;
			END LOOP;
			PERFORM pg_sleep(0.002);
			PERFORM pg_stat_clear_snapshot();
		END LOOP;
	END $$}));
my $others = checkers('-c', 2, '-t', 300);
my %ended = ('statement timeout' => 0, 'user request' => 0, 'terminating connection' => 0);
foreach my $victim (@victims)
{
	my ($ok, $output, $errors) = finish($victim);
	foreach my $kind (keys %ended) { $ended{$kind} += () = $errors =~ /$kind/g; }
}
my ($hunted) = finish($hunter);
my ($unharmed, $output, $errors) = finish($others);
note("$_: $ended{$_}") foreach sort keys %ended;
my $sum = 0;
$sum += $_ foreach values %ended;
cmp_ok($sum, '>=', $events, "$events queries were ended in the middle");
cmp_ok($ended{$_}, '>', $events / 10, "$_ among them") foreach sort keys %ended;
ok($hunted, 'those who ended them went on') or diag(${ $hunter->{errors} });
ok($unharmed, 'others sort on, and right') or diag($errors);
is(wait_slabs($node), 0, 'no slab is lost');
is($node->safe_psql('postgres', 'SELECT free, sessions FROM gpusort.arena()'), $before, 'as many slabs are free as before');
is(device($node, 'memory_in_use'), $memory_before, 'and as much of the device\'s memory');
is(device($node, 'faults'), 0, 'no fault was caused');
is(worker_pid($node), $pid_before, 'the worker is the same');

# A soak: neither the worker nor a backend grows with what it sorts, nor does the device's memory.
sub memory
{
	my ($pid) = @_;
	my ($anonymous) = slurp_file("/proc/$pid/status") =~ /^RssAnon:\s+(\d+)/m;
	return $anonymous;
}
my $seconds = $long ? 120 : 6;
my $session = $node->background_psql('postgres');
my $session_pid = $session->query_safe('SELECT pg_backend_pid()');
my $began = time;
$others = checkers('-c', 8, '-T', $seconds);
my ($rounds, @memory) = (0);
while (time < $began + $seconds)
{
	$session->query_safe("$_; SELECT count(*) FROM few WHERE gpusort.array_sort(a) <> sorted") foreach $sort_many, $sort_large;
	$rounds++;
	# Two in a row may meet one call, which engine = gpu would end with an error.
	inject($node, 'out_of_memory 1') if !$real && $rounds % 10 == 0;
	@memory = (memory($pid_before), memory($session_pid)) if !@memory && time > $began + $seconds / 3;
}
($unharmed, $output, $errors) = finish($others);
ok($unharmed, "$rounds rounds beside 8 backends: every result is right") or diag($errors);
my @grown = (memory($pid_before), memory($session_pid));
note("worker $memory[0] -> $grown[0] kB, backend $memory[1] -> $grown[1] kB");
cmp_ok($grown[0], '<', $memory[0] * 1.1 + 2000, 'the worker does not grow');
cmp_ok($grown[1], '<', $memory[1] * 1.1 + 2000, 'a backend does not grow');
$session->quit;
is(wait_slabs($node), 0, 'no slab is lost');
is(device($node, 'memory_in_use'), $memory_before, 'the device has as much memory as before');

# The worker is ended in the middle of jobs: others get their answer from the CPU meanwhile.
{
	local $ENV{PGOPTIONS} = '-c gpusort.engine=auto';
	$others = checkers('-c', 4, '-T', 3600);
}
my @back;
foreach my $time (1 .. 5)
{
	my $pid = worker_pid($node);
	my $query = start_large('gpusort.engine = auto');
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
	$node->poll_query_until('postgres', "SELECT worker_pid IS DISTINCT FROM $pid FROM gpusort.devices");
	push @back, wait_ready($node);
	my ($ok, $output) = finish($query);
	is($output, "$answer_large\n", 'the worker ends in the middle of a job: the right result');
	is($node->safe_psql('postgres', $sort_large), $answer_large, 'the next worker sorts');
}
($output, $errors) = ('', '');
$others->{handle}->signal('INT');
(undef, undef, $errors) = finish($others);
unlike($errors, qr/ERROR/, 'others did not notice');
@back = sort { $a <=> $b } @back;
cmp_ok($back[2], '<', 6, sprintf('a worker is back within 6 s (%.1f)', $back[2]));
is(wait_slabs($node), 0, 'no slab is lost');
is(device($node, 'faults'), 0, 'an end that was asked for is no fault');

# A worker that does not answer.
sub set_timeout
{
	my ($time) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET gpusort.device_timeout = '$time'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('gpusort.device_timeout') = '$time'") or die 'the setting has not come';
}
set_timeout('2s');
my $query = start_large('gpusort.engine = auto');
kill 'STOP', worker_pid($node);
my ($ok, $result) = finish($query);
is($result, "$answer_large\n", 'a worker that hangs: the CPU gives the right result');
kill 'CONT', worker_pid($node);
ok(wait_ready($node), 'it answers again');
set_timeout('30s');
is(wait_slabs($node), 0, 'no slab is lost');
is($node->safe_psql('postgres', $sort_large), $answer_large, 'it sorts again');

# A worker that dies hard takes the server through crash recovery.
$query = start_large();
ok(kill_hard($node, worker_pid($node)), 'the worker is killed');
finish($query);
ok(wait_ready($node), 'ready after a crash');
is($node->safe_psql('postgres', $sort_large), $answer_large, 'after a crash of the worker it sorts');
is(wait_slabs($node), 0, 'no slab is lost');

# The server stops in the middle of a job.
foreach my $mode ('smart', 'fast', 'immediate')
{
	$query = start_large();
	my $begin = time;
	$node->stop($mode);
	cmp_ok(time - $begin, '<', 30, "shutdown $mode in the middle of a job");
	($ok, $result) = finish($query);
	is($result, "$answer_large\n", 'smart shutdown lets the query end') if $mode eq 'smart';
	$node->start;
	ok(wait_ready($node), "ready after shutdown $mode");
	is($node->safe_psql('postgres', $sort_large), $answer_large, 'and sorts');
}

# Short of everything: an arena of a few small slabs, little memory on the device, 64 backends.
$node->append_conf('postgresql.conf', "gpusort.engine = auto\ngpusort.gpu_buffer_size = 1MB\ngpusort.gpu_memory_limit = " . ($real ? '64MB' : '1MB'));
$node->restart;
wait_ready($node);
($ok, $output, $errors) = finish(checkers('-c', 64, '-j', 4, '-t', 10));
ok($ok, '64 backends, a small arena, a low limit: every result is right') or diag($errors);
is($node->safe_psql('postgres', $sort_large), $answer_large, 'an array that fits neither arena nor limit');
is($node->safe_psql('postgres', $sort_many), $answer_many, 'arrays in batches');
is($node->safe_psql('postgres', 'SELECT memory_peak <= memory_limit FROM gpusort.devices'), 't', 'the limit is kept');
is(wait_slabs($node), 0, 'no slab is lost');
$node->stop;

done_testing();
