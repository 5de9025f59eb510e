# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034
#
# omptape-batch: `omptape scale` as an array of jobs (submit_scale), each of which makes one run (run_scale_task). Sourced
# by ../omptape-batch.
#
# A run gets its name when it is complete. So a run that a time limit ends is not read.

# A list of numbers such as 1,2,4, and the largest of them: `largest`.
check_numbers() { # OPTION LIST
    local number
    [[ $2 =~ ^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4})*$ ]] || fail "scale: $1: $2 is no list of numbers such as 1,2,4"
    largest=0
    for number in ${2//,/ }; do
        [[ $number -le $largest ]] || largest=$number
    done
}

submit_scale() { # [OPTIONS] -- COMMAND...
    local threads='' ranks='' repeat=3 trace='' folder='' number=2 options=() resources=() count job command largest
    while [[ ${1:-} == -* && $1 != -- ]]; do
        case $1 in
            --*=*)
                set -- "${1%%=*}" "${1#*=}" "${@:2}"
                continue
                ;;
            --trace) trace=1 ;;
            --all | --weak) options+=("$1") ;;
            *)
                [[ $# -ge 2 ]] || fail "scale: $1 needs a value"
                case $1 in
                    --threads) threads=$2 ;;
                    --ranks) ranks=$2 ;;
                    --repeat) repeat=$2 ;;
                    --top | --html | --json | --csv | --svg | --fail-if | --junit) options+=("$1" "$2") ;;
                    *) fail "scale: unknown option $1 (see --help)" ;;
                esac
                shift
                ;;
        esac
        shift
    done
    [[ ${1:-} != -- ]] || shift
    [[ $# -gt 0 ]] || fail "scale: which program? It stands behind --"
    [[ -n $threads$ranks ]] || fail "scale: which numbers? --threads 1,2,4 or --ranks 1,2,4"
    [[ $repeat =~ ^([1-9]|1[0-6])$ ]] || fail "scale: --repeat: $repeat is no number from 1 to 16"
    [[ $tasks =~ ^([1-9][0-9]{0,5})?$ ]] || fail "--tasks takes a number from 1 on"
    [[ -z $ranks || "$*" == *'{ranks}'* ]] || fail "scale: --ranks: the command has no {ranks}, as in: srun -n {ranks} ./app"
    count=$repeat
    if [[ -n $threads ]]; then
        check_numbers --threads "$threads"
        resources+=("--cpus-per-task=$largest")
        count=$((count * $(wc -w <<<"${threads//,/ }")))
    fi
    if [[ -n $ranks ]]; then
        check_numbers --ranks "$ranks"
        resources+=("--ntasks=$largest")
        count=$((count * $(wc -w <<<"${ranks//,/ }")))
    fi
    find_omptape
    folder=$(absolute_folder "${pattern:-omptape-scale-${1##*/}}")
    is_one_line "$folder" || fail "the output folder's name has a control character: $folder (-o names another one)"
    job=$folder
    while is_taken "$folder"; do
        folder=$job-$number
        number=$((number + 1))
    done
    command=(sbatch --parsable --job-name=omptape-scale "--array=0-$((count - 1))%${tasks:-1}" "${resources[@]}"
        "--output=omptape-scale-%A.out" --open-mode=append
        "--wrap=exec $(quote "$self") --run-scale-task $(quote "$folder" "$threads" "$ranks" "$trace" "$@")")
    if [[ -n $dry_run ]]; then
        printf '%s\n# archives: %s\n' "$(quote "${command[@]}")" "$folder"
        return
    fi
    command -v sbatch >/dev/null || fail "scale: there is no sbatch; in a job, omptape scale makes the runs one after the other"
    mkdir -p -- "$folder"
    job=$("${command[@]}")
    job=${job%%;*}
    sbatch --job-name=omptape-scale "--dependency=afterany:$job" "--output=omptape-scale-$job.out" --open-mode=append \
        "--wrap=exec $(quote "$omptape" scale ${options[@]+"${options[@]}"} "$folder")" >/dev/null
    printf 'Submitted batch job %s\n' "$job"
    say "the runs will be in $folder, the answer in omptape-scale-$job.out"
}

# As the command would have it in the folder of now.
absolute_folder() { # FOLDER
    if [[ $1 == /* ]]; then
        printf '%s' "$1"
    else
        printf '%s/%s' "$PWD" "$1"
    fi
}

# The numbers take turns, so that no number has all of a slow time.
run_scale_task() { # FOLDER THREADS RANKS TRACE COMMAND...
    local folder=$1 threads=("") ranks=("") trace=$4 title='' rank thread words=() word size run code=0
    [[ -z $2 ]] || IFS=, read -r -a threads <<<"$2"
    [[ -z $3 ]] || IFS=, read -r -a ranks <<<"$3"
    shift 4
    size=$((SLURM_ARRAY_TASK_ID % (${#threads[@]} * ${#ranks[@]})))
    run=$((SLURM_ARRAY_TASK_ID / (${#threads[@]} * ${#ranks[@]}) + 1))
    rank=${ranks[$((size / ${#threads[@]}))]}
    thread=${threads[$((size % ${#threads[@]}))]}
    title=${rank:+ranks-$rank-}${thread:+threads-$thread-}
    [[ -z $thread ]] || export OMP_NUM_THREADS=$thread
    title+=$run
    for word in "$@"; do words+=("${word//'{ranks}'/$rank}"); done
    [[ -n $trace ]] || export OMPTAPE_PROFILE=1
    [[ -z ${SLURM_CPUS_PER_TASK:-} ]] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
    unset OMPTAPE_OUTPUT OMPTAPE_RUN
    # A requeued run begins anew.
    rm -rf -- "$folder/.$title"
    OMPTAPE_BATCH_COMPLETE=1 OMPTAPE_BATCH_PATTERN=${folder//%/%%}/.$title OMPTAPE_BATCH_QUIET=1 OMPTAPE_QUIET=1 \
        "$self" "${words[@]}" || code=$?
    if [[ $code -lt 128 && -e $folder/.$title/traces.otf2 ]]; then
        [[ $code -eq 0 ]] || warn "scale: the run $title ended with exit code $code"
        mv -T -- "$folder/.$title" "$folder/$title"
    else
        warn "scale: the run $title is left out (exit code $code)"
    fi
    exit "$code"
}
