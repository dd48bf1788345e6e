# Ids of TOAST values that are used again, as after the counter of oids has wrapped
# around: the arrays node reads the new value, though dead chunks with the same id lie
# before it in the table, without an entry in the index.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('toast_ids');
$node->init;
$node->append_conf('postgresql.conf', join("\n",
	"shared_preload_libraries = 'gpusort'", 'gpusort.force_nodes = on', 'autovacuum = off', 'bgwriter_lru_maxpages = 0'));
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpusort');

my $sums = 'SELECT id, s[1], s[1000] FROM (SELECT id, gpusort.array_sort(a) s FROM stored ORDER BY id OFFSET 0) q';
my $insert = 'INSERT INTO stored SELECT %d, array_agg(g + %d) FROM generate_series(1, 1000) g';
my $toast = $node->safe_psql('postgres', q{
	CREATE TABLE stored (id int, a int[]);
	ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
	SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'stored'});
like($node->safe_psql('postgres', "EXPLAIN $sums"), qr/GpusortArrays/, 'the query has an arrays node');

# Makes the server give the next value that id.
sub next_id
{
	my ($id) = @_;
	$node->stop;
	command_ok([ 'pg_resetwal', '-o', $id, '-D', $node->data_dir ], "the next id is $id");
	$node->start;
	return;
}

# The id of the newest value.  Asking leaves hints at chunks that were rolled back.
sub newest_id { return $node->safe_psql('postgres', "SELECT max(chunk_id) FROM $toast"); }

# Asks with the reader and without.
sub same_as_function
{
	my ($expected, $what) = @_;
	is($node->safe_psql('postgres', $sums), $expected, $what);
	is($node->safe_psql('postgres', "SET gpusort.force_nodes = row_by_row; $sums"), $expected, "$what: without the reader, too");
	is($node->safe_psql('postgres', "SET gpusort.enable_array_sort = off; $sums"), $expected, "$what: by the function, too");
	return;
}

# A deleted value, whose chunks the index forgot.
$node->safe_psql('postgres', sprintf($insert, 1, 0));
$node->safe_psql('postgres', sprintf($insert, 2, 5000));
my $id = newest_id();
$node->safe_psql('postgres', 'DELETE FROM stored WHERE id = 2; REINDEX TABLE stored');
next_id($id);
$node->safe_psql('postgres', sprintf($insert, 3, 900000));
same_as_function("1|1|1000\n3|900001|901000", 'after a deleted value');
is(newest_id(), $id, 'the id of the deleted value was used again');

# One whose transaction was rolled back, which the crash made no hint of.
$node->safe_psql('postgres', 'TRUNCATE stored; CHECKPOINT');
$node->safe_psql('postgres', sprintf($insert, 1, 0));
my $rolled_back = $node->safe_psql('postgres',
	'BEGIN; ' . sprintf($insert, 2, 5000) . "; SELECT max(chunk_id) FROM $toast; ROLLBACK");
$node->safe_psql('postgres', 'REINDEX TABLE stored');
$node->stop('immediate');
$node->start;
next_id($rolled_back);
$node->safe_psql('postgres', sprintf($insert, 3, 900000));
same_as_function("1|1|1000\n3|900001|901000", 'after one that was rolled back');
is(newest_id(), $rolled_back, 'the id of the value that was rolled back was used again');
$node->stop;

done_testing();
