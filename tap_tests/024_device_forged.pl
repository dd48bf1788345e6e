# Job records that no gpusort wrote: the worker refuses each, by what is wrong with it, lives
# on and sorts what is right.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_emulated('forged', 'gpusort.gpu_buffer_size = 2MB');
$node->safe_psql('postgres', q{
	CREATE FUNCTION forge_job(arena_bytes int8, field text, value int8) RETURNS void
		AS '$libdir/gpusort_test', 'test_forge_job' LANGUAGE C STRICT VOLATILE});
my $worker = worker_pid($node);
my $sorts = "SELECT sorts FROM gpusort.devices WHERE device = 0";
my $sorted = "SET gpusort.engine = 'gpu'; SELECT gpusort.array_sort(ARRAY[3, 1, 2])";

sub forge
{
	my ($field, $value) = @_;
	my $from = -s $node->logfile;
	$node->safe_psql('postgres', "SELECT forge_job(size, '$field', $value) FROM pg_shmem_allocations WHERE name = 'gpusort arena'");
	is(wait_slabs($node), 0, "$field = $value: the slab is free again");
	return slurp_file($node->logfile, $from);
}

# The record as it is, first: so what is refused below is refused for its one wrong field.
my $before = $node->safe_psql('postgres', $sorts);
unlike(forge('nothing', 0), qr/refused/, 'a record that is right is not refused');
unlike(forge('nrows of a session', 1), qr/refused/, 'nor is the opening of a session');
cmp_ok($node->safe_psql('postgres', $sorts), '>', $before, 'but sorted');

my $beyond = 0x7fffffff;
foreach my $forged (
	[ 'kind', 77, 'a record of another kind' ],
	[ 'kind', 1, 'a record of another kind' ],
	[ 'kind', 4, 'no such session' ],
	[ 'form', 99, 'unknown key form' ],
	[ 'method', -1, 'unknown method' ],
	[ 'method', 6, 'a method that cannot sort this' ],
	[ 'payload', 3, 'unknown payload' ],
	[ 'use', 1000000, 'unknown use' ],
	[ 'use', -1, 'unknown use' ],
	[ 'keys', $beyond - 15, 'keys beyond the slab' ],
	[ 'keys', 8, 'keys beyond the slab' ],
	[ 'keys_out', 131072 - 64, 'results beyond the slab' ],
	[ 'segments', 131072, 'segments beyond the slab' ],
	[ 'nslots', $beyond, 'keys beyond the slab' ],
	[ 'nsegments', $beyond, 'segments beyond the slab' ],
	[ 'nsegments', 2, 'a histogram of other segments' ],
	[ 'nrows of a session', 0, 'no rows' ],
	[ 'nrows of a session', 2 * $beyond + 2, 'too many rows' ],
	[ 'session_job of an append', $beyond, 'no such session' ],
	[ 'session_job of an append', -$beyond, 'no such session' ])
{
	my ($field, $value, $flaw) = @$forged;
	like(forge($field, $value), qr/refused a job that is not well formed: $flaw/, "$field = $value: $flaw");
	is($node->safe_psql('postgres', $sorted), '{1,2,3}', "$field = $value: the device sorts on");
}
# A session of a record that is refused is closed once, however wrong the record is.
foreach my $field ('use of a session', "use of a slab as a session''s")
{
	my $from = -s $node->logfile;
	like(forge($field, -1), qr/refused a job that is not well formed: unknown use/, "$field: refused");
	is($node->safe_psql('postgres', $sorted), '{1,2,3}', "$field: the device sorts on");
	my $refused = () = slurp_file($node->logfile, $from) =~ /refused a job/g;
	is($refused, 1, "$field: once");
}
is(worker_pid($node), $worker, 'it is the same worker');
is(device($node, 'faults'), 0, 'nothing of this counts as a fault of the device');
$node->stop;

done_testing();
