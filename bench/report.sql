-- Prints what a section measured.
SELECT data, type, n, arrays, contender, median_ms AS "median ms", times_floor AS "times the floor"
FROM results WHERE section = :'section' ORDER BY id;
