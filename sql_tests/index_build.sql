-- Needs gpusort.engine = 'auto': no GPU builds indexes. Indexes built by gpusort are the same files as PostgreSQL's.
CREATE SCHEMA index_build;
SET search_path = index_build;
SET gpusort.force_nodes = on;
SET maintenance_work_mem = '8MB';
SET max_parallel_maintenance_workers = 2;
SET jit = off;	-- no build compiles anything

-- The pages of an index that was just built, without their LSNs and checksums.
CREATE FUNCTION pages(index text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(md5(overlay(pg_read_binary_file(path, block * 8192, 8192) PLACING decode('00000000000000000000', 'hex') FROM 1)) ORDER BY block)
	FROM pg_relation_filepath(index) path, generate_series(0, pg_relation_size(index) / 8192 - 1) block
$$;

-- Checks an index against its table, where there is amcheck.
DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS amcheck;
	CREATE FUNCTION check_index(index text) RETURNS void LANGUAGE sql AS 'SELECT bt_index_parent_check(index, true, true)';
EXCEPTION WHEN undefined_file OR feature_not_supported THEN
	CREATE FUNCTION check_index(index text) RETURNS void LANGUAGE sql AS '';
END
$$;

-- Builds an index of each kind by PostgreSQL and by gpusort, without workers and with those that the table has, and tells which differ.
CREATE FUNCTION compare(definition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	theirs text[];
	ours text[];
BEGIN
	SET LOCAL max_parallel_maintenance_workers = 0;
	SET LOCAL gpusort.enable_index_build = off;
	EXECUTE 'CREATE INDEX compared ON ' || definition;
	theirs := pages('compared');
	DROP INDEX compared;
	SET LOCAL gpusort.enable_index_build = on;
	EXECUTE 'CREATE INDEX compared ON ' || definition;
	ours := pages('compared');
	PERFORM check_index('compared');
	DROP INDEX compared;
	IF ours = theirs THEN
		SET LOCAL max_parallel_maintenance_workers = 2;
		EXECUTE 'CREATE INDEX compared ON ' || definition;
		ours := pages('compared');
		DROP INDEX compared;
	END IF;
	RETURN CASE WHEN ours = theirs THEN 'same' WHEN cardinality(ours) <> cardinality(theirs) THEN
		format('%s pages for %s', cardinality(ours), cardinality(theirs))
		ELSE (SELECT format('page %s differs', min(i) - 1) FROM generate_subscripts(ours, 1) i WHERE ours[i] <> theirs[i]) END;
END
$$;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE mended AS ENUM ('a', 'c');
ALTER TYPE mended ADD VALUE 'b' BEFORE 'c';
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE rows_of_all AS
	SELECT i AS serial, (i * 7919::bigint % 20011)::int AS random, i % 50 AS few,
		(i * 31 % 200 - 100)::int2 AS i2, i * 7919::bigint % 20011 * 1000000007 AS i8,
		(CASE i % 17 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' WHEN 3 THEN 'Infinity' ELSE (i * 37 % 1001 - 500)::text END)::float8 / 3 AS f8,
		(CASE i % 17 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE (i * 37 % 1001 - 500)::text END)::float4 AS f4,
		CASE i % 13 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 WHEN 2 THEN 'NaN' WHEN 3 THEN 10::numeric ^ (i % 60) ELSE (i * 37 % 1001 - 500) / 7.0 END AS num,
		i % 3 = 0 AS yes, chr(97 + i % 26)::"char" AS c, (i * 7919::bigint % 20011)::oid AS o,
		md5((i % 5000)::text) AS hash, md5(i::text)::uuid AS id, md5(i::text)::bytea AS bytes,
		(ARRAY['Anna', 'anna', 'Zoë', 'zoe', 'Ärger', 'Arger', 'co-op', 'coop', '', 'O''Neil'])[i % 10 + 1] || i % 300 AS name,
		('k' || i % 700)::char(20) AS fixed, ('v' || i % 900)::varchar(10) AS varied, ('n' || i % 100)::name AS sysname,
		'2020-01-01'::date + i % 1000 AS day, '2020-01-01'::timestamp + i * 7919 % 20011 * interval '1 minute' AS stamp,
		'2020-01-01'::timestamptz + i % 500 * interval '1 hour' AS stampz, '00:00'::time + i % 1440 * interval '1 minute' AS clock,
		'00:00+02'::timetz + i % 1440 * interval '1 minute' AS clockz, (i * 31 % 1000) * interval '1 hour' AS span, (i % 777)::money AS price,
		('10.0.' || i % 200 || '.' || i % 7)::inet AS ip, ('08:00:2b:01:02:' || lpad(to_hex(i % 256), 2, '0'))::macaddr AS mac,
		(i % 256)::bit(8) AS b8, (i % 256)::bit(8)::varbit AS vb, ('1/' || i)::pg_lsn AS lsn, ARRAY[i % 10, i % 7] AS list, format('{"a": %s}', i % 90)::jsonb AS doc,
		(ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::mood AS feeling, (ARRAY['a', 'b', 'c'])[i % 3 + 1]::mended AS mends, (i % 90 + 1)::positive AS pos,
		repeat(md5((i % 400)::text), 1 + i % 30) AS wide, ('(0,' || i % 9 || ')')::tid AS place, int4range(i % 10, i % 10 + 5) AS span4
	FROM generate_series(1, 4000) i;
-- NULLs in each column, somewhere.
DO $$
DECLARE
	col text;
	n int := 0;
BEGIN
	FOR col IN SELECT attname FROM pg_attribute WHERE attrelid = 'rows_of_all'::regclass AND attnum > 1 LOOP
		n := n + 1;
		EXECUTE format('UPDATE rows_of_all SET %I = NULL WHERE serial %% 199 = %s', col, n);
	END LOOP;
END
$$;
ALTER TABLE rows_of_all SET (parallel_workers = 2);
VACUUM (FULL, ANALYZE) rows_of_all;

-- Each type, upwards and downwards.
SELECT attname, compare(format('rows_of_all (%I)', attname)) up,
	compare(format('rows_of_all (%I DESC NULLS LAST)', attname)) down, compare(format('rows_of_all (%I NULLS FIRST) WITH (fillfactor = 20)', attname)) loose
FROM pg_attribute WHERE attrelid = 'rows_of_all'::regclass AND attnum > 0 ORDER BY attnum;

-- Several columns, expressions, predicates, payload, operator classes, storage parameters.
SELECT definition, compare('rows_of_all ' || definition) FROM unnest(ARRAY[
	'(few, random)', '(few DESC, random)', '(few NULLS FIRST, name DESC, i8)', '(name, stamp)', '(yes, feeling, hash, num)', '(hash, doc)',
	'(random) INCLUDE (name, num, sysname)', '(few) INCLUDE (wide)', '(random) WHERE few = 7', '(random) WHERE false', '(hash) WHERE hash IS NULL',
	'((random % 10), (upper(name)))', '(lower(name), (length(wide)))', '((doc ->> ''a''))', '((i8::numeric))',
	'(name text_pattern_ops)', '(varied varchar_pattern_ops)', '(fixed bpchar_pattern_ops)', '(name COLLATE "C")', '(name COLLATE "POSIX" DESC, few)',
	'(few) WITH (deduplicate_items = off)', '(few) WITH (fillfactor = 100)', '(few) WITH (fillfactor = 10)', '(wide) WITH (fillfactor = 10)',
	'(hash, wide, name) WITH (fillfactor = 70)', '(few, few, few)', '(place, few)',
	'(i2, i8, f4, f8, num, yes, c, o, hash, id, bytes, name, fixed, varied, day, stamp, stampz, clock, clockz, span, price, ip, mac, b8, vb, lsn, feeling, pos)'
]) definition;

-- Collations of ICU and of the C library, where they are.
DO $$
BEGIN
	CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION any_case FROM "C";
END
$$;
SELECT count(*) > 0 found, bool_and(compare(format('rows_of_all (%s COLLATE %I, few)', col, name)) = 'same') same
FROM (SELECT 'any_case' UNION ALL SELECT collname FROM pg_collation WHERE collname IN ('en_US.utf8', 'en-US-x-icu', 'de-x-icu', 'und-x-icu') AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))) c(name),
	unnest(ARRAY['name', 'hash', 'fixed', 'varied', 'wide']) col;

-- Any number of rows, and rows of any length up to those that are too long.
CREATE TABLE few_rows (i int, t text) WITH (parallel_workers = 2);
ALTER TABLE few_rows ALTER t SET STORAGE EXTERNAL;
CREATE FUNCTION compare_sizes(sizes int[], definition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	size int;
	result text;
BEGIN
	FOREACH size IN ARRAY sizes LOOP
		TRUNCATE few_rows;
		INSERT INTO few_rows SELECT i * 7919 % 1000003, (SELECT string_agg(md5((i * 100 + j)::text), '') FROM generate_series(1, i * 7919 % 82) j)
		FROM generate_series(1, size) i;
		result := compare(definition);
		IF result <> 'same' THEN
			RETURN size || ' rows: ' || result;
		END IF;
	END LOOP;
	RETURN 'same';
END
$$;
SELECT compare_sizes(ARRAY[0, 1, 2, 3, 366, 367, 368, 369, 406, 407, 408, 409, 734, 735, 736, 3000], 'few_rows (i)');
SELECT compare_sizes(ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 1500], 'few_rows (t)');
SELECT compare_sizes(ARRAY[900], 'few_rows (t DESC) WITH (fillfactor = 100)'), compare_sizes(ARRAY[900], 'few_rows (i) INCLUDE (t) WITH (fillfactor = 30)');
SELECT compare_sizes(ARRAY[1, 2, 800, 5000], 'few_rows ((i % 3))'), compare_sizes(ARRAY[1000, 5000], 'few_rows ((NULL::int))'),
	compare_sizes(ARRAY[900], 'few_rows ((left(t, 900))) WITH (fillfactor = 40)');

-- Rows that are compressed, toasted, of every alignment.
CREATE TABLE stored (a "char", t text, b int2, u bytea, c int8, n numeric) WITH (parallel_workers = 2);
INSERT INTO stored SELECT chr(97 + i % 3), repeat('x' || i % 40, i % 3000), i % 5, CASE i % 4 WHEN 0 THEN repeat(chr(65 + i % 26), i * 3 % 60000)::bytea ELSE md5(i::text)::bytea END, i % 9, 10::numeric ^ (i % 400)
FROM generate_series(1, 2000) i;
SELECT definition, compare('stored ' || definition) FROM unnest(ARRAY['(t)', '(a, t)', '(u, a, t)', '(b, u, c)', '(a, n, b) INCLUDE (t, c, a)', '(n DESC, t)']) definition;

-- Rows beyond maintenance_work_mem.
SET maintenance_work_mem = '1MB';
INSERT INTO rows_of_all SELECT q.* FROM rows_of_all q, generate_series(1, 4);
SELECT definition, compare('rows_of_all ' || definition) FROM unnest(ARRAY['(serial)', '(random)', '(few)', '(name)', '(hash, num)', '(wide) INCLUDE (id)', '(name COLLATE any_case DESC)']) definition;
SET maintenance_work_mem = '8MB';
DELETE FROM rows_of_all WHERE serial % 4 > 0;

-- Other kinds of tables.
CREATE UNLOGGED TABLE unlogged WITH (parallel_workers = 2) AS SELECT random, name FROM rows_of_all;
CREATE TEMP TABLE temporary AS SELECT random, name FROM rows_of_all;
CREATE TABLE partitioned (random int, name text) PARTITION BY RANGE (random);
CREATE TABLE part PARTITION OF partitioned FOR VALUES FROM (0) TO (10000) WITH (parallel_workers = 2);
CREATE TABLE rest PARTITION OF partitioned DEFAULT;
INSERT INTO partitioned SELECT random, name FROM rows_of_all;
SELECT compare('unlogged (name, random)'), compare('temporary (name, random)'), compare('part (name)');

-- Each way to build an index again, by a statement that is run both ways.
CREATE FUNCTION compare_statement(statement text, index text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	theirs text[];
BEGIN
	SET LOCAL gpusort.enable_index_build = off;
	EXECUTE statement;
	theirs := pages(index);
	SET LOCAL gpusort.enable_index_build = on;
	EXECUTE statement;
	PERFORM check_index(index);
	RETURN CASE WHEN theirs = pages(index) THEN 'same' ELSE 'differs' END;
END
$$;
CREATE TABLE again (id int PRIMARY KEY, name text UNIQUE, few int) WITH (parallel_workers = 2);
CREATE INDEX again_few ON again (few);
INSERT INTO again SELECT i * 7919 % 100003, 'n' || i, i % 70 FROM generate_series(1, 10000) i;
SELECT statement, compare_statement(statement, 'again_few'), compare_statement(statement, 'again_pkey'), compare_statement(statement, 'again_name_key') FROM unnest(ARRAY[
	'REINDEX TABLE again', 'REINDEX INDEX again_few', 'CLUSTER again USING again_pkey', 'ALTER TABLE again ALTER few TYPE bigint',
	'ALTER TABLE again ALTER few TYPE text, ALTER id TYPE numeric', 'ALTER TABLE again SET UNLOGGED', 'ALTER TABLE again SET LOGGED',
	'ALTER TABLE again DROP CONSTRAINT again_pkey, ADD PRIMARY KEY (id)', 'TRUNCATE again']) statement;
CREATE INDEX partitioned_name ON partitioned (name, random);
SELECT compare_statement('REINDEX TABLE part', 'part_name_random_idx'), compare_statement('REINDEX TABLE rest', 'rest_name_random_idx');
SET max_parallel_workers_per_gather = 0;	-- workers hand on rows in any order
CREATE MATERIALIZED VIEW kept WITH (parallel_workers = 2) AS SELECT few, name FROM rows_of_all;
CREATE INDEX kept_name ON kept (name);
SELECT compare_statement('REFRESH MATERIALIZED VIEW kept', 'kept_name');
CREATE INDEX kept_few ON kept (few);
SET gpusort.enable_index_build = off;
VACUUM FULL kept;
SELECT pages('kept_few') AS theirs \gset
SET gpusort.enable_index_build = on;
VACUUM FULL kept;
SELECT pages('kept_few') = :'theirs' AS same;
REINDEX INDEX CONCURRENTLY kept_few;
SELECT pages('kept_few') = :'theirs' AS same;
CREATE INDEX CONCURRENTLY kept_again ON kept (few);
SELECT pages('kept_again') = :'theirs' AS same;

-- HOT chains, dead rows, and rows that this transaction deleted.
CREATE TABLE chains (id int, few int, filler text) WITH (fillfactor = 50, autovacuum_enabled = off, parallel_workers = 2);
INSERT INTO chains SELECT i, i % 10, '' FROM generate_series(1, 10000) i;
UPDATE chains SET filler = 'x' WHERE id % 3 = 0;
UPDATE chains SET filler = 'y' WHERE id % 5 = 0;
DELETE FROM chains WHERE id % 7 = 0;
-- While others see a deleted row, as autovacuum's ANALYZE may, PostgreSQL indexes it; both builds below see the same.
DO $$
BEGIN
	FOR i IN 1 .. 6000 LOOP
		EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid());
		PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
	END LOOP;
END
$$;
SELECT compare('chains (few)'), compare('chains (id)');
BEGIN;
UPDATE chains SET filler = 'z' WHERE id % 2 = 0;
DELETE FROM chains WHERE id % 11 = 0;
INSERT INTO chains SELECT i, i % 10, '' FROM generate_series(11, 10000, 11) i;
SELECT compare('chains (few)'), compare('chains (id)');
CREATE UNIQUE INDEX ours ON chains (id, (few % 3));
SET LOCAL gpusort.enable_index_build = off;
CREATE UNIQUE INDEX theirs ON chains (id, (few % 3));
SELECT pages('ours') = pages('theirs') AS same, pg_relation_size('ours') > 8192 AS several FROM check_index('ours');
ROLLBACK;

-- What a build tells of itself, seen from inside: row 0 is a constant, evaluated before a scan, when the numbers are those of the partition before.
-- They are PostgreSQL's. And the setting is the user's, although PostgreSQL is made to ask for workers.
CREATE FUNCTION seen(i int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
	shown pg_stat_progress_create_index;
BEGIN
	IF i IN (0, 5000, 19500) THEN
		PERFORM pg_stat_clear_snapshot();
		SELECT * INTO shown FROM pg_stat_progress_create_index WHERE pid = pg_backend_pid();
		RAISE NOTICE 'row %: %, blocks % of %, rows % of %, workers %', i, shown.phase, shown.blocks_done, shown.blocks_total, shown.tuples_done, shown.tuples_total,
			current_setting('max_parallel_maintenance_workers');
	END IF;
	RETURN i;
END
$$;
CREATE FUNCTION tell_event() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '%: workers %', tg_event, current_setting('max_parallel_maintenance_workers');
END
$$;
CREATE TABLE watched (i int) PARTITION BY RANGE (i);
CREATE TABLE watched_1 PARTITION OF watched FOR VALUES FROM (0) TO (10001);
CREATE TABLE watched_2 PARTITION OF watched FOR VALUES FROM (10001) TO (20001);
INSERT INTO watched SELECT generate_series(1, 20000);
CREATE EVENT TRIGGER build_begins ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION tell_event();
CREATE EVENT TRIGGER build_ends ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION tell_event();
SET gpusort.enable_index_build = off;
CREATE INDEX watching ON watched (seen(i), (i + seen(0)));
DROP INDEX watching;
SET gpusort.enable_index_build = on;
SET max_parallel_maintenance_workers = 0;
CREATE INDEX watching ON watched (seen(i), (i + seen(0)));
DROP INDEX watching;
SHOW max_parallel_maintenance_workers;
DROP EVENT TRIGGER build_begins;
DROP EVENT TRIGGER build_ends;

-- What a trigger sets during a statement is kept as long as it says, and the user's setting comes back: committed, beside SET, and aborted.
CREATE FUNCTION set_workers() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_maintenance_workers', '3', true);
END
$$;
CREATE EVENT TRIGGER build_sets ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION set_workers();
CREATE INDEX watching ON watched (i);
SHOW max_parallel_maintenance_workers;
BEGIN;
SET max_parallel_maintenance_workers = 0;
CREATE INDEX ON watched (i);
SHOW max_parallel_maintenance_workers;
COMMIT;
SHOW max_parallel_maintenance_workers;
CREATE INDEX watching ON watched (i);
SHOW max_parallel_maintenance_workers;
DROP EVENT TRIGGER build_sets;
DROP INDEX watching;
DROP FUNCTION set_workers();
SET max_parallel_maintenance_workers = 2;

-- Unique, with NULLs that are distinct and not.
CREATE TABLE singles WITH (parallel_workers = 2) AS SELECT NULLIF(i * 7919 % 100003, 7919) AS a, NULLIF('s' || i, 's5') AS b, i::numeric / 3 AS n FROM generate_series(1, 5000) i;
INSERT INTO singles VALUES (NULL, NULL, 0);
CREATE UNIQUE INDEX ours ON singles (a, b) INCLUDE (n);
SET gpusort.enable_index_build = off;
CREATE UNIQUE INDEX theirs ON singles (a, b) INCLUDE (n);
SELECT pages('ours') = pages('theirs') AS same;
SET gpusort.enable_index_build = on;
DROP INDEX ours;
DROP INDEX theirs;
CREATE UNIQUE INDEX ours ON singles (a);
SELECT check_index('ours');
INSERT INTO singles VALUES (NULL, NULL, -0.0);

-- Errors are PostgreSQL's.
CREATE FUNCTION error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text; relation text; con text; context text;
BEGIN
	EXECUTE statement;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT,
		relation = TABLE_NAME, con = CONSTRAINT_NAME, context = PG_EXCEPTION_CONTEXT;
	RETURN concat_ws('|', state, message, detail, hint, relation, con, replace(context, E'parallel worker\n', ''));
END
$$;
CREATE FUNCTION same_error(statement text, OUT error text, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE
	theirs text;
BEGIN
	FOR ours IN 0 .. 1 LOOP
		theirs := error;
		PERFORM set_config('gpusort.enable_index_build', ours::text, true);
		error := error_of(statement);
	END LOOP;
	same := theirs = error;
	error := left(error, 6) || regexp_replace(split_part(error, '|', 2), '\d+', '#', 'g');
END
$$;
CREATE FUNCTION picky(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF i = 4242 THEN RAISE EXCEPTION 'not %', i; END IF; RETURN i; END $$;
CREATE TABLE faulty AS SELECT i AS id, i % 5000 AS a, (i % 5000)::numeric AS n, 'x' || i AS t FROM generate_series(1, 5001) i;
UPDATE faulty SET a = -1, n = CASE WHEN id = 17 THEN 7.0 ELSE 7.000 END WHERE id IN (17, 4711);
SELECT same_error(statement) FROM unnest(ARRAY[
	'CREATE UNIQUE INDEX failed ON faulty (a)', 'ALTER TABLE faulty ADD PRIMARY KEY (n)', 'ALTER TABLE faulty ADD UNIQUE (n)',
	'CREATE UNIQUE INDEX failed ON singles (a, b) NULLS NOT DISTINCT', 'CREATE UNIQUE INDEX failed ON singles (b) NULLS NOT DISTINCT',
	'CREATE INDEX failed ON faulty (picky(id))', 'CREATE UNIQUE INDEX failed ON faulty (a, picky(id))', 'CREATE INDEX failed ON faulty ((1 / (id - 2000)))',
	'CREATE INDEX failed ON faulty ((CASE id WHEN 77 THEN (SELECT string_agg(md5(i::text), '''') FROM generate_series(1, 90) i) ELSE t END))',
	'CREATE TABLE wide AS SELECT i, CASE i WHEN 9 THEN (SELECT string_agg(md5(j::text), '''') FROM generate_series(1, 90) j) ELSE i::text END AS t FROM generate_series(1, 500) i; CREATE INDEX ON wide (t)',
	'CREATE TABLE wide AS SELECT i, CASE i WHEN 9 THEN (SELECT string_agg(md5(j::text), '''') FROM generate_series(1, 300) j) ELSE i::text END AS t FROM generate_series(1, 500) i; CREATE INDEX ON wide (t)',
	'CREATE TABLE wide AS SELECT CASE i WHEN 9 THEN 8 ELSE i END AS i, CASE i WHEN 9 THEN (SELECT string_agg(md5(j::text), '''') FROM generate_series(1, 90) j) ELSE i::text END AS t FROM generate_series(1, 500) i; CREATE UNIQUE INDEX ON wide (i) INCLUDE (t)'
]) statement;

-- The same where parallel workers may meet them. PostgreSQL's context tells that.
CREATE TABLE doubled WITH (parallel_workers = 2) AS SELECT i AS id, CASE i WHEN 19000 THEN 4 ELSE i END AS a, 'x' || i AS t FROM generate_series(1, 20000) i;
UPDATE doubled SET t = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 90) i) WHERE id = 19500;
SELECT same_error(statement) FROM unnest(ARRAY['CREATE UNIQUE INDEX failed ON doubled (a)', 'ALTER TABLE doubled ADD PRIMARY KEY (a)',
	'CREATE INDEX failed ON doubled ((1 / (id - 12345)))', 'CREATE INDEX failed ON doubled (t)', 'CREATE INDEX failed ON doubled (id) INCLUDE (t)']) statement;

-- What only a function of a user can order is left to PostgreSQL, and so is what is no plain index.
CREATE FUNCTION reversed(a int, b int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN btint4cmp(b, a); END $$;
CREATE OPERATOR CLASS reversed_ops FOR TYPE int USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 reversed(int, int);
SELECT compare('rows_of_all (few reversed_ops, random)');
ALTER TABLE faulty ADD EXCLUDE USING btree (id WITH =);
SELECT check_index('faulty_id_excl');
