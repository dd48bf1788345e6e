# A result of the device fails its check, after a sort or when it is fetched, for each of
# the device's users: it is thrown away and counted, and the CPU gives the answer.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use EmulatedDevice;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Slabs of 128 kB.
my $node = start_emulated('verification', 'gpusort.gpu_buffer_size = 2MB', 'gpusort.force_nodes = on', 'max_parallel_workers_per_gather = 0');

# Arrays that fit a slab, and some that need a session; rows whose columns have every width, and NULLs.
$node->safe_psql('postgres', q{
	CREATE TABLE arrays AS
	SELECT kind, array_agg(x::int2 ORDER BY i) AS i2, array_agg(x::int4 ORDER BY i) AS i4, array_agg(x::int8 * 1000003 ORDER BY i) AS i8,
		array_agg(x::float4 / 7 ORDER BY i) AS f4, array_agg(x::float8 / 7 ORDER BY i) AS f8
	FROM (SELECT kind, i, (i * 7919) % 30011 - 15000 AS x FROM (VALUES ('slab', 900), ('session', 70000)) k (kind, n), generate_series(1, n) i) q
	GROUP BY kind;
	CREATE TABLE stored AS
	SELECT (i * 7919::int8) % 20011 AS k, i % 2 = 0 AS bool, (i % 3000)::int2 AS i2, i AS i4, i::float8 AS f8, 'text ' || i AS text,
		CASE WHEN i % 3 > 0 THEN i END AS nulls
	FROM generate_series(1, 40000) i;
	ANALYZE stored;
	CREATE FUNCTION verification_failures() RETURNS bigint LANGUAGE sql AS 'SELECT sum(verification_failures)::bigint FROM gpusort.devices';
	-- The answers to a query with a wrong result, as differences from the CPU's, and how many were noticed.
	CREATE FUNCTION answers(query text, VARIADIC faults text[], OUT wrong bigint, OUT noticed bigint) LANGUAGE plpgsql AS $$
	DECLARE
		fault text;
		wanted text;
		answer text;
		before bigint;
	BEGIN
		wrong := 0; noticed := 0;
		PERFORM set_config('gpusort.engine', 'cpu', true);
		EXECUTE query INTO wanted;
		PERFORM set_config('gpusort.engine', 'auto', true);
		FOREACH fault IN ARRAY faults LOOP
			PERFORM gpusort_test.inject_fault(fault);
			before := verification_failures();
			EXECUTE query INTO answer;
			wrong := wrong + (answer IS DISTINCT FROM wanted)::int;
			noticed := noticed + (verification_failures() - before);
		END LOOP;
		PERFORM gpusort_test.inject_fault('none');
	END $$});

# Each fault is noticed, and none changes the answer.
sub noticed
{
	my ($query, $what, @faults) = @_;
	is($node->safe_psql('postgres', "SELECT * FROM answers(\$\$$query\$\$, " . join(', ', map { "'$_'" } @faults) . ')'),
		'0|' . @faults, "$what: the right answer, and each wrong result is noticed");
	return;
}

sub array_question
{
	my ($call, $kind) = @_;
	return "SELECT md5((SELECT $call FROM arrays WHERE kind = '$kind')::text)";
}

my %call = (
	'int2 keys'   => 'gpusort.array_sort(i2)',
	'int4 keys'   => 'gpusort.array_sort(i4)',
	'int8 keys'   => 'gpusort.array_sort(i8)',
	'float4 keys' => 'gpusort.array_sort(f4)',
	'float8 keys' => 'gpusort.array_sort(f8)',
	'index'       => 'gpusort.array_argsort(f4)',
	'carried'     => 'gpusort.array_sort_by(i4, f4)',
	'gathered'    => 'gpusort.array_sort_by(i8, i2)',
	'first'       => 'gpusort.array_top_n(i4, 100, false)',
	'first by'    => 'gpusort.array_top_n_by(i4, f4, 100)');
