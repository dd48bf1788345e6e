# What users build on the extension: tables with generated columns, constraints and indexes, views,
# a materialized view and functions, with those of gpusort_distributed.
package BuiltObjects;
use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(build_objects built_results check_built_objects);

# The extension gpusort is there already.
sub build_objects
{
	my ($node, $database) = @_;
	$node->safe_psql($database, <<'END');
CREATE TABLE spectra (
	id int PRIMARY KEY, mz float8[], intensity float4[], names text[],
	ranked float8[] GENERATED ALWAYS AS (gpusort.array_sort_by(mz, intensity, true)) STORED,
	in_order float8[] GENERATED ALWAYS AS (gpusort.array_sort(mz)) STORED,
	names_in_order text[] GENERATED ALWAYS AS (gpusort.array_sort(names, true, true)) STORED,
	CONSTRAINT orders CHECK (gpusort.array_is_sorted(gpusort.array_sort(mz, true), true)));
INSERT INTO spectra
SELECT i, (SELECT array_agg(CASE k WHEN 7 THEN 'NaN' WHEN 8 THEN '-0' WHEN 9 THEN 0 WHEN 10 THEN NULL ELSE hashint4(i * 100 + k)::float8 / 1000 END)
		FROM generate_series(1, 40) k),
	(SELECT array_agg(abs(hashint4(i * 100 - k) % 50)::float4) FROM generate_series(1, 40) k),
	(SELECT array_agg(md5((i * k % 97)::text)) || NULL::text FROM generate_series(1, 20) k)
FROM generate_series(1, 1000) i;
CREATE INDEX spectra_greatest ON spectra (gpusort.array_top_n(mz, 2));
CREATE INDEX spectra_near ON spectra (gpusort.array_sort_approx(intensity, 2)) WHERE gpusort.array_is_sorted(in_order);
CREATE UNIQUE INDEX spectra_names ON spectra (gpusort.array_sort_distinct(names), id);

CREATE VIEW array_calls AS SELECT id,
	gpusort.array_sort(mz, true) AS sort2, gpusort.array_sort(mz, false, true) AS sort3,
	gpusort.array_sort_distinct(names) AS distinct1, gpusort.array_sort_distinct(names, true) AS distinct2,
	gpusort.array_sort_distinct(names, true, false) AS distinct3,
	gpusort.array_top_n(intensity, 3) AS top2, gpusort.array_top_n(intensity, 3, false) AS top3,
	gpusort.array_is_sorted(mz, true) AS is2, gpusort.array_is_sorted(mz, false, true) AS is3,
	gpusort.array_argsort(mz) AS argsort1, gpusort.array_argsort(mz, true) AS argsort2, gpusort.array_argsort(mz, true, false) AS argsort3,
	gpusort.array_take(mz, ARRAY[2, 1]) AS take,
	gpusort.array_sort_by(mz, intensity) AS by2, gpusort.array_sort_by(mz, intensity, true, false) AS by4,
	(gpusort.array_sort_pair(mz, intensity)).sorted_vals AS pair2, (gpusort.array_sort_pair(mz, intensity, true)).sorted_vals AS pair3,
	(gpusort.array_sort_pair(mz, intensity, true, false)).sorted_vals AS pair4,
	gpusort.array_top_n_by(mz, intensity, 3) AS top_by3, gpusort.array_top_n_by(mz, intensity, 3, false) AS top_by4,
	gpusort.array_top_n_by(mz, intensity, 3, false, true) AS top_by5,
	gpusort.array_sort_approx(intensity, 8) AS approx2, gpusort.array_sort_approx(intensity, 8, true) AS approx3
FROM spectra;
CREATE VIEW aggregate_calls AS SELECT id % 10 AS part,
	gpusort.sorted_agg(mz[1]) AS sorted1, gpusort.sorted_agg(mz[1], true) AS sorted2,
	gpusort.sorted_agg_by(id, mz[1]) AS by2, gpusort.sorted_agg_by(id, mz[1], true) AS by3, gpusort.sorted_agg_by(id, mz[1], true, false) AS by4,
	gpusort.top_n_agg(mz[1], 3) AS top2, gpusort.top_n_agg(mz[1], 3, false) AS top3,
	gpusort.approx_sorted_agg(intensity[1], 1000) AS approx2, gpusort.approx_sorted_agg(intensity[1], 1000, true) AS approx3
FROM spectra GROUP BY 1;
CREATE EXTENSION gpusort_distributed;
CREATE VIEW distributed_calls AS SELECT id % 10 AS part, gpusort_distributed.sorted_agg(mz[1]) AS sorted, gpusort_distributed.top_n_agg_by(id, mz[1], 3) AS top
FROM spectra GROUP BY 1;
CREATE VIEW row_calls AS
	SELECT id, 1 AS call, u.value, u.ord FROM spectra, gpusort.unnest_sorted(mz) u
	UNION ALL SELECT id, 2, u.value, u.ord FROM spectra, gpusort.unnest_sorted(mz, true) u
	UNION ALL SELECT id, 3, u.value, u.ord FROM spectra, gpusort.unnest_sorted(mz, true, false) u;
CREATE VIEW window_calls AS SELECT id, gpusort.bucket(mz[1], 10) OVER w AS bucket2, gpusort.bucket(mz[1], 10, true) OVER w AS bucket3
FROM spectra WINDOW w AS (PARTITION BY id % 10);
CREATE MATERIALIZED VIEW positions AS SELECT id, gpusort.array_argsort(intensity) AS positions FROM spectra;
CREATE FUNCTION least_of(a float8[]) RETURNS float8 IMMUTABLE BEGIN ATOMIC SELECT (gpusort.array_sort(a))[1]; END;

CREATE VIEW devices_seen AS SELECT * FROM gpusort.devices;
CREATE VIEW stats_seen AS SELECT * FROM gpusort.stats;
CREATE VIEW jobs_seen AS SELECT * FROM gpusort.jobs;
CREATE VIEW memory_seen AS SELECT * FROM gpusort.memory;
CREATE VIEW functions_seen AS SELECT (gpusort.arena()).slabs, s.item FROM gpusort.status() s;
CREATE FUNCTION counters_to_zero() RETURNS void BEGIN ATOMIC SELECT gpusort.stats_reset(); END;
END
}

