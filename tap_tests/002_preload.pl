# The module loaded with, without and halfway between shared_preload_libraries.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sorted = 'SELECT gpusort.array_sort(ARRAY[2.5, -1, 7]::float4[])';
my $startup = q{SELECT count(*) FROM pg_settings WHERE name LIKE 'gpusort.%' AND context = 'postmaster'};

# Not preloaded: functions sort on the CPU from the first call.
my $node = PostgreSQL::Test::Cluster->new('plain');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');
is($node->safe_psql('postgres', $sorted), '{-1,2.5,7}', 'not preloaded: functions work');
is($node->safe_psql('postgres', "$sorted; $startup"), "{-1,2.5,7}\n0",
	'no setting claims that a restart would change it');
is($node->safe_psql('postgres', "SET gpusort.engine = 'cpu'; $sorted; SHOW gpusort.engine"),
	"{-1,2.5,7}\ncpu", 'a setting made before the module is loaded counts');
my ($ret, $stdout, $stderr) = $node->psql('postgres', "LOAD 'gpusort'; SET gpusort.engine = 'abacus'");
like($stderr, qr/invalid value for parameter "gpusort.engine"/, 'a wrong value is refused');
($ret, $stdout, $stderr) = $node->psql('postgres', "LOAD 'gpusort'; SET gpusort.no_such_setting = 1");
like($stderr, qr/gpusort.no_such_setting/, 'an unknown setting is refused');
($ret, $stdout, $stderr) = $node->psql('postgres', "SET gpusort.engine = 'gpu'; $sorted");
isnt($ret, 0, 'engine = gpu is an error');
like($stderr, qr/ERROR:  no GPU is available: gpusort is not in shared_preload_libraries\nHINT:  Add gpusort to shared_preload_libraries/, 'that says why and what to do');

# Loaded by each session.
$node->append_conf('postgresql.conf', "session_preload_libraries = 'gpusort'");
$node->restart;
is($node->safe_psql('postgres', 'SHOW gpusort.engine'), 'auto', 'session_preload_libraries: settings from the start');
is($node->safe_psql('postgres', $sorted), '{-1,2.5,7}', 'and functions work');

# Preloaded.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nsession_preload_libraries = ''");
$node->restart;
cmp_ok($node->safe_psql('postgres', $startup), '>', 0, 'preloaded: some settings take a restart');
is($node->safe_psql('postgres', $sorted), '{-1,2.5,7}', 'functions work');
($ret, $stdout, $stderr) = $node->psql('postgres', "SET gpusort.gpu_buffer_size = '1GB'");
like($stderr, qr/cannot be changed without restarting the server/, 'the arena cannot be resized at run time');

# Taken out again, nothing is left that would keep the server from starting.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
is($node->safe_psql('postgres', $sorted), '{-1,2.5,7}', 'preloading taken back: functions work');
$node->stop;

done_testing();
