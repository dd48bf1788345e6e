# ALTER EXTENSION UPDATE leads from each older version to just what CREATE EXTENSION makes, and
# what was built on the older one works with today's library, before and after.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use BuiltObjects;
use ExtensionCatalogue;

my $node = PostgreSQL::Test::Cluster->new('upgrade');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nfsync = off");
$node->start;

$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');
my $default = $node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'gpusort'");
my $fresh = extension_catalogue($node, 'postgres');
# Row types of views, which newer versions of PostgreSQL count among its objects, are not dumped by themselves.
my $members = $node->safe_psql('postgres', q{
	SELECT count(*) FROM pg_depend WHERE deptype = 'e'
	AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpusort')
	AND NOT (classid = 'pg_type'::regclass AND objid IN (SELECT oid FROM pg_type WHERE typrelid <> 0 OR typelem <> 0))});
is(scalar(grep { /^ALTER EXTENSION gpusort ADD /m } values %$fresh), $members, "the catalogue has the extension's $members objects");
cmp_ok($members, '>', 70, 'which are many');

my @older = split /\n/, $node->safe_psql('postgres',
	"SELECT version FROM pg_available_extension_versions WHERE name = 'gpusort' AND version <> '$default' ORDER BY 1");
ok((grep { $_ eq '1.0' } @older), 'make install-test-module has installed the script of 1.0');
foreach my $version (@older)
{
	# Nothing but the extension: the catalogue.
	$node->safe_psql('postgres', 'CREATE DATABASE bare');
	$node->safe_psql('bare', "CREATE EXTENSION gpusort VERSION '$version'");
	$node->safe_psql('bare', 'ALTER EXTENSION gpusort UPDATE');
	is(join("\n", catalogue_differences(extension_catalogue($node, 'bare'), $fresh)), '', "$version updates to what $default makes")
		or diag("sql/upgrade/gpusort--$version--$default.sql must do what sql/gpusort/*.sql does");

	# An object that an upgrade script forgets or gets wrong is named.
	$node->safe_psql('bare', q{
		ALTER EXTENSION gpusort DROP FUNCTION gpusort.array_take(anyarray, integer[]);
		DROP FUNCTION gpusort.array_take(anyarray, integer[]);
		CREATE VIEW gpusort.extra AS SELECT 1; ALTER EXTENSION gpusort ADD VIEW gpusort.extra;
		ALTER FUNCTION gpusort.array_is_sorted(anyarray) COST 6;
		COMMENT ON VIEW gpusort.stats IS NULL;
		REVOKE SELECT ON gpusort.jobs FROM pg_monitor;
		ALTER EXTENSION gpusort DROP VIEW gpusort.memory});
	my @found = catalogue_differences(extension_catalogue($node, 'bare'), $fresh);
	foreach my $name ('FUNCTION array_take(anyarray, integer[]): ', 'VIEW extra: ', 'FUNCTION array_is_sorted(anyarray) is', 'COMMENT VIEW stats: ',
		'ACL TABLE jobs is', 'VIEW memory is')
	{
		ok((grep { index($_, $name) == 0 } @found), "a difference is found: $name");
	}
	like(join("\n", @found), qr/CREATE EXTENSION: .* COST 5 .*\n.*UPDATE: .* COST 6 /m, 'and shown');
	$node->safe_psql('postgres', 'DROP DATABASE bare');

	# With what users build on it.
	$node->safe_psql('postgres', 'CREATE DATABASE built');
	$node->safe_psql('built', "CREATE EXTENSION gpusort VERSION '$version'");
	build_objects($node, 'built');
	is($node->safe_psql('built', q{
			SELECT p.oid::regprocedure FROM pg_proc p
			JOIN pg_depend e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e' AND e.refclassid = 'pg_extension'::regclass
			WHERE e.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpusort') AND p.proname <> 'array_sort_approx_within'
			AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)}),
		'', "something is built on every function of $version that is still there");
	my $results = built_results($node, 'built');
	check_built_objects($node, 'built', "$version with the library of $default");
	$node->safe_psql('built', 'ALTER EXTENSION gpusort UPDATE');
	is(built_results($node, 'built'), $results, "$version updated: results stay");
	check_built_objects($node, 'built', "$version updated");
	$node->safe_psql('postgres', 'DROP DATABASE built');
}
$node->stop;

done_testing();
