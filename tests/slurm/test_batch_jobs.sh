#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch with a real Slurm, jobs that end by themselves: scripts, --wrap, standard input, arrays, srun, salloc,
# several nodes. All at once, for Slurm lets each wait. Usage: test_batch_jobs.sh BUILD_DIR RUNTIMES_DIR; exit 77: no Slurm.
# shellcheck disable=SC2317 # the parts are called by name
set -u
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

use_cluster

# completes EXPECTED_CODE JOB: waits for it; much quicker than `sbatch --wait`, which asks ever more seldom.
completes() {
    wait_for 100 is_over "$2"
    "${slurm[@]}" scontrol show job "$2" | grep -q " ExitCode=$1:0" ||
        fail "the job did not give $1: $("${slurm[@]}" scontrol show job "$2" | grep ExitCode=; cat out err 2>/dev/null)"
}

# submit EXPECTED_CODE ARGUMENTS...: waits for the job; `job` is its number, its output is in `out`.
submit() {
    local expected=$1
    shift
    rm -f out
    job=$("${slurm[@]}" "$batch" sbatch --parsable -o "$work/out" "$@" 2>err) || fail "sbatch $*: $(cat err)"
    completes "$expected" "$job"
}

# A script: its directives, its arguments, its output and exit code, a folder for each step.
directives() {
    cat >job.sh <<'END'
#!/bin/bash
#SBATCH --nodes=2 --ntasks=2
#SBATCH -J "a job"

echo "arguments $#: $1, $2; $SLURM_JOB_NUM_NODES nodes, in $PWD"
read -r line || echo "no input"
./ticker 0.1
srun ./ticker 0.1
srun --export=NONE,OMP_NUM_THREADS=2 -n 1 -N 1 ./ticker 0.1
srun -n 1 -N 1 true
./ticker 0.1
exit 7
END
    submit 7 job.sh one "two  three"
    says out "arguments 2: one, two  three; 2 nodes, in $work"
    says out "no input"
    says out "omptape-batch: $work/omptape-a_job-$job.0/traces.otf2"
    archives "omptape-a_job-$job.batch" 2 finalize
    archives "omptape-a_job-$job.0" 2 finalize
    [[ ! -e omptape-a_job-$job.2 ]] || fail "a step without OpenMP has a folder"
    [[ $(find . -name 'omptape-*' -maxdepth 1 | wc -l) -eq 2 ]] || fail "other folders: $(ls -A)"
    leaves_nothing
}

# Variables of omptape, a name of one's own, --quiet, an interpreter that is no shell.
variables() {
    cat >job.py <<'END'
#!/usr/bin/env -S python3 -u
#SBATCH --ntasks=1
import os, subprocess, sys
print("python", sys.argv[1:], os.environ["OMPTAPE_EVENTS"])
sys.exit(subprocess.run(["srun", "./ticker", "0.1"]).returncode)
END
    OMPTAPE_EVENTS=parallel "${slurm[@]}" "$batch" -q -o "of %u/%j" sbatch --parsable -o "$work/out" --export=NONE job.py x \
        >job 2>err || fail "a script in Python: $(cat err)"
    completes 0 "$(cat job)"
    says out "python ['x'] parallel"
    file_says out omptape-batch && fail "not quiet: $(cat out)"
    archives "of $(id -un)" 1 finalize
}

# --wrap, and a script from standard input.
wrapped() {
    submit 3 --wrap './ticker 0.1; exit 3'
    archives "omptape-wrap-$job.batch" 1 finalize
    submit 0 --array=1-2 -J many <<'END'
#!/bin/bash
srun ./ticker 0.1
END
    archives "omptape-many-${job}_1.0" 1 finalize
    archives "omptape-many-${job}_2.0" 1 finalize
    "${slurm[@]}" "$batch" -o same sbatch --parsable --array=3,4 -o /dev/null --wrap './ticker 0.1' >job 2>err ||
        fail "an array: $(cat err)"
    completes 0 "$(cat job)"
    archives same_3.batch 1 finalize
    archives same_4.batch 1 finalize
}

# In a script that is not traced itself.
untraced() {
    cat >own.sh <<END
#!/bin/bash
$batch ./ticker 0.1
$batch ./ticker 0.1
$batch srun -n 2 ./ticker 0.1
srun -n 2 $batch ./ticker 0.1
$batch -o mine srun -n 1 ./ticker 0.1
$batch -o mine srun -n 1 ./ticker 0.1
END
    "${slurm[@]}" sbatch --parsable -n 2 -o "$work/out" own.sh >job 2>err || fail "own.sh: $(cat err)"
    job=$(cat job)
    completes 0 "$job"
    archives "omptape-own.sh-$job.run1" 1 finalize
    archives "omptape-own.sh-$job.run2" 1 finalize
    archives "omptape-own.sh-$job.0" 2 finalize
    archives "omptape-own.sh-$job.1" 2 finalize
    archives mine 1 finalize
    archives mine-2 1 finalize
}

# srun and salloc that make the job.
allocated() {
    "${slurm[@]}" "$batch" srun -N 2 -n 2 ./ticker 0.1 >out 2>&1 || fail "srun: $(cat out)"
    folder=$(sed -n 's,^omptape-batch: \(.*/omptape-ticker-[0-9]*\.0\)/traces.otf2$,\1,p' out)
    archives "${folder:-none}" 2 finalize
    "${slurm[@]}" "$batch" srun -n 1 sh -c 'exit 5' >out 2>&1
    [[ $? -eq 5 ]] || fail "srun's exit code is lost"
    says out "omptape-batch: nothing was traced"
    # shellcheck disable=SC2016
    "${slurm[@]}" "$batch" -o 'alloc-%s' salloc -n 1 sh -c 'srun ./ticker 0.1; srun ./ticker 0.1; exit 4' >out 2>&1
    [[ $? -eq 4 ]] || fail "salloc's exit code is lost: $(cat out)"
    archives alloc-0 1 finalize
    archives alloc-1 1 finalize
}

# A program that gcc compiled.
compiled_by_gcc() {
    # In a step the library has to be preloaded, which it cannot be from such a folder.
    [[ $(readlink -f "$build") != *[\ :]* ]] || return 0
    gcc -fopenmp "$here/ticker.c" -o gnu 2>/dev/null || return 0
    "${slurm[@]}" "$batch" -o gnu-srun srun -n 2 ./gnu 0.1 >out 2>&1 ||
        fail "gnu: $(cat out)"
    archives gnu-srun 2 finalize
    printf '#!/bin/sh\nsrun ./gnu 0.1\n./gnu 0.1\n' >gnu.sh
    submit 0 -n 2 gnu.sh
    archives "omptape-gnu.sh-$job.0" 2 finalize
    archives "omptape-gnu.sh-$job.batch" 1 finalize
}

# Hooks of the user's are called, too.
hooks() {
    printf '#!/bin/sh\necho "export HOOKED=yes"\n' >hook
    chmod +x hook
    # shellcheck disable=SC2016
    SLURM_TASK_PROLOG=$work/hook "${slurm[@]}" "$batch" srun -n 1 sh -c 'echo "hooked: $HOOKED"' >out 2>&1
    says out "hooked: yes"
}

all_at_once directives variables wrapped untraced allocated compiled_by_gcc hooks
finish
