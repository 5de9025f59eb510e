#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch with a real Slurm, jobs that are ended: cancelled, at their time limit, requeued, told by a signal. The
# time limit counts in minutes, so those run beside the rest. Usage: test_batch_ends.sh BUILD_DIR RUNTIMES_DIR; exit 77:
# no Slurm.
set -u
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

slurm=("$here/cluster" run "$build/tests/work/slurm")
"${slurm[@]}" true || exit 77
build_ticker

# submit NAME ARGUMENTS...: prints the job's number; its output goes to NAME.out.
submit() {
    local name=$1
    shift
    "${slurm[@]}" "$batch" sbatch --parsable -J "$name" -o "$work/$name.out" "$@" || fail "$name: not submitted"
}

# shellcheck disable=SC2317 # called by wait_for
is_over() { # JOB
    ! "${slurm[@]}" squeue -h -j "$1" 2>/dev/null | grep -q .
}

state() { # JOB
    "${slurm[@]}" scontrol show job "$1" | sed -n 's/^ *JobState=\([A-Z]*\).*/\1/p'
}

# One process in the script itself, two in a step.
cat >both.sh <<'END'
#!/bin/bash
#SBATCH --ntasks=2 --no-requeue
./ticker 300 &
srun ./ticker 300
wait
END

limited=$(submit limited --time=1 both.sh)
warned=$("${slurm[@]}" "$batch" --grace 25 sbatch --parsable --time=1 -J warned -o "$work/warned.out" both.sh)

echo "cancelled"
cancelled=$(submit cancelled both.sh)
wait_for 60 file_says cancelled.out ticking
sleep 1
"${slurm[@]}" scancel "$cancelled"
wait_for 60 is_over "$cancelled"
[[ $(state "$cancelled") == CANCELLED ]] || fail "the cancelled job is $(state "$cancelled")"
archives "omptape-cancelled-$cancelled.batch" 1 "signal 15"
archives "omptape-cancelled-$cancelled.0" 2 "signal 15"
says cancelled.out "omptape-batch: $work/omptape-cancelled-$cancelled.0/trace.otf2"

echo "killed without a warning: the archives are complete a moment later, or as the writers were left"
killed=$(submit killed both.sh)
wait_for 60 file_says killed.out ticking
sleep 1
"${slurm[@]}" scancel --signal=KILL "$killed"
wait_for 60 is_over "$killed"
archives "omptape-killed-$killed.0" 2 signal
[[ -d omptape-killed-$killed.batch ]] && rm -rf .omptape-batch-"$killed".* # whose owner was killed, too

echo "a step alone"
cat >steps.sh <<'END'
#!/bin/bash
#SBATCH --ntasks=2
srun ./ticker 300
echo "the step gave $?"
srun ./ticker 0.1
END
steps=$(submit steps steps.sh)
wait_for 60 file_says steps.out ticking
"${slurm[@]}" scancel "$steps.0"
wait_for 60 is_over "$steps"
says steps.out "the step gave"
archives "omptape-steps-$steps.0" 2 "signal"
archives "omptape-steps-$steps.1" 2 finalize

echo "requeued"
cat >again.sh <<'END'
#!/bin/bash
#SBATCH --requeue --open-mode=append
if [[ ${SLURM_RESTART_COUNT:-0} -gt 0 ]]; then
    srun ./ticker 0.1
else
    srun ./ticker 300
fi
END
again=$(submit again again.sh)
wait_for 60 file_says again.out ticking
"${slurm[@]}" scontrol requeue "$again"
requeued_at=$SECONDS

echo "a signal for the script alone"
cat >told.sh <<'END'
#!/bin/bash
trap 'echo told; kill %1' USR1
./ticker 300 &
wait
wait
echo "over"
END
told=$(submit told told.sh)
wait_for 60 file_says told.out ticking
"${slurm[@]}" scancel --batch --signal=USR1 "$told"
wait_for 60 is_over "$told"
[[ $(grep -c told$ told.out) -eq 1 ]] || fail "the trap was not called once: $(cat told.out)"
says told.out over
archives "omptape-told-$told.batch" 1 "signal 15"

wait_for $((180 - SECONDS + requeued_at)) is_over "$again"
archives "omptape-again-$again.0" 1 signal
archives "omptape-again-$again-r1.0" 1 finalize

echo "at the time limit, with and without an earlier warning"
wait_for 150 is_over "$warned"
archives "omptape-warned-$warned.batch" 1 "signal 15"
archives "omptape-warned-$warned.0" 2 signal
says warned.out "omptape-batch: $work/omptape-warned-$warned.batch/trace.otf2"
[[ $(state "$warned") != TIMEOUT ]] || fail "the job that was warned ran into its limit"
wait_for 150 is_over "$limited"
[[ $(state "$limited") == TIMEOUT ]] || fail "the limited job is $(state "$limited")"
archives "omptape-limited-$limited.batch" 1 "signal 15"
archives "omptape-limited-$limited.0" 2 "signal 15"
says limited.out "omptape-batch: $work/omptape-limited-$limited.0/trace.otf2"

finish
