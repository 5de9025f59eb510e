#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch and names that hold anything: quotes, line breaks, control characters, what a shell would run. All that it
# writes for a shell is read by dash, bash and busybox. No batch system is needed. Usage: test_batch_names.sh BUILD_DIR
# RUNTIMES_DIR; exit 77: a shell is missing.
set -u
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=../../scripts/batch/words.sh
source "$here/../../scripts/batch/words.sh"

command -v dash >/dev/null && command -v busybox >/dev/null || skip "no dash or no busybox"
shells=("dash" "bash" "bash --posix" "busybox sh")

# shellcheck disable=SC2016 # nothing of it is to be expanded
hostile=("" " " "it's" "'" "''" "a'\$(touch run)'b" '$(touch run)' '`touch run`' '${IFS}' '"; touch run; "' "'; touch run; '"
    $'\'\ntouch run\n\'' $'a\nb' $'\n' $'end\n\n' '\' '\\' "\\'" 'a\nb' '\$x' $'\ttab' $'\r' $'\e[2J' $'\x7f' '-' '-n' '--' '-e a' '--x=$(y)'
    '~' '~root' 'a=b' '*' '[a-z]' '{a,b}' '!x' '#x' '&' '|' '>run' ';' '%s' '%%' 'grün' $'\xff\xfe' $'\xc3' $'\xe2\x80\xae' "\$'a'"
    $'x\'\n#SBATCH --wrap\n' 'plain/path-1.2_3:4,5@6%7+8')
for ((code = 1; code < 256; code++)); do
    printf -v byte '%b' "\\x$(printf %02x "$code")"
    hostile+=("$byte" "a${byte}b" "-$byte'$byte")
done

# reads WORD...: what a shell made of the words that `text` on its command line holds.
read_by() { # SHELL TEXT
    # shellcheck disable=SC2086 # two words
    printf 'set -- %s\nfor word in "$@"; do printf "%%s\\0" "$word"; done\n' "$2" >text.sh
    $1 text.sh 2>&1 | od -An -tx1 -v
    [[ ! -e run ]] || fail "$1 ran what stands in a name"
    rm -f run
}

echo "each shell reads back what was quoted"
for LC_ALL in C C.UTF-8; do
    export LC_ALL
    for shell in "${shells[@]}"; do
        [[ $(read_by "$shell" "$(quote "${hostile[@]}")") == "$(printf '%s\0' "${hostile[@]}" | od -An -tx1 -v)" ]] ||
            fail "$shell, $LC_ALL: other words"
        for word in "${hostile[@]:0:50}"; do
            printf '%s\nprintf %%s. "$value"\n' "$(quote_assignment value "$word")" >text.sh
            # shellcheck disable=SC2086 # two words
            [[ $($shell text.sh 2>&1) == "$word." ]] || fail "$shell, $LC_ALL: $(one_line "$word") is assigned otherwise"
        done
    done
    for word in $'\n' $'a\r' $'\x1b' $'\x7f' $'\xff\n'; do
        ! is_one_line "$word" || fail "$LC_ALL: $(quote "$word") passes as a line"
    done
    for word in "" 'a b' 'grün' $'\xff' "'"; do
        is_one_line "$word" || fail "$LC_ALL: $word does not pass as a line"
    done
done
unset LC_ALL

