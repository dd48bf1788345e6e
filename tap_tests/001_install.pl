# Install, extension membership, dump and restore.
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
	'gpusort', 'the extension lives in the schema gpusort');
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

# DROP EXTENSION leaves nothing behind but the schema's name, free again.
$node->safe_psql('postgres', 'DROP EXTENSION gpusort');
is($node->safe_psql('postgres', q{
		SELECT count(*) FROM pg_proc WHERE probin LIKE '%gpusort%'}),
	'0', 'DROP EXTENSION drops its functions');
is($node->safe_psql('postgres', q{SELECT string_agg(nspname, ' ') FROM pg_namespace WHERE nspname LIKE 'gpusort%'}),
	'gpusort', 'and its other schemas');
$node->safe_psql('postgres', 'DROP SCHEMA IF EXISTS gpusort; CREATE EXTENSION gpusort');

# A dump with a view, an index and a generated column that use it restores.
$node->safe_psql('postgres', q{
	CREATE TABLE spectra (id int PRIMARY KEY, mz float8[], intensity float4[],
		ranked float8[] GENERATED ALWAYS AS (gpusort.array_sort_by(mz, intensity, true)) STORED);
	INSERT INTO spectra SELECT i, ARRAY[i, i + 1, i + 2], ARRAY[2, 9, 5]::float4[] FROM generate_series(1, 100) i;
	CREATE INDEX ON spectra (gpusort.array_sort(intensity));
	CREATE VIEW best AS SELECT id, gpusort.array_top_n(intensity, 2) AS top, gpusort_internal.array_top_n(intensity, 1) AS made_on_1_0 FROM spectra;});
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ], 'restore');
foreach my $query ('SELECT * FROM spectra ORDER BY id', 'SELECT * FROM best ORDER BY id')
{
	is($node->safe_psql('restored', $query), $node->safe_psql('postgres', $query), "restored: $query");
}
$node->stop;

done_testing();
