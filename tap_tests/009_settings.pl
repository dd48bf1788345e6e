# Settings: where they can be seen and set, what they take, and the memory that they cost.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @worker_settings = qw(gpusort.device_library gpusort.device_timeout gpusort.devices gpusort.gpu_buffer_size gpusort.gpu_memory_limit);
my %value = (
	'gpusort.device_library' => "'x'", 'gpusort.device_timeout' => "'1s'", 'gpusort.devices' => "'none'",
	'gpusort.gpu_buffer_size' => "'1MB'", 'gpusort.gpu_memory_limit' => "'1GB'");
my $settings = q{SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") FROM pg_settings WHERE name LIKE 'gpusort.%'};

my $node = PostgreSQL::Test::Cluster->new('settings');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');

sub stderr_of
{
	my (@commands) = @_;
	my (undef, undef, $err) = $node->psql('postgres', join('; ', @commands));
	return $err;
}

# Loaded by a session: there are no settings of workers that are not there.  The server removes those of configuration files.
my $all = $node->safe_psql('postgres', "LOAD 'gpusort'; $settings");
foreach my $name (sort keys %value)
{
	unlike($all, qr/\b$name\b/, "$name is not listed");
	like(stderr_of("LOAD 'gpusort'", "SET $name = $value{$name}"), qr/ERROR:  invalid configuration parameter name "$name"/, 'nor set');
	$node->append_conf('postgresql.conf', "$name = $value{$name}");
}
$node->reload;
my ($ret, $out, $err) = $node->psql('postgres', "LOAD 'gpusort'; SELECT gpusort.array_sort(ARRAY[2, 1])");
is($out, '{1,2}', 'with all of them in a configuration file arrays are sorted');
like($err, qr/WARNING:  invalid configuration parameter name "$_", removing it/, "and $_ is named") foreach @worker_settings;
$node->adjust_conf('postgresql.conf', $_, undef) foreach @worker_settings;
$node->restart;
is(stderr_of("LOAD 'gpusort'"), '', 'no warning where nothing is set');

# Parallel workers load the module, too, and do not repeat the warning.
$node->append_conf('postgresql.conf', 'gpusort.gpu_buffer_size = 64MB');
$node->safe_psql('postgres', q{CREATE TABLE arrays AS SELECT ARRAY[3, 1, g] a FROM generate_series(1, 20000) g; ALTER TABLE arrays SET (parallel_workers = 2)});
$node->reload;
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SELECT sum((gpusort.array_sort(a))[1]) FROM arrays';
($ret, $out, $err) = $node->psql('postgres', "LOAD 'gpusort'; $parallel");
is($out, '20000', 'parallel workers of a session with such a setting sort');
unlike($err, qr/(removing it.*){2}/s, 'and do not warn again');
$node->adjust_conf('postgresql.conf', 'gpusort.gpu_buffer_size', undef);
$node->reload;

# No sort has more threads than the server may have processes.  Each thread takes a stack of eight megabytes of
# addresses, but not all need to live at the same time.  All allocate from one arena, as an arena takes 64 megabytes of
# addresses, and how many malloc() makes depends on how threads meet.
sub peak_with_threads
{
	my ($threads) = @_;
	return $node->safe_psql('postgres', qq{SET gpusort.cpu_threads = $threads;
		CREATE TEMP TABLE sorted AS SELECT gpusort.array_sort(array_agg(hashint4(i))) FROM generate_series(1, 2000000) i;
		SELECT substring(pg_read_file('/proc/self/status') FROM 'VmPeak:\\s+(\\d+)')::int});
}
$node->append_conf('postgresql.conf', 'max_worker_processes = 4');
$ENV{MALLOC_ARENA_MAX} = 1;
$node->restart;
delete $ENV{MALLOC_ARENA_MAX};
my $peak = peak_with_threads(4);
cmp_ok($peak, '>', peak_with_threads(1) + 4096, 'four threads have stacks');
cmp_ok(peak_with_threads(256), '<', $peak + 24576, 'more have none where four processes are the limit');
$node->adjust_conf('postgresql.conf', 'max_worker_processes', undef);
$node->restart;

# Preloaded: no arena where nothing would use it.
sub shared_memory
{
	my (@settings) = @_;
	my ($size) = run_command([ 'postgres', '-D', $node->data_dir, '-c', 'shared_preload_libraries=gpusort',
			(map { ('-c', $_) } @settings), '-C', 'shared_memory_size' ]);
	return $size;
}
$node->stop;
my ($without) = run_command([ 'postgres', '-D', $node->data_dir, '-C', 'shared_memory_size' ]);
my $emulated = 'gpusort.device_library=$libdir/gpusort_emulated';
cmp_ok(shared_memory($emulated), '>=', $without + 256, 'a device wanted and a module installed: the arena is allocated');
foreach my $case (
	[ 'no module', 'gpusort.device_library=$libdir/gpusort_nowhere' ],
	[ 'no device wanted', $emulated, 'gpusort.devices=none' ],
	[ 'an empty list', $emulated, 'gpusort.devices=' ])
{
	my ($name, @settings) = @$case;
	cmp_ok(shared_memory(@settings), '<=', $without + 3, "$name: it is not");
}
cmp_ok(shared_memory($emulated, 'gpusort.gpu_buffer_size=32MB'), '<', $without + 64, 'gpusort.gpu_buffer_size counts');

# In the file of a server that preloads gpusort.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\n$emulated\ngpusort.devices = '0, 0'\ngpusort.gpu_buffer_size = 32MB" =~ s/=\$libdir(\S+)/= '\$libdir$1'/r);
$node->start;
$node->poll_query_until('postgres', q{SELECT state = 'ready' FROM gpusort.devices});
is($node->safe_psql('postgres', 'SHOW gpusort.devices; SHOW gpusort.gpu_buffer_size; SELECT slabs * slab_bytes / 1048576 FROM gpusort.arena()'),
	"0, 0\n32MB\n32", 'settings of the file count');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'gpusort device%'}), '1', 'a device that is named twice has one worker');
