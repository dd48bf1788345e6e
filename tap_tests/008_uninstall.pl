# Removing gpusort as docs/operations.md says, and what happens where a step is left out. On a copy
# of the installation, whose files can be taken away.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use BuiltObjects;
use Connections;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub pg_config { my ($stdout) = run_command([ 'pg_config', @_ ]); return $stdout; }

# The server finds its folders from where its program lies: what holds both is copied.
my ($bin, $library) = map { pg_config($_) } '--bindir', '--pkglibdir';
my $above = $bin;
$above =~ s{/[^/]+$}{} until index("$library/", "$above/") == 0 && index(pg_config('--sharedir') . '/', "$above/") == 0;
plan skip_all => "the server is the system's, too large to copy" if $above =~ m{^/(usr)?$};
my $copy = PostgreSQL::Test::Utils::tempdir() . '/installation';
system_or_bail('cp', '-a', $above, $copy);
my $installed = $copy . substr($bin, length $above);
my $module = $copy . substr($library, length $above) . '/gpusort.so';
ok(-f $module, 'a copy of the installation has the module');

my $node = PostgreSQL::Test::Cluster->new('uninstall', install_path => $installed =~ s{/bin$}{}r);
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\ngpusort.engine = cpu\nmax_parallel_workers_per_gather = 0");
$node->start;
foreach my $database ('built', 'bare', 'late')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION gpusort');
	build_objects($node, $database) if $database ne 'bare';
}
$node->safe_psql('postgres', 'ALTER DATABASE bare SET gpusort.engine = cpu');

# DROP EXTENSION without and with dependants.
my $left = q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'gpusort%'};
$node->safe_psql('bare', 'DROP EXTENSION gpusort');
is($node->safe_psql('bare', $left), '0', 'DROP EXTENSION leaves no schema');
my ($status, $stdout, $stderr) = $node->psql('built', 'DROP EXTENSION gpusort');
like($stderr, qr/cannot drop extension gpusort because other objects depend on it\n.*view stats_seen depends on view gpusort.stats/s,
	'what depends on it keeps it, and is named');
check_built_objects($node, 'built', 'kept');
$node->safe_psql('built', 'DROP EXTENSION gpusort CASCADE');
is($node->safe_psql('built', $left), '0', 'CASCADE drops it');
is($node->safe_psql('built', q{
		SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'spectra'::regclass AND attnum > 0 AND NOT attisdropped;
		SELECT count(*), count(mz) FROM spectra;
		SELECT string_agg(relname, ' ' ORDER BY relname COLLATE "C") FROM pg_class WHERE relnamespace = 'public'::regnamespace;
		SELECT count(*) FROM pg_constraint WHERE conrelid = 'spectra'::regclass AND contype = 'c';
		SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace}),
	"id mz intensity names\n1000|1000\nspectra spectra_pkey\n0\n0", 'with generated columns, indexes, constraints, views and functions, and no row');

# The library is still preloaded.
my $plan = 'SET gpusort.force_nodes = on; EXPLAIN (COSTS OFF) SELECT id FROM spectra ORDER BY mz[1]';
like($node->safe_psql('built', $plan), qr/GpusortRows/, 'preloaded, it still sorts rows');
unlike($node->safe_psql('built', "SET gpusort.enable_sort = off; $plan"), qr/Gpusort/, 'but where a setting says no');

# Another file in its place, as an upgrade of packages puts there, waits for the next start.
my $no_file = qr/could not access file "(\$libdir\/)?gpusort"/;	# PostgreSQL 18 and newer leave the folder out
my $sorts = 'SELECT count(gpusort.array_sort(mz)) FROM spectra';
system_or_bail('cp', $module, "$module.new");
rename "$module.new", $module or die $!;
is($node->safe_psql('late', $sorts), '1000', 'module replaced: a server that has it goes on');

# It is removed before it was taken out of the settings.
unlink $module or die $!;
like($node->safe_psql('late', $plan), qr/GpusortRows/, 'module removed: a server that has it goes on sorting rows');
($status, $stdout, $stderr) = $node->psql('late', $sorts);
like($stderr, $no_file, 'but finds no functions');
$node->stop;
is($node->start(fail_ok => 1), 0, 'and cannot start again');
like(slurp_file($node->logfile), qr/FATAL:  could not access file "gpusort": No such file or directory/, 'and says why');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\nsession_preload_libraries = 'gpusort'");
$node->start;
($stdout, $stderr) = ask($node, 'late', 'SELECT 1');
like($stderr, qr/could not access file "gpusort"/, 'in session_preload_libraries it keeps sessions from starting');
$node->append_conf('postgresql.conf', "session_preload_libraries = ''");
$node->reload;

# Settings of it that are left over do no harm, and a database that has the extension can be read and cleared.
is(ask_until($node, 'late', 'SELECT count(*) = 1000 FROM spectra'), '1', 'taken out: tables can be read');
is($node->safe_psql('bare', "SELECT current_setting('gpusort.engine')"), 'cpu', 'settings that are left over do no harm');
is($node->safe_psql('late', 'SELECT ranked = in_order FROM spectra WHERE id = 1'), 'f', 'generated columns too');
($status, $stdout, $stderr) = $node->psql('late', "INSERT INTO spectra VALUES (0, '{2,1}', '{1,2}', '{a}')");
like($stderr, $no_file, 'a new row needs the module');
$node->safe_psql('late', 'DROP EXTENSION gpusort CASCADE');
is($node->safe_psql('late', "INSERT INTO spectra VALUES (0, '{2,1}', '{1,2}', '{a}') RETURNING id"), '0', 'dropping the extension needs none');
$node->stop;

done_testing();
