-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- Two sorted arrays: array_match and array_cosine; what else searches with a tolerance or a partner array.
SET search_path = gpusort, pg_catalog, public;
SET extra_float_digits = 0;
\set SHOW_CONTEXT never

SELECT * FROM array_match('{100,150,200}'::float8[], '{100.1,140,150.05,150.2,190}', 0.2);
-- The nearest pair first, each element once; of two that are equally near the pair of the first elements.
SELECT * FROM array_match('{1,2,3}'::float8[], '{2.4,2.5}', 10);
SELECT * FROM array_match('{1,1,1}'::float8[], '{1,1}', 0);
SELECT * FROM array_match('{0,2}'::float8[], '{1,3}', 1);
-- ppm of the element of the first array.
SELECT * FROM array_match('{100,1000}'::float8[], '{100.0011,1000.009}', 10, ppm => true);
SELECT * FROM array_match('{-100,0,100}'::float8[], '{-100.0009,0,0.0001,100.0009}', 10, true);
SELECT * FROM array_match('{0,5}'::float8[], '{0,9}', 'inf', true);
-- Other types, of which the two are made one; domains, NULLs at either end, NaN, infinity; another lower bound.
SELECT array_match('{1,5}'::int2[], '{2,9}'::int2[], 1), array_match('{1,5}'::int4[], '{2,9}'::int8[], 1), array_match('{1,5}'::float4[], '{1.5}', 1), array_match('{1,5}'::int4[], '{5.25}'::float8[], 1);
CREATE DOMAIN pg_temp.mass AS float8;
SELECT array_match('{1,5}'::pg_temp.mass[], '{2,9}'::pg_temp.mass[], 1);
SELECT array_match('{NULL,NULL,1,5}'::float8[], '{2,9,NULL}', 1), array_match('{1,inf,NaN}'::float8[], '{-inf,1,inf,NaN}', 0), array_match('{1,inf,NaN}'::float8[], '{2,inf,NaN}', 'inf'),
	   array_match('{1,inf}'::float8[], '{1,2,inf}', 0, true), array_match('[5:6]={1,5}'::float8[], '[-1:0]={1,5}', 0), array_match('{-0}'::float8[], '{0}', 0);
SELECT array_match('{}'::float8[], '{1}', 1), array_match('{1}'::float8[], '{}', 1), array_match('{NULL}'::float8[], '{NULL}', 1), array_match('{1}'::float8[], '{1}', 0);
SELECT array_match(NULL::float8[], '{1}', 1), array_match('{1}'::float8[], '{1}', NULL), array_match('{1}'::float8[], '{1}', 1, NULL);
-- Errors.
SELECT array_match('{2,1}'::float8[], '{1}', 1);
SELECT array_match('{1}'::float8[], '{1,NULL,2}', 1);
SELECT array_match('{1}'::float8[], '{1,NaN,2}', 1);
SELECT array_match('{{1,2}}'::float8[], '{1}', 1);
SELECT array_match('{1}'::float8[], '{1}', -1);
SELECT array_match('{1}'::float8[], '{1}', 'NaN', true);
SELECT array_match('{1}'::numeric[], '{1}', 1);
SELECT array_match('{2020-01-01}'::date[], '{2020-01-01}', 1);

SELECT array_cosine('{100,150,200}'::float8[], '{0.7,0.2,0.1}'::float8[], '{100,140,190}', '{0.4,0.2,0.1}', 0.2);
SELECT array_cosine('{1,2}'::float8[], '{3,4}'::float4[], '{1,2}', '{3,4}', 0) AS same, array_cosine('{1,2}'::float8[], '{3,4}'::int4[], '{5}', '{1}', 1) AS nothing_near,
	   array_cosine('{}'::float8[], '{}'::float8[], '{1}', '{1}', 1) AS empty, array_cosine('{1}'::float8[], '{0}'::float8[], '{1}', '{0}', 1) AS without_intensity,
	   array_cosine('{1,2}'::float8[], '{3,NULL}'::float8[], '{1,2}', '{3,4}', 0) AS null_is_zero, array_cosine('{1,NULL}'::float8[], '{3,4}'::float8[], '{1}', '{3}', 0) AS no_mz,
	   array_cosine('{1,2}'::float8[], '{3,NaN}'::float8[], '{1,2}', '{3,4}', 0) AS nan, array_cosine('{1000}'::float8[], '{3}'::float4[], '{1000.009}', '{3}', 10, ppm => true) AS ppm,
	   array_cosine('{1}'::int4[], '{3}'::int2[], '{1.5}'::float8[], '{3}', 1) AS types, array_cosine(NULL::float8[], '{3}'::int2[], '{1.5}', '{3}', 1) AS null;
