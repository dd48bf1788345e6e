# pg_upgrade, and pg_dump to another server, with what users build on the extension. The older
# server is of GPUSORT_OLD_INSTALL, a folder with its bin/ (ci/upgrade), else of the same version.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use BuiltObjects;

# Both alike, whatever either version does by default.
sub make_server
{
	my ($name, @options) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name, @options);
	$server->init(extra => ['--data-checksums']);
	$server->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'");
	return $server;
}
my $version_of = "SELECT extversion FROM pg_extension WHERE extname = 'gpusort'";

my $old = make_server('old', $ENV{GPUSORT_OLD_INSTALL} ? (install_path => $ENV{GPUSORT_OLD_INSTALL}) : ());
$old->start;
$old->safe_psql('postgres', 'CREATE DATABASE built');
$old->safe_psql('built', 'CREATE EXTENSION gpusort');
build_objects($old, 'built');
my $results = built_results($old, 'built');
my $version = $old->safe_psql('built', $version_of);

$old->safe_psql('postgres', 'CREATE DATABASE sets');
$old->safe_psql('sets', q{
	CREATE EXTENSION gpusort;
	CREATE TYPE mood AS ENUM ('sad', 'happy');
	ALTER TYPE mood ADD VALUE 'ok' BEFORE 'happy';
	CREATE TABLE sets AS SELECT gpusort.sorted_set_agg(i * 0.5::float8) AS n, gpusort.sorted_set_agg(md5(i::text), true) AS t FROM generate_series(1, 1000) i;
	CREATE TABLE moods AS SELECT gpusort.sorted_set_agg(m) AS m FROM unnest(enum_range(NULL::mood)) m;});
my $sets = 'SELECT n, t, m, gpusort.merge(n, n) FROM sets, moods';
my $sets_before = $old->safe_psql('sets', $sets);
my $dump = PostgreSQL::Test::Utils::tempdir() . '/built.dump';

my $new = make_server('new');
note('from PostgreSQL ' . $old->pg_version . ' to ' . $new->pg_version);
$new->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $old->connstr('built') ], 'the newer pg_dump writes it');
$old->stop;

chdir $PostgreSQL::Test::Utils::tmp_check or die $!;	# where it leaves its scripts
my @upgrade = ('pg_upgrade', '--no-sync', '-b', $old->config_data('--bindir'), '-B', $new->config_data('--bindir'),
	'-d', $old->data_dir, '-D', $new->data_dir, '-s', $new->host, '-p', $old->port, '-P', $new->port);
$new->command_ok([ @upgrade, '--check' ], 'pg_upgrade --check');
$new->command_ok(\@upgrade, 'pg_upgrade');

$new->start;
is($new->safe_psql('built', $version_of), $version, 'its extension is of the version that it was');
is(built_results($new, 'built'), $results, 'and gives the results that it gave');
check_built_objects($new, 'built', 'after pg_upgrade');
is($new->safe_psql('sets', $sets), $sets_before, 'sorted sets are what they were');

$new->safe_psql('postgres', 'CREATE DATABASE restored');
$new->command_ok([ 'pg_restore', '--exit-on-error', '-d', $new->connstr('restored'), $dump ], 'pg_restore');
is(built_results($new, 'restored'), $results, 'restored: the same results');
check_built_objects($new, 'restored', 'restored');
$new->stop;

done_testing();
