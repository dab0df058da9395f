#!/bin/sh
# drivers.sh - the same pixels from every driver? drivers.sh [NAME]... (all that is here)
#
# A row of a table in Markdown for each driver, knob and lie (drivers/liar.c): sums of exact filters
# that are the table's (sums.sh), cases of checkcl that hold (a handful; THOROUGH=1: --quick), and
# filters that --verify found right, all on the device and never on the host. What failed is on
# standard error, and the exit status is 1. Takes minutes a row, most of it the driver's compiler. Less: EVERY=7 for each
# seventh sum, CHECKCL_OPTIONS, FILTERS.
#
# NAMEs: pocl, one-thread, basic, group-1, group-64, less, small, oclgrind; the triplet of another
# processor (aarch64-linux-gnu) whose program is in $BUILD-TRIPLET and which qemu-user can run here;
# or a directory in $ROOTS (build/roots), the root of another system with libpng, libjpeg, lcms2, an
# ICD loader and drivers (debootstrap makes one; only root may use it), a row for each of them.
# `drivers.sh row NAME` is one row for the environment as it is, DEVICE=1 for its second device.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${BUILD:-build}" && pwd) || exit 1
device=${DEVICE:-0}
roots=${ROOTS:-$build/roots}
most=${TIMEOUT:-1200} # seconds that sums or checkcl may take
checkcl_options=${CHECKCL_OPTIONS-$([ -n "${THOROUGH:-}" ] && echo --quick || echo --oclgrind)}
# The test is of what drivers do, also where they crash.
export IMFILTER_TRIAL_SECONDS=0 POCL_WORK_GROUP_SPECIALIZATION=0 BUILD="$build" LC_ALL=C.UTF-8
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$build/cache}"

filters='sharpen unsharp:2 blur:2 blur:20 box:9 disk:5 disk:12 motion:15:30 sobel scharr:dir=x laplacian
log:2 dog:1:2 emboss highpass:0.1 lowpass:0.2 bandpass:0.1:0.2 notch:0.1:0.1:0.02 gray invert threshold:0.5 levels:0.1:0.8 levels:auto gamma:2.2 curve:0,0/0.3,0.5/1,1
threshold:otsu threshold:local:5:0.05 threshold:sauvola:5 flatten:5 equalize clahe median:1 median:7 percentile:20:30 erode:3 dilate:15 open:5:shape=disk tophat:7
bilateral:2:0.1 guided:3:0.01 canny:0.05:0.1 phase'

# By the device's direct backend, or the FFT where there is no other.
verify() { # NAME
    right=0 refused=0 wrong=0
    out=$(mktemp) || exit 1
    for filter in ${FILTERS:-$filters}; do
        for backend in direct fft; do
            timeout 300 "$build/imfilter" -q -f "$filter" --device="$device" --backend=$backend --verify --json \
                testdata/alpha.png -o "$out.png" >"$out" 2>"$out.why"
            status=$?
            [ $status -eq 2 ] || break
        done
        if [ $status -eq 2 ]; then
            refused=$((refused + 1))
        elif [ $status -eq 0 ] && grep -q '"verify_ok":true' "$out" && ! grep -q '"device":"host"' "$out"; then
            right=$((right + 1))
        else
            wrong=$((wrong + 1))
            echo "$1: $filter: status $status: $(head -n 1 "$out.why")" >&2
        fi
    done
    rm -f "$out" "$out.png" "$out.why"
    echo "$right, $wrong failed, $refused not applicable"
}

# "510, 0 failed" of "sums: 510 passed, 0 failed", with what the line before says does not apply.
counts() { # NAME
    sed -n "s/^$1: \([0-9].*\)/\1/p" | sed 's/ passed//' | sort -rn | paste -sd, | sed 's/,\([^ ]\)/, \1/g'
}

sums() { # NAME OPTION...
    name=$1
    shift
    said=$(timeout "$most" sh test/sums.sh "$@" 2>&1)
    echo "$said" | grep -v '^sums: [0-9]' | sed "s|^|$name: |" >&2
    said=$(echo "$said" | counts sums)
    echo "${said:-not ended after $most s}"
}