-- The greatest product first, though another is nearer.
SELECT array_cosine('{1,2}'::float8[], '{1,9}'::float8[], '{1.4}', '{5}', 1) = 45 / (sqrt(82) * 5) AS greedy;
SELECT array_cosine('{1,2}'::float8[], '{3}'::float8[], '{1}', '{3}', 0);
SELECT array_cosine('{1}'::float8[], '{3}'::float8[], '{1}', '{3,4}', 0);
SELECT array_cosine('{2,1}'::float8[], '{3,4}'::float8[], '{1}', '{3}', 0);
SELECT array_cosine('{1}'::float8[], '{{3}}'::float8[], '{1}', '{3}', 0);
SELECT array_cosine('{1}'::float8[], '{3}'::text[], '{1}', '{3}', 0);

-- Spectra of MassBank (CC0), and what CosineGreedy of matchms 0.33.1 gives to each pair of them; ci/matchms prints both.
CREATE TEMP TABLE library (id int, accession text, mz float8[], intensity float8[]);
INSERT INTO library VALUES
(1, 'MSBNK-HBM4EU-HB000111', '{60.0554,61.0394,86.0348,116.001,143.0119,145.0274,161.0224,170.0228,171.0067,188.0334,189.0173,196.0018,203.0331,213.0285,230.0551}', '{349996.2,1885.1,23033.4,4280.3,6526.9,2586.2,15141.5,1294.6,772466.5,8808.9,129485.1,1671.4,2911.5,7082.7,298693.8}'),
(2, 'MSBNK-HBM4EU-HB000724', '{125.1071,140.1309,144.1015,172.1206,180.0806,187.144,212.0527,221.1197,229.1909,230.1941,254.0996,366.1996}', '{158914.9,58546.8,32121,416536,190857.3,4558696.5,1462988.2,83379,31173490,47102.1,816933.4,221869.3}'),
(3, 'MSBNK-HBM4EU-HB001658', '{63.0228,65.0384,66.0336,66.0462,78.0337,80.0494,90.0335,91.0419,92.0495,93.0573,105.0448,108.0445}', '{1588.1,207195.4,9152.8,8683.9,2089.5,74441.6,1070.6,1508.7,11968.6,9333.8,2188.3,4076.3}'),
(4, 'MSBNK-HBM4EU-HB001976', '{72.081,74.0967,89.0388,100.1123,116.0496,128.0498,130.0653,144.0446,145.0523,146.0601,153.0449,171.0556,172.0395,186.079,215.0818}', '{3644520.2,2988448.4,7576829.5,2786486.9,242450784,3321575.7,3279631.8,50220770.5,3867574.9,2726844,3575906.6,14429216,13675194,470597,5600370.7}'),
(5, 'MSBNK-HBM4EU-HB002106', '{58.066,91.0549,115.0547,117.0702,123.0266,147.0265,165.0701,178.0779,179.0857,191.0858,192.0935,202.0779,203.0858,209.0423,210.0501,217.1015,218.1093,221.0421,222.0501,223.0579}', '{36641934.6,45822305.7,23261684.2,57860791.6,23992738.5,26135965.8,22912512.6,32901372.2,13246610.4,18961480.3,22320537.7,21561153.8,75545552,14731382.6,29565885,54233471.9,57618743.6,53094320.5,31601988.7,74449310.5}'),
(6, 'MSBNK-HBM4EU-HB002220', '{65.0393,68.0503,92.0501,93.0579,94.0658,99.0559,107.0609,108.0449,110.0606,146.0714,147.0793,148.0872,156.0114,160.0872,161.0017,176.0279,188.082,190.0978,194.0385,254.0594}', '{3291043.5,4101146.5,64790065.3,45589066.1,6960394.7,47618997.3,6782795.2,93360996.2,4403636.9,8263310.3,32538098.9,7975619.9,259648400,28620264.2,2892742.8,2095362.6,27733045.6,5467935.7,5349795.6,37070002.1}'),
(7, 'MSBNK-HBM4EU-HB002459', '{65.0381,92.0489,94.0646,108.0439,110.0594,111.0548,112.0625,113.0704,120.0549,140.0158,156.0106,158.0261,175.0159,268.0751}', '{175401.3,4346360.9,45697,7555051.3,107061,471092.3,2530838.9,10359782.7,89004.2,1996161.7,24140012,278575.7,86010.9,2961134.6}'),
(8, 'MSBNK-HBM4EU-HB002804', '{55.0293,60.056,61.9795,63.995,73.9795,86.0348,88.99,91.0057,100.9899,107.0346,108.0428,116.0009,143.0124,171.0074,189.0169}', '{2788.7,523617.6,11342.1,45454.4,2886.9,6677.6,25027.8,10224.4,20593.2,3154,65081.1,581382.1,41356.6,22700.3,345429.9}'),
(9, 'MSBNK-HBM4EU-HB003465', '{145.0292,189.0187,190.0271,203.0346,204.042,205.0135,205.0499,206.0167,223.0754,249.0395,251.0703,279.0651,283.0964,295.0605}', '{55297.5,60811.7,4058.4,19327.1,146276.8,15992.5,42787.7,10664.1,34290.2,148114.8,61592.1,3342,7590.3,24766.6}'),
(10, 'MSBNK-HBM4EU-HB004054', '{81.0698,123.0438,123.1169,149.0592,161.0595,163.075,167.0338,175.0753,177.0538,177.0909,189.0908,191.0694,191.1058,203.1063,207.1015,269.1529,277.1793,287.1645,305.1747}', '{2423.6,18052.2,2370.1,12089.9,6951.5,22868.7,12385.9,4017.4,5556.1,7392.4,55663,3605.1,6214.5,4738.8,32236.2,8216,50148.5,18509.6,21146.5}'),
(11, 'MSBNK-NaToxAq-NA002892', '{91.0541,119.0494,133.0281,137.0233,145.0283,153.0698,157.0646,171.0808,181.0648,199.0753,227.0701,237.0544,255.0651}', '{1116.4,2011.2,1501.9,20952.6,3378.9,1641.3,2224.9,2450.3,4771.9,48407,24295.2,5203.7,298266.1}'),
(12, 'MSBNK-NaToxAq-NA003403', '{67.0416,67.0542,68.0494,77.0383,79.0544,80.0495,82.0651,91.0543,93.0574,94.0651,95.073,96.0807,106.065,108.0808,120.0808,122.0963}', '{3250,3897.3,2656.3,1257.5,2275.4,7453.1,2306.6,2686.5,1397.8,22941.6,3934.3,2569.9,2168,2290.4,22392.4,1882.6}'),
(13, 'MSBNK-UFZ-WANA006313D9F1PH', '{122.024,169.0527,178.0278,183.042,190.0459,210.053,219.0495,233.0526,238.0479,246.0367,247.0442,266.043,335.0625,377.0712}', '{2013.7,1146.6,1156.8,2973.8,1429,2060.5,6569.7,25147.6,29246,50172.3,7210.6,419893.8,1679.2,4551.6}'),
(14, 'MSBNK-UFZ-WANA029001AD6CPH', '{97.0646,111.0803,157.1007,171.116,185.0964,197.1327,199.1122,211.1475,213.1271,227.1796,237.1633,255.1738}', '{3897.9,9718.4,10006.6,3941.2,4815.6,3782.6,4941.8,3957.6,4280.7,4794.7,25045.9,2775793.5}'),
(15, 'MSBNK-UFZ-WANA1317155BE0PH', '{92.0496,93.0575,118.0654,141.0701,143.0731,144.081,151.0544,158.0966,167.0732,168.0811,169.0757,169.0889,170.0839,184.0999,185.1078}', '{6317.8,17676.2,2890.1,12250.6,2545.1,5767,4339.5,7140.9,44257.3,233736.2,1021.2,17292.4,2047.4,36969.3,131278.4}'),
(16, 'MSBNK-UFZ-WANA237825AF82PH', '{54.0338,57.0447,70.9951,86.0062,96.0558,110.0716,111.0794,113.0171,118.9593,119.9673,131.9673,132.9751,142.0435,146.9781,147.9859,153.0231,167.039,169.0545,174.9732}', '{4344.6,5127.6,23808,11558.6,5300.8,37542.2,29889.8,72030.6,1509.2,3532.8,74347.6,4297.3,2249.1,5054.3,1526.2,1754.9,1411.4,4991.6,1442.7}');
CREATE TEMP TABLE scores AS SELECT tolerance, ord, score FROM (VALUES
(0.005, '{0,0,0,0,0,0,0.317444476815,0.0367768100424,0,3.16248517194e-05,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.0343038800311,0.0192272220761,0.00139340442085,0,0,0,0.0749879059512,0,0,0.00394399061283,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.000911052869198,0.0194605223121,0.000776428890367,0,0,0,0.867607836458,0.0236482330729,0,0,0,0.0229266338219,0,0,0.014760389238,0,0.0203743223524,0,0,0,0.00109217023049,0,0,0.00355111065815,0,0.101011245845,0,0,0,0,0,0,0,0,0.00254476491509,0,0,0,0,0,0,0,0,0,0,0,0.000288068468151,0,0,0,0,0,0,0.00261493256728,0,0,0,0.000114315072792,0,0.00088785303325,0}'::float8[]),
(0.6, '{0.000490542206969,0,0.0539323572672,0.00131014210357,0.00106220609035,0,0.317444476815,0.0367768100424,0.0854730550395,0.00688161530023,0,0,0.00121861273722,7.68128584135e-05,0.00248524720351,0,0.000931237316011,0.000759574565779,0.00321625611481,0.000132145621797,0,0,0,0,0,0,0,2.12784757884e-05,0,0,0.00169270713061,0.0343038800311,0.0192272220761,0.00147442528714,0,0,2.50566527621e-05,0.0767560105128,0,0,0.00394399061283,0,0,0.000303566857173,0,0.660572880047,0.0035598242026,0,0.000717972850144,0,0,8.23562841165e-05,0.00422020422103,0.000214050596611,0.0154296081821,0,0.002945895982,0.0899566192454,0.0521825179655,0.000911052869198,0.0194605223121,0.00126150565895,0,0,0.00606822452035,0.867607836458,0.0237314954352,0.000307909037554,0.0007145746479,0,0.0438505618907,6.16409763957e-05,0,0.014760389238,0.00972305667974,0.0203743223524,0,0.000130728524194,0,0.0211956459616,0,5.88435293143e-05,0.00380836856338,0.231513059843,0.101011245845,0.236790492077,0.000256103770781,0.00598635429806,0,3.74303545219e-05,0.000443086132949,0.000760574695718,0.152634223475,0.00254476491509,0,5.65256130312e-05,0,0,0,0,0,0,0,0.0210684160084,0.00209426156653,0.000288068468151,0,0.981681732747,0,0.000345239770077,0.000260575299429,0,0.00261493256728,0.0229734609023,0,0.000169176967844,0.000114315072792,0.000825447063639,0.00088785303325,0.0045755872169}'),
(20, '{0.449827809991,0.369523282322,0.0790912391143,0.434566676642,0.76795095758,0.741172414624,0.583694645762,0.508807024989,0.558521139451,0.0631976794906,0.104088585719,0.0454711136608,0.00639562037474,0.793914673169,0.126344546537,9.28431667095e-05,0.0366592323914,0.477910138319,0.0313471145659,0.0165519684746,0.0617966046813,0.713124702839,0.108781418575,0.128035326792,0.00339485192671,0.144431692613,0.0352208272348,0.129940737862,0.00968294101867,0.0430751094451,0.276473267647,0.113306016272,0.083495550089,0.606622865063,0,0.0278587717446,0.00135829535662,0.462197246593,8.73881641815e-05,0.000662222709445,0.0230022343417,0.273711853356,0.374348429957,0.504519847332,0.54803907491,0.704707868448,0.0757246489884,0.289006828428,0.0258169414268,0.665145092751,0.00658809666137,0.00440415507524,0.100300445853,0.651102911272,0.375918795986,0.321405165677,0.529977791241,0.492777220252,0.577919553196,0.132032109936,0.416736610412,0.0576367935496,0.00842460769621,0.411578874177,0.445835815327,0.984893811429,0.326865646175,0.339601436835,0.380082973841,0.20214202874,0.307360177688,0.127686376149,0.129118895452,0.836224207825,0.434053946927,0.323404987256,0.262760200964,0.358799744883,0.167389718035,0.474477489365,0.108528082292,0.110440290404,0.760596467279,0.512532616857,0.260608042154,0.381847044171,0.0723494616195,0.638885376555,0.00609784706349,0.00340304077211,0.227943424953,0.629132134776,0.605160761594,0.733702894897,0,0.658369725532,0.618606348421,0.332216256626,0.155298462218,0.227062019136,0.14405330016,0.53754246046,0.0907736559543,0.536808938583,0.17150926994,0.0482377807265,0.983358273274,0.98220910475,0.0946610306244,0.0503417829123,0.00309938719586,0.00265072509551,0.0571914688614,0.94792673803,0.989741959351,0.00854044537574,0.00340075480757,0.00462598166684,0.00283608325491,0.125108552873}')) v(tolerance, list), unnest(list) WITH ORDINALITY u(score, ord);
WITH pairs AS (SELECT row_number() OVER (ORDER BY a.id, b.id) AS ord, a.mz AS mz_a, a.intensity AS intensity_a, b.mz AS mz_b, b.intensity AS intensity_b FROM library a JOIN library b ON a.id < b.id)
SELECT tolerance, count(*), count(*) FILTER (WHERE score > 0) AS alike, count(*) FILTER (WHERE abs(array_cosine(mz_a, intensity_a, mz_b, intensity_b, tolerance) - score) > 1e-10 * score) AS different
FROM pairs JOIN scores USING (ord) GROUP BY tolerance ORDER BY tolerance;

