# Text in linguistic collations: the rows node gives the rows in the order of PostgreSQL's
# Sort, and arrays and aggregates their values. localedef makes the C library's locales in a folder of the test. GPUSORT_LOCALES
# names them, or is "all"; GPUSORT_ICU is how many of ICU's collations are tried, or "all".
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sources = '/usr/share/i18n/locales';
my @locales = split ' ', $ENV{GPUSORT_LOCALES} || 'en_US hu_HU cs_CZ fr_CA';
if ("@locales" eq 'all')
{
	@locales = grep { /_/ && !/^(translit|iso14651|cns11643|i18n)/ } map { s{.*/}{}r } glob "$sources/*";
}
my $folder = PostgreSQL::Test::Utils::tempdir();
my @made;
foreach my $locale (-d $sources ? @locales : ())
{
	my ($name, $modifier) = split /@/, $locale;
	$name .= '.UTF-8' . (defined $modifier ? "\@$modifier" : '');
	system("localedef -c -i '$locale' -f UTF-8 '$folder/$name' > /dev/null 2>&1");
	push @made, $name if -f "$folder/$name/LC_COLLATE";
}
chmod 0755, $folder;
$ENV{LOCPATH} = $folder;

my $node = PostgreSQL::Test::Cluster->new('linguistic');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', "session_preload_libraries = 'gpusort'\ngpusort.force_nodes = on\nmax_parallel_workers_per_gather = 0\njit = off\n");
$node->start;
$node->safe_psql("postgres", "CREATE EXTENSION gpusort");

