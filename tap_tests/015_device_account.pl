# The account of sorts: gpusort.stats says for whom each was done and why a device did
# not do it, whoever asked; gpusort.jobs shows it; EXPLAIN waits for nothing.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_emulated('account', "work_mem = '64MB'");
$node->safe_psql('postgres', q{
	CREATE TABLE data AS SELECT i, ARRAY(SELECT (k * 7919) % 10007 + i FROM generate_series(1, 4000) k)::int4[] AS a FROM generate_series(1, 20) i;
	CREATE TABLE numbers AS SELECT (i * 7919) % 100003 AS x FROM generate_series(1, 20000) i;
	ANALYZE});

# One sort on a device for each use; each gives the digest of its result.
my %question = (
	functions  => 'SET gpusort.enable_array_sort = off; SELECT md5(gpusort.array_sort(a)::text) FROM data WHERE i = 1',
	aggregates => 'SELECT md5(gpusort.sorted_agg(x)::text) FROM numbers',
	arrays     => 'SET gpusort.force_nodes = on; SELECT md5(string_agg(s::text, \'\')) FROM (SELECT gpusort.array_sort(a) AS s FROM data OFFSET 0) q',
	rows       => 'SET gpusort.force_nodes = on; SELECT md5(string_agg(x::text, \' \')) FROM (SELECT x FROM numbers ORDER BY x OFFSET 0) q');
my @uses = sort keys %question;
my %answer = map { $_ => $node->safe_psql('postgres', "SET gpusort.engine = cpu; $question{$_}") } @uses;

