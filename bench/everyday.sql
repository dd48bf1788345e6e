-- What applications sort every day, on TPC-H's tables, at the default work_mem.
\i bench/session.sql
SET work_mem = '4MB';
SET max_parallel_maintenance_workers = 0;

CREATE UNLOGGED TABLE customer (c_custkey int4 NOT NULL, c_name varchar(25), c_address varchar(40), c_nationkey int4, c_phone char(15), c_acctbal numeric(15, 2),
	c_mktsegment char(10), c_comment varchar(117));
CREATE UNLOGGED TABLE orders (o_orderkey int4 NOT NULL, o_custkey int4, o_orderstatus char(1), o_totalprice numeric(15, 2), o_orderdate date, o_orderpriority char(15),
	o_clerk char(15), o_shippriority int4, o_comment varchar(79));
CREATE UNLOGGED TABLE lineitem (l_orderkey int4 NOT NULL, l_partkey int4, l_suppkey int4, l_linenumber int4 NOT NULL, l_quantity numeric(15, 2), l_extendedprice numeric(15, 2),
	l_discount numeric(15, 2), l_tax numeric(15, 2), l_returnflag char(1), l_linestatus char(1), l_shipdate date, l_commitdate date, l_receiptdate date,
	l_shipinstruct char(25), l_shipmode char(10), l_comment varchar(44));
\cd :tables
\copy customer FROM 'customer.csv' WITH (FORMAT csv)
\copy orders FROM 'orders.csv' WITH (FORMAT csv)
\copy lineitem FROM 'lineitem.csv' WITH (FORMAT csv)
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE orders ADD PRIMARY KEY (o_orderkey);
ALTER TABLE lineitem ADD PRIMARY KEY (l_orderkey, l_linenumber);
VACUUM (FREEZE, ANALYZE) customer, orders, lineitem;

-- kind: copy, a query whose rows are written to /dev/null; fetch, one of which a cursor
-- returns the first 100; run, statements that end as they began.
CREATE TABLE queries (number int, title text, tab regclass, kind text, query text);
INSERT INTO queries VALUES
(1, 'top 10 orders by amount', 'orders', 'copy', 'SELECT o_orderkey, o_totalprice FROM orders ORDER BY o_totalprice DESC LIMIT 10'),
(2, 'three keys, newest first, the first 100', 'orders', 'copy',
	'SELECT o_orderdate, o_custkey, o_orderkey FROM orders ORDER BY o_orderdate DESC, o_custkey, o_orderkey LIMIT 100'),
(3, 'a page: 50 rows after a third of all', 'orders', 'copy',
	'SELECT o_orderkey, o_orderdate, o_totalprice FROM orders ORDER BY o_orderdate, o_orderkey LIMIT 50 OFFSET ' || (SELECT count(*) / 3 FROM orders)),
(4, 'top 3 of each customer, by row_number', 'orders', 'copy',
	'SELECT o_custkey, o_orderkey, o_totalprice FROM (SELECT *, row_number() OVER (PARTITION BY o_custkey ORDER BY o_totalprice DESC) AS n FROM orders) q WHERE n <= 3'),
(5, 'median of each of 7 groups', 'lineitem', 'copy',
	'SELECT l_shipmode, percentile_cont(0.5) WITHIN GROUP (ORDER BY l_extendedprice) FROM lineitem GROUP BY l_shipmode'),
(6, 'median of each customer', 'orders', 'copy', 'SELECT o_custkey, percentile_cont(0.5) WITHIN GROUP (ORDER BY o_totalprice) FROM orders GROUP BY o_custkey'),
(7, 'count(DISTINCT) of each of 7 groups', 'lineitem', 'copy', 'SELECT l_shipmode, count(DISTINCT l_partkey) FROM lineitem GROUP BY l_shipmode'),
(8, 'count(DISTINCT) of each supplier', 'lineitem', 'copy', 'SELECT l_suppkey, count(DISTINCT l_partkey) FROM lineitem GROUP BY l_suppkey'),
(9, 'percent_rank, the best percent', 'orders', 'copy',
	'SELECT o_orderkey, o_totalprice FROM (SELECT *, percent_rank() OVER (ORDER BY o_totalprice DESC) AS r FROM orders) q WHERE r <= 0.01'),
(10, 'running total over all', 'orders', 'copy', 'SELECT max(total) FROM (SELECT sum(o_totalprice) OVER (ORDER BY o_orderdate, o_orderkey) AS total FROM orders) q'),
(11, 'days between the orders of each customer, by lag', 'orders', 'copy',
	'SELECT avg(days) FROM (SELECT o_orderdate - lag(o_orderdate) OVER (PARTITION BY o_custkey ORDER BY o_orderdate) AS days FROM orders) q'),
