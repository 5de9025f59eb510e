# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2317
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

[[ ${keep_work:-} ]] || rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

# The program is linked with the runtime's path: a job's environment is not ours.
build_ticker() {
    command -v clang-19 >/dev/null || skip "no clang-19"
    [[ -e $runtime/lib/libomp.so.5 ]] || skip "no runtime in $runtime"
    clang-19 -g -O1 -fopenmp -isystem "$runtime/include" -L"$runtime/lib" -Wl,-rpath,"$runtime/lib" \
        "$here/ticker.c" -o ticker || fail "the program cannot be built"
    export OMP_NUM_THREADS=2 KMP_BLOCKTIME=0 # or each would take a processor for as long as its job lasts
}

# For tests with the fixture's cluster.
find_cluster() {
    slurm=("$here/cluster" run "$build/tests/work/slurm")
    "${slurm[@]}" true || exit 77
}

use_cluster() {
    find_cluster
    build_ticker
}

# One process in the script itself, two in a step.
write_both() {
    cat >both.sh <<'END'
#!/bin/bash
#SBATCH --ntasks=2 --no-requeue
./ticker 300 &
srun ./ticker 300
wait
END
}

all_tick() { # FILE
    [[ $(grep -c ticking "$1" 2>/dev/null) -eq 3 ]]
}

# submit_named NAME ARGUMENTS...: prints the job's number; its output goes to NAME.out.
submit_named() {
    local name=$1
    shift
    "${slurm[@]}" "$batch" sbatch --parsable -J "$name" -o "$work/$name.out" "$@" || fail "$name: not submitted"
}

is_over() { # JOB; an answer that does not come says nothing
    local found
    found=$("${slurm[@]}" squeue -h -j "$1" 2>/dev/null) && [[ -z $found ]]
}

state() { # JOB
    "${slurm[@]}" scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z]*\).*/\1/p'
}

# The parts of a test, at once: each function runs in a folder of its own, of its name, with a copy of the program.
all_at_once() { # FUNCTION...
    local part
    declare -A parts
    for part in "$@"; do
        mkdir "$part"
        cp -p ticker "$part/"
        (
            cd "$part" || exit 1
            work=$PWD failures=0
            { "$part"; leaves_nothing; } >../"$part.log" 2>&1
            [[ $failures -eq 0 ]]
        ) &
        parts[$part]=$!
    done
    for part in "$@"; do
        wait "${parts[$part]}" || fail "$part: $(cat "$part.log")"
    done
}

wait_for() { # SECONDS COMMAND...
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || {
            fail "still not, after a long time: $*"
            return 1
        }
        sleep 0.1 # between two looks
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
