# Index builds that end early: canceled or killed in each phase, at temp_file_limit, on a full disk. Errors
# are as PostgreSQL's, and nothing is left. Memory follows maintenance_work_mem.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use Connections;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SmallDisk;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('ends');
$node->init(extra => ['--data-checksums']);
$node->append_conf('postgresql.conf', join("\n", "shared_preload_libraries = 'gpusort'", 'autovacuum = off', 'restart_after_crash = on', 'log_min_messages = debug1',
	'max_parallel_maintenance_workers = 2', "maintenance_work_mem = '1GB'", 'log_error_verbosity = default', 'max_wal_size = 2GB'));
$node->start;
$node->safe_psql('postgres', q{CREATE EXTENSION gpusort; CREATE EXTENSION amcheck;
	CREATE TABLE rows AS SELECT i AS id, md5(i::text) AS name, ((i * 7919::bigint) % 1000003)::int AS few FROM generate_series(1, 500000) i; VACUUM ANALYZE rows});
my $names = 'CREATE UNIQUE INDEX made ON rows (name COLLATE "C")';

# How many files of the database are not empty, and how many temporary ones there are.
my $files = q{SELECT count(*) FROM (SELECT 'base/' || oid AS d FROM pg_database WHERE datname = current_database()) q, pg_ls_dir(d) f
	WHERE f ~ '^\d+(\.\d+)?$' AND (pg_stat_file(d || '/' || f, true)).size > 0 UNION ALL SELECT count(*) FROM pg_ls_tmpdir()};

# The build that is seen in a phase by another session, as its process; 0 if it ended before.
sub seen_in
{
	my ($phase) = @_;
	return $node->safe_psql('postgres', qq{
		CREATE OR REPLACE FUNCTION pg_temp.seen_in(wanted text) RETURNS int LANGUAGE plpgsql AS \$\$
		DECLARE
			build record;
			begun bool := false;
		BEGIN
			FOR i IN 1 .. 100000 LOOP
				PERFORM pg_stat_clear_snapshot();
				SELECT pid, phase INTO build FROM pg_stat_progress_create_index;
				IF build.phase = wanted THEN
					RETURN build.pid;
				END IF;
				EXIT WHEN begun AND build.phase IS NULL;
				begun := begun OR build.phase IS NOT NULL;
				PERFORM pg_sleep(0.0005);
			END LOOP;
			RETURN 0;
		END
		\$\$;
		SELECT pg_temp.seen_in('building index: $phase')});
}

# Runs a statement until it is seen in a phase, when what is given is done to its process. Returns its error.
sub end_in
{
	my ($statement, $phase, $end) = @_;
	foreach (1 .. 20)
	{
		my ($out, $err) = ('', '');
		my $build = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-v', 'VERBOSITY=verbose', '-c', $statement ], '>', \$out, '2>', \$err);
		my $pid = seen_in($phase);
		$end->($pid) if $pid;
		IPC::Run::finish($build);
		return $err if $pid && $err ne '';
		$node->safe_psql('postgres', 'DROP INDEX IF EXISTS made');
	}
	return "not seen in $phase";
}

my $before = $node->safe_psql('postgres', $files);
my @phases = ('scanning table', 'sorting live tuples', 'loading tuples in tree');
my @ways = map { my $workers = $_; map { [ $workers, $_ ] } @phases } 0, 2;
foreach (@ways)
{
	my ($workers, $phase) = @$_;
	my $least = 1000;
	$node->safe_psql('postgres', "ALTER TABLE rows SET (parallel_workers = $workers)");
	# A busy machine takes its time with some.
	foreach my $try (1 .. 12)
	{
		last if $try > 3 && $least < 100;
		my $error = end_in($names, $phase, sub {
			my $ms = $node->safe_psql('postgres', qq{SELECT clock_timestamp() AS begun, pg_cancel_backend($_[0]) \\gset
				DO \$\$ BEGIN FOR i IN 1 .. 10000 LOOP
					PERFORM pg_stat_clear_snapshot();
					EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_progress_create_index);
					PERFORM pg_sleep(0.001);
				END LOOP; END \$\$;
				SELECT 1000 * extract(epoch FROM clock_timestamp() - :'begun')});
			$least = $ms if $ms < $least;
		});
		like($error, qr/^ERROR:  57014: canceling statement due to user request/, "canceled in phase $phase with $workers workers");
	}
	cmp_ok($least, '<', 100, "canceled at once in phase $phase");
	is($node->safe_psql('postgres', $files), $before, 'no file is left');
}

# One of the workers of a build.
sub worker_of
{
	return $node->safe_psql('postgres', "SELECT coalesce(min(pid), 0) FROM pg_stat_activity WHERE leader_pid = $_[0] AND backend_type = 'parallel worker'");
}

foreach my $phase (@phases)
{
	like(end_in($names, $phase, sub { my $worker = worker_of($_[0]); kill 'TERM', $worker if $worker; }),
		qr/^ERROR:  57P01: terminating .* due to administrator command/, "a worker is ended in phase $phase");
	is($node->safe_psql('postgres', $files), $before, 'no file is left');
}

