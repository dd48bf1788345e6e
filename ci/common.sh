# Sourced by the bash scripts that build and start servers, from the top of the
# checkout. Sets:
#
#   PG_CONFIG       the PostgreSQL to build for and test on
#   $run            folder for what the tests write: build/, or, when root works in
#                   a checkout that the server's user cannot enter, one in /var/tmp
#                   that ends with the script
#   as_server CMD   runs CMD as the user the server runs as: postgres for root,
#                   the caller otherwise (PostgreSQL refuses to run as root)
#   $server_alone   options for PGOPTIONS, with which gpusort changes no plan; exported
#   $one_vector_unit
#                   options for COPT: Highway's sorts only for this CPU. With sanitizers a
#                   compiler takes minutes for those of every vector unit
set -euo pipefail
umask 022
for name in ${!PG*}; do [ "$name" = PG_CONFIG ] || unset "$name"; done
PG_CONFIG=$(ci/pg-config); export PG_CONFIG

server_user=$(id -un)
if [ "$(id -u)" = 0 ]; then
    server_user=postgres
    id -u postgres > /dev/null 2>&1 || server_user=nobody
fi

export server_alone='-c gpusort.force_nodes=off -c gpusort.enable_sort=off -c gpusort.enable_array_sort=off -c gpusort.enable_aggregates=off'

one_vector_unit="-march=native -DHWY_COMPILE_ONLY_STATIC"

as_server() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --clear-groups env HOME="${run:-/}" "$@"
    else
        "$@"
    fi
}

# A script that another of ours calls finds the folder in GPUSORT_RUN.
mkdir -p build
end_run() { :; }
if as_server test -x "$PWD/build"; then
    run=$PWD/build
elif [ -d "${GPUSORT_RUN:-}" ]; then
    run=$GPUSORT_RUN
else
    run=$(mktemp -d /var/tmp/gpusort.XXXXXX)
    chmod 755 "$run"
    export GPUSORT_RUN=$run
    end_run() { rm -rf "$run"; }
    trap end_run EXIT
fi
