# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
#
# omptape-batch: a report of a large archive as an array of jobs (submit_report). Sourced by ../omptape-batch.
#
# Each task of the array reads some of the archive's processes, and whichever ends last merges what all have found. They
# write to one file, in which so stands one report.

submit_report() { # [OPTIONS OF omptape report] ARCHIVE
    local command words
    [[ $# -gt 0 ]] || fail "report: no archive given"
    tasks=${tasks:-4}
    [[ $tasks =~ ^[1-9][0-9]{0,5}$ ]] || fail "--tasks takes a number from 1 on"
    find_omptape
    words="$(quote "$omptape") report --part \"\$SLURM_ARRAY_TASK_ID/$tasks\" $(quote "$@")"
    command=(sbatch --job-name=omptape-report "--array=0-$((tasks - 1))" --output=omptape-report-%A.out
        --open-mode=append "--wrap=exec $words")
    if [[ -n $dry_run ]]; then
        printf '%s\n' "$(quote "${command[@]}")"
        return
    fi
    command -v sbatch >/dev/null || fail "report: there is no sbatch; without it, omptape report --part N/$tasks does a part"
    "${command[@]}"
    say "the report will be in omptape-report-JOB.out"
}
