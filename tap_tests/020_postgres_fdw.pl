# Tables that lie on several servers, reached through postgres_fdw: what these servers do by
# themselves, and that results are those of a local copy.
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

# Each server has the rows of some groups; the copy at home has all.
my $rows = q{SELECT i AS id, i % 20 AS g, hashint4(i) % 10000 AS x,
	(SELECT array_agg(hashint4(i * 50 + k) % 1000 / 8.0::float8) FROM generate_series(1, 1 + i % 30) k) AS a FROM generate_series(1, 6000) i};
$home->safe_psql('postgres', qq{
	CREATE EXTENSION gpusort; CREATE EXTENSION postgres_fdw;
	CREATE TABLE copy AS $rows;
	CREATE TABLE sharded (id int, g int, x int, a float8[]) PARTITION BY LIST (g);
	CREATE TABLE sets (g int, n bigint, x gpusort.sorted_set) PARTITION BY LIST (g);});
my @remotes = map { start_server("remote$_") } 0 .. 1;
foreach my $number (0 .. 1)
{
	my $remote = $remotes[$number];
	my $groups = join ', ', grep { $_ % 2 == $number } 0 .. 19;
	my ($host, $port) = ($remote->host, $remote->port);
	$remote->safe_psql('postgres', qq{
		CREATE EXTENSION gpusort;
		CREATE TABLE part AS SELECT * FROM ($rows) r WHERE g IN ($groups);
		ANALYZE part;
		CREATE VIEW part_sets AS SELECT g, count(*) AS n, gpusort.sorted_set_agg(x) AS x FROM part GROUP BY g;});
	$home->safe_psql('postgres', qq{
		CREATE SERVER s$number FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'gpusort', async_capable 'true');
		CREATE USER MAPPING FOR CURRENT_USER SERVER s$number;
		CREATE FOREIGN TABLE sharded_$number PARTITION OF sharded FOR VALUES IN ($groups) SERVER s$number OPTIONS (table_name 'part');
		CREATE FOREIGN TABLE sets_$number PARTITION OF sets FOR VALUES IN ($groups) SERVER s$number OPTIONS (table_name 'part_sets');
		ANALYZE sharded_$number;});
}
$home->safe_psql('postgres', 'ANALYZE copy');

