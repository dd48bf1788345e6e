# Sourced by check and .ci/run: counts of tests that passed and failed, kept in
# a file with one line per suite: name, passed, failed, skipped, why, separated by tabs.

tally_start() { tally_file=$1; : > "$tally_file"; }

# tally NAME PASSED FAILED [SKIPPED [REMARK]]
tally() {
    printf '%s\t%d\t%d\t%d\t%s\n' "$1" "$2" "$3" "${4:-0}" "${5:-}" >> "$tally_file"
    if [ "$2" = 0 ] && [ "$3" = 0 ] && [ "${4:-0}" != 0 ]; then
        printf '%-34s skipped%s\n' "$1" "${5:+: $5}"
    else
        printf '%-34s %4d passed %4d failed\n' "$1" "$2" "$3"
    fi
}

# tally_suite NAME PASSED FAILED STATUS [REMARK]. A suite that exits non-zero, or that ran nothing, has failed whatever it counted.
tally_suite() {
    local name=$1 passed=$2 failed=$3 status=$4
    if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "$passed" = 0 ]; }; then failed=1; fi
    tally "$name" "$passed" "$failed" 0 "${5:-}"
}

# pg_regress writes "test NAME ... ok", and since PostgreSQL 16 "ok 1 - NAME".
tally_regress() {
    local passed failures
    passed=$(grep -cE '^((test )?[^ ]+ +\.\.\. ok|ok [0-9]+ )' "$2" || true)
    failures=$(grep -E '^((test )?[^ ]+ +\.\.\. FAILED|not ok [0-9]+ )' "$2" || true)
    tally_suite "$1" "$passed" "$(grep -c . <<< "$failures" || true)" "$3" "$(tr -s ' \n' ' ' <<< "$failures")"
}

# prove ends with "Files=F, Tests=T, ..." and lists "Failed N/M subtests" by file. What a test says of its failure stands after "#".
# A file that skips itself is a suite that is skipped.
tally_prove() {
    local tests failed file why
    tests=$(sed -n 's/^Files=.*Tests=\([0-9]*\),.*/\1/p' "$2")
    failed=$(sed -n 's/.*Failed \([0-9]*\)\/[0-9]* subtests.*/\1/p' "$2" | awk '{n += $1} END {print n + 0}')
    tests=${tests:-0}
    tally_suite "$1" $((tests > failed ? tests - failed : 0)) "$failed" "$3" "$(grep '^#' "$2" | tr -s '# \n\t' ' ' | cut -c1-800)"
    while read -r file why; do tally "$1 $file" 0 0 1 "$why"; done < <(sed -nE 's/.*\b([0-9]+_\w+)\.pl \.+ skipped: /\1 /p' "$2")
}

# tally_end [SKIP]...: prints what failed and the sum. Fails when something failed, nothing ran, or a
# suite was skipped that no SKIP names. A SKIP is how its "name: why" begins.
tally_end() {
    local passed failed skipped skip allowed status=0
    while read -r skip; do
        for allowed in "$@" ""; do
            [ -n "$allowed" ] || { echo "may not be skipped: $skip"; status=1; }
            [[ $skip != "$allowed"* ]] || break
        done
    done < <(awk -F'\t' '$4 > 0 {print $1 ": " $5}' "$tally_file")
    awk -F'\t' '$3 > 0 {print "failed: " $1 ": " $5}' "$tally_file"
    read -r passed failed skipped < <(awk -F'\t' '{p += $2; f += $3; s += $4} END {print p + 0, f + 0, s + 0}' "$tally_file")
    echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
    [ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$passed" != 0 ]
}
