# Indexes that gpusort builds: which builds it takes, and that they survive a crash, reach a standby, and are
# right where WAL is minimal, where all WAL is checked, and where pages have checksums.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @defaults = ("shared_preload_libraries = 'gpusort'", 'log_min_messages = debug1', 'autovacuum = off', 'gpusort.force_nodes = on',
	'max_parallel_maintenance_workers = 2');
my $table = q{CREATE TABLE rows WITH (parallel_workers = 2) AS SELECT i AS id, i % 100 AS few, md5(i::text) AS name, (i * 7919 % 20011)::numeric / 3 AS n FROM generate_series(1, 20000) i};
my $indexes = q{ALTER TABLE rows ADD PRIMARY KEY (id); CREATE INDEX few ON rows (few); CREATE UNIQUE INDEX name ON rows (name DESC, n); CREATE INDEX n ON rows (n) INCLUDE (name)};
my $check = q{SELECT count(*) FROM (SELECT bt_index_check(indexrelid, true) FROM pg_index WHERE indrelid = 'rows'::regclass) q};

# How many builds of the node's log were taken since an offset, which moves on.
my %offsets;
sub taken
{
	my ($node) = @_;
	my $log = slurp_file($node->logfile, $offsets{ $node->name } // 0);
	$offsets{ $node->name } = -s $node->logfile;
	return scalar(() = $log =~ /gpusort built index/g);
}

# Crash and standby.
my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => ['--data-checksums']);
$primary->append_conf('postgresql.conf', join("\n", @defaults, "wal_consistency_checking = 'btree'", 'fsync = on', 'wal_keep_size = 1GB'));
$primary->start;
$primary->safe_psql('postgres', "CREATE EXTENSION gpusort; CREATE EXTENSION amcheck; $table");
$primary->backup('start');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'start', has_streaming => 1);
$standby->start;
taken($primary);
$primary->safe_psql('postgres', $indexes);
is(taken($primary), 4, 'all builds are taken');
$primary->safe_psql('postgres', 'INSERT INTO rows SELECT i, i % 100, md5(i::text), i FROM generate_series(20001, 25000) i; DELETE FROM rows WHERE id % 3 = 0; VACUUM rows');
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', $check), 4, 'a standby has the indexes');
is($standby->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*), min(id), max(id) FROM rows WHERE few = 7'), '167|7|24907', 'and reads them');
$primary->safe_psql('postgres', 'CHECKPOINT; REINDEX TABLE rows');
$primary->stop('immediate');
$primary->start;
is($primary->safe_psql('postgres', $check), 4, 'indexes survive a crash');

# A build that is canceled while it scans.
my $build = $primary->background_psql('postgres', on_error_stop => 0);
$primary->safe_psql('postgres', 'CREATE FUNCTION slow(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF i = 5000 THEN PERFORM pg_sleep(100); END IF; RETURN i; END $$');
$build->query_until(qr/go/, "\\echo go\nCREATE INDEX slow ON rows (slow(id));\n");
ok($primary->poll_query_until('postgres', q{SELECT (j.used_for, j.phase) = ('rows', 'reading') AND j.keys > 10000 AND j.rows_read > 1000
	FROM gpusort.jobs j JOIN pg_stat_progress_create_index p USING (pid) WHERE p.phase = 'building index: scanning table'}), 'gpusort.jobs shows it');
$primary->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_progress_create_index});
$primary->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_progress_create_index}) or die;
$build->quit;
is($primary->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'slow'}), 0, 'a build is cancelled');
$standby->stop;
$primary->stop;

# Where WAL is minimal, the files are flushed at commit.
my $minimal = PostgreSQL::Test::Cluster->new('minimal');
$minimal->init;
$minimal->append_conf('postgresql.conf', join("\n", @defaults, 'wal_level = minimal', 'max_wal_senders = 0', 'wal_skip_threshold = 0', 'fsync = on'));
$minimal->start;
$minimal->safe_psql('postgres', "CREATE EXTENSION gpusort; CREATE EXTENSION amcheck; BEGIN; $table; $indexes; COMMIT");
is(taken($minimal), 4, 'all builds are taken with minimal WAL');
$minimal->stop('immediate');
$minimal->start;
is($minimal->safe_psql('postgres', $check), 4, 'indexes survive a crash with minimal WAL');

# Which builds are taken.
sub taken_by
{
	my ($statement, $count, $name) = @_;
	taken($minimal);
	$minimal->psql('postgres', $statement);
	return is(taken($minimal), $count, $name);
}
$minimal->safe_psql('postgres', q{CREATE TABLE parts (id int, name text) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts DEFAULT;
	INSERT INTO parts SELECT id, name FROM rows; CREATE TABLE other_part AS SELECT id + 100000 AS id, name FROM rows; ALTER TABLE parts DETACH PARTITION part;
	CREATE INDEX ON parts (name); CREATE MATERIALIZED VIEW view AS SELECT i AS id, i % 100 AS few FROM generate_series(1, 20000) i; CREATE INDEX ON view (few)});
