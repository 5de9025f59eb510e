# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
#
# What the tests of omptape-batch share. Sourced with BUILD_DIR and RUNTIMES_DIR as arguments; makes `work` and enters it.

build=$(cd "${1:?usage: BUILD_DIR RUNTIMES_DIR}" && pwd)
runtime=${2:?}/19
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
batch=$build/bin/omptape-batch
failures=0
work=$build/tests/work/$(basename "$0" .sh)

skip() {
    echo "SKIPPED: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# What a program that is traced by somebody else would see.
for variable in $(compgen -v OMPTAPE_) $(compgen -v SLURM_) $(compgen -v PBS_) $(compgen -v LSB_); do
    unset "$variable"
done
unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES

rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

# The program is linked with the runtime's path: a job's environment is not ours.
build_ticker() {
    command -v clang-19 >/dev/null || skip "no clang-19"
    [[ -e $runtime/lib/libomp.so.5 ]] || skip "no runtime in $runtime"
    clang-19 -g -O1 -fopenmp -isystem "$runtime/include" -L"$runtime/lib" -Wl,-rpath,"$runtime/lib" \
        "$here/ticker.c" -o ticker || fail "the program cannot be built"
    export OMP_NUM_THREADS=2
}

wait_for() { # SECONDS COMMAND...
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || {
            fail "still not, after a long time: $*"
            return 1
        }
        sleep 0.1
    done
}

archives() { # FOLDER PROCESSES [END]
    local said
    said=$("$here/../run" slurm.archives "$build/bin/omptape" "$@" 2>&1) || fail "$said"
}

file_says() { # FILE TEXT
    grep -qF -- "$2" "$1" 2>/dev/null
}

says() { # FILE TEXT
    file_says "$@" || fail "$1 does not say \"$2\": $(head -n 20 "$1" 2>&1)"
}

# Nothing but archives may be left: no notes of steps, no claims.
leaves_nothing() {
    local left
    left=$(find . -name '.omptape-*' ! -name .omptape-job) # which says whose folder it is
    [[ -z $left ]] || fail "left behind: $left"
}

finish() {
    leaves_nothing
    if [[ $failures -eq 0 ]]; then
        cd / && rm -rf "$work"
        exit 0
    fi
    exit 1
}
