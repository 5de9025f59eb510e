#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# omptape-batch without a batch system: what it submits (to commands that only write down what they got), names made of
# the environments of PBS, LSF and Slurm, and the submitted scripts run in them. Usage: test_batch_texts.sh BUILD_DIR
# RUNTIMES_DIR; exit 77: nothing to compile with.
set -u
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_ticker

# The commands of the batch systems: arguments one a line to `arguments`, the script (last argument that is a file of
# that name, or standard input) to `script`, its name to `title`.
mkdir commands
cat >commands/sbatch <<'END'
#!/bin/bash
printf '%s\n' "$@" >arguments
: >title
for word in "$@"; do
    [[ -f $word && $word == */omptape-batch.*/* ]] || continue
    cp "$word" script
    echo "${word##*/}" >title
    echo "submitted"
    exit 0
done
cat >script
echo "submitted"
END
chmod +x commands/sbatch
cp commands/sbatch commands/qsub
cp commands/sbatch commands/bsub
export PATH=$work/commands:$build/bin:$PATH

submit() { # ARGUMENTS...
    rm -f script arguments title
    "$batch" "$@" >out 2>err || fail "$* gave $?: $(cat err)"
    says out submitted
}

arguments() { # EXPECTED...
    [[ $(sed 's,/[^ ]*/omptape-batch\.[^/]*/,SENT/,' arguments) == "$(printf '%s\n' "$@")" ]] ||
        fail "passed on: $(paste -sd '|' arguments); expected: $*"
}

# Runs the submitted script as a batch system does: elsewhere, with little more than its variables.
run_submitted() { # EXPECTED_CODE NAME=VALUE... [-- ARGUMENTS...]
    local expected=$1 code=0 variables=()
    shift
    while [[ $# -gt 0 && $1 != -- ]]; do
        variables+=("$1")
        shift
    done
    [[ $# -eq 0 ]] || shift
    mkdir -p spool
    cp script spool/123.SC
    chmod +x spool/123.SC
    (cd / && env -i PATH=/usr/bin:/bin HOME="$work" OMP_NUM_THREADS=2 "${variables[@]}" "$work/spool/123.SC" "$@") \
        >out 2>err || code=$?
    [[ $code -eq $expected ]] || fail "the job gave $code, not $expected: $(cat out err)"
}

# nothing_but NAME...: the folders of archives.
nothing_but() {
    local seen
    seen=$(find . -maxdepth 1 -name '*omptape-*' ! -name '.*-r' -printf '%f\n' | sort | paste -sd ' ')
    [[ $seen == "$*" ]] || fail "folders: $seen; expected: $*"
}

echo "texts about itself"
"$batch" --help >out || fail "--help fails"
says out --dry-run
[[ $(wc -L <out) -le 120 ]] || fail "--help has long lines"
"$batch" --version >out && says out "omptape "
for bad in "" --nonsense -o "--grace=soon true"; do
    # shellcheck disable=SC2086
    "$batch" $bad >out 2>err
    [[ $? -eq 2 && $(wc -l <err) -eq 1 ]] || fail "\"$bad\" is no usage error: $(cat err)"
done

echo "report: an array, whose jobs do a part each"
submit --tasks 3 report --json 'a b.json' traces
arguments --job-name=omptape-report --array=0-2 --output=omptape-report-%A.out --open-mode=append \
    "--wrap=exec $(readlink -f "$build/bin/omptape") report --part \"\$SLURM_ARRAY_TASK_ID/3\" --json 'a b.json' traces"
echo "scale: an array, a run a job"
"$batch" --dry-run scale --threads 1,2 --ranks=2,4 --repeat 2 -- srun -n '{ranks}' './a b' >out || fail "scale fails"
says out "--array=0-7%1 --cpus-per-task=2 --ntasks=4 --output=omptape-scale-%A.out"
says out "/omptape-scale-srun"
for bad in scale "scale -- a" "scale --threads 1,x -- a" "scale --ranks 1,2 -- a" "scale --threads 1 --repeat 17 -- a"; do
    # shellcheck disable=SC2086
    "$batch" $bad >out 2>err
    [[ $? -eq 2 && $(wc -l <err) -eq 1 ]] || fail "\"$bad\" is no usage error: $(cat err)"
done
for bad in report "--tasks=0 report traces"; do
    # shellcheck disable=SC2086
    "$batch" $bad >out 2>err
    [[ $? -eq 2 && $(wc -l <err) -eq 1 ]] || fail "\"$bad\" is no usage error: $(cat err)"
done

cat >job.sh <<'END'
#!/bin/bash
#SBATCH --time=10

  # a comment
#SBATCH -J inner
#PBS -l select=1
#PBS -S /bin/bash
#BSUB -n 2
cd "${PBS_O_WORKDIR:-${LS_SUBCWD:-$SLURM_SUBMIT_DIR}}" || exit 1
#SBATCH --too-late
cat <<'END_OF_JOB_SCRIPT'
here: $HOME
END_OF_JOB_SCRIPT
echo "arguments: $*, events: ${OMPTAPE_EVENTS:-all}"
./ticker 0.05
./ticker 0.05
exit 9
END

echo "sbatch: options pass through, the script is found"
submit sbatch -vN 2 -J job.sh -p job.sh --exclusive --mem 1G --parsable -vt5 job.sh a 'b c'
arguments -vN 2 -J job.sh -p job.sh --exclusive --mem 1G --parsable -vt5 SENT/job.sh a 'b c'
[[ $(cat title) == job.sh ]] || fail "the job's name would be $(cat title)"
[[ $(sed -n 1p script) == '#!/bin/bash' && $(sed -n 2p script) == '#SBATCH --time=10' ]] || fail "the head is $(head -n 3 script)"
[[ $(grep -n 'SBATCH -J inner' script | head -n 1 | cut -d: -f1) -lt $(grep -n '^export' script | head -n 1 | cut -d: -f1) ]] ||
    fail "a directive comes after the first command"
[[ $(grep -c too-late script) -eq 1 ]] || fail "a line that is no directive became one"
grep -q '^#PBS -S' <(sed '/^exec/q' script) && fail "the shell of PBS is not the wrapper's"
submit --grace 60 sbatch job.sh
arguments --signal=B:TERM@60 SENT/job.sh
submit --grace 60 sbatch --signal=USR1@10 job.sh
arguments --signal=USR1@10 SENT/job.sh
submit sbatch --wrap 'echo hello' -n1
arguments -n1 SENT/wrap
says script 'echo hello'
submit sbatch -n1 <job.sh
arguments -n1
"$batch" sbatch nonesuch.sh >out 2>err
[[ $? -eq 2 ]] || fail "a script that is not there: $(cat err)"
says err "cannot read the job script nonesuch.sh"
"$batch" -n sbatch -n4 job.sh x >out || fail "--dry-run fails"
says out "sbatch -n4 job.sh x"
says out "#SBATCH --time=10"
says out "$work/omptape-%x-%J.%s"

echo "the epilog of tasks, which costs a second each, where they are few"
epilog() { # EXPECTED_LINES TASKS_OF_JOB ARGUMENTS...
    local expected=$1 tasks=$2
    shift 2
    SLURM_TASKS_PER_NODE=$tasks "$batch" -n srun "$@" ./app >out || fail "--dry-run of srun fails"
    [[ $(grep -c "SLURM_TASK_EPILOG=" out) -eq $expected ]] || fail "epilog for $tasks tasks, $*: $(cat out)"
}
epilog 1 ''
epilog 1 '4(x3)'
epilog 0 '2(x3),16'
epilog 1 '16' -n 4
epilog 0 '' --ntasks=5
epilog 0 '2' -n64
env SLURM_TASK_EPILOG=/own "$batch" -n srun -n 64 ./app >out || fail "--dry-run of srun fails"
grep -q SLURM_TASK_EPILOG=/own out || fail "the user's own epilog: $(cat out)"

echo "the script of a job of Slurm, with what its environment says"
OMPTAPE_EVENTS=parallel submit sbatch -N1 job.sh
slurm=(SLURM_JOB_ID=77 SLURM_JOB_NAME="a/b c" SLURM_SUBMIT_DIR="$work" SLURM_JOB_NUM_NODES=1)
run_submitted 9 "${slurm[@]}" -- one two
# shellcheck disable=SC2016 # as in the script
says out 'here: $HOME'
says out 'arguments: one two, events: parallel'
archives omptape-a_b_c-77.batch 2 finalize
run_submitted 9 "${slurm[@]}" SLURM_RESTART_COUNT=2
archives omptape-a_b_c-77-r2.batch 2 finalize
run_submitted 9 "${slurm[@]}" SLURM_JOB_ID=79 SLURM_ARRAY_JOB_ID=78 SLURM_ARRAY_TASK_ID=5
archives omptape-a_b_c-78_5.batch 2 finalize
nothing_but omptape-a_b_c-77-r2.batch omptape-a_b_c-77.batch omptape-a_b_c-78_5.batch
rm -rf omptape-*
sed -i 's,^omptape_batch=.*,omptape_batch=/nonesuch/omptape-batch,' script
run_submitted 9 "${slurm[@]}" -- one two
says out 'arguments: one two'
says err 'the job runs untraced'
nothing_but

echo "PBS"
OMPTAPE_EVENTS=parallel submit qsub -l select=1:ncpus=2 -N name -V job.sh
arguments -l select=1:ncpus=2 -N name -V SENT/job.sh
pbs=(PBS_ENVIRONMENT=PBS_BATCH PBS_JOBNAME=name PBS_O_WORKDIR="$work" PBS_O_SHELL=/bin/sh PBS_QUEUE=q)
run_submitted 9 "${pbs[@]}" PBS_JOBID=123.server.domain
says out 'events: parallel'
archives omptape-name-123.batch 2 finalize
run_submitted 9 "${pbs[@]}" PBS_JOBID=123.server.domain # it was requeued
archives omptape-name-123-r1.batch 2 finalize
run_submitted 9 "${pbs[@]}" 'PBS_JOBID=124[7].server' PBS_ARRAY_INDEX=7 'PBS_ARRAY_ID=124[].server'
archives omptape-name-124_7.batch 2 finalize
run_submitted 9 "${pbs[@]}" PBS_JOBID=125-8.server PBS_ARRAYID=8 # an old Torque
archives omptape-name-125_8.batch 2 finalize
nothing_but omptape-name-123-r1.batch omptape-name-123.batch omptape-name-124_7.batch omptape-name-125_8.batch
rm -rf omptape-*
submit -o own qsub -S /usr/bin/python3 <<'END'
import subprocess
subprocess.run(["./ticker", "0.05"], cwd=__import__("os").environ["PBS_O_WORKDIR"])
END
run_submitted 0 "${pbs[@]}" PBS_JOBID=126.server
run_submitted 0 "${pbs[@]}" 'PBS_JOBID=127[1].server' PBS_ARRAY_INDEX=1
archives own.batch 1 finalize
archives own_1.batch 1 finalize
submit qsub -lselect=1 -- ./ticker 1
arguments -lselect=1 -- "$build/bin/omptape-batch" -o "$work/omptape-%x-%J.%s" ./ticker 1
rm -rf own*

echo "LSF"
submit bsub -n 2 -J 'name[3-4]' -W 10 <job.sh
arguments -n 2 -J 'name[3-4]' -W 10
says script '#BSUB -n 2'
lsf=(LSB_JOBID=555 LSB_JOBNAME='name[3-4]' LS_SUBCWD="$work" LSB_QUEUE=normal LSB_HOSTS="a a" LSB_BATCH_JID='555[3]')
run_submitted 9 "${lsf[@]}" LSB_JOBINDEX=3
archives omptape-name-555_3.batch 2 finalize
run_submitted 9 "${lsf[@]}" LSB_JOBINDEX=0 LSB_JOBID=556 LSB_JOBNAME=plain
archives omptape-plain-556.batch 2 finalize
submit bsub -n 2 -x -Is ./ticker 0.05
arguments -n 2 -x -Is "$build/bin/omptape-batch" -o "$work/omptape-%x-%J.%s" ./ticker 0.05
(cd / && env LSB_JOBID=557 LSB_JOBINDEX=0 LSB_JOBNAME=p LS_SUBCWD="$work" "$batch" "$work/ticker" 0.05) 2>err || fail "$(cat err)"
(cd / && env LSB_JOBID=557 LSB_JOBINDEX=0 LSB_JOBNAME=p LS_SUBCWD="$work" "$batch" "$work/ticker" 0.05) 2>err || fail "$(cat err)"
archives omptape-p-557.run1 1 finalize
archives omptape-p-557.run2 1 finalize
nothing_but omptape-name-555_3.batch omptape-p-557.run1 omptape-p-557.run2 omptape-plain-556.batch
rm -rf omptape-*

echo "the job's last act puts its ranks together"
mkdir -p other/bin other/libexec
cp "$build/bin/omptape-batch" other/bin/
ln -s "$build/libexec/omptape" other/libexec/omptape
cat >other/bin/omptape <<END
#!/bin/bash
case \$1 in
    --help) echo "  omptape unify DIR" ;;
    unify) echo "\$2" >>$work/unified ;;
    *) exec $build/bin/omptape "\$@" ;;
esac
END
chmod +x other/bin/omptape
other/bin/omptape-batch sbatch job.sh >out 2>err || fail "sbatch: $(cat err)"
run_submitted 9 "${slurm[@]}"
[[ $(cat unified 2>&1) == "$work/omptape-a_b_c-77.batch" ]] || fail "unify was asked for: $(cat unified 2>&1)"
rm -rf omptape-*

echo "names"
name_of() { # EXPECTED PATTERN NAME=VALUE...
    local expected=$1 pattern=$2 said
    shift 2
    said=$(env "$@" "$batch" -n -o "$pattern" ./ticker 2>&1)
    [[ $said == *" -o $expected ./ticker" ]] || fail "$pattern with $* is $said, not $expected"
}
values=(SLURM_JOB_ID=12 SLURM_JOB_NAME=n SLURM_SUBMIT_DIR=/s)
name_of /s/n-12-run1 '%x-%j-%s' "${values[@]}"
name_of /abs/100%/12 '/abs/100%%/%j' "${values[@]}"
name_of /s/d_4 d "${values[@]}" SLURM_ARRAY_JOB_ID=11 SLURM_ARRAY_TASK_ID=4
name_of /s/d-11-4 'd-%A-%a' "${values[@]}" SLURM_ARRAY_JOB_ID=11 SLURM_ARRAY_TASK_ID=4
name_of /s/d-r3 d "${values[@]}" SLURM_RESTART_COUNT=3
name_of /s/3/d 3/d "${values[@]}" SLURM_RESTART_COUNT=0
name_of /s/9/d '%j/d' "${values[@]}" SLURM_HET_JOB_ID=9
name_of '/s%%x/d' d PBS_JOBID=5.s PBS_O_WORKDIR=/s%%x
OMPTAPE_OUTPUT=from-variable "$batch" -n ./ticker >out
says out from-variable
"$batch" -n ./ticker >out # outside of any job the name is omptape's business
[[ $(cat out) == "$build/bin/omptape ./ticker" ]] || fail "outside of a job: $(cat out)"

finish