-- Random arrays beside the definition, pair by pair.
CREATE FUNCTION pg_temp.greedy(a float8[], ia float8[], b float8[], ib float8[], tolerance float8, ppm bool, by_product bool, OUT positions_a int[], OUT positions_b int[], OUT total float8) LANGUAGE plpgsql AS $$
DECLARE
	pair record;
BEGIN
	positions_a := '{}'; positions_b := '{}'; total := 0;
	FOR pair IN
		SELECT i::int, j::int, ia[i] * ib[j] AS product FROM unnest(a) WITH ORDINALITY u(x, i), unnest(b) WITH ORDINALITY v(y, j)
		WHERE abs(x - y) <= CASE WHEN ppm THEN abs(x) * tolerance / 1000000 ELSE tolerance END
		ORDER BY CASE WHEN by_product THEN -(ia[i] * ib[j]) ELSE abs(x - y) END, CASE WHEN by_product THEN -i ELSE i END, CASE WHEN by_product THEN -j ELSE j END
	LOOP
		CONTINUE WHEN pair.i = ANY (positions_a) OR pair.j = ANY (positions_b);
		positions_a := positions_a || pair.i; positions_b := positions_b || pair.j; total := total + pair.product;
	END LOOP;
	positions_b := array_sort_by(positions_b, positions_a); positions_a := array_sort(positions_a);