# What the question added to gpusort.stats.
sub account
{
	my ($use, $columns) = @_;
	my (undef, $result, $account) = split /\n/, $node->safe_psql('postgres', "SELECT gpusort.stats_reset(); $question{$use}; RESET ALL;
		SELECT used_for, $columns FROM gpusort.stats WHERE engine = 'gpu' GROUP BY used_for");
	is($result, $answer{$use}, "$use: right result");
	return $account // '';
}

foreach my $use (@uses)
{
	is(account($use, 'sum(jobs) > 0, sum(keys) > 0, sum(bytes) >= 4 * sum(keys), sum(time_ms) > 0, sum(fallbacks), sum(verification_failures)'), "$use|t|t|t|t|0|0",
		"$use: sorted on the device, and counted");
}

# Columns go to the device beside a word of 8 bytes a row, and the numbers of rows that have records come back, unless so
# many rows have a word in common that the host had to order them again: then the device sorts packed integers alone.
$node->safe_psql('postgres', q{
	CREATE TABLE words AS SELECT i, md5((i * 7919 % 5000)::text) AS fourfold, md5((i * 7919 % 19000)::text) AS few_twice,
		CASE WHEN i % 20 = 0 THEN repeat('a frequent word', 3) ELSE md5(i::text) END AS one_frequent FROM generate_series(1, 20000) i;
	ANALYZE words});
foreach my $case (['fourfold', 8], ['few_twice', 16], ['one_frequent', 16])
{
	my ($key, $bytes) = @$case;
	my $rows = "SET gpusort.force_nodes = on; SELECT md5(string_agg(i::text, ' ')) FROM (SELECT i FROM words ORDER BY $key COLLATE \"C\" OFFSET 0) q";
	my $answer = $node->safe_psql('postgres', "SET gpusort.engine = cpu; $rows");
	$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
	is($node->safe_psql('postgres', $rows), $answer, "$key: right result");
	is($node->safe_psql('postgres', q{SELECT sum(device_sorts), sum(bytes) / 20000 FROM gpusort.stats WHERE engine = 'gpu'}), "1|$bytes.0000000000000000",
		"$key: one sort, of so many bytes a row");
}

# A wrong result is thrown away, and counted where the device counts it and for whom it was.
foreach my $use (@uses)
{
	my $before = device($node, 'verification_failures');
	inject($node, 'wrong 1');
	is(account($use, q{sum(fallbacks), bool_or(fallback_reasons ? 'the device''s result failed verification'), sum(verification_failures)}), "$use|1|t|1",
		"$use: a wrong result is counted");
	is(device($node, 'verification_failures'), $before + 1, "$use: once, as on the device");
}

# A device that fails.
foreach my $use (@uses)
{
	inject($node, 'error 1');
	is(account($use, q{sum(fallbacks) > 0, bool_or(fallback_reasons ? 'device fault')}), "$use|t|t", "$use: a fault is counted");
	wait_ready($node);
	$node->safe_psql('postgres', 'SET gpusort.engine = gpu; SELECT gpusort.array_sort(ARRAY[2, 1])');
}

# So it is for few rows, also where a LIMIT keeps few: counted, or with engine = gpu an error.
foreach my $few ('SELECT x FROM numbers WHERE x < 500 ORDER BY x', 'SELECT x FROM numbers ORDER BY x LIMIT 10')
{
	my $nodes = "SET gpusort.force_nodes = on; $few";
	my $sorted = $node->safe_psql('postgres', "SET gpusort.engine = cpu; $nodes");
	$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
	inject($node, 'error 1');
	is($node->safe_psql('postgres', $nodes), $sorted, "few rows: right result ($few)");
	is($node->safe_psql('postgres', 'SELECT sum(fallbacks) FROM gpusort.stats'), 1, 'and a fault is counted');
	wait_ready($node);
	inject($node, 'error 1');
	my ($ret, $out, $err) = $node->psql('postgres', "SET gpusort.engine = gpu; $nodes");
	like($err, qr/the GPU could not sort this: device fault/, 'with engine = gpu it is an error');
	wait_ready($node);
}

# What devices count, stats counts: also when a result is wrong, and where nobody waits for it.
my $sums = q{SELECT (SELECT sum(device_sorts) FROM gpusort.stats) - sum(sorts),
	(SELECT sum(verification_failures) FROM gpusort.stats) - sum(verification_failures) FROM gpusort.devices};
# Batches find no slab while cursors hold them, and pass through those that are kept for transit.
my $hold = 'SET gpusort.force_nodes = on; BEGIN;' . join('', map {"DECLARE c$_ CURSOR FOR SELECT gpusort.array_sort(a) FROM data; MOVE 1 IN c$_;"} 1 .. 16);
my $digest = q{SELECT md5(string_agg(s::text, '')) FROM (SELECT gpusort.array_sort(a) AS s FROM data OFFSET 0) q};
my $counted = q{SELECT coalesce(sum(jobs), 0), sum(device_sorts), sum(fallbacks), sum(verification_failures) FROM gpusort.stats WHERE used_for = 'arrays' AND engine = 'gpu'};
$node->append_conf('postgresql.conf', "gpusort.gpu_buffer_size = 1MB\nmax_parallel_workers_per_gather = 0");
$node->restart;
wait_ready($node);
{
	my $session = $node->background_psql('postgres');
	$session->query_safe($hold);
	$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
	my $before = $node->safe_psql('postgres', 'SELECT sorts, verification_failures FROM gpusort.devices');
	foreach my $wrong (0, 1)
	{
		inject($node, "wrong $wrong") if $wrong > 0;
		is($node->safe_psql('postgres', "SET gpusort.force_nodes = on; $digest"), $answer{arrays}, "$wrong wrong batches: right result");
	}
	wait_until($node, q{NOT EXISTS (SELECT FROM gpusort.devices WHERE queued + running > 0)});
	like($node->safe_psql('postgres', $counted), qr/^\d+\|\d+\|1\|1$/, 'a wrong batch is one fallback and one failure');
	my ($jobs, $sorts) = split /\|/, $node->safe_psql('postgres', $counted);
	is($sorts, $jobs, 'each sort is one job of the device');
	my ($sorts_before, $failures_before) = split /\|/, $before;
	is($node->safe_psql('postgres', "SELECT sum(device_sorts) + $sorts_before = (SELECT sorts FROM gpusort.devices),
		sum(verification_failures) + $failures_before = (SELECT verification_failures FROM gpusort.devices) FROM gpusort.stats"), 't|t',
		'sums are those of the devices');
	$session->quit;
}
$node->restart;
wait_ready($node);
foreach my $use (@uses)
{
	$node->safe_psql('postgres', $question{$use});
	inject($node, 'wrong 1');
	$node->safe_psql('postgres', $question{$use});
	inject($node, 'error 1');
	$node->safe_psql('postgres', $question{$use});
	wait_ready($node);
	inject($node, 'delay 1 300');
	$node->psql('postgres', "SET statement_timeout = 100; $question{$use}");
	wait_until($node, q{NOT EXISTS (SELECT FROM gpusort.devices WHERE queued + running > 0)});
	inject($node, 'none');
}
is($node->safe_psql('postgres', $sums), '0|0', 'after faults and cancels too');
$node->adjust_conf('postgresql.conf', 'gpusort.gpu_buffer_size', undef);
$node->restart;
wait_ready($node);

# Text is no key for a device, but its abbreviations are keys for the CPU engine.
$node->safe_psql('postgres', 'SELECT gpusort.stats_reset()');
$node->safe_psql('postgres', q{SELECT gpusort.array_sort(array_agg(md5(i::text) COLLATE "C")) FROM generate_series(1, 5000) i});
is($node->safe_psql('postgres', 'SELECT engine, used_for, jobs, keys FROM gpusort.stats'), 'cpu|functions|1|5000', 'text is counted');

# A sort is shown until it ends, whatever else sorts or fails meanwhile: here its comparator does.
$node->safe_psql('postgres', q{
	CREATE TABLE seen (jobs bigint, used_for text, keys bigint);
	CREATE FUNCTION compare(a int4, b int4) RETURNS int4 LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpusort.array_sort(ARRAY[b, a, 1]);
		BEGIN
			PERFORM gpusort.array_sort(ARRAY[b, a, 1 / 0]);
		EXCEPTION WHEN division_by_zero THEN
		END;
		INSERT INTO seen SELECT count(*), min(used_for), min(keys) FROM gpusort.jobs;
		RETURN btint4cmp(a, b);
	END $$;
	CREATE FUNCTION less(a int4, b int4) RETURNS bool LANGUAGE sql AS 'SELECT compare(a, b) < 0';
	CREATE FUNCTION equal(a int4, b int4) RETURNS bool LANGUAGE sql AS 'SELECT compare(a, b) = 0';
	CREATE OPERATOR <<< (LEFTARG = int4, RIGHTARG = int4, FUNCTION = less);
	CREATE OPERATOR === (LEFTARG = int4, RIGHTARG = int4, FUNCTION = equal);
	CREATE OPERATOR CLASS odd_ops FOR TYPE int4 USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 compare(int4, int4);
	CREATE TABLE many AS SELECT greatest(i, 3) AS x, -i AS y FROM generate_series(1, 1100000) i;
	SET gpusort.force_nodes = on; SET work_mem = '256MB';
	SELECT count(*) FROM (SELECT x, y FROM many ORDER BY x, y USING <<< OFFSET 0) q});
is($node->safe_psql('postgres', 'SELECT DISTINCT jobs, used_for, keys FROM seen'), '1|rows|1100000',
	'an ORDER BY is shown while what it calls sorts, and while a subtransaction within it fails');
is($node->safe_psql('postgres', 'SELECT count(*) FROM gpusort.jobs'), 0, 'and is gone when it has ended');

# After faults in a row the worker takes its time: nobody but a sort waits for it.
foreach my $fault (1 .. 5)
{
	wait_ready($node);
	inject($node, 'error 1');
	$node->safe_psql('postgres', 'SELECT gpusort.array_sort(a) FROM data WHERE i = 1');
	$node->poll_query_until('postgres', q{SELECT state <> 'ready' FROM gpusort.devices});
}
$node->poll_query_until('postgres', q{SELECT state = 'backing off' FROM gpusort.devices});
my $plan = $node->safe_psql('postgres', q{SET statement_timeout = '2s'; SET gpusort.engine = gpu; SET gpusort.force_nodes = on;
	EXPLAIN SELECT gpusort.array_sort(a) FROM data});
like($plan, qr/Engine: gpu/, 'EXPLAIN says what is to sort');
is(device($node, 'state'), 'backing off', 'and does not wait for it');
foreach my $use (@uses)
{
	is(account($use, q{sum(fallbacks) > 0, bool_and(fallback_reasons ? 'the device worker is restarting')}), "$use|t|t", "$use: a device that is not ready is counted");
}
is($node->safe_psql('postgres', "SET gpusort.engine = gpu; $question{arrays}"), $answer{arrays}, 'engine = gpu waits for the device');
$node->stop;

# There is a module but no device: counted. No module, or no device wanted: nothing was passed over.
my @cases = (
	[ 'no device', '0', '', 1 ],
	[ 'no module', undef, "gpusort.device_library = '\$libdir/gpusort_nowhere'", 0 ],
	[ 'no device wanted', undef, 'gpusort.devices = none', 0 ]);
foreach my $case (@cases)
{
	my ($name, $devices, $setting, $fallbacks) = @$case;
	local $ENV{GPUSORT_EMULATED_DEVICES} = $devices if defined $devices;
	$node->append_conf('postgresql.conf', $setting);
	$node->start;
	$node->poll_query_until('postgres', q{SELECT state = 'unavailable' FROM gpusort.devices}) unless $name eq 'no device wanted';
	foreach my $use (@uses)
	{
		is(account($use, q{sum(fallbacks) > 0, bool_and(fallback_reasons ? 'no device is available')}), $fallbacks ? "$use|t|t" : '', "$name, $use");
	}
	my (undef, undef, $err) = $node->psql('postgres', "SET gpusort.engine = gpu; $question{functions}");
	like($err, qr/no GPU is available.*HINT/s, "$name: engine = gpu says so");
	$node->stop;
}

done_testing();