my $settings = 'SET enable_partitionwise_aggregate = on;';
sub remote_sql
{
	my ($query) = @_;
	return $home->safe_psql('postgres', "$settings EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# Runs where the rows are, for a query over `sharded`, and what the plan then shows of it.
my @queries = (
	[ 'a function in WHERE', 'SELECT id FROM sharded WHERE gpusort.array_is_sorted(a, true) ORDER BY id', qr/Remote SQL: SELECT id .*WHERE .*gpusort\.array_is_sorted\(a, true\)/ ],
	[ 'ORDER BY a function', 'SELECT id FROM sharded_0 ORDER BY gpusort.array_sort(a), id', qr/Remote SQL: .* ORDER BY gpusort\.array_sort\(a\)/, 'WHERE g % 2 = 0' ],
	[ 'ORDER BY with LIMIT, merged at home', 'SELECT id FROM sharded ORDER BY x, id LIMIT 10', qr/Merge Append(.*\n)+.*Remote SQL: .* ORDER BY x/ ],
	[ 'aggregates by the partition key', 'SELECT g, gpusort.sorted_agg(x) FROM sharded GROUP BY g ORDER BY g', qr/Remote SQL: SELECT g, gpusort\.sorted_agg\(x\) FROM .* GROUP BY 1/ ],
	[ 'the first n by the partition key', 'SELECT g, gpusort.top_n_agg(x, 3), gpusort.top_n_agg_by(id, x, 2) IS NOT NULL FROM sharded GROUP BY g ORDER BY g', qr/Remote SQL: SELECT .*gpusort\.top_n_agg\(x, '?3/ ],
	[ 'a median by the partition key', 'SELECT g, gpusort.median(x) FROM sharded GROUP BY g ORDER BY g', qr/Remote SQL: SELECT .*gpusort\.median\(/ ],
	[ 'sorted sets by the partition key', 'SELECT g, gpusort.sorted_set_agg(x) FROM sharded GROUP BY g ORDER BY g', qr/Remote SQL: SELECT g, gpusort\.sorted_set_agg\(x\)/ ],
	[ 'a function of an aggregate', 'SELECT g, gpusort.array_sort(array_agg(id ORDER BY id), true) FROM sharded GROUP BY g ORDER BY g', qr/Remote SQL: SELECT g, gpusort\.array_sort\(array_agg\(|Remote SQL: SELECT g, array_agg\(/ ]);
foreach my $query (@queries)
{
	my ($name, $sql, $shipped, $condition) = @$query;
	like(remote_sql($sql), $shipped, "$name runs there");
	(my $local = $sql) =~ s/sharded(_0)?/copy/;
	$local =~ s/ ORDER BY/ $condition ORDER BY/ if $condition;
	is($home->safe_psql('postgres', "$settings $sql"), $home->safe_psql('postgres', $local), 'and gives what a local table gives');
}

# Runs at home: rows come, and results are the same.
foreach my $sql ('SELECT id, gpusort.array_sort(a) FROM sharded ORDER BY id',
	'SELECT gpusort.sorted_agg(x), gpusort.count_distinct(x) FROM sharded',
	'SELECT x % 3, gpusort.median(x) FROM sharded GROUP BY 1 ORDER BY 1',
	'SELECT id, x FROM sharded ORDER BY x DESC, id',
	'SELECT id, x FROM sharded ORDER BY x DESC, id LIMIT 10',
	'SELECT id, row_number() OVER (PARTITION BY g ORDER BY x, id) FROM sharded ORDER BY id')
{
	unlike(remote_sql($sql), qr/Remote SQL: .*(gpusort\.|OVER)/, "$sql: rows come home");
	(my $local = $sql) =~ s/sharded/copy/;
	is($home->safe_psql('postgres', "$settings $sql"), $home->safe_psql('postgres', $local), 'and give what a local table gives');
}

# Without an order asked for, scans of several servers run at once.  The arrays node stands above a subquery of them.
my $arrays = 'SELECT gpusort.array_sort(a) FROM (SELECT a FROM sharded OFFSET 0) s';
like(remote_sql($arrays), qr/GpusortArrays(.*\n)+.*Append(.*\n)+.*Async Foreign Scan/, 'the arrays of asynchronous scans are sorted together');
is($home->safe_psql('postgres', "SELECT md5(string_agg(s::text, '' ORDER BY s)) FROM ($arrays) q (s)"),
	$home->safe_psql('postgres', "SELECT md5(string_agg(s::text, '' ORDER BY s)) FROM (SELECT gpusort.array_sort(a) FROM copy) q (s)"), 'rightly');

# All rows in order: home sorts what all servers send at the same time.  The first server waits until the second has begun.
my $meeting = PostgreSQL::Test::Utils::tempdir();
chmod 0777, $meeting;
$home->safe_psql('postgres', 'CREATE TABLE meeting (id int, g int, x int) PARTITION BY LIST (g)');
foreach my $number (0 .. 1)
{
	$remotes[$number]->safe_psql('postgres', qq{
		CREATE FUNCTION meet() RETURNS bool LANGUAGE plpgsql AS \$\$
		BEGIN
			IF $number = 1 THEN
				COPY (SELECT 1) TO '$meeting/second';
			END IF;
			WHILE pg_stat_file('$meeting/second', true) IS NULL LOOP
				PERFORM pg_sleep(0.01);
			END LOOP;
			RETURN true;
		END \$\$;
		CREATE VIEW part_meeting AS SELECT id, $number AS g, x FROM part WHERE (SELECT meet());});
	$home->safe_psql('postgres',
		"CREATE FOREIGN TABLE meeting_$number PARTITION OF meeting FOR VALUES IN ($number) SERVER s$number OPTIONS (table_name 'part_meeting')");
}
my $ordered = 'SELECT id FROM meeting ORDER BY x, id';
like(remote_sql($ordered), qr/GpusortRows(.*\n)+.*Append(.*\n)+.*Async Foreign Scan/, 'asynchronous scans are sorted at home');
foreach my $setting ('enable_async_append', 'gpusort.enable_sort')
{
	like($home->safe_psql('postgres', "SET $setting = off; EXPLAIN $ordered"), qr/Merge Append/, "not with $setting = off");
}
unlike($home->safe_psql('postgres', 'EXPLAIN SELECT id FROM meeting WHERE g = 0 ORDER BY x, id'), qr/Async|Gpusort/, 'nor for one server');
my ($outcome, $output, $error) = $home->psql('postgres', "SET enable_async_append = off; SET statement_timeout = '2s'; $ordered");
like($error, qr/statement timeout/, 'a Merge Append asks the second server when the first has answered');
is($home->safe_psql('postgres', $ordered), $home->safe_psql('postgres', 'SELECT id FROM copy ORDER BY x, id'), 'the node has all asked before');

# A set by another key than the tables': each server makes sorted sets, and home merges them.
my $merged = 'SELECT sum(n), gpusort.sorted_array(gpusort.merge_agg(x), NULL::int) FROM sets';
like($home->safe_psql('postgres', "EXPLAIN $merged"), qr/Async Foreign Scan/, 'servers make sorted sets at the same time');
unlike(remote_sql($merged), qr/Async/, 'but not with enable_partitionwise_aggregate, where the key is not the partition key');
is($home->safe_psql('postgres', $merged), $home->safe_psql('postgres', 'SELECT count(*), gpusort.sorted_agg(x) FROM copy'), 'which are merged into the set of all rows');
is($home->safe_psql('postgres', 'SELECT g % 3, gpusort.sorted_set_percentile_cont(gpusort.merge_agg(x), 0.9) FROM sets GROUP BY 1 ORDER BY 1'),
	$home->safe_psql('postgres', 'SELECT g % 3, gpusort.percentile_cont_agg(x, 0.9) FROM copy GROUP BY 1 ORDER BY 1'), 'or of each group at home');

# Without the option nothing of gpusort's is sent.
$home->safe_psql('postgres', "ALTER SERVER s$_ OPTIONS (DROP extensions)") foreach 0 .. 1;
unlike(remote_sql('SELECT g, gpusort.sorted_agg(x) FROM sharded GROUP BY g'), qr/Remote SQL: .*gpusort/, 'without the option extensions only columns are asked for');

# A server that goes away is an error.
$remotes[1]->stop('immediate');
my ($status, $stdout, $stderr) = $home->psql('postgres', $merged);
isnt($status, 0, 'a server that is gone is an error');
$remotes[0]->stop;
$home->stop;

done_testing();
