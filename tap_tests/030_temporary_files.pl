# Temporary files of the rows node are as those of Sort: temp_file_limit and a full disk end the
# query with the same errors, log_temp_files logs every file, and whatever ends a query leaves none.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SmallDisk;
use Test::More;

my $node = start_emulated('files', 'gpusort.force_nodes = on', 'gpusort.min_gpu_keys = 10000', "work_mem = '64kB'",
	'max_parallel_workers_per_gather = 0', 'jit = off', 'log_error_verbosity = default');
$node->safe_psql('postgres', q{
	CREATE TABLE numbers AS SELECT i, (i * 7919::int8) % 400009 AS k, i::float8 AS f FROM generate_series(1, 60000) i;
	CREATE TABLE texts AS SELECT i, md5(i::text) AS t FROM generate_series(1, 40000) i;
	ANALYZE numbers, texts});

# Each sorts in another way beyond work_mem.
my %sort = (
	'parts' => [ "SET gpusort.engine = 'cpu'", 'SELECT i, k, f FROM numbers ORDER BY k', qr/Sort Method: external/ ],
	'parts of texts' => [ "SET gpusort.engine = 'cpu'", 'SELECT i, t FROM texts ORDER BY t COLLATE "C"', qr/Sort Method: external/ ],
	'rows of a device' => [ "SET gpusort.engine = 'gpu'", 'SELECT i, k, f FROM numbers ORDER BY k', qr/Sort Method: in device memory/ ],
	'Sort' => [ 'SET gpusort.enable_sort = off', 'SELECT i, k, f FROM numbers ORDER BY k', qr/Sort Method: external merge/ ]);
my $files_left = 'SELECT count(*) FROM pg_ls_tmpdir()';

# A query over all rows of the sort.
sub all_rows { return "SELECT md5(string_agg(q::text, ' ')) FROM ($_[0] OFFSET 0) q;"; }

# What a script prints in one session, which goes on after errors; and its errors.
sub outcome
{
	my ($stdout, $stderr);
	$node->psql('postgres', "\\set VERBOSITY verbose\n" . join("\n", @_), stdout => \$stdout, stderr => \$stderr, on_error_stop => 0);
	return ($stdout, join("\n", $stderr =~ /^psql:<stdin>:\d+: (ERROR: .*)/mg));
}

my %rows = map { $_ => $node->safe_psql('postgres', "SET gpusort.enable_sort = off; " . all_rows($sort{$_}[1])) } keys %sort;
my %limit_error;
foreach my $name (sort keys %sort)
{
	my ($setting, $query, $method) = @{ $sort{$name} };
	my $plan = $node->safe_psql('postgres', "$setting; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
	like($plan, $method, "$name: the sort is of this kind");
	my ($written) = $plan =~ /Disk: (\d+)kB/;

	my $log = -s $node->logfile;
	is($node->safe_psql('postgres', "SET log_temp_files = 0; $setting; " . all_rows($query)), $rows{$name}, "$name: the right rows");
	my $logged = slurp_file($node->logfile, $log);
	my @sizes = $logged =~ /LOG:  temporary file: path "base\/pgsql_tmp\/pgsql_tmp\d+\.\d+", size (\d+)\n.* STATEMENT:  .*\Q$query\E/g;
	my $size = 0;
	$size += $_ foreach @sizes;
	cmp_ok(abs($size / 1024 - $written), '<', $name eq 'Sort' ? 64 : 1, "$name: log_temp_files logs all that was written, with the statement");

	my ($after, $error) = outcome("$setting;", "SET temp_file_limit = '1MB';", all_rows($query), '\echo :SQLSTATE', $files_left . ';', 'RESET temp_file_limit;', all_rows($query));
	is($after, "53400\n0\n$rows{$name}", "$name: temp_file_limit ends the query, its files are gone, and the next one works");
	$limit_error{$name} = $error;
	is($error, $limit_error{Sort} // 'ERROR:  53400: temporary file size exceeds temp_file_limit (1024kB)', "$name: with the error of Sort");

	foreach my $case (
		[ 'an error in the input', "SELECT * FROM (SELECT *, 1 / (i - 15999) FROM (" . $query =~ s/ORDER.*//r . ") r OFFSET 0) q " . $query =~ s/.*(?=ORDER)//r . ';', '22012' ],
		[ 'a transaction that ends before the cursor', "BEGIN; DECLARE c NO SCROLL CURSOR FOR $query; MOVE 100 IN c; ROLLBACK;", '00000' ])
	{
		my ($what, $script, $code) = @$case;
		($after) = outcome("$setting;", '\o /dev/null', $script, '\o', '\echo :SQLSTATE', "$files_left;");
		is($after, "$code\n0", "$name: $what leaves no file");
	}
}

# A file system that fills up.
SKIP:
{
	my ($holder, $small, $why_not) = start_small_disk();
	skip $why_not, 1 if !$holder;
	$node->safe_psql('postgres', "CREATE TABLESPACE small LOCATION '$small'");
	my $left = q{SELECT count(*) FROM pg_tablespace s, pg_ls_tmpdir(s.oid) WHERE spcname = 'small';};
	foreach my $name (sort keys %sort)
	{
		my ($setting, $query) = @{ $sort{$name} };
		my ($after, $error) = outcome("$setting;", "SET temp_tablespaces = 'small';", all_rows($query), '\echo :SQLSTATE', $left, 'RESET temp_tablespaces;', all_rows($query));
		is($after, "53100\n0\n$rows{$name}", "$name: a full disk ends the query, its files are gone, and the next one works");
		like($error, qr{^ERROR:  53100: could not write to file "pg_tblspc/[^"]*pgsql_tmp\d+\.\d+": No space left on device$}, "$name: with PostgreSQL's error");
	}
	is($node->safe_psql('postgres', "SET temp_tablespaces = 'small'; SELECT md5(string_agg(q::text, ' ')) FROM (SELECT i FROM numbers WHERE i <= 20000 ORDER BY k OFFSET 0) q"),
		$node->safe_psql('postgres', "SET gpusort.enable_sort = off; SELECT md5(string_agg(q::text, ' ')) FROM (SELECT i FROM numbers WHERE i <= 20000 ORDER BY k OFFSET 0) q"),
		'what fits there is sorted there');
	$node->safe_psql('postgres', 'DROP TABLESPACE small');
	IPC::Run::finish($holder);
}

# The server lives on with what it had.
is($node->safe_psql('postgres', $files_left), 0, 'no file is left');
unlike(slurp_file($node->logfile), qr/was terminated by signal|PANIC|leaked/, 'nothing ended but queries');
$node->stop;
done_testing();
