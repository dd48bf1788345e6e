# Install and extension membership.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('preloaded');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'");
$node->start;

# CREATE EXTENSION makes its schema and stays in it.
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');
is( $node->safe_psql('postgres',
		"SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'gpusort'"),
	'pg_catalog', 'the extension is in no schema of its own, as it owns them');
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
		WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpusort')
		AND p.pronamespace NOT IN ('gpusort'::regnamespace, 'gpusort_internal'::regnamespace, 'gpusort_replace'::regnamespace)}),
	'0', 'every function of it does too, or in one of two schemas beside it');
is( $node->safe_psql('postgres', 'SELECT gpusort.array_sort(ARRAY[3, 1, NULL, 2])'),
	'{1,2,3,NULL}', 'a function works');
my ($ret, $stdout, $stderr) = $node->psql('postgres', 'ALTER EXTENSION gpusort SET SCHEMA public');
like($stderr, qr/does not support SET SCHEMA/, 'it cannot be moved out of its schema');

# The other extension of the library.
($ret, $stdout, $stderr) = $node->psql('postgres', 'DROP EXTENSION gpusort; CREATE EXTENSION gpusort_distributed');
like($stderr, qr/required extension "gpusort" is not installed/, 'gpusort_distributed needs gpusort');
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort_distributed CASCADE');
is($node->safe_psql('postgres', 'SELECT gpusort_distributed.sorted_agg(x) FROM unnest(ARRAY[2, 1]) x'), '{1,2}', 'and works');
($ret, $stdout, $stderr) = $node->psql('postgres', 'DROP EXTENSION gpusort');
like($stderr, qr/extension gpusort_distributed depends on/, 'gpusort is not dropped below it');

# Every object has a comment, every column of its views. Row types
# of views, which newer versions of PostgreSQL count among its objects, are their views'.
is( $node->safe_psql('postgres', q{
		WITH member AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
			AND refclassid = 'pg_extension'::regclass AND refobjid IN (SELECT oid FROM pg_extension WHERE extname LIKE 'gpusort%')
			AND NOT (classid = 'pg_type'::regclass AND objid IN (SELECT oid FROM pg_type WHERE typrelid <> 0 OR typelem <> 0))),
		described AS (SELECT classid, objid, 0 AS part FROM member
			UNION ALL SELECT classid, objid, attnum FROM member JOIN pg_attribute ON attrelid = objid AND classid = 'pg_class'::regclass AND attnum > 0)
		SELECT pg_describe_object(classid, objid, part) AS object FROM described d
		WHERE NOT EXISTS (SELECT 1 FROM pg_description c
			WHERE c.classoid = d.classid AND c.objoid = d.objid AND c.objsubid = d.part AND c.description ~ '[[:alpha:]]{2}')
		ORDER BY object}),
	'', 'no object lacks a comment');

# DROP EXTENSION leaves nothing behind.
my $members = q{SELECT count(*) FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpusort')};
my $all = $node->safe_psql('postgres', $members);
$node->safe_psql('postgres', 'DROP EXTENSION gpusort_distributed');
is($node->safe_psql('postgres', "SELECT to_regnamespace('gpusort_distributed') IS NULL; $members"), "t\n$all", 'DROP EXTENSION gpusort_distributed leaves gpusort whole');
$node->safe_psql('postgres', 'DROP EXTENSION gpusort');
is($node->safe_psql('postgres', q{
		SELECT count(*) FROM pg_proc WHERE probin LIKE '%gpusort%'}),
	'0', 'DROP EXTENSION drops its functions');
is($node->safe_psql('postgres', q{SELECT string_agg(nspname, ' ') FROM pg_namespace WHERE nspname LIKE 'gpusort%'}),
	'', 'and its schemas');

# The scripts need no procedural language.
$node->safe_psql('postgres', 'DROP EXTENSION plpgsql; CREATE EXTENSION gpusort_distributed CASCADE');

$node->stop;

done_testing();