# What the built objects give, as text: the same for the same rows, whatever the versions of
# server and extension.
sub built_results
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, <<'END');
SELECT 'spectra', count(*), md5(string_agg(s::text, '' ORDER BY id)) FROM spectra s;
SELECT 'array_calls', count(*), md5(string_agg(c::text, '' ORDER BY id)) FROM array_calls c;
SELECT 'aggregate_calls', count(*), md5(string_agg(c::text, '' ORDER BY part)) FROM aggregate_calls c;
SELECT 'distributed_calls', count(*), md5(string_agg(c::text, '' ORDER BY part)) FROM distributed_calls c;
SELECT 'row_calls', count(*), md5(string_agg(c::text, '' ORDER BY id, call, ord)) FROM row_calls c;
SELECT 'window_calls', count(*), md5(string_agg(c::text, '' ORDER BY id)) FROM window_calls c;
SELECT 'positions', count(*), md5(string_agg(p::text, '' ORDER BY id)) FROM positions p;
SELECT 'least_of', md5(string_agg(least_of(mz)::text, '' ORDER BY id)) FROM spectra;
END
}

# Tests that they are whole and right: against PostgreSQL's own order, indexes against the table,
# and with a new row.
sub check_built_objects
{
	my ($node, $database, $when) = @_;
	is($node->safe_psql($database, <<'END'), '1000|1000|1000|1000|1000', "$when: generated columns and views have PostgreSQL's order");
SELECT count(*) FILTER (WHERE s.in_order = (SELECT array_agg(x ORDER BY x) FROM unnest(mz) x)),
	count(*) FILTER (WHERE s.ranked::text = (SELECT array_agg(x ORDER BY y DESC, o)::text FROM unnest(mz, intensity) WITH ORDINALITY u(x, y, o))),
	count(*) FILTER (WHERE s.names_in_order = (SELECT array_agg(x ORDER BY x DESC NULLS FIRST) FROM unnest(names) x)),
	count(*) FILTER (WHERE c.sort3 = (SELECT array_agg(x ORDER BY x NULLS FIRST) FROM unnest(mz) x)),
	count(*) FILTER (WHERE p.positions = (SELECT array_agg(o::int ORDER BY x, o) FROM unnest(intensity) WITH ORDINALITY u(x, o)))
FROM spectra s JOIN array_calls c USING (id) JOIN positions p USING (id);
END
	is($node->safe_psql($database, <<'END'), 't', "$when: aggregates have it");
SELECT bool_and(c.sorted1 = own.sorted1 AND c.by3 = own.by3 AND c.top3 = own.sorted1[1:3])
FROM aggregate_calls c
JOIN (SELECT id % 10 AS part, array_agg(mz[1] ORDER BY mz[1]) AS sorted1, array_agg(id ORDER BY mz[1] DESC, id) AS by3 FROM spectra GROUP BY 1) own USING (part);
END

	my %look_up = (
		spectra_greatest => 'gpusort.array_top_n(t.mz, 2) = gpusort.array_top_n(s.mz, 2)',
		spectra_near => 'gpusort.array_sort_approx(t.intensity, 2) = gpusort.array_sort_approx(s.intensity, 2) AND gpusort.array_is_sorted(t.in_order)',
		spectra_names => 'gpusort.array_sort_distinct(t.names) = gpusort.array_sort_distinct(s.names) AND t.id = s.id');
	foreach my $index (sort keys %look_up)
	{
		my $find = "SELECT count(DISTINCT s.id) FROM spectra s, spectra t WHERE s.id % 10 = 1 AND $look_up{$index} AND t.id = s.id";
		my $settings = 'SET enable_hashjoin = off; SET enable_mergejoin = off; ALTER TABLE spectra DROP CONSTRAINT spectra_pkey; SET enable_seqscan = off;';
		like($node->safe_psql($database, "BEGIN; $settings EXPLAIN (COSTS OFF) $find; ROLLBACK"), qr/$index/, "$when: the index $index is used");
		is($node->safe_psql($database, "BEGIN; $settings $find; ROLLBACK"), '100', "$when: and finds every row");
	}
	is($node->safe_psql($database, q{
			BEGIN; INSERT INTO spectra VALUES (0, '{3,1,NULL,2}', '{1,5,2,9}', '{b,a}');
			SELECT in_order, ranked, names_in_order FROM spectra WHERE id = 0; ROLLBACK}),
		'{1,2,3,NULL}|{2,1,NULL,3}|{b,a}', "$when: a new row");
	is($node->safe_psql($database, q{
			SELECT counters_to_zero(); SELECT count(gpusort.array_sort(mz)) FROM spectra; SELECT sum(keys) > 10000 FROM stats_seen;
			SELECT count(*) >= 0 FROM devices_seen; SELECT count(*) >= 0 FROM jobs_seen; SELECT count(*) >= 0 FROM memory_seen;
			SELECT count(*) > 5 FROM functions_seen}),
		"\n1000\nt\nt\nt\nt\nt", "$when: the views of its state can be read");
}

1;