END $$;
SET jit = off;	-- the definition runs many queries
SELECT setseed(0.7);
CREATE TEMP TABLE peaks AS
SELECT g, tolerance, ppm, ARRAY(SELECT round((random() * width)::numeric, 2) - width / 2 FROM generate_series(1, g % 40) ORDER BY 1)::float8[] AS a, ARRAY(SELECT (random() * 100)::int FROM generate_series(1, g % 40))::float8[] AS ia,
	   ARRAY(SELECT round((random() * width)::numeric, 2) - width / 2 FROM generate_series(1, g % 31) ORDER BY 1)::float8[] AS b, ARRAY(SELECT (random() * 100)::int FROM generate_series(1, g % 31))::float8[] AS ib
FROM generate_series(1, 400) g, LATERAL (SELECT (ARRAY[3, 30, 300])[1 + g % 3] AS width, g % 2 = 0 AS ppm, CASE WHEN g % 2 = 0 THEN (ARRAY[50000, 1000000, 3000000])[1 + g % 3] ELSE (ARRAY[0.01, 0.5, 40])[1 + g / 2 % 3] END AS tolerance) o;
SELECT count(*), sum(cardinality(m.positions_a)) > 1000 AS enough, count(*) FILTER (WHERE ROW(m.positions_a, m.positions_b) IS DISTINCT FROM ROW(d.positions_a, d.positions_b)) AS match_differs,
	   count(*) FILTER (WHERE abs(array_cosine(a, ia, b, ib, tolerance, ppm) * sqrt((SELECT sum(x * x) FROM unnest(ia) x) * (SELECT sum(x * x) FROM unnest(ib) x)) - p.total) > 1e-9 * p.total) AS cosine_differs
