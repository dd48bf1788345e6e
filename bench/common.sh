# Sourced by the programs that measure through SQL, from the top of the checkout,
# for the server that PGHOST and its kin name. Waits at most 10 seconds for a GPU to
# be ready where gpusort is preloaded, and sets:
#
#   $major    the server's major version
#   $gpu      the GPU that gpusort sorts on; empty without one
#   $device   what is measured: processor, cores and GPU
#   $commit   GPUSORT_COMMIT, or the checkout's commit, with + if files differ from it
#   $stamp    date and major version, for the names of results
#   $duckdb   GPUSORT_DUCKDB, the version of DuckDB to measure, or "no"
#   $made     the folder of what DuckDB needs
#   run ...   psql that stops at errors
#   prepare   makes the schema gpusort_bench; $1: how often a query runs by default
#   with_duckdb VERSION ...   bench/duckdb_queries.py with that DuckDB, which pip fetches once
#   beside_duckdb             adds to the results what DuckDB takes for $made/queries.csv; $1: folder of tables, $2: runs
#   results   writes what was measured into the CSV file $1
#   drop      drops the schema

run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

run -c "SET client_min_messages = warning" -c "CREATE EXTENSION IF NOT EXISTS gpusort"
major=$(run -Atc "SELECT current_setting('server_version_num')::int / 10000")
for _ in {1..100}; do
    awaited=$(run -Atc "SELECT current_setting('shared_preload_libraries') ~ 'gpusort' AND current_setting('gpusort.devices') <> 'none'
        AND NOT EXISTS (SELECT FROM gpusort.devices WHERE state IN ('ready', 'unavailable'))")
    [ "$awaited" = t ] || break
    sleep 0.1
done
gpu=$(run -Atc "SELECT name FROM gpusort.devices WHERE state = 'ready' ORDER BY device LIMIT 1")
cpu=$(sed -n '/^model name[^:]*: /{s///p;q}' /proc/cpuinfo)
device="${cpu:-unknown CPU} ($(nproc) cores)${gpu:+, $gpu}"
commit=${GPUSORT_COMMIT:-$(git rev-parse --short HEAD 2> /dev/null || echo unknown)}
[ -z "$(git status --porcelain --untracked-files=no 2> /dev/null)" ] || commit+=+
stamp=$(date -u +%Y-%m-%d)-pg$major

duckdb=${GPUSORT_DUCKDB:-2.0.1}
made=$PWD/build/everyday
mkdir -p "$made"

prepare() { run -v commit="$commit" -v device="$device" -v runs="${GPUSORT_RUNS:-$1}" -f bench/prepare.sql; }
with_duckdb() {
    local package=$made/duckdb-$1
    [ -d "$package" ] || python3 -m pip install -q --target "$package" "duckdb==$1" ||
        { echo "pip did not get DuckDB $1; GPUSORT_DUCKDB=no leaves it out" >&2; return 1; }
    PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 python3 bench/duckdb_queries.py "${@:2}"
}
beside_duckdb() {
    with_duckdb "$duckdb" measure "$1" "$2" "$made/queries.csv" > "$made/duckdb.csv"
    run -v made="$made" -f bench/duckdb_results.sql
}
results() {
    mkdir -p "$(dirname "$1")"
    run -c "\copy (SELECT * FROM gpusort_bench.results ORDER BY id) TO '$1' WITH (FORMAT csv, HEADER)"
}
drop() { run -c "SET client_min_messages = warning" -c "DROP SCHEMA gpusort_bench CASCADE"; }
