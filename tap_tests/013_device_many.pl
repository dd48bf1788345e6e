# Many backends at one small arena: all get their turn, all results are right.
# GPUSORT_LONG=1 takes longer over it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $long = $ENV{GPUSORT_LONG};
my $node = start_emulated('many', 'gpusort.gpu_buffer_size = 1MB', 'max_connections = 100', 'gpusort.engine = gpu');
$node->safe_psql('postgres', q{
	CREATE TABLE data AS SELECT k, array_agg(((i * 7919 * k) % 10007)::int4 ORDER BY i) AS a
	FROM generate_series(1, 20) k, generate_series(1, 10007) i WHERE i % 20 < k GROUP BY k;
	ALTER TABLE data ADD sorted int4[];
	UPDATE data SET sorted = ARRAY(SELECT x FROM unnest(a) x ORDER BY x);
	INSERT INTO data SELECT 21, array_agg(i ORDER BY -i), array_agg(i ORDER BY i) FROM generate_series(1, 100000) i});

my $check = $node->basedir . '/check.sql';
append_to_file($check, "\\set k random(1, 21)\nSELECT 1 / (gpusort.array_sort(a) = sorted)::int FROM data WHERE k = :k;\n");
my $batch = $node->basedir . '/batch.sql';
append_to_file($batch, "SELECT 1 / bool_and(gpusort.array_sort(a) = sorted)::int FROM data;\n");

# pgbench with so many clients; returns the transactions of each client.
sub clients
{
	my ($count, $seconds) = @_;
	my $prefix = $node->basedir . "/log$count-$seconds";
	my ($output, $errors);
	my $ok = IPC::Run::run([ 'pgbench', '-n', '-f', $check, '-f', "$batch\@1", '-c', $count, '-j', 2, '-T', $seconds, '-l',
			"--log-prefix=$prefix", $node->connstr('postgres') ], '>', \$output, '2>', \$errors);
	ok($ok, "$count backends: every result is right") or diag($errors);
	my %transactions = map { ($_ => 0) } 0 .. $count - 1;
	foreach my $file (glob "$prefix.*")
	{
		$transactions{$_}++ foreach map { (split / /)[0] } split /\n/, slurp_file($file);
	}
	my ($rate) = $output =~ /tps = ([\d.]+)/;
	return ($rate, values %transactions);
}

# For longer if a backend had no turn: others may use the machine too.
my $least;
foreach my $seconds ($long ? 20 : 4, 16, 40)
{
	my ($few) = clients(8, $seconds / 2);
	my ($many, @each) = clients(64, $seconds);
	($least) = sort { $a <=> $b } @each;
	note("8 backends: $few, 64: $many transactions per second; the slowest of 64 made $least");
	last if $least > 0;
}
cmp_ok($least, '>', 0, 'none of 64 backends starves');
is(wait_slabs($node), 0, 'no slab is lost');

$node->stop;

done_testing();