foreach my $workers (0, 2)
{
	$minimal->append_conf('postgresql.conf', "max_parallel_maintenance_workers = $workers");
	$minimal->reload;
	taken_by($_->[0], $_->[1], "$workers workers: $_->[2]") foreach (
		['CREATE INDEX one ON rows (few); DROP INDEX one', 1, 'CREATE INDEX'],
		['CREATE INDEX CONCURRENTLY one ON rows (few, id); DROP INDEX one', 1, 'CREATE INDEX CONCURRENTLY'],
		['BEGIN; ALTER TABLE rows ADD UNIQUE (n, id); ALTER TABLE rows DROP CONSTRAINT rows_pkey, ADD PRIMARY KEY (id); ROLLBACK', 2, 'constraints'],
		['REINDEX TABLE rows', 4, 'REINDEX'],
		['REINDEX TABLE CONCURRENTLY rows', 4, 'REINDEX CONCURRENTLY'],
		['VACUUM FULL rows', 4, 'VACUUM FULL'],
		['CLUSTER rows USING few', 4, 'CLUSTER'],
		['BEGIN; ALTER TABLE rows ALTER few TYPE bigint; ROLLBACK', 4, 'ALTER TYPE'],
		['ALTER TABLE rows SET UNLOGGED; ALTER TABLE rows SET LOGGED', 8, 'SET UNLOGGED and LOGGED'],
		['BEGIN; ALTER TABLE parts ATTACH PARTITION part DEFAULT; ROLLBACK', 1, 'ATTACH PARTITION'],
		['BEGIN; ALTER TABLE parts ATTACH PARTITION part FOR VALUES FROM (0) TO (100000); ALTER TABLE parts ATTACH PARTITION other_part DEFAULT; CREATE INDEX ON parts (id); ROLLBACK', 4, 'partitions'],
		['REFRESH MATERIALIZED VIEW view', 1, 'REFRESH'],
		['CREATE UNIQUE INDEX one ON view (id); REFRESH MATERIALIZED VIEW CONCURRENTLY view; DROP INDEX one', 1, 'REFRESH CONCURRENTLY'],
		['CREATE TEMP TABLE other AS SELECT * FROM rows; CREATE INDEX ON other (id)', 1, 'a temporary table'],
		[q{DO $$BEGIN CREATE INDEX one ON rows (few); DROP INDEX one; END$$}, 1, 'a statement of a function']);
}

# Workers build where they save time.  What the log says of the end of a worker may come after the statement's end.
my $started = qr/starting background worker process "parallel worker/;
foreach (['few', \&unlike, 'no worker builds an index of few rows'], ['(few + 1)', \&like, 'workers build one of an expression'])
{
	my ($key, $is_like, $name) = @$_;
	my $begun = -s $minimal->logfile;
	$minimal->safe_psql('postgres', "SET gpusort.force_nodes = off; CREATE INDEX one ON rows ($key); DROP INDEX one");
	$is_like->(slurp_file($minimal->logfile, $begun), $started, $name);
}

# What was said of workers is as it was, and none is used.
$minimal->append_conf('postgresql.conf', 'max_parallel_maintenance_workers = 0');
$minimal->reload;
my $offset = -s $minimal->logfile;
is($minimal->safe_psql('postgres', 'CREATE INDEX lists ON rows ((ARRAY[few])); DROP INDEX lists; SHOW max_parallel_maintenance_workers'), 0, 'the number of workers stays');
my ($ret, $shown) = $minimal->psql('postgres', 'CREATE INDEX failed ON rows ((1 / (id - 100))); SHOW max_parallel_maintenance_workers', on_error_stop => 0);
is($shown, 0, 'after an error, too');
unlike(slurp_file($minimal->logfile, $offset), $started, 'no worker builds');
taken_by('CREATE INDEX lists ON rows ((ARRAY[few]))', 0, 'not what only a comparator can order');
taken_by('REINDEX TABLE pg_class', 0, 'not catalogs');
taken_by('CREATE INDEX hash ON rows USING hash (few)', 0, 'not other access methods');
taken_by('SET gpusort.force_nodes = off; CREATE TABLE tiny AS SELECT 1 AS i; CREATE INDEX ON tiny (i)', 0, 'not small tables');
taken_by('SET gpusort.enable_index_build = off; REINDEX TABLE rows', 0, 'none, if it is off');
taken_by('REINDEX TABLE rows; SET gpusort.enable_index_build = off; REINDEX TABLE rows', 4, 'none, once it is off');
$minimal->stop;

done_testing();
