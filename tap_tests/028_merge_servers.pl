# ORDER BY over tables of three servers: all servers are asked at once, and rows, their
# order and errors are those of PostgreSQL's MergeAppend.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub start_server
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpusort'\nfsync = off\nautovacuum = off\nstatement_timeout = '180s'");
	$node->start;
	return $node;
}

my $home = start_server('home');
if ($home->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0')
{
	$home->stop;
	plan skip_all => 'postgres_fdw is not installed';
}

# The third server is another database of the first.
my @remotes = (start_server('remote0'), start_server('remote1'), $home);
my @databases = ('postgres', 'postgres', 'third');
$home->safe_psql('postgres', q{
	CREATE DATABASE third;
	CREATE EXTENSION gpusort; CREATE EXTENSION postgres_fdw;
	CREATE FUNCTION at_home(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
	CREATE TABLE sharded (id int, g int, x int, t text, n numeric) PARTITION BY LIST (g);
	CREATE TABLE small (id int, g int, x int) PARTITION BY LIST (g);
	CREATE TABLE failing (id int, g int, x int, late int) PARTITION BY LIST (g);
	CREATE TABLE ending (id int, g int, x int, late int) PARTITION BY LIST (g);
	CREATE TABLE slow (id int, g int, x int) PARTITION BY LIST (g);
	CREATE TABLE meeting (id int, g int, x int) PARTITION BY LIST (g);
	CREATE TABLE twice (id int, x int);
	CREATE TABLE some_here (id int, g int, x int) PARTITION BY LIST (g);
	CREATE TABLE some_here_9 PARTITION OF some_here FOR VALUES IN (9);
	INSERT INTO some_here SELECT i, 9, hashint4(i) % 1000 FROM generate_series(1, 900) i;
	CREATE INDEX ON some_here_9 (x, id);});
my $meeting = PostgreSQL::Test::Utils::tempdir();
chmod 0777, $meeting;
foreach my $number (0 .. 2)
{
	my ($remote, $database) = ($remotes[$number], $databases[$number]);
	my ($host, $port) = ($remote->host, $remote->port);
	$remote->safe_psql($database, qq{
		CREATE TABLE part AS SELECT i AS id, $number AS g, CASE WHEN i % 7 > 0 THEN hashint4(i) % 2000 END AS x,
			CASE WHEN i % 11 > 0 THEN repeat(chr(97 + i % 5), i % 4) || hashint4(i * 3) % 300 END AS t, hashint4(i) / 16.0 AS n
			FROM generate_series(1, 6000) i WHERE i % 3 = $number;
		ANALYZE part;
		CREATE VIEW part_small AS SELECT id, g, x FROM part WHERE id < 40 * $number;
		-- The third server fails at one of the last rows, and the second one's session ends there.  A function of that cost is called behind the sort.
		CREATE FUNCTION fail(x int) RETURNS int LANGUAGE plpgsql STABLE COST 10000 AS 'BEGIN RETURN CASE WHEN $number = 2 AND x > 1900 THEN x / 0 ELSE x END; END';
		CREATE VIEW part_failing AS SELECT id, g, x, fail(x) AS late FROM part;
		CREATE FUNCTION end_session(x int) RETURNS int LANGUAGE plpgsql STABLE COST 10000 AS
			'BEGIN IF $number = 1 AND x > 1900 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(100); END IF; RETURN x; END';
		CREATE VIEW part_ending AS SELECT id, g, x, end_session(x) AS late FROM part;
		CREATE FUNCTION wait_long() RETURNS bool LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(100); RETURN true; END';
		CREATE VIEW part_slow AS SELECT id, g, x FROM part WHERE $number < 1 OR (SELECT wait_long());
		-- The first server waits until the third has begun.
		CREATE FUNCTION meet() RETURNS bool LANGUAGE plpgsql AS \$\$
		BEGIN
			IF $number = 2 THEN
				COPY (SELECT 1) TO '$meeting/third';
			END IF;
			WHILE pg_stat_file('$meeting/third', true) IS NULL LOOP
				PERFORM pg_sleep(0.01);
			END LOOP;
			RETURN true;
		END \$\$;
		CREATE VIEW part_meeting AS SELECT id, g, x FROM part WHERE (SELECT meet());});
	$home->safe_psql('postgres', qq{
		CREATE SERVER s$number FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname '$database', async_capable 'true', fetch_size '100');
		CREATE USER MAPPING FOR CURRENT_USER SERVER s$number;
		CREATE FOREIGN TABLE sharded_$number PARTITION OF sharded FOR VALUES IN ($number) SERVER s$number OPTIONS (table_name 'part');
		CREATE FOREIGN TABLE some_here_$number PARTITION OF some_here FOR VALUES IN ($number) SERVER s$number OPTIONS (table_name 'part');
		CREATE FOREIGN TABLE twice_$number (id int, x int) INHERITS (twice) SERVER s$number OPTIONS (table_name 'part');
		ANALYZE sharded_$number, some_here_$number, twice_$number;}
		. join '', map { "CREATE FOREIGN TABLE ${_}_$number PARTITION OF $_ FOR VALUES IN ($number) SERVER s$number OPTIONS (table_name 'part_$_');" }
			qw(small failing ending slow meeting));
}
# Servers that are read by two inputs of one merge.
$home->safe_psql('postgres', qq{
	CREATE FOREIGN TABLE twice_3 (id int, x int) INHERITS (twice) SERVER s0 OPTIONS (table_name 'part_small');
	CREATE FOREIGN TABLE twice_4 (id int, x int) INHERITS (twice) SERVER s1 OPTIONS (table_name 'part');
	ANALYZE twice, some_here, some_here_9;});

# A sort at home, over asynchronous scans, may cost less than merging.
my $set = 'SET max_parallel_workers_per_gather = 0; SET enable_sort = off;';
sub explained { my ($sql) = @_; return $home->safe_psql('postgres', "$set EXPLAIN (COSTS OFF) $sql"); }
sub rows { my ($sql, $settings) = @_; return $home->safe_psql('postgres', "$set $settings; $sql"); }
my $off = 'SET gpusort.enable_async_merge = off';
my $on = 'SET gpusort.enable_async_merge = on';

my $plan = explained('SELECT id, x FROM sharded ORDER BY x DESC, id');
like($plan, qr/Custom Scan \(GpusortMerge\)\n\s+Sort Key: sharded\S*\.x DESC, sharded\S*\.id\n\s+Reads Ahead: true\n(\s+->  Async Foreign Scan on sharded_\d( sharded\S*)?\n?){3}$/,
	'a merge of asynchronous scans');
like(explained('SELECT id FROM sharded ORDER BY x LIMIT 3'), qr/GpusortMerge.*\n.*\n\s+Reads Ahead: false/, 'below a LIMIT it does not read ahead');
like(explained('SELECT count(*) FROM (SELECT id FROM sharded ORDER BY x OFFSET 0) s'), qr/Reads Ahead: true/, 'below an aggregate it does');
like($home->safe_psql('postgres', 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM sharded ORDER BY x'),
	qr/GpusortMerge\) \(actual rows=6000(?:.00)? loops=1\)(\n.*){2}(\n\s+->  Async Foreign Scan on sharded_\d.*\(actual rows=2000(?:.00)? loops=1\)){3}/,
	'EXPLAIN ANALYZE counts rows');
like($home->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS OFF) SELECT id, x, 1 FROM sharded ORDER BY x'), qr/Output: sharded\S*\.id, sharded\S*\.x, 1\n/, 'and names columns');

# Left to PostgreSQL.
unlike(rows('EXPLAIN SELECT id FROM sharded ORDER BY x', $off), qr/Gpusort|Async/, 'nothing changes where it is switched off');
unlike(explained('SELECT id FROM sharded ORDER BY x FOR UPDATE'), qr/GpusortMerge/, 'not where rows are locked');
unlike(explained('SELECT id FROM sharded WHERE g = 1 ORDER BY x'), qr/GpusortMerge/, 'not for one server');
$home->safe_psql('postgres', "ALTER SERVER s1 OPTIONS (SET async_capable 'false'); ALTER FOREIGN TABLE sharded_2 OPTIONS (ADD async_capable 'false')");
unlike(explained('SELECT id FROM sharded ORDER BY x'), qr/GpusortMerge/, 'nor where only one may be asynchronous');
$home->safe_psql('postgres', 'ALTER FOREIGN TABLE sharded_2 OPTIONS (DROP async_capable)');
like(explained('SELECT id FROM sharded ORDER BY x'), qr/GpusortMerge(.*\n)+.*->  Foreign Scan on sharded_1/, 'an option of a table counts before that of its server');
is(rows('SELECT id, x FROM sharded ORDER BY x, id', $on), rows('SELECT id, x FROM sharded ORDER BY x, id', $off), 'a server that is read in its turn');
$home->safe_psql('postgres', "ALTER SERVER s1 OPTIONS (SET async_capable 'true')");

# Whether the rows and their order are those of MergeAppend.
my @queries = (
	'SELECT * FROM sharded ORDER BY x, id',
	'SELECT id, x FROM sharded ORDER BY x DESC, id',
	'SELECT id, x FROM sharded ORDER BY x NULLS FIRST, id DESC',
	'SELECT id, x FROM sharded ORDER BY x DESC NULLS LAST, id',
	'SELECT x FROM sharded ORDER BY x',
	'SELECT t, n, id FROM sharded ORDER BY t DESC, n, id',
	'SELECT n, id FROM sharded WHERE at_home(id) % 2 = 0 ORDER BY n DESC, id',
	'SELECT id, x FROM sharded ORDER BY x, id LIMIT 10',
	'SELECT id, x FROM sharded ORDER BY x, id LIMIT 0',
	'SELECT id, x FROM sharded ORDER BY x DESC, id OFFSET 3000 LIMIT 500',
	'SELECT x FROM sharded ORDER BY x FETCH FIRST 100 ROWS WITH TIES',
	'SELECT DISTINCT ON (x) x, id FROM sharded ORDER BY x, id',
	'SELECT id, rank() OVER (ORDER BY x, id), sum(id) OVER (ORDER BY x, id) FROM sharded',
	'SELECT id, x FROM small ORDER BY x, id',
	'SELECT id, x FROM sharded WHERE x = 5000 ORDER BY x, id',
	'SELECT id, g, x FROM some_here ORDER BY x, id',
	'SELECT id, x FROM twice ORDER BY x, id',
	'SELECT id, x FROM twice ORDER BY x, id LIMIT 1500',
	'SELECT * FROM (SELECT id, x FROM sharded ORDER BY x, id OFFSET 0) a JOIN (SELECT id, x FROM sharded ORDER BY x, id OFFSET 0) b USING (x) ORDER BY x, a.id, b.id',
	'SELECT s.v, q.* FROM generate_series(1, 9) s (v), LATERAL (SELECT id, x FROM sharded WHERE x > s.v * 150 ORDER BY x, id LIMIT 4) q',
	'SELECT s.v, q.* FROM generate_series(1, 3) s (v), LATERAL (SELECT count(*), md5(string_agg(id::text, $$ $$)) FROM (SELECT id FROM sharded WHERE x > s.v * 500 ORDER BY x, id) r) q',
	'SELECT v, (SELECT array_agg(id) FROM (SELECT id FROM small ORDER BY x, id) q WHERE id > v) FROM generate_series(1, 3) v');
foreach my $fetch_size (100, 1, 10000)
{
	$home->safe_psql('postgres', "ALTER SERVER s$_ OPTIONS (SET fetch_size '$fetch_size')") foreach 0 .. 2;
	foreach my $sql ($fetch_size == 1 ? @queries[ 0, 7, 16 ] : @queries)
	{
		like(explained($sql), qr/GpusortMerge/, "$sql: is merged") if $fetch_size == 100;
		foreach my $work_mem ('64kB', '4MB')
		{
			is(rows($sql, "$on; SET work_mem = '$work_mem'"), rows($sql, $off), "$sql: the same rows, fetch_size = $fetch_size, work_mem = $work_mem");
		}
	}
}
$home->safe_psql('postgres', "ALTER SERVER s$_ OPTIONS (SET fetch_size '100')") foreach 0 .. 2;

# Two merges at the same time on the same connections, one of them given up; cursors that go back.
my $cursors = q{
	BEGIN;
	DECLARE a SCROLL CURSOR FOR SELECT id, x FROM sharded ORDER BY x, id;
	DECLARE b NO SCROLL CURSOR FOR SELECT id, x FROM sharded ORDER BY x DESC, id;
	FETCH 150 FROM a; FETCH 150 FROM b; FETCH BACKWARD 20 FROM a; FETCH 150 FROM b; FETCH 120 FROM a;
	CLOSE b; FETCH ABSOLUTE 5000 FROM a; FETCH ABSOLUTE 3 FROM a;
	SELECT count(*) FROM sharded;
	FETCH 2 FROM a;
	INSERT INTO sharded VALUES (0, 2, -5000, 'new', 0);
	FETCH LAST FROM a;
	SELECT id FROM sharded ORDER BY x, id LIMIT 1;
	ROLLBACK};
is(rows($cursors, $on), rows($cursors, $off), 'cursors, and other statements in between');
is(rows('PREPARE p(int) AS SELECT id FROM sharded WHERE x < $1 ORDER BY x, id; EXECUTE p(100); EXECUTE p(-100)', "$on; SET plan_cache_mode = force_generic_plan"),
	rows('PREPARE p(int) AS SELECT id FROM sharded WHERE x < $1 ORDER BY x, id; EXECUTE p(100); EXECUTE p(-100)', $off), 'a generic plan');
is(rows('BEGIN; SELECT id FROM sharded WHERE x > 0 ORDER BY x, id LIMIT 3; DELETE FROM sharded WHERE id IN (SELECT id FROM sharded ORDER BY x, id LIMIT 100); SELECT count(*) FROM sharded; ROLLBACK', $on),
	rows('BEGIN; SELECT id FROM sharded WHERE x > 0 ORDER BY x, id LIMIT 3; DELETE FROM sharded WHERE id IN (SELECT id FROM sharded ORDER BY x, id LIMIT 100); SELECT count(*) FROM sharded; ROLLBACK', $off),
	'a DELETE of what a merge found');

# All servers are asked before the first has answered.
unlink "$meeting/third";
my $together = 'SELECT count(*) FROM (SELECT id FROM meeting ORDER BY x OFFSET 0) s';
my ($status, $stdout, $stderr) = $home->psql('postgres', "$set $off; SET statement_timeout = '2s'; $together");
like($stderr, qr/statement timeout/, 'MergeAppend asks the third server when the first has answered');
unlink "$meeting/third";
is(rows($together, $on), '6000', 'the merge asks all before');
unlink "$meeting/third";
isnt(rows('SELECT id FROM meeting ORDER BY x LIMIT 1', $on), '', 'below a LIMIT too');

# Errors.
foreach my $mode ($off, $on)
{
	foreach my $case ([ 'failing', qr/ERROR:  division by zero/ ], [ 'ending', qr/ERROR:  (FATAL:  )?terminating connection|server closed the connection/ ])
	{
		my ($table, $error) = @$case;
		is($home->safe_psql('postgres', "$set $mode; SELECT count(*) FROM (SELECT id, late FROM $table ORDER BY x LIMIT 1000) s"), '1000', "$table: rows before it fails ($mode)");
		($status, $stdout, $stderr) = $home->psql('postgres', "$set $mode; SELECT id, late FROM $table ORDER BY x");
		like($stderr, $error, "$table: the server's error ($mode)");
	}
}
my $again = "$set $on; SET statement_timeout = '500ms'; SELECT count(*) FROM (SELECT id FROM slow ORDER BY x OFFSET 0) s;"
	. ' SET statement_timeout = 0; SELECT count(*) FROM (SELECT id FROM sharded ORDER BY x OFFSET 0) s';
($status, $stdout, $stderr) = $home->psql('postgres', $again, on_error_stop => 0);
like($stderr, qr/statement timeout/, 'a query that waits for servers can be cancelled');
is($stdout, '6000', 'and the session goes on');
my $block = 'BEGIN; SAVEPOINT s; SELECT id, late FROM failing ORDER BY x; ROLLBACK TO s; SELECT count(*) FROM (SELECT id FROM sharded ORDER BY x OFFSET 0) s; COMMIT';
($status, $stdout, $stderr) = $home->psql('postgres', "$set $on; $block", on_error_stop => 0);
is($stdout, '6000', 'as does a transaction after an error in a subtransaction');

# A server that goes away.
$remotes[1]->stop('immediate');
($status, $stdout, $stderr) = $home->psql('postgres', "$set $on; SELECT id FROM sharded ORDER BY x");
isnt($status, 0, 'a server that is gone is an error');
$remotes[0]->stop;
$home->stop;

done_testing();