# What collations treat in ways of their own: contractions, characters that are ignored, expansions, combining
# marks, scripts, code points without a character; and texts that share long prefixes.
$node->safe_psql('postgres', q{
	SELECT setseed(0.5);
	CREATE TABLE pieces AS SELECT row_number() OVER () AS n, p FROM (
		SELECT unnest(string_to_array('a b c ch cs ccs d dz dzs ddzs dž e gy ggy h i ij j l ll lj ly l· n ng nj ny o rr s sh ss ß ssz sz t th ty u w x xh y z zh zs zzs aa AA Aa CH Ch cH DZS ae æ ø å ä ö ü é ı İ ñ ç đ þ ﬁ ﷺ 0 1 9 10 ٣ ² - _ '' . /', ' ')) AS p
		UNION ALL SELECT ' ' UNION ALL SELECT E'\t' UNION ALL SELECT chr(c) FROM unnest(ARRAY[1, 127, 160, 173, 8203, 8205, 8208, 65279, 769, 776, 807, 837, 3648, 3585, 2325, 2381, 2359, 3525, 4352, 4449, 4520,
			44032, 19968, 40959, 12354, 12540, 12459, 1072, 1080, 774, 1081, 945, 962, 1488, 1575, 64976, 65535, 65536, 128512, 131072, 917505, 1114111]) c
		UNION ALL SELECT 'https://www.example.com/' UNION ALL SELECT repeat('a', 40) UNION ALL SELECT repeat('é', 20)) q;
	CREATE TABLE texts AS SELECT i AS id, CASE WHEN i % 997 = 0 THEN NULL ELSE (
			SELECT coalesce(string_agg(CASE WHEN random() < 0.8 THEN p ELSE chr((ARRAY[32 + random() * 94, 160 + random() * 1800, 2048 + random() * 50000, 57344 + random() * 6000, 65536 + random() * 900000])[1 + (random() * 4)::int]::int) END, ''), '')
			FROM generate_series(1, (random() * 7)::int) g, LATERAL (SELECT p FROM pieces WHERE n = 1 + (random() * ((SELECT count(*) FROM pieces) - 1))::int + 0 * g LIMIT 1) r WHERE i > 0) END AS t
		FROM generate_series(1, 6000) i;
	INSERT INTO texts SELECT i, md5(i::text) FROM generate_series(6001, 24000) i;
	INSERT INTO texts SELECT 30000 + i, 'https://www.example.com/' || initcap(md5((i % 700)::text)) || '-' || i % 3 FROM generate_series(1, 3000) i;
	INSERT INTO texts SELECT 40000 + i, chr(1040 + i % 64) || chr(1040 + i * 7 % 64) || chr(19968 + i * 7919 % 20000) FROM generate_series(1, 3000) i;
	ANALYZE texts;
	-- The queries whose results with the node differ from those without.
	CREATE FUNCTION differing(coll text, OUT queries int, OUT nodes int, OUT wrong text) LANGUAGE plpgsql AS $$
	DECLARE
		query text; query_plan text; memory text; with_node text; without_node text; line text;
	BEGIN
		queries := 0; nodes := 0;
		FOREACH query IN ARRAY ARRAY['SELECT t FROM texts ORDER BY t COLLATE %1$s', 'SELECT t, id FROM texts WHERE id > 6000 ORDER BY t COLLATE %1$s DESC NULLS LAST, id', 'SELECT t, id FROM texts WHERE id < 3000 ORDER BY t COLLATE %1$s, id',
			'SELECT id, t FROM texts ORDER BY id %% 5, t::varchar COLLATE %1$s DESC, id', 'SELECT t FROM texts ORDER BY t::char(9) COLLATE %1$s, t COLLATE %1$s, id LIMIT 500', 'SELECT t FROM texts WHERE id > 30000 ORDER BY t COLLATE %1$s, id DESC LIMIT 2000 OFFSET 300',
			'SELECT id FROM texts ORDER BY left(t, 1) COLLATE %1$s, id %% 7, left(t, 2) COLLATE %1$s DESC, id', 'SELECT DISTINCT left(t, 3) COLLATE %1$s FROM texts ORDER BY 1', 'SELECT count(*), sum(a.id::int8 * b.id) FROM texts a JOIN texts b ON a.t COLLATE %1$s = upper(b.t COLLATE %1$s) COLLATE %1$s'] LOOP
			query := format(query, coll);
			PERFORM set_config('work_mem', '64MB', true), set_config('gpusort.enable_sort', 'off', true);
			EXECUTE 'SELECT md5(string_agg(q::text, E''\n'')) FROM (SELECT * FROM (' || query || ') q0 OFFSET 0) q' INTO without_node;
			PERFORM set_config('gpusort.enable_sort', 'on', true);
			FOREACH memory IN ARRAY ARRAY['64MB', '256kB'] LOOP
				PERFORM set_config('work_mem', memory, true);
				queries := queries + 1;
				query_plan := '';
				FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
					query_plan := query_plan || line;
				END LOOP;
				nodes := nodes + (query_plan ~ 'GpusortRows')::int;
				EXECUTE 'SELECT md5(string_agg(q::text, E''\n'')) FROM (SELECT * FROM (' || query || ') q0 OFFSET 0) q' INTO with_node;
				wrong := nullif(concat_ws('; ', wrong, CASE WHEN with_node IS DISTINCT FROM without_node THEN memory || ' ' || query END), '');
			END LOOP;
		END LOOP;
	END $$;
	-- Arrays whose values come in another order than PostgreSQL gives them, ties in that of the input: of all texts, of few, of short ones, and by another column.
	CREATE FUNCTION differing_arrays(coll text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		query text; same bool; wrong text;
	BEGIN
		PERFORM set_config('gpusort.enable_aggregates', 'off', true), set_config('gpusort.enable_sort', 'off', true);
		FOREACH query IN ARRAY ARRAY[
			'SELECT gpusort.array_sort(array_agg(t ORDER BY id) COLLATE %1$s) = array_agg(t ORDER BY t COLLATE %1$s, id) FROM texts WHERE t IS NOT NULL',
			'SELECT gpusort.array_sort(array_agg(t::varchar ORDER BY id) COLLATE %1$s, true) = array_agg(t::varchar ORDER BY t COLLATE %1$s DESC, id) FROM texts WHERE t IS NOT NULL AND id %% 3 = 0',
			'SELECT gpusort.array_sort(array_agg(t::char(9) ORDER BY id) COLLATE %1$s) = array_agg(t::char(9) ORDER BY t::char(9) COLLATE %1$s, id) FROM texts WHERE t IS NOT NULL',
			'SELECT gpusort.array_argsort(array_agg(t ORDER BY id) COLLATE %1$s) = array_agg(n ORDER BY t COLLATE %1$s, n) FROM (SELECT id, t, (row_number() OVER (ORDER BY id))::int AS n FROM texts WHERE t IS NOT NULL) q',
			'SELECT bool_and(a = b) FROM (SELECT gpusort.array_sort(array_agg(t ORDER BY id) COLLATE %1$s) AS a, array_agg(t ORDER BY t COLLATE %1$s, id) AS b FROM texts WHERE t IS NOT NULL GROUP BY id / 40) q',
			'SELECT gpusort.sorted_agg(t COLLATE %1$s) = array_agg(t ORDER BY t COLLATE %1$s, id) FROM (SELECT * FROM texts ORDER BY id) q',
			'SELECT gpusort.sorted_agg_by(id, t COLLATE %1$s, true) = array_agg(id ORDER BY t COLLATE %1$s DESC, id) FROM (SELECT * FROM texts ORDER BY id) q'] LOOP
			EXECUTE format(query, coll) INTO same;
			wrong := nullif(concat_ws('; ', wrong, CASE WHEN same IS NOT TRUE THEN query END), '');
		END LOOP;
		RETURN wrong;
	END $$;});

# Compares the sorts in one collation.
sub same_order
{
	my ($collation, $what) = @_;
	my $result = $node->safe_psql('postgres', "SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_nestloop = off; SELECT queries, nodes >= queries - 1, wrong FROM differing('$collation')");
	is($result, '18|t|', "$what: rows come as Sort gives them");
	is($node->safe_psql('postgres', "SELECT differing_arrays('$collation')"), '', "$what: arrays, too");
}

SKIP:
{
	skip 'localedef has no locales to make', 1 unless @made;
	foreach my $locale (@made)
	{
		my $collation = 'l_' . lc($locale =~ s/[^A-Za-z]/_/gr);
		my ($status) = $node->psql('postgres', "CREATE COLLATION $collation (provider = libc, locale = '$locale')");
		same_order($collation, "the C library's $locale") if $status == 0;
	}
	my $name = $made[0];
	$node->safe_psql('postgres', "CREATE DATABASE linguistic TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE '$name' LC_CTYPE '$name'");
	like($node->safe_psql('linguistic', 'EXPLAIN SELECT t FROM generate_series(1, 9) i, CAST(i AS text) t ORDER BY t'), qr/GpusortRows/, "a database's own collation is taken");
	is($node->safe_psql('linguistic', q{CREATE TABLE t AS SELECT md5(i::text) || (ARRAY['A', 'a', '-'])[i % 3 + 1] AS t FROM generate_series(1, 5000) i;
			SELECT md5(string_agg(t, ',')) = (SELECT md5(string_agg(t, ',' ORDER BY t)) FROM t) FROM (SELECT t FROM t ORDER BY t OFFSET 0) q}), 't', 'and ordered as its comparator orders');
}

SKIP:
{
	my $limit = $ENV{GPUSORT_ICU} || 3;
	my @collations = split /\n/, $node->safe_psql('postgres', "SELECT quote_ident(collname) FROM pg_collation WHERE collprovider = 'i' ORDER BY md5(collname)" . ($limit eq 'all' ? '' : " LIMIT $limit"));
	skip 'the server has no ICU', 1 unless @collations;
	same_order($_, "ICU's $_") foreach @collations;
	$node->safe_psql('postgres', q{CREATE COLLATION numbers (provider = icu, locale = 'en-u-kn'); CREATE COLLATION shifted (provider = icu, locale = 'und-u-ka-shifted');});
	same_order($_, "ICU, $_") foreach qw(numbers shifted);

	# Of many rows the letters of alphabets beyond ASCII have weights of their own, too: some count as two letters, and some collations give them other places.
	$node->safe_psql('postgres', q{
		SELECT setseed(0.3);
		CREATE TABLE letters AS SELECT i AS id, (
				SELECT string_agg(CASE trunc(random() * 6) WHEN 0 THEN p[1 + trunc(random() * cardinality(p))::int] WHEN 1 THEN chr(192 + trunc(random() * 192)::int)
					WHEN 2 THEN chr((ARRAY[192, 904, 1024])[1 + i % 3] + trunc(random() * (ARRAY[192, 71, 96])[1 + i % 3])::int) WHEN 3 THEN chr(32 + trunc(random() * 95)::int) ELSE chr(97 + trunc(random() * 26)::int + 0 * g) END, '')
				FROM generate_series(1, 1 + i % 5) g) AS t
			FROM generate_series(1, 270000) i, string_to_array('ss ae oe ij AE ß æ Æ œ Œ ø Ø ł č Č š ž ñ ü ö ä å Å é è ê ë É í ı İ ĳ ŀ ŉ ð þ đ ħ ŋ l· ch dz lj nj aa', ' ') p;
		ANALYZE letters;
		SET work_mem = '1GB';
		CREATE TABLE by_latin AS SELECT * FROM letters WHERE id % 3 = 0 UNION ALL SELECT id + 1000000, t FROM letters WHERE id % 3 = 0 UNION ALL SELECT id + 2000000, t FROM letters WHERE id % 3 = 0;
		ANALYZE by_latin;});
	foreach my $collation (grep { $node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collname = '$_'") } qw(en-x-icu de-x-icu sv-x-icu el-x-icu ru-x-icu da-x-icu mt-x-icu shifted))
	{
		foreach my $table (qw(letters by_latin))
		{
			my $order = qq{SELECT md5(string_agg(ctid::text, ',')) FROM (SELECT ctid, t FROM $table ORDER BY t COLLATE "$collation"};
			my @rows = split /\n/, $node->safe_psql('postgres', "SET work_mem = '64MB'; $order OFFSET 0) q; SET work_mem = '4MB'; $order OFFSET 0) q;
				SET work_mem = '64MB'; SET gpusort.enable_sort = off; $order, ctid OFFSET 0) q");
			is($rows[0], $rows[2], "$collation: letters beyond ASCII, $table, 64MB");
			is($rows[1], $rows[2], "$collation: letters beyond ASCII, $table, 4MB");
		}
	}

	# Letters that are one together in some collations: in both cases, doubled, accented, with something between, at the
	# end of a text, and where a key ends. In `plain` they are of ASCII, in `marked` some have marks or what is ignored between.
	$node->safe_psql('postgres', q{
		SELECT setseed(0.7);
		CREATE TABLE wide AS SELECT i AS id, CASE i % 5 WHEN 0 THEN repeat('k', 3 * (i % 30)) ELSE '' END || (
				SELECT string_agg(CASE WHEN random() < 0.7 THEN p[1 + trunc(random() * cardinality(p))::int] ELSE q[1 + trunc(random() * cardinality(q))::int + 0 * g] END, '') FROM generate_series(1, 1 + i % 7) g) AS t
			FROM generate_series(1, 270000) i, string_to_array('ch Ch CH cH c''h C''H dz dzs Dzs DZS ddz ddzs DDZS cs ccs CCS Ccs gy ggy ly lly ny nny Nny sz ssz SZ ty tty zs zzs aa Aa AA aA dd ff ll LL ng ngh ngb nj lj Lj LJ dž DŽ Dž gh gj ph rh rr sh th xh zh gb kp ts kh ''y o'' g'' K'' għ GĦ qu gi tr cĥ cš aá aå nÿ dź', ' ') p,
				string_to_array('a b c d e f g h i j k l m n o p r s t u x y z A C D G H L N S T Z å é č ĥ ħ ß æ ij - ''  1 2', ' ') q;
		CREATE TABLE plain AS SELECT * FROM wide WHERE t ~ '^[ -~]*$' AND id % 3 = 0;
		CREATE TABLE marked AS SELECT id, CASE WHEN id % 50 = 0 THEN regexp_replace(t, '([cdglnsztaCDGLNSZTA])([^''])', '\1' || chr((ARRAY[769, 780, 770, 807, 847, 173, 8205, 160])[1 + id / 50 % 8]) || '\2') ELSE t END AS t FROM plain;
		ANALYZE plain; ANALYZE marked; ANALYZE wide;
		CREATE COLLATION "es-traditional" (provider = icu, locale = 'es-u-co-trad');
		CREATE COLLATION "vi-traditional" (provider = icu, locale = 'vi-u-co-trad');
		CREATE COLLATION "hu-shifted" (provider = icu, locale = 'hu-u-ka-shifted');});
	is($node->safe_psql('postgres', "SELECT (SELECT count(*) > 16384 FROM plain), (SELECT count(*) FROM marked WHERE t !~ '^[ -~]*\$') > 200"), 't|t', 'enough texts of letters that may be one');
	my %wide = map { $_ => 1 } qw(cs-x-icu hu-x-icu da-x-icu hr-x-icu cy-x-icu br-x-icu);
	my %contracting = map { $_ => 1 } keys %wide, qw(sk-x-icu nb-x-icu sq-x-icu uz-x-icu ha-x-icu kl-x-icu ig-x-icu es-traditional vi-traditional hu-shifted);
	foreach my $collation (split /\n/, $node->safe_psql('postgres', "SELECT collname FROM pg_collation WHERE collprovider = 'i' ORDER BY md5(collname)"))
	{
		next unless $contracting{$collation} || $limit eq 'all';
		# Where punctuation is shifted, ICU's comparison of some texts with marks is no order: PostgreSQL's Sort of them depends on the input's.
		foreach my $table ('plain', $collation =~ /shifted/ ? () : 'marked', $wide{$collation} ? 'wide' : ())
		{
			my $order = qq{SELECT md5(string_agg(t, ',')) FROM (SELECT t FROM $table ORDER BY t COLLATE "$collation" OFFSET 0) q};
			my @rows = split /\n/, $node->safe_psql('postgres', "SET work_mem = '64MB'; $order; SET work_mem = '1MB'; $order; SET work_mem = '64MB'; SET gpusort.enable_sort = off; $order");
			is("@rows[0, 1]", "$rows[2] $rows[2]", "$collation: letters that are one, $table");
		}
	}
}
$node->stop;

done_testing();
