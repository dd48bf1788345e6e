# Two devices: when one fails, the other does its jobs, without an error and without the CPU.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

$ENV{GPUSORT_EMULATED_DEVICES} = 2;
my $node = start_emulated('two', 'gpusort.devices = all', 'gpusort.engine = gpu', 'gpusort.device_timeout = 1s', 'gpusort.verify = on',
	'max_parallel_workers_per_gather = 0', 'autovacuum = off');
delete $ENV{GPUSORT_EMULATED_DEVICES};
ok(wait_ready($node, 60, 1), 'both devices are ready');
$node->safe_psql('postgres', q{
	CREATE TABLE data AS SELECT k, (SELECT array_agg(hashint4(k * 10000 + i)) FROM generate_series(1, 100) i) AS a FROM generate_series(1, 1000) k;
	ALTER TABLE data ADD sorted int4[];
	UPDATE data SET sorted = ARRAY(SELECT x FROM unnest(a) x ORDER BY x);
	CREATE TABLE keys AS SELECT k * 7919 % 50021 AS k FROM generate_series(1, 50000) k;
	ANALYZE data;});

# A single array, and those of many rows at once.
my %queries = (
	'one array' => 'SELECT gpusort.array_sort(a) = sorted FROM data WHERE k = 7',
	'many rows' => 'SELECT bool_and(s = sorted) FROM (SELECT gpusort.array_sort(a) AS s, sorted FROM data OFFSET 0) d',
	'rows beyond work_mem' => q{SET gpusort.force_nodes = on; SET work_mem = '64kB'; SET gpusort.min_gpu_keys = 10000;
		SELECT count(*) = 50000 AND bool_and(k > before) IS NOT FALSE
		FROM (SELECT k, lag(k) OVER () AS before FROM (SELECT k FROM keys ORDER BY k OFFSET 0) s) q},
	'an aggregate' => 'SELECT gpusort.sorted_agg(k) = (SELECT array_agg(i) FROM generate_series(1, 1000) i) FROM data');
sub hands_over
{
	my ($fault, $name) = @_;
	ok(wait_ready($node, 60, $_), "$fault, $name: device $_ is ready") foreach 0 .. 1;
	my $sorts = device($node, 'sorts', 1);
	inject($node, $fault);
	my $start = time;
	is($node->safe_psql('postgres', $queries{$name}), 't', 'the result is right, with no error');
	cmp_ok(time - $start, '<', 30, 'and does not wait for the first to come back');
	cmp_ok(device($node, 'sorts', 1), '>', $sorts, 'the other device has sorted');
	inject($node, 'none');
	return;
}
hands_over('error', $_) foreach sort keys %queries;
hands_over('out_of_memory', 'many rows');
hands_over('wrong', 'one array');
hands_over($_, 'rows beyond work_mem') foreach 'out_of_memory 1000', 'wrong', 'wrong_fetch';
is($node->safe_psql('postgres', 'SELECT coalesce(sum(fallbacks), 0) FROM gpusort.stats'), '0', 'the CPU took nothing over');

# Both fail: then it is an error, or the CPU's.
$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('error 2', d) FROM generate_series(0, 1) d");
my ($status, $stdout, $stderr) = $node->psql('postgres', $queries{'one array'});
like($stderr, qr/the GPU could not sort this: device fault/, 'with both failing it is an error');
$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('error 2', d) FROM generate_series(0, 1) d");
is($node->safe_psql('postgres', "SET gpusort.engine = auto; $queries{'one array'}"), 't', "or the CPU's");
$node->safe_psql('postgres', "SELECT gpusort_test.inject_fault('none', d) FROM generate_series(0, 1) d");

# A worker that ends, and one that hangs: its device comes back later.
hands_over('exit', 'many rows');
hands_over('exit', 'rows beyond work_mem');
hands_over('hang', 'one array');
is(wait_slabs($node), 0, 'no slab is lost');
$node->stop;

# A job goes to the device with the fewest jobs, of equals to the one with the most free memory.
local $ENV{GPUSORT_EMULATED_DEVICES} = 2;
my $several = start_emulated('several', 'gpusort.devices = all', 'gpusort.engine = gpu', 'gpusort.force_nodes = on', "work_mem = '64kB'",
	'max_parallel_workers_per_gather = 0', 'autovacuum = off', 'gpusort.gpu_memory_limit = 64MB');
wait_ready($several, 60, $_) foreach 0 .. 1;
$several->safe_psql('postgres', q{
	CREATE TABLE data AS SELECT array_agg(hashint4(i)) AS a FROM generate_series(1, 100) i;
	CREATE TABLE keys AS SELECT k * 7919 % 50021 AS k FROM generate_series(1, 50000) k});
sub sorts { return $several->safe_psql('postgres', q{SELECT string_agg(sorts::text, ' ' ORDER BY device) FROM gpusort.devices}); }
$several->safe_psql('postgres', 'SELECT gpusort.array_sort(a) FROM data') foreach 1 .. 3;
like(sorts(), qr/^[1-9]\d* 0$/, 'jobs that come one after the other go to the first of equal devices');

# Rows of a cursor that is left open take memory of the first device.
is($several->safe_psql('postgres', q{
	BEGIN;
	DECLARE c SCROLL CURSOR FOR SELECT k FROM keys ORDER BY k;
	FETCH 1 FROM c;
	SELECT count(gpusort.array_sort(a)) FROM data;
	COMMIT;
	SELECT sorts FROM gpusort.devices WHERE device = 1}) =~ s/.*\n//sr, 1, 'of equal devices the one with the most free memory gets the job');

# While a job of the first one takes long, others go to the second.
$several->safe_psql('postgres', "SELECT gpusort_test.inject_fault('delay 1000 5000', 0)");
my @busy = map { my $session = $several->background_psql('postgres');
	$session->query_until(qr/started/, "\\echo started\nSELECT count(gpusort.array_sort(a)) FROM data;\nSELECT count(gpusort.array_sort(a)) FROM data;\n"); $session } 1 .. 10;
wait_until($several, '(SELECT sorts > 1 FROM gpusort.devices WHERE device = 1)');
cmp_ok((split ' ', sorts())[1], '>', 1, 'under load the second device sorts too');
$several->safe_psql('postgres', "SELECT gpusort_test.inject_fault('none', 0)");
$_->quit foreach @busy;
is(wait_slabs($several), 0, 'no slab is lost');
$several->stop;

done_testing();
