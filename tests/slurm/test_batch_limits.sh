#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch with a real Slurm, jobs that reach their time limit, with and without an earlier warning. Slurm counts it
# in minutes: `begin` submits the jobs, and what they have left is looked at when other tests are over. Usage:
# test_batch_limits.sh BUILD_DIR RUNTIMES_DIR begin|end; exit 77: no Slurm.
set -u
phase=${3:?usage: BUILD_DIR RUNTIMES_DIR begin|end}
# shellcheck source=lib.sh
keep_work=$([[ $phase == end ]] && echo yes) source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ $phase == begin ]]; then
    use_cluster
    write_both
    submit_named limited --time=1 both.sh >limited.job
    "${slurm[@]}" "$batch" --grace 25 sbatch --parsable --time=1 -J warned -o "$work/warned.out" both.sh >warned.job ||
        fail "warned: not submitted"
    exit "$((failures > 0))"
fi

find_cluster
limited=$(cat limited.job)
warned=$(cat warned.job)
wait_for 200 is_over "$warned"
archives "omptape-warned-$warned.batch" 1 "signal 15"
archives "omptape-warned-$warned.0" 2 signal
says warned.out "omptape-batch: $work/omptape-warned-$warned.batch/traces.otf2"
[[ $(state "$warned") != TIMEOUT ]] || fail "the job that was warned ran into its limit"
wait_for 200 is_over "$limited"
[[ $(state "$limited") == TIMEOUT ]] || fail "the limited job is $(state "$limited")"
archives "omptape-limited-$limited.batch" 1 "signal 15"
archives "omptape-limited-$limited.0" 2 "signal 15"
says limited.out "omptape-batch: $work/omptape-limited-$limited.0/traces.otf2"

finish