FROM peaks, array_match(a, b, tolerance, ppm) m, pg_temp.greedy(a, ia, b, ib, tolerance, ppm, false) d, pg_temp.greedy(a, ia, b, ib, tolerance, ppm, true) p;
RESET jit;

-- Many targets; ppm of the target.
SELECT array_nearest('{100,150,200}'::float8[], '{149,NULL,1,500,NaN}'::float8[]), array_nearest('{100,150,200}'::float8[], '{149,NULL,1,500}'::float8[], 10000, ppm => true), array_nearest('{1,5}'::int4[], '{4}'::int2[], 1),
	   array_nearest('{}'::float8[], '{1}'::float8[]), array_nearest('{1}'::float8[], '{}'::float8[]), array_nearest(NULL::float8[], '{1}'::float8[]), array_nearest('{NULL,1}'::float4[], '[0:1]={2,3}'::float4[], 1),
	   array_nearest('{1,5}'::int8[], 4, 250000, true), array_nearest('{1,5}'::int8[], 4, 249999, true), array_nearest('{1,inf}'::float8[], 'inf', 1, true), array_nearest('{1}'::float8[], 'inf'::float8, 1000, true);
SELECT array_nearest('{2020-01-01}'::date[], '{2020-01-01}'::date[]);
SELECT array_nearest('{1}'::float8[], '{{1}}'::float8[]);
SELECT array_nearest('{1}'::float8[], '{1}'::float8[], -1);
SELECT count(*) FILTER (WHERE array_nearest(a, b, tolerance, ppm) IS DISTINCT FROM coalesce((SELECT array_agg(array_nearest(a, y, tolerance, ppm) ORDER BY j) FROM unnest(b) WITH ORDINALITY v(y, j)), '{}')) AS differ,
	   count(*) FILTER (WHERE array_nearest(a, b, tolerance, ppm) IS DISTINCT FROM coalesce((SELECT array_agg(n.i ORDER BY j) FROM unnest(b) WITH ORDINALITY v(y, j) LEFT JOIN LATERAL
						(SELECT i::int FROM unnest(a) WITH ORDINALITY u(x, i) WHERE abs(x - y) <= CASE WHEN ppm THEN abs(y) * tolerance / 1000000 ELSE tolerance END ORDER BY abs(x - y), x, i LIMIT 1) n ON true), '{}')) AS differ_from_sql