foreach (@ways)
{
	my ($workers, $phase) = @$_;
	$node->safe_psql('postgres', "ALTER TABLE rows SET (parallel_workers = $workers)");
	unlike(end_in($names, $phase, sub { my $pid = $workers ? worker_of($_[0]) : $_[0]; kill_hard($node, $pid) if $pid; }),
		qr/^not seen/, "killed in phase $phase with $workers workers");
	is($node->safe_psql('postgres', "SELECT count(*) FROM rows; SELECT count(*) FROM pg_class WHERE relname = 'made'; SELECT count(*) FROM pg_ls_tmpdir()"), "500000\n0\n0", 'nothing of it is left');
	is($node->safe_psql('postgres', "$names; SELECT bt_index_parent_check('made', true); DROP INDEX made"), '', 'the next build is whole');
}

$node->safe_psql('postgres', 'ALTER TABLE rows SET (parallel_workers = 0)');

# What a script prints in one session, which goes on after errors; and its errors, without numbers of files.
sub outcome
{
	my ($stdout, $stderr);
	$node->psql('postgres', "\\set VERBOSITY verbose\n" . join("\n", @_), stdout => \$stdout, stderr => \$stderr, on_error_stop => 0);
	my $errors = join("\n", $stderr =~ /^(?:psql:<stdin>:\d+: )?((?:ERROR|HINT|DETAIL): .*)/mg);
	return ($stdout, $errors =~ s{"(pg_tblspc|base)/[^"]*"}{file}gr =~ s/wrote only \d+ of \d+/wrote less/r);
}

sub same_outcome
{
	my ($expected, $name, @script) = @_;
	my ($theirs, $their_error) = outcome('SET gpusort.enable_index_build = off;', @script);
	my ($ours, $our_error) = outcome(@script);
	is($ours, $theirs, "$name: as PostgreSQL ends");
	is($our_error, $their_error, "$name: PostgreSQL's error");
	like($our_error, $expected, $name);
	return;
}

$before = $node->safe_psql('postgres', $files);
same_outcome(qr/^ERROR:  53400: temporary file size exceeds "?temp_file_limit"? \(1024kB\)$/, 'temp_file_limit',
	"SET maintenance_work_mem = '4MB'; SET temp_file_limit = '1MB';", "$names;", '\echo :SQLSTATE', "$files;");
is($node->safe_psql('postgres', $files), $before, 'no file is left');

# What a build adds to the memory that its process has used. Of shared buffers there are few.
$node->append_conf('postgresql.conf', "shared_buffers = '2MB'");
$node->restart;
sub added_memory
{
	my ($setting, $memory, $statement) = @_;
	my $peak = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::int AS peak};
	return $node->safe_psql('postgres', "$setting; SET maintenance_work_mem = '${memory}MB'; CREATE TEMP TABLE t AS SELECT i FROM generate_series(1, 1000) i; CREATE INDEX ON t (i); $peak \\gset before_
		$statement; SELECT ($peak) - :before_peak; DROP INDEX made") / 1024;
}
my $wide = 'CREATE INDEX made ON rows ((' . join(' || ', map { "md5(name || '$_')" } 1 .. 15) . ')) WHERE id < 150000';
foreach my $workers (0, 2)
{
	$node->safe_psql('postgres', "ALTER TABLE rows SET (parallel_workers = $workers)");
	foreach ([ 64, $names ], [ 64, 'CREATE INDEX made ON rows (few)' ], [ 64, 'CREATE INDEX made ON rows (name COLLATE "C", id) INCLUDE (few)' ],
		[ 32, $wide ], [ 4, $names ], [ 4, $wide ])
	{
		my ($memory, $statement) = @$_;
		my ($theirs, $ours) = map { added_memory("SET gpusort.enable_index_build = $_", $memory, $statement) } qw(off on);
		cmp_ok($ours, '<', $memory + 10, sprintf "%s, %d workers: %.0f MB of %d and a fixed part, PostgreSQL %.0f", $statement, $workers, $ours, $memory, $theirs);
	}
}
$node->safe_psql('postgres', 'ALTER TABLE rows SET (parallel_workers = 0)');

# A file system that fills up.
SKIP:
{
	my ($holder, $small, $why_not) = start_small_disk();
	skip $why_not, 1 if !$holder;
	$node->safe_psql('postgres', "CREATE TABLESPACE small LOCATION '$small'");
	same_outcome(qr/^ERROR:  53100: could not (?:extend|write to) file file: No space left on device/, 'a full disk', "$names TABLESPACE small;", '\echo :SQLSTATE');
	same_outcome(qr/^ERROR:  53100: could not write to file file: No space left on device/, 'a full disk of temporary files',
		"SET temp_tablespaces = 'small'; SET maintenance_work_mem = '4MB';", "$names;", '\echo :SQLSTATE');
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_tablespace s, pg_ls_tmpdir(s.oid) WHERE spcname = 'small'"), 0, 'no file is left there');
	$node->safe_psql('postgres', 'CREATE TABLE few (i int) TABLESPACE small; INSERT INTO few VALUES (1); DROP TABLE few; CHECKPOINT');
	is($node->safe_psql('postgres', $files), $before, 'nor elsewhere');
	$node->safe_psql('postgres', 'DROP TABLESPACE small');
	IPC::Run::finish($holder);
}

is($node->safe_psql('postgres', "$names; SELECT bt_index_parent_check('made', true)"), '', 'an index is built in the end');
unlike(slurp_file($node->logfile), qr/PANIC|leaked/, 'nothing leaked');
$node->stop;
done_testing();