$node->safe_psql('postgres', 'CREATE ROLE bob LOGIN');
(undef, undef, $err) = $node->psql('postgres', 'SET gpusort.verify = off', extra_params => [ '-U', 'bob' ]);
like($err, qr/permission denied to set parameter "gpusort.verify"/, 'only superusers set whether results are checked');
my $log = -s $node->logfile;
$node->reload;
ok(!$node->log_contains('gpusort', $log), 'reloading the file complains of nothing');
like(stderr_of('SET gpusort.devices = 1'), qr/cannot be changed without restarting the server/, 'preloaded: the server says what takes a restart');
like(stderr_of("ALTER SYSTEM SET gpusort.devices = 'a, 1'"), qr/invalid value.*HINT:  Use "all", "none", or ordinals from 0 to 15/s,
	'a list of devices is checked when it is set');
like(stderr_of("ALTER SYSTEM SET gpusort.devices = 'none, 1'"), qr/invalid value/, 'none is a list of its own');
$node->append_conf('postgresql.conf', 'gpusort.devices = none');
$node->restart;
is($node->safe_psql('postgres', 'SHOW gpusort.devices; SELECT count(*) FROM gpusort.devices; SELECT slabs FROM gpusort.arena()'),
	"none\n0\n0", 'no device wanted: no worker, no slab');
is($node->safe_psql('postgres', $parallel), '20000', 'and the CPU sorts');
like(stderr_of('SET gpusort.engine = gpu; SET gpusort.force_nodes = on; SELECT gpusort.array_sort(a) FROM arrays'), qr/no GPU is available/,
	'engine = gpu is an error');
foreach my $query ('SELECT a FROM arrays ORDER BY a[3] DESC', 'SELECT a[3] AS k FROM arrays WHERE a[3] < 50 ORDER BY md5(a::text) COLLATE "C"',
	'SELECT md5(a::text) COLLATE "C" AS k FROM arrays ORDER BY k LIMIT 5')
{
	like(stderr_of('SET gpusort.engine = gpu; SET gpusort.force_nodes = on; SET max_parallel_workers_per_gather = 0', "$query; SELECT 1"),
		qr/no GPU is available/, "and of ORDER BY: $query");
}
is($node->safe_psql('postgres', 'SELECT gpusort.array_sort(ARRAY[2, 1])'), '{1,2}', 'and the server lives');
$node->append_conf('postgresql.conf', 'gpusort.devices = 16');
$node->stop;
ok(!$node->start(fail_ok => 1), 'a wrong list keeps the server from starting');
ok($node->log_contains('invalid value for parameter "gpusort.devices": "16"'), 'and the log says why');

done_testing();
