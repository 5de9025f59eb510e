#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch with a real Slurm, jobs that are ended: cancelled, killed, requeued, told by a signal; all at once, for
# Slurm lets each wait. Usage: test_batch_ends.sh BUILD_DIR RUNTIMES_DIR; exit 77: no Slurm.
# shellcheck disable=SC2317 # the parts are called by name
set -u
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

use_cluster

cancelled() {
    write_both
    local job
    job=$(submit_named cancelled both.sh)
    wait_for 100 all_tick cancelled.out
    "${slurm[@]}" scancel "$job"
    wait_for 100 is_over "$job"
    [[ $(state "$job") == CANCELLED ]] || fail "the cancelled job is $(state "$job")"
    archives "omptape-cancelled-$job.batch" 1 "signal 15"
    archives "omptape-cancelled-$job.0" 2 "signal 15"
    says cancelled.out "omptape-batch: $work/omptape-cancelled-$job.0/traces.otf2"
}

# Without a warning: the archives are complete a moment later, or as the writers were left.
killed() {
    write_both
    local job
    job=$(submit_named killed both.sh)
    wait_for 100 all_tick killed.out
    "${slurm[@]}" scancel --signal=KILL "$job"
    wait_for 100 is_over "$job"
    archives "omptape-killed-$job.0" 2 signal
    [[ -d omptape-killed-$job.batch ]] && rm -rf .omptape-batch-"$job".* # whose owner was killed, too
}

# A step alone.
step() {
    cat >steps.sh <<'END'
#!/bin/bash
#SBATCH --ntasks=2
srun ./ticker 300
echo "the step gave $?"
srun ./ticker 0.1
END
    local job
    job=$(submit_named steps steps.sh)
    wait_for 100 file_says steps.out ticking
    "${slurm[@]}" scancel "$job.0"
    wait_for 100 is_over "$job"
    says steps.out "the step gave"
    archives "omptape-steps-$job.0" 2 "signal"
    archives "omptape-steps-$job.1" 2 finalize
}

requeued() {
    cat >again.sh <<'END'
#!/bin/bash
#SBATCH --requeue --open-mode=append
if [[ ${SLURM_RESTART_COUNT:-0} -gt 0 ]]; then
    srun ./ticker 0.1
else
    srun ./ticker 300
fi
END
    local job
    job=$(submit_named again again.sh)
    wait_for 100 file_says again.out ticking
    "${slurm[@]}" scontrol requeue "$job"
    wait_for 180 is_over "$job"
    archives "omptape-again-$job.0" 1 signal
    archives "omptape-again-$job-r1.0" 1 finalize
}

# A signal for the script alone.
told() {
    cat >told.sh <<'END'
#!/bin/bash
trap 'echo told; kill %1' USR1
./ticker 300 &
wait
wait
echo "over"
END
    local job
    job=$(submit_named told told.sh)
    wait_for 100 file_says told.out ticking
    "${slurm[@]}" scancel --batch --signal=USR1 "$job"
    wait_for 100 is_over "$job"
    [[ $(grep -c told$ told.out) -eq 1 ]] || fail "the trap was not called once: $(cat told.out)"
    says told.out over
    archives "omptape-told-$job.batch" 1 "signal 15"
}

all_at_once cancelled killed step requeued told
finish