FROM peaks;

-- The values whose keys lie between two limits.
SELECT array_between_by('{a,b,c,d}'::text[], '{10,20,20,30}'::int4[], 15, 20), array_between_by('{1,NULL,3}'::float4[], '{100.5,150.2,200.1}'::float8[], 150, 300), array_between_by('{a,b}'::text[], '{NULL,1}'::int4[], 0, 5),
	   array_between_by('{}'::text[], '{}'::int4[], 1, 2), array_between_by('{a,b}'::text[], '{1,2}'::int4[], 2, 1), array_between_by('{1,2}'::int4[], '{a,b}'::text[], 'b', 'z'), array_between_by('[7:8]={a,b}'::text[], '{1,2}'::int4[], 1, NULL);
SELECT array_between_by('{a,b,c}'::text[], '{0.1,0.2,0.3}'::float4[], 0.1::float8, 0.2::float8), array_nearest('{0.1,0.2}'::float4[], 0.2::float8, 0, true), array_nearest('{0.1,0.2}'::float4[], '{0.2}'::float8[], 1, true);
SELECT array_between_by('{a,b}'::text[], '{1}'::int4[], 1, 2);
SELECT array_between_by('{{a,b}}'::text[], '{1,2}'::int4[], 1, 2);
SELECT array_between_by('{a,b,c}'::text[], '{1,NULL,2}'::int4[], 1, 2);
SELECT count(*) FILTER (WHERE array_between_by(ia, a, -1, 1) <> coalesce((SELECT array_agg(v ORDER BY i) FROM unnest(a, ia) WITH ORDINALITY u(k, v, i) WHERE k BETWEEN -1 AND 1), '{}')) AS differ FROM peaks;

