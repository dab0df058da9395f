# Several runs with -i.bak on the same files: an original always has its own name or its backup's.
load helper

pairs() { # OPTION...
    need_faults
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        run python3 "$BATS_TEST_DIRNAME/faults/pairs.py" "$@" "$IMFILTER" "$FAULTS"
    echo "$* $output"
    [ "$status" -eq 0 ]
}

@test "wherever one run is held up, or killed, another on the same file loses no original" {
    pairs
    pairs --older
    pairs --kill
    pairs --kill --older
}

@test "... nor where there are no locks, no hard links, no exchanges" {
    for missing in flock linkat renameat2 linkat,renameat2 flock,linkat flock,renameat2; do
        pairs --fail=$missing
    done
}

@test "... nor where both are held up, at each pair of calls" {
    need_thorough
    pairs --all
    pairs --all --older
    pairs --all --kill
    pairs --all --fail=flock
    pairs --all --fail=linkat,renameat2
}

@test "what another program keeps locked is left as it is" {
    make_pgm a.pgm
    make_pgm b.pgm
    cp a.pgm original.pgm
    status=0
    flock a.pgm "$IMFILTER" -f invert -i.bak a.pgm b.pgm 2>../told || status=$?
    cat ../told
    [ "$status" -eq 1 ]
    [ "$(head -n 1 ../told)" = "imfilter: a.pgm: is locked by another program, and is left as it is (run again when that has ended)" ]
    cmp a.pgm original.pgm
    cmp b.pgm.bak original.pgm
    [ "$(ls | tr '\n' ' ')" = "a.pgm b.pgm b.pgm.bak original.pgm " ]
    no_temporaries
}

@test "the backup is a copy where locks are mandatory and there are no hard links" {
    need_faults
    make_pgm a.pgm
    cp a.pgm original.pgm
    faulty FAULT_MANDATORY=1 FAULT_FAIL=linkat -- -f invert -i.bak a.pgm
    echo "$stderr"
    [ "$status" -eq 0 ]
    cmp a.pgm.bak original.pgm
    [ "$(samples a.pgm)" = "$(imf -f invert --format=pnm original.pgm -o - | tail -n +4 | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')" ]
}

@test "without a backup a lock of others is no obstacle" {
    make_pgm a.pgm
    flock -s a.pgm "$IMFILTER" -f kernel:1 -i a.pgm
}

@test "two and eight runs at once on 120 photos lose no original" {
    need_thorough
    mkdir originals
    for i in $(seq 120); do
        cp "$TESTDATA/noise-rgb.png" originals/$i.png
    done
    lost=0
    for processes in 2 8; do
        for round in 1 2 3; do
            rm -rf now
            cp -r originals now
            pids=()
            for i in $(seq "$processes"); do
                "$IMFILTER" -q -f sharpen -i.bak now/*.png 2>/dev/null 3>&- &
                pids+=($!)
            done
            for pid in "${pids[@]}"; do
                wait "$pid" || true
            done
            for i in $(seq 120); do
                cmp -s originals/$i.png now/$i.png || cmp -s originals/$i.png now/$i.png.bak || lost=$((lost + 1))
            done
        done
        echo "$processes runs, three rounds: $lost of 360 originals lost"
    done
    [ "$lost" -eq 0 ]
    [ "$(ls now/*.bak | wc -l)" -eq 120 ]
    no_temporaries
}
