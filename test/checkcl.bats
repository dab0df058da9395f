#!/usr/bin/env bats
# checkcl.bats - the checker of kernels itself: what it picks and what it times

load helper

checkcl() {
    "${BUILD:-build}/checkcl" "$@"
}

setup() {
    [ -x "${BUILD:-build}/checkcl" ] || skip "checkcl is not built"
    imf --list-devices | grep -q '^0' || skip "no device"
}

@test "a pattern picks cases by name, and one that matches none is an error" {
    run checkcl --verbose --only='direct/1x1/*/u8-u8'
    [ "$status" -eq 0 ]
    [[ "${lines[-1]}" =~ ^checkcl:\ [1-9][0-9]*\ passed,\ 0\ failed,\ [0-9]+\ not\ applicable$ ]]
    others=$(printf '%s\n' "${lines[@]}" | grep -cvE '^(checkcl|-- direct|ok direct .* u8->u8 .* 1x1 )') || true
    [ "$others" -eq 0 ]
    run checkcl --only=direct/1x2
    [ "$status" -eq 1 ]
    [[ "$output" == *"no case matches --only=direct/1x2"* ]]
}

@test "the benchmark times each variant that it checked, once, by its name" {
    run checkcl --bench=64x48 --only='direct/1x1/rank1-real'
    [ "$status" -eq 0 ]
    names=$(printf '%s\n' "${lines[@]}" | sed -n 's/^\(direct[^ ]*\) .*$/\1/p')
    [ -n "$names" ]
    [ "$(printf '%s\n' "$names" | sort | uniq -d)" = "" ]
    [[ "$output" =~ direct/1x1/rank1-real/u8-u8/3ch\ +[0-9]+\.[0-9]+\ ms\ +[0-9]+\.[0-9]+\ ns\ +direct\ 1x1 ]]
    [[ "${lines[-1]}" =~ ^checkcl:\ [1-9][0-9]*\ passed,\ 0\ failed,\ [0-9]+\ not\ applicable$ ]]
}

@test "options that do not exist, or sizes that are none, are refused" {
    for option in --solver=direct --bench=0x5 --bench=5 --bench=5x5x5 --part=none; do
        run checkcl "$option"
        [ "$status" -eq 2 ] || { echo "$option"; return 1; }
    done
    run checkcl --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"--only=PATTERN"* ]]
}