# A batch system that writes down what it gets, and an omptape that says what it was given.
mkdir -p commands other/bin other/libexec
cat >commands/sbatch <<'END'
#!/bin/bash
for word in "$@"; do
    [[ $word != --wrap=* ]] || printf '#!/bin/sh\n%s\n' "${word#--wrap=}" >"$SUBMITTED"
    [[ ! -f $word || $word != */omptape-batch.*/* ]] || cp "$word" "$SUBMITTED"
done
END
printf '#!/bin/bash\nprintf "%%s\\0" "$@" >>"$GIVEN"\n' >other/bin/omptape
chmod +x commands/sbatch other/bin/omptape
cp commands/sbatch commands/bsub
cp "$build/bin/omptape-batch" other/bin/
ln -s "$build/libexec/omptape" other/libexec/omptape
export PATH=$work/commands:$PATH SUBMITTED=$work/submitted GIVEN=$work/given
batch=$work/other/bin/omptape-batch

echo "report: the job's shell passes on the archive's name"
for name in "${hostile[@]:0:50}"; do
    "$batch" --tasks 3 report --json "$name" >out 2>err || fail "report $(one_line "$name"): $(cat err)"
    for shell in "${shells[@]}"; do
        rm -f given
        # shellcheck disable=SC2086 # two words
        SLURM_ARRAY_TASK_ID=2 $shell submitted >out 2>&1
        [[ $(od -An -tx1 given 2>&1) == "$(printf '%s\0' report --part 2/3 --json "$name" | od -An -tx1)" ]] ||
            fail "report $(one_line "$name") by $shell: $(cat out)"
    done
    [[ ! -e run ]] || fail "report $(one_line "$name"): its name is run"
    rm -f run
done

printf '#!/bin/sh\necho "the job is in $PWD"\n' >job.sh

# from_folder NAME COMMAND...: as it was submitted from there, with err
from_folder() {
    local folder=$work/folders/$1
    shift
    mkdir -p "$folder"
    (cd -- "$folder" && "$@") >out 2>err
}

echo "submission from such folders"
job_environment() { # what the job's script sets
    env -i PATH="$PATH" HOME="$work" TMPDIR="$work" bash -c "$(sed '/^exec 3</,$d' "$1")"$'\nprintf %s "$OMPTAPE_BATCH_PATTERN"'
}
# shellcheck disable=SC2016 # nothing of it is to be expanded
for name in "it's" '$(touch run)' '`touch run`' '-n' '~' 'a b' '\' '\n' '"; touch run; "' 'grün' $'\xff' '50%'; do
    rm -f submitted
    from_folder "$name" "$batch" sbatch "$work/job.sh" || fail "sbatch from $name: $(cat err)"
    [[ $(job_environment submitted) == "$work/folders/${name//%/%%}/omptape-%x-%J.%s" ]] ||
        fail "from $name: $(grep -a PATTERN submitted)"
    [[ ! -e run && ! -e folders/$name/run ]] || fail "from $name: it is run"
done
evil=$'x\nexport LD_PRELOAD=evil\n#SBATCH --wrap=evil'
for name in "$evil" $'x\n' $'\rx' $'x\e[2J'; do
    for command in sbatch bsub; do
        rm -f submitted
        from_folder "$name" "$batch" "$command" "$work/job.sh" && fail "$command from $(one_line "$name") is not refused"
        [[ $(wc -l <err) -eq 1 && ! -e submitted ]] || fail "$command from $(one_line "$name"): $(cat err)"
        says err "control character"
    done
done
OMPTAPE_EVENTS=$'all\n#BSUB -q evil' "$batch" sbatch "$work/job.sh" 2>err && fail "a variable of two lines is not refused"
says err "OMPTAPE_EVENTS has a control character"
"$batch" -n sbatch -J $'two\nlines' "$work/job.sh" >out || fail "--dry-run fails"
grep -qx lines out && fail "--dry-run leaves its comment"
# shellcheck disable=SC2016 # LSF's shell would
from_folder '$(touch run)' "$batch" bsub ./app && fail "bsub gives \$() to LSF's shell"
says err "LSF's shell"

echo "what a task prolog prints"
prolog() { # NAME=VALUE...
    env SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_SCRIPT_CONTEXT=prolog_task OMPTAPE_BATCH_COMPLETE=1 "$@" "$batch"
}
prolog OMPTAPE_BATCH_PATTERN="/a b/it's-%s" >out
says out "export OMPTAPE_OUTPUT=/a b/it's-0"
for variable in OMPTAPE_BATCH_PATTERN LD_PRELOAD SLURM_JOB_ID OMPTAPE_BATCH_PRELOAD; do
    prolog OMPTAPE_BATCH_PATTERN=/a/%s OMPTAPE_BATCH_PRELOAD=/lib.so "$variable=/$evil" >out
    grep -qE '^(export LD_PRELOAD=evil|#SBATCH)' out && fail "$variable makes lines of the prolog: $(cat out)"
done

echo "srun from such a folder runs untraced"
printf '#!/bin/sh\necho "srun: $* ${OMPTAPE_BATCH_PATTERN:-none}"\n' >commands/srun
chmod +x commands/srun
from_folder "$evil" env SLURM_JOB_ID=7 SLURM_SUBMIT_DIR="$work/folders/$evil" "$batch" srun ./app || fail "srun: $(cat err)"
says out "srun: ./app none"
says err "not traced: the output folder's name has a control character"
[[ $(wc -l <err) -eq 1 ]] || fail "more than a line is said: $(cat err)"

finish