row() { # NAME
    which=$("$build/imfilter" --list-devices --json |
        sed -n "$((device + 1))s/.*\"name\":\"\([^\"]*\)\".*\"driver\":\"\([^\"]*\)\".*/\1, driver \2/p")
    [ -n "$which" ] || { echo "| $1 | no device | | | |" && return; }
    sums=$([ -n "${SUMS-1}" ] && sums "$1" --device="$device" --backend=direct)
    # shellcheck disable=SC2086 # a list of options
    cases=$(timeout "$most" "$build/checkcl" --device="$device" $checkcl_options 2>&1)
    status=$?
    echo "$cases" | grep '^not ok' | sed "s|^|$1: |" >&2
    cases=$(echo "$cases" | counts checkcl)
    right=$([ -n "${SUMS-1}" ] && verify "$1")
    echo "| $1 | $which | ${sums:-not run} | ${cases:-ended with status $status} | ${right:-not run} |"
}

lie() { # NAME LIES
    ${CC:-cc} -w -shared -fPIC -o "$build/liar.so" test/drivers/liar.c -lpthread || exit 1
    (
        export OPENCL_LAYERS="$build/liar.so" LIES="$2"
        row "$1"
    )
}

# Plain C and vectors by the program of another processor: no device.
emulated() { # TRIPLET
    run=$build-$1/emulated
    for qemu in "qemu-${1%%-*}" "qemu-${1%%-*}-static"; do
        ! command -v "$qemu" >/dev/null || break
    done
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$qemu" "$build-$1/imfilter" >"$run" && chmod +x "$run" || return
    for backend in cpu vector; do
        echo "| $1, qemu-user | host, $backend | $(IMFILTER=$run sums "$1" --backend=$backend) | | |"
    done
}

# The program of this processor, in another system's root, with each of its drivers.
in_root() { # NAME
    root=$roots/$1
    [ -d "$root" ] || { echo "drivers.sh: no driver, processor or root is called '$1'" >&2 && return 1; }
    rm -rf "$root/imfilter" && mkdir -p "$root/imfilter/build" && cp -r test testdata "$root/imfilter" &&
        cp "$build/imfilter" "$build/checkcl" "$root/imfilter/build" || return
    for vendor in "$root"/etc/OpenCL/vendors/*.icd; do
        driver=$(basename "$vendor" .icd)
        # shellcheck disable=SC2016 # the inner shell's
        unshare -m -p -f --kill-child --propagation private sh -c '
            root=$1 && shift && mount -t proc proc "$root/proc" &&
                for dir in sys dev; do mount --rbind "/$dir" "$root/$dir" || exit 1; done &&
                exec chroot "$root" "$@"' sh "$root" \
            env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin RUSTICL_ENABLE=llvmpipe TIMEOUT="$most" \
            EVERY="${EVERY:-1}" THOROUGH="${THOROUGH:-}" OCL_ICD_VENDORS="/etc/OpenCL/vendors/$driver.icd" \
            sh /imfilter/test/drivers.sh row "$1, $driver" </dev/null
    done
}

one() { # NAME
    case $1 in
    pocl) row "PoCL" ;;
    one-thread) POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1 row "PoCL, one thread" ;;
    basic) POCL_DEVICES=basic row "PoCL, basic" ;;
    group-1) POCL_MAX_WORK_GROUP_SIZE=1 row "PoCL, groups of 1" ;;
    group-64) POCL_MAX_WORK_GROUP_SIZE=64 row "PoCL, groups of 64" ;;
    less) lie "less: a GPU, own memory, groups of 1, no float64" discrete,no-double,group:1 ;;
    small) lie "less: a GPU, 1 KiB local memory, buffers of 1 MiB" discrete,local:1024,alloc:1048576 ;;
    oclgrind) ! command -v oclgrind >/dev/null || SUMS='' oclgrind sh test/drivers.sh row Oclgrind ;;
    *-linux-*) emulated "$1" ;;
    *) in_root "$1" ;;
    esac
}

if [ "${1:-}" = row ]; then
    row "$2"
    exit
fi
if [ $# -eq 0 ]; then
    set -- pocl one-thread basic group-1 group-64 less small oclgrind
    for program in "$build"-*-linux-*/imfilter; do
        [ ! -x "$program" ] || set -- "$@" "$(expr "$program" : "$build-\(.*\)/imfilter")"
    done
    for root in "$roots"/*/; do
        [ ! -d "$root" ] || set -- "$@" "$(basename "$root")"
    done
fi
echo '| driver | device | sums | checkcl | filters verified |'
echo '|---|---|---|---|---|'
for name; do
    one "$name"
done | tee "$build/drivers.table"
# A row without a device, or one in which something failed or did not end.
! grep -qE '[1-9][0-9]* failed|not ended|ended with status|no device' "$build/drivers.table" && [ -s "$build/drivers.table" ]
