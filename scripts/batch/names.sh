# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154,SC2034
#
# omptape-batch: the batch job in which it runs, and folder names made of it. Sourced by ../omptape-batch; nothing here
# writes anything.

# The batch system's variables, in one form. `kind` is empty outside of a job; `index` outside of an array.
find_job() {
    kind='' job='' array='' index='' name='' restarts='' nodes=1 step=''
    if [[ -n ${SLURM_JOB_ID:-} ]]; then
        kind=slurm job=${SLURM_HET_JOB_ID:-$SLURM_JOB_ID} name=${SLURM_JOB_NAME:-} nodes=${SLURM_JOB_NUM_NODES:-1}
        array=${SLURM_ARRAY_JOB_ID:-$job} index=${SLURM_ARRAY_TASK_ID:-} restarts=${SLURM_RESTART_COUNT:-0}
        # The highest numbers are the batch script, salloc's own shell and the like, which are no steps of the user's.
        [[ -z ${SLURM_STEP_ID:-} || $SLURM_STEP_ID -ge 4294967000 ]] || step=$SLURM_STEP_ID
    elif [[ -n ${PBS_JOBID:-} ]]; then
        kind=pbs job=${PBS_JOBID%%[!0-9]*} name=${PBS_JOBNAME:-}
        array=$job index=${PBS_ARRAY_INDEX:-${PBS_ARRAYID:-}}
        [[ ! -r ${PBS_NODEFILE:-} ]] || nodes=$(sort -u "$PBS_NODEFILE" | wc -l)
    elif [[ -n ${LSB_JOBID:-} ]]; then
        kind=lsf job=$LSB_JOBID name=${LSB_JOBNAME:-} array=$LSB_JOBID index=${LSB_JOBINDEX:-}
        [[ $index != 0 ]] || index=''
        name=${name%%[*}
        [[ -z ${LSB_HOSTS:-} ]] || nodes=$(tr ' ' '\n' <<<"$LSB_HOSTS" | sort -u | wc -l)
    fi
}

# A pattern with the job's values put in. Without STEP, %s and %% stay for another time.
expand() { # PATTERN [STEP]
    local rest=$1 result='' letter
    while [[ $rest == *%* ]]; do
        result+=${rest%%\%*}
        rest=${rest#*%}
        letter=${rest:0:1}
        rest=${rest:1}
        case $letter in
            j) result+=$job ;;
            A) result+=$array ;;
            a) result+=${index:-0} ;;
            J) result+=${index:+${array}_}${index:-$job} ;;
            r) result+=${restarts:-0} ;;
            x) result+=${name//[^A-Za-z0-9._+-]/_} ;;
            u) result+=$(id -un) ;;
            s | %)
                if [[ $# -lt 2 ]]; then
                    result+=%$letter
                elif [[ $letter == s ]]; then
                    result+=$2
                else
                    result+=%
                fi
                ;;
            *) result+=%$letter ;;
        esac
    done
    printf '%s' "$result$rest"
}

# Absolute, so that it means the same in the job. A relative name starts in the folder of submission.
absolute_pattern() { # PATTERN
    local folder=$PWD
    [[ $1 == /* ]] && printf '%s' "$1" && return
    case $kind in
        slurm) folder=${SLURM_SUBMIT_DIR:-$PWD} ;;
        pbs) folder=${PBS_O_WORKDIR:-$PWD} ;;
        lsf) folder=${LS_SUBCWD:-$PWD} ;;
    esac
    printf '%s/%s' "${folder//%/%%}" "$1"
}

# Whether a pattern has one of the letters as placeholder.
has() { # PATTERN LETTERS
    [[ ${1//%%/} == *%[$2]* ]]
}

# What the user forgot: two elements of an array, or two lives of a job, must not have the same folder.
guarded_pattern() { # PATTERN
    local pattern=$1 step='' letters=aJ
    [[ $kind != slurm ]] || letters=aJj
    # The number of the step stays last.
    if [[ $pattern == *.%s ]]; then
        step=.%s
        pattern=${pattern%.%s}
    fi
    if [[ -n $index ]] && ! has "$1" "$letters"; then
        pattern+=_%a
    fi
    if [[ ${restarts:-0} -gt 0 ]] && ! has "$1" r; then
        pattern+=-r%r
    fi
    printf '%s' "$pattern$step"
}

# Makes `pattern` complete. Inside a script that is traced already, the script's is the default.
choose_pattern() {
    if [[ -z $pattern && -n ${OMPTAPE_BATCH_COMPLETE:-} ]]; then
        pattern=$OMPTAPE_BATCH_PATTERN
        return
    fi
    pattern=$(absolute_pattern "${pattern:-$default_pattern}")
    [[ -z $kind ]] || pattern=$(expand "$(guarded_pattern "$pattern")")
}

is_taken() { # FOLDER
    [[ -e $1 && -n $(ls -A -- "$1" 2>/dev/null) ]]
}

# PBS and LSF do not count how often they ran a job: it has run before if its folder is there.
count_restarts() { # PATTERN
    restarts=${restarts:-0}
    while [[ $kind != slurm ]] && is_taken "$(expand "$(guarded_pattern "$1")" batch)"; do
        restarts=$((restarts + 1))
    done
}

warn_of_local_disk() { # FOLDER
    local folder=$1 type
    [[ $nodes -gt 1 ]] || return 0
    while [[ ! -d $folder ]]; do folder=$(dirname -- "$folder"); done
    type=$(stat -f -c %T -- "$folder" 2>/dev/null || true)
    case $type in
        tmpfs | ramfs | ext2/ext3 | xfs | btrfs | overlayfs)
            warn "$folder is of type $type on this node; the job's $nodes nodes must share it, or each keeps its own part"
            ;;
    esac
}