(12, 'array_agg ORDER BY of each customer', 'orders', 'copy', 'SELECT o_custkey, array_agg(o_orderkey ORDER BY o_orderdate) FROM orders GROUP BY o_custkey'),
(13, 'string_agg ORDER BY of each order', 'lineitem', 'copy', 'SELECT l_orderkey, string_agg(l_shipmode, '','' ORDER BY l_shipdate) FROM lineitem GROUP BY l_orderkey'),
(14, 'DISTINCT ON: the newest order of each customer', 'orders', 'copy',
	'SELECT DISTINCT ON (o_custkey) o_custkey, o_orderdate, o_orderkey FROM orders ORDER BY o_custkey, o_orderdate DESC, o_orderkey'),
(15, 'DISTINCT of two integers, in order', 'lineitem', 'copy', 'SELECT DISTINCT l_partkey, l_suppkey FROM lineitem ORDER BY l_partkey, l_suppkey'),
(16, 'by a text, addresses', 'customer', 'copy', 'SELECT c_address, c_custkey FROM customer ORDER BY c_address'),
(17, 'by a text, comments', 'orders', 'copy', 'SELECT o_comment, o_orderkey FROM orders ORDER BY o_comment'),
(18, 'by a numeric, descending', 'lineitem', 'copy', 'SELECT l_orderkey, l_extendedprice FROM lineitem ORDER BY l_extendedprice DESC'),
(19, 'by a date, all columns', 'orders', 'copy', 'SELECT * FROM orders ORDER BY o_orderdate'),
(20, 'by char, date descending and numeric', 'lineitem', 'copy',
	'SELECT l_returnflag, l_shipdate, l_extendedprice, l_orderkey FROM lineitem ORDER BY l_returnflag, l_shipdate DESC, l_extendedprice'),
(21, 'CREATE TABLE AS all columns by a date', 'lineitem', 'run', 'CREATE TABLE sorted AS SELECT * FROM lineitem ORDER BY l_shipdate; DROP TABLE sorted'),
(22, 'CREATE INDEX on integer and date', 'orders', 'run', 'CREATE INDEX by_customer ON orders (o_custkey, o_orderdate); DROP INDEX by_customer'),
(23, 'GROUP BY two columns, in order', 'orders', 'copy',
	'SELECT o_custkey, o_orderdate, count(*), sum(o_totalprice) FROM orders GROUP BY o_custkey, o_orderdate ORDER BY o_custkey, o_orderdate'),
(24, 'a cursor, 100 rows of all', 'lineitem', 'fetch', 'SELECT * FROM lineitem ORDER BY l_partkey'),
(25, 'a random sample: ORDER BY random() LIMIT 1000', 'orders', 'copy', 'SELECT o_orderkey, o_totalprice FROM orders ORDER BY random() LIMIT 1000');
DELETE FROM queries WHERE number <> ALL (:'numbers'::int[]);

CREATE FUNCTION everyday_contenders(kind text, query text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SET LOCAL max_parallel_workers_per_gather = %s; ', workers) || CASE kind
			WHEN 'copy' THEN format('COPY (%s) TO ''/dev/null''', query)
			WHEN 'fetch' THEN format('DECLARE everyday CURSOR FOR %s; FETCH 100 FROM everyday; CLOSE everyday', query)
			ELSE query END, setting, value] ORDER BY ord)
	FROM (VALUES
		(1, 'PostgreSQL', 0, alone(), 'off'),
		(2, 'gpusort on the CPU', 0, 'gpusort.engine', 'cpu'),
		(3, 'gpusort, two workers', 2, 'gpusort.engine', 'cpu'),
		(4, 'gpusort with a GPU', 0, 'gpusort.engine', 'auto')
	) c (ord, name, workers, setting, value)
	WHERE value <> 'auto' OR EXISTS (SELECT FROM gpusort.devices WHERE state = 'ready')
$$;
SELECT format('CALL measure(''everyday'', %L, NULL, NULL, %s, everyday_contenders(%L, %L))', to_char(number, 'FM00 ') || title, reltuples::bigint, kind, query)
FROM queries JOIN pg_class ON pg_class.oid = tab ORDER BY number \gexec
\cd :made
\copy (SELECT r.id, who, threads, kind, query FROM queries JOIN results r ON left(r.data, 2)::int = number AND r.contender = 'PostgreSQL', (VALUES ('DuckDB, one thread', 1), ('DuckDB, all threads', 0)) duckdb (who, threads) ORDER BY threads DESC, number) TO 'queries.csv' WITH (FORMAT csv)