-- Single values of an array, beside the aggregates.
SELECT array_min('{3,NULL,1}'::int4[]), array_max('{3,NULL,1}'::int4[]), array_min('{NULL}'::int4[]), array_max('{}'::int4[]), array_min('{b,a}'::text[]), array_max('{1,NaN,inf}'::float8[]), array_min('[4:5]={7,8}'::numeric[]), array_max('{2020-01-01,infinity}'::date[]);
SELECT array_sum('{3,NULL,1}'::int2[]), array_sum('{2147483647,1}'::int4[]), array_sum('{9223372036854775807,1}'::int8[]), array_sum('{0.5,NaN}'::float4[]), array_sum('{}'::float8[]), array_sum('{0.1,0.2}'::numeric[]), array_sum('{1 day,NULL}'::interval[]), array_sum('{{1,2},{3,4}}'::int4[]);
SELECT array_avg('{3,NULL,1}'::int2[]), array_avg('{1,2}'::int4[]), array_avg('{1}'::int8[]), array_avg('{0.5,1}'::float4[]), array_avg('{NULL}'::float8[]), array_avg('{0.1,0.2}'::numeric[]), array_avg('{1 day,3 days}'::interval[]);
SELECT array_stddev('{3,NULL,1}'::int2[]), array_stddev('{1}'::int4[]), array_stddev('{1,2}'::int8[]), array_stddev('{0.5,1}'::float4[]), array_stddev('{1,NaN}'::float8[]), array_stddev('{0.1,0.2}'::numeric[]);
SELECT array_count_distinct('{3,NULL,3,1,NULL}'::int4[]), array_count_distinct('{0,-0,NaN,NaN}'::float8[]), array_count_distinct('{}'::text[]), array_count_distinct(NULL::text[]), array_count_distinct('{1.0,1.00,2}'::numeric[]), array_count_distinct('{NULL}'::text[]);
SELECT array_histogram('{0,1,4,7,8,NULL}'::int4[], 4), array_histogram('{}'::int4[], 4), array_histogram('{2020-01-01,2020-01-31}'::date[], 2), array_histogram('{5}'::float8[], 3);
SELECT array_histogram('{1}'::int4[], 0);
SELECT array_histogram('{1}'::numeric[], 2);
SELECT array_min('{{1,2}}'::int4[]);
SELECT array_max('{"(1,2)","(3,4)"}'::point[]);
SELECT count(*) FILTER (WHERE ROW(array_min(ia), array_max(ia), array_sum(ia), array_avg(ia), array_count_distinct(ia), array_histogram(ia, 5)) IS DISTINCT FROM
	(SELECT ROW(min(x), max(x), sum(x), avg(x), count(DISTINCT x)::int, gpusort.histogram_agg(x, 5)) FROM unnest(ia) x)) AS differ,
	count(*) FILTER (WHERE array_stddev(ia) IS DISTINCT FROM (SELECT stddev(x) FROM unnest(ia) x)) AS deviations_differ FROM peaks;

-- Bins for an index.
SELECT array_bins('{3,1,NULL,2.5,-0.5,NaN,inf,-inf}'::float8[], 1), array_bins('{}'::float8[], 1), array_bins('{1,2}'::int4[], 0.5), array_bins('{{1,2},{2,3}}'::float4[], 2), array_bins('{-0}'::float8[], 1), array_bins(NULL, 1),
	   bins_between(-0.5, 1.5, 1), bins_between(2, 1, 1), bins_between(1, NULL, 1), bins_between(171, 171.12, 0.1);
SELECT array_bins('{1}'::float8[], 0);
SELECT array_bins('{1}'::float8[], 1e-30);
CREATE INDEX peaks_bins ON peaks USING gin (array_bins(a, 0.25));
SELECT count(*) FROM generate_series(-15, 15, 0.37) low, LATERAL (SELECT count(*) AS n, sum(g) AS s FROM peaks WHERE array_bins(a, 0.25) && bins_between(low, low + 0.4, 0.25) AND cardinality(array_between(a, low::float8, low + 0.4)) > 0) i,
	LATERAL (SELECT count(*) AS n, sum(g) AS s FROM peaks WHERE EXISTS (SELECT FROM unnest(a) x WHERE x BETWEEN low AND low + 0.4)) r WHERE ROW(i.n, i.s) IS DISTINCT FROM ROW(r.n, r.s);