foreach my $what (sort keys %call)
{
	noticed(array_question($call{$what}, 'slab'), "$what in a slab", 'wrong');
	noticed(array_question($call{$what}, 'session'), "$what in a session", 'wrong', 'wrong_fetch');
}

# A function by itself, and an aggregate: elsewhere the node for arrays has taken their place.
{
	local $ENV{PGOPTIONS} = '-c gpusort.enable_array_sort=off';
	foreach my $kind ('slab', 'session')
	{
		my @faults = $kind eq 'slab' ? ('wrong') : ('wrong', 'wrong_fetch');
		my $set = "SELECT md5(gpusort.sorted_agg(x)::text) FROM (SELECT unnest(f8) AS x FROM arrays WHERE kind = '$kind') q";
		noticed(array_question($call{'int4 keys'}, $kind), "a function in a $kind", @faults);
		noticed($set, "an aggregate in a $kind", @faults);
	}
}

# Many arrays a job, by the node.
noticed(q{SELECT md5(string_agg(s::text, ' ' ORDER BY g)) FROM (SELECT g, gpusort.array_sort(i4) AS s FROM arrays, generate_series(1, 20) g
	WHERE kind = 'slab' OFFSET 0) q}, 'a batch of arrays', 'wrong');

# Rows: keys and six more columns go to the device; the row numbers and the columns come back, each in pieces.
my $rows = q{SELECT md5(string_agg(q::text, ' ')) FROM (SELECT * FROM stored ORDER BY k OFFSET 0) q};
like($node->safe_psql('postgres', "SET gpusort.engine = gpu; EXPLAIN (COSTS OFF) $rows"), qr/Gpusort/i, 'rows are sorted by the node');
noticed($rows, 'rows', 'wrong', map { "wrong_fetch 1 $_" } 0 .. 14);

# With engine = gpu it is an error, and without verification nobody knows.
inject($node, 'wrong');
my ($ret, $out, $err) = $node->psql('postgres', 'SET gpusort.engine = gpu; ' . array_question($call{'int4 keys'}, 'slab'));
like($err, qr/ERROR:  the GPU could not sort this: .*failed verification/s, 'an error with engine = gpu');
inject($node, 'wrong');
isnt($node->safe_psql('postgres', 'SET gpusort.verify = off; ' . array_question($call{'int4 keys'}, 'slab')),
	$node->safe_psql('postgres', 'SET gpusort.engine = cpu; ' . array_question($call{'int4 keys'}, 'slab')),
	'without verification nothing is noticed');
is($node->safe_psql('postgres', q{SELECT string_agg(used_for, ' ' ORDER BY used_for) FROM
	(SELECT used_for FROM gpusort.stats WHERE engine = 'gpu' GROUP BY 1 HAVING sum(verification_failures) > 0 AND sum(fallbacks) > 0) q}),
	'aggregates arrays functions rows', 'whoever meets one counts it');
is(device($node, 'faults'), 0, 'none of it is a fault of the device');
is(wait_slabs($node), 0, 'no slab is lost');
like(slurp_file($node->logfile), qr/gave a wrong result, which was thrown away: what came back is not what was sent, in order/,
	'the log says so');

# In larger slabs, which batches are packed into.
$node->append_conf('postgresql.conf', 'gpusort.gpu_buffer_size = 64MB');
$node->restart;
wait_ready($node);
foreach my $what (sort keys %call)
{
	my $batch = "SELECT md5(string_agg(s::text, ' ' ORDER BY g)) FROM (SELECT g, $call{$what} AS s FROM arrays, generate_series(1, 20) g WHERE kind = 'slab' OFFSET 0) q";
	noticed($batch, "$what in a batch", 'wrong');
}

# Only superusers, and roles that were granted it, may switch verification off.
$node->safe_psql('postgres', 'CREATE ROLE bob LOGIN');
($ret, $out, $err) = $node->psql('postgres', 'SET gpusort.verify = off', extra_params => [ '-U', 'bob' ]);
like($err, qr/permission denied to set parameter "gpusort.verify"/, 'an ordinary role may not');

$node->stop;

done_testing();
