# Queries that end in the middle of a job: at once, without losing a slab, and
# without anyone else noticing.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $node = start_emulated('cancel', 'gpusort.gpu_buffer_size = 4MB', 'gpusort.engine = gpu');
$node->safe_psql('postgres', q{
	CREATE TABLE data AS SELECT k, array_agg(((i * 7919) % 10007)::int4 ORDER BY i) AS a
	FROM generate_series(1, 10) k, generate_series(1, 3000) i GROUP BY k;
	INSERT INTO data SELECT 11, array_agg(((i * 7919::bigint) % 300007)::int4 ORDER BY i) FROM generate_series(1, 300000) i});
my $sort = 'SELECT sum((gpusort.array_sort(a))[1]) FROM data';
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET gpusort.force_nodes = on');

sub start_query
{
	my ($output, $errors) = @_;
	return IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $sort ], '>', $output, '2>', $errors);
}

# Milliseconds from the call to the end of the query, and the slabs the device has then.
sub end_query
{
	my ($how, $delay) = @_;
	my ($output, $errors);
	inject($node, "delay 1 $delay");
	my $query = start_query(\$output, \$errors);
	wait_for($node, 'running > 0');
	my $start = time;
	$node->safe_psql('postgres', "SELECT $how(pid) FROM pg_stat_activity WHERE query LIKE '%array_sort(a)%' AND pid <> pg_backend_pid()");
	$query->finish;
	my $ms = 1000 * (time - $start);
	my $running = $node->safe_psql('postgres', 'SELECT running FROM gpusort.arena()');
	like($errors, qr/canceling statement|terminating connection/, "$how: the error says so");
	is(wait_slabs($node), 0, 'no slab is lost');
	return ($ms, $running);
}

# A query ends while the device is busy. On a busy machine only the shortest of some times means anything.
foreach my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	my ($ms, $running);
	foreach my $delay (1000, 2000, 4000, 8000)
	{
		($ms, $running) = end_query($how, $delay);
		last if $ms < 500 && $running > 0;
	}
	cmp_ok($ms, '<', 500, "$how ends the query at once");
	cmp_ok($running, '>', 0, 'the device still has the slab');
	note(sprintf('%s: %.0f ms, psql included', $how, $ms));
}

inject($node, 'delay 1 1000');
my ($ret, $out, $err) = $node->psql('postgres', qq{SET statement_timeout = '50ms'; $sort});
like($err, qr/statement timeout/, 'statement_timeout ends a sort');
is(wait_slabs($node), 0, 'no slab is lost');

# The worker is ended in the middle of a job.
inject($node, 'delay 3 20000');
my ($output, $errors);
my $query = start_query(\$output, \$errors);
wait_for($node, 'running > 0');
my $start = time;
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(worker_pid) FROM gpusort.devices');
$query->finish;
cmp_ok(time - $start, '<', 10, 'the query does not wait for a worker that has gone');
like($errors, qr/the GPU could not sort this|no GPU is available/, 'engine = gpu: an error');
ok(wait_ready($node), 'the worker is back');
is(wait_slabs($node), 0, 'no slab is lost with the worker');
inject($node, 'delay 3 5000');
$query = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET gpusort.engine = auto", '-c', $sort ],
	'>', \$output, '2>', \$errors);
wait_for($node, 'running > 0');
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(worker_pid) FROM gpusort.devices');
$query->finish;
is($output, $node->safe_psql('postgres', "SET gpusort.engine = cpu; $sort") . "\n", 'engine = auto: the right result');
ok(wait_ready($node), 'the worker is back again');

$node->stop;

done_testing();
