#!/bin/bash
# End-to-end tests of the omptape command: exit codes, signals, messages, folders, the summary.
# Usage: test_command.sh BUILD_DIR. Programs here need no OpenMP, but for the last part; a script named omptape-writer
# plays the writer where its timing or its words matter.
set -u

build=$(cd "${1:?usage: test_command.sh BUILD_DIR}" && pwd)
omptape=$build/bin/omptape
[ -x "$omptape" ] || { echo "$omptape is not built" >&2; exit 1; }
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for variable in $(compgen -v OMPTAPE_); do unset "$variable"; done
unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES

fail() {
    echo "FAILED: $*" >&2
    if [ -s err ]; then sed 's/^/    stderr: /' err >&2; fi
    failures=$((failures + 1))
}

# run EXPECTED_CODE COMMAND...: stdout in `out`, stderr in `err`.
run() {
    local expected=$1 code
    shift
    "$@" >out 2>err
    code=$?
    [ "$code" -eq "$expected" ] || fail "$* gave exit code $code, not $expected"
}

says() { grep -qF -- "$1" err || fail "stderr does not say: $1"; }
prints() { grep -qF -- "$1" out || fail "stdout does not say: $1"; }
lines() { [ "$(wc -l <err)" -eq "$1" ] || fail "stderr has $(wc -l <err) lines, not $1"; }
is_file() { [ -e "$1" ] || fail "$1 is missing"; }
is_gone() { [ ! -e "$1" ] || fail "$1 should not be there"; }

# wait_for FILE: until it exists and is not empty, a minute at most.
wait_for() {
    for _ in $(seq 1200); do
        [ -s "$1" ] && return
        sleep 0.05 # between two looks
    done
    fail "$1 never came"
}

echo "texts about itself"
run 0 "$omptape" --help
[ "$(wc -l <out)" -le 25 ] || fail "--help has $(wc -l <out) lines"
[ "$(wc -L <out)" -le 80 ] || fail "--help has a line of $(wc -L <out) columns"
for option in --output --force --events --filter --limit-per-site --start --buffer-size --quiet --help --version; do
    prints "$option"
done
run 0 "$omptape" -h
run 0 "$omptape" --version
grep -qE '^omptape [0-9]+\.[0-9]+' out || fail "--version prints $(cat out)"
run 0 "$omptape" --events=help
for group in all none thread parallel task work sync wait mutex target; do prints "  $group "; done
run 0 "$omptape" --filter=help
prints "create task"
run 0 "$omptape" --man
prints ".SH OPTIONS"
prints ".SH EVENT GROUPS"
prints "OMPTAPE_BUFFER_SIZE"
for words in --help --version --man "report --help" "info --completions"; do
    code=0
    # shellcheck disable=SC2086
    "$omptape" $words >/dev/full 2>err || code=$?
    [ "$code" = 2 ] || fail "$words: on a full disk the exit code is $code"
    grep -qx "omptape: cannot write the output: the disk is full" err || fail "$words says $(cat err)"
done

echo "rules in a file"
printf -- '-critical\n' >rules.txt
run 0 "$omptape" -q --filter=-for,@rules.txt env
prints "OMPTAPE_FILTER=-for,@$(realpath rules.txt)"

echo "exit codes"
run 0 "$omptape" -q true
run 1 "$omptape" -q false
run 42 "$omptape" -q sh -c 'exit 42'
run 255 "$omptape" -q sh -c 'exit 255'
for signal in SEGV:139 KILL:137 TERM:143 ABRT:134 INT:130 USR1:138; do
    # shellcheck disable=SC2016
    run "${signal#*:}" "$omptape" -q sh -c 'kill -'"${signal%:*}"' $$'
done
run 127 env PATH= "$omptape" nonesuch-program

echo "the program's own"
run 0 "$omptape" -q sh -c 'printf "%s|" "$@"' name --help -q 'a b' ''
prints '--help|-q|a b||'
run 0 "$omptape" -q sh -c 'cat; echo error >&2' <<<'through stdin'
prints 'through stdin'
says 'error'
lines 1
mkdir path
printf '#!/bin/sh\necho "program info: $*"\n' >path/info
chmod +x path/info
run 0 env PATH="$work/path:$PATH" "$omptape" -q -- info x
prints 'program info: x'

# The same state with and without omptape: descriptors, signals, process group, session, terminal.
cat >state.py <<'END'
import os, signal
print(sorted(os.listdir("/proc/self/fd")))
print([line for line in open("/proc/self/status") if line.startswith(("SigIgn", "SigBlk", "SigCgt", "Threads"))])
fields = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
print("group, session, terminal", fields[2:5], "nice", os.nice(0), "umask", os.umask(0), "cwd", os.getcwd())
END
cat >masked.py <<'END'
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR2, signal.SIGCHLD})
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
END
python=/usr/bin/python3
for before in "" "$python masked.py" "nohup"; do
    # shellcheck disable=SC2086
    $before "$python" state.py >bare.state 2>/dev/null </dev/null
    # shellcheck disable=SC2086
    $before "$omptape" -q "$python" state.py >traced.state 2>err </dev/null
    cmp -s bare.state traced.state || fail "the program sees a difference ($before): $(diff bare.state traced.state)"
done

# A closed descriptor stays closed, and the report does not get its number.
"$python" state.py >bare.state <&- 2>&-
"$omptape" "$python" state.py >traced.state <&- 2>&-
cmp -s bare.state traced.state || fail "closed descriptors: $(diff bare.state traced.state)"

# shellcheck disable=SC2016
run 0 "$omptape" -q --buffer-size=2M --events=task --force sh -c 'env; true'
prints OMPTAPE_BUFFER_SIZE=2M
prints OMPTAPE_EVENTS=task
prints OMPTAPE_FORCE=1
prints OMPTAPE_QUIET=1
prints LD_PRELOAD="$(realpath "$build")/lib/libomptape.so"
prints "OMPTAPE_OUTPUT=$PWD/omptape-sh-"
[ -z "$(find . -maxdepth 1 -name 'omptape-sh-*')" ] || fail "a folder was left for nothing"
cp "$build/lib/libomptape.so" second.so
run 0 env LD_PRELOAD="$work/second.so" "$omptape" -q env
prints "/lib/libomptape.so:$work/second.so"

echo "quiet"
run 0 "$omptape" -q true
lines 0
run 0 env OMPTAPE_QUIET=1 "$omptape" true
lines 0
run 0 "$omptape" true
says "has neither MPI nor an OpenMP runtime among its libraries"
lines 1
run 0 env OMP_TOOL=disabled "$omptape" true
says "OMP_TOOL=disabled"

echo "signals to omptape alone are passed on, once"
cat >catcher.sh <<'END'
#!/bin/bash
count=0
trap 'count=$((count + 1)); echo "$count" >caught' TERM HUP USR1 ALRM XCPU RTMIN+5
echo ready >ready
until [ -e finish ]; do sleep 0.05; done
exit $((60 + count))
END
chmod +x catcher.sh
for signal in TERM HUP USR1 ALRM XCPU RTMIN+5; do
    rm -f ready caught finish
    "$omptape" -q ./catcher.sh &
    pid=$!
    wait_for ready
    kill -$signal $pid
    wait_for caught
    sleep 0.3 # in which it would come once more
    echo >finish
    wait $pid
    code=$?
    [ $code -eq 61 ] || fail "SIG$signal to omptape gave $code, not 61"
done
rm -f ready
"$omptape" -q sh -c 'echo >ready; exec sleep 20' 2>err &
pid=$!
wait_for ready
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 143 ] || fail "SIGTERM to omptape gave $code, not 143"

run 142 perl -e 'alarm 1; exec @ARGV' "$omptape" -q sleep 20

echo "the terminal's signals reach the program once, and omptape survives them"
cat >terminal.py <<'END'
import os, pty, signal, sys, time
program = """
import os, signal, time
caught = []
signal.signal(signal.SIGINT, lambda *_: (caught.append(1), print("interrupted", flush=True)))
signal.signal(signal.SIGQUIT, lambda *_: (caught.append(3), print("quit", flush=True)))
print("ready", flush=True)
end = time.time() + 10
while time.time() < end and not os.path.exists("go"):
    time.sleep(0.02)
print("caught", caught, flush=True)
raise SystemExit(17)
"""
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "-q", sys.executable, "-c", program])
seen = b""
def read_until(word):
    global seen
    while word not in seen:
        seen += os.read(terminal, 1000)
read_until(b"ready")
os.write(terminal, b"\x03")
read_until(b"interrupted")
os.write(terminal, b"\x1c")
read_until(b"quit")
time.sleep(0.3)  # in which they would come once more
open("go", "w").close()
read_until(b"]")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert b"caught [1, 3]" in seen, seen
assert code == 17, code
END
$python terminal.py "$omptape" 2>err || fail "terminal.py"

echo "the output folder"
run 0 "$omptape" -o fresh true
lines 1
is_gone fresh # it held nothing
mkdir kept
run 0 "$omptape" -q -o kept true
is_file kept
# shellcheck disable=SC2016
run 0 "$omptape" -q -o deep/er/path/ sh -c 'echo "$OMPTAPE_OUTPUT $OMPTAPE_RUN"; ls -d deep/er/path'
prints "$work/deep/er/path "
grep -qE '^[^ ]+ [^ ]+$' out || fail "OMPTAPE_RUN is not set"
# shellcheck disable=SC2016
run 0 env OMPTAPE_OUTPUT=byvariable "$omptape" -q sh -c 'echo "$OMPTAPE_OUTPUT"'
prints "$work/byvariable"
mkdir old
touch old/traces.otf2
# shellcheck disable=SC2016
run 0 "$omptape" -o old/ sh -c 'echo "$OMPTAPE_OUTPUT"; touch "$OMPTAPE_OUTPUT/traces.otf2"'
says "old holds an archive; writing to old-2 (--force replaces it)"
prints "$work/old-2"
mkdir here
touch here/traces.otf2
# shellcheck disable=SC2016
run 0 sh -c 'cd here && exec "$0" -o . sh -c "echo \$OMPTAPE_OUTPUT"' "$omptape"
says "$work/here holds an archive; writing to $work/here-2 (--force replaces it)"
prints "$work/here-2"
# shellcheck disable=SC2016
run 0 "$omptape" -q -o old sh -c 'echo "$OMPTAPE_OUTPUT"'
lines 0
prints "$work/old-3"
# --force: the old archive goes when a new one came, else it stays.
mkdir old/traces
echo events >old/traces/0.evt
echo mine >old/notes
# shellcheck disable=SC2016
run 0 "$omptape" -q --force -o old sh -c 'echo "$OMPTAPE_OUTPUT"; ls old'
prints "$work/old"
if grep -q trace out; then fail "the old archive is in the way of the new one"; fi
[ "$(cat old/traces/0.evt)" = events ] || fail "an archive that nothing replaced is lost"
is_file old/traces.otf2
run 0 "$omptape" -q --force -o old sh -c 'echo new >old/traces.otf2'
[ "$(cat old/traces.otf2)" = new ] || fail "the old archive replaced the new one"
is_gone old/traces
is_file old/notes
[ -z "$(find old -name '.omptape*')" ] || fail "something of the old archive was left: $(find old)"
mkdir -p others/traces
echo precious >others/traces/source.c
run 0 "$omptape" --force -o others sh -c 'touch others-2/traces.otf2'
says 'others holds an archive; writing to others-2 (its folder "traces" holds other files too)'
is_file others/traces/source.c
touch blocked
# shellcheck disable=SC2016
run 5 "$omptape" -o blocked sh -c 'echo "ran with ${LD_PRELOAD:-no preload}"; exit 5'
prints "ran with no preload"
# An omptape inside an omptape shares the outer one's folder.
# shellcheck disable=SC2016
run 0 "$omptape" -q -o outer sh -c "touch outer/traces.otf2; $omptape"' -q sh -c '"'"'echo $OMPTAPE_OUTPUT'"'"
prints "$work/outer"
if grep -q outer-2 out; then fail "the inner omptape took a folder of its own"; fi

echo "writers are waited for, what else the program left is not"
cat >omptape-writer <<'END'
#!/bin/bash
# Arguments: for how many seconds it writes, pid of the program, what to report.
: >begun
sleep "$1"
state=$(sed 's/.*) //; s/ .*//' "/proc/$2/stat" 2>/dev/null)
echo "${state:-gone}" >state
printf '%b' "$3" >>"$OMPTAPE_REPORT_FILE"
END
chmod +x omptape-writer
mkdir -p archive/traces
head -c 1000 /dev/zero >archive/traces.otf2
head -c 2000 /dev/zero >archive/traces.def
head -c 50000 /dev/zero >archive/traces/0.evt
common="program=/x/app\npid=12\n"
whole="trace=$work/archive/traces.otf2\n${common}end=finalize\nevents=1234567\nthreads=4\nduration=2000000000\n"
whole+="dropped=0\nsynthesised=0\ntime_lived=8000000000\ntime_computing=4000000000\ntime_serial=2200000000\n"
whole+="time_barrier=1000000000\ntime_task_wait=791600000\ntime_lock=8000000\ntime_target=400000\n"
whole+="begin=9000000000\nunheard_of=1\nnonsense\n\n"
# start_writer SECONDS REPORT: as a shell command for the traced program, which goes on when the writer has begun, as with
# the real one; the writer becomes an orphan.
start_writer() {
    printf 'rm -f begun; (setsid ./omptape-writer %s $$ "%s" &); while [ ! -e begun ]; do sleep 0.01; done' "$1" "$2"
}

run 4 "$omptape" sh -c "$(start_writer 0.5 "$whole"); exit 4"
is_file state
[ "$(cat state)" = Z ] || fail "the program was reaped before its writer ended: $(cat state)"
says "1,234,567 events of 4 threads in 2.00 s, 51.8 KiB on disk"
says "thread time: computing 50.0 %, serial 27.5 %, barrier 12.5 %, task wait 9.9 %, lock 0.1 %; 3.1 threads at work on average"
says "omptape: ${omptape#"$PWD/"} report archive" # can be pasted
says "omptape: vampir archive/traces.otf2"
lines 4
cp -r archive -- -q # it looks like an option
run 4 "$omptape" sh -c "$(start_writer 0.2 "${whole/archive/-q}"); exit 4"
says "omptape report ./-q"
says "omptape: vampir ./-q/traces.otf2"
devices="${whole%"nonsense"*}device_kernels=1\ndevice_transfers=2000\ndevice_bytes=3145728\nwarning=a\nwarning=b\n\n"
run 4 "$omptape" sh -c "$(start_writer 0.2 "$devices"); exit 4"
says "omptape: devices: 1 kernel, 2,000 transfers of 3.0 MiB"
says "omptape: warning: a"
says "omptape: warning: b"
lines 7
run 4 "$omptape" -q sh -c "$(start_writer 0.2 "$whole"); exit 4"
lines 0
run 137 "$omptape" sh -c "$(start_writer 0.2 "$whole"); kill -KILL \$\$"
says "1,234,567 events"

SECONDS=0
run 0 "$omptape" -q sh -c '(setsid sleep 90 >/dev/null 2>&1 &)'
[ $SECONDS -lt 60 ] || fail "omptape waited for a daemon"
# Zombies that are nobody's are reaped while the program runs.
cat >zombies.sh <<'END'
for _ in 1 2 3 4 5; do (sleep 0.05 &) ; done
sleep 0.5 # then they have ended, and most were reaped
for _ in $(seq 100); do
    grep -q '^State.*Z' $(grep -l "^PPid:.$PPID$" /proc/[0-9]*/status 2>/dev/null) /dev/null || exit 0
    sleep 0.1 # between two looks
done
exit 1
END
run 0 "$omptape" -q sh zombies.sh

# A signal during the wait for a writer ends the wait, but not at once: the program's own may come late.
rm -f state
"$omptape" sh -c "$(start_writer 60 "$whole")" >/dev/null 2>err & # longer than what follows takes on a busy machine
pid=$!
for _ in $(seq 1200); do
    grep -q '^State.*Z' $(grep -ls "^PPid:.$pid$" /proc/[0-9]*/status) /dev/null && break
    sleep 0.05 # between two looks
done
sleep 0.3 # then omptape knows that the program has ended, and waits
kill -TERM $pid
sleep 1.2 # "not at once" is a second
[ -d /proc/$pid ] || fail "omptape left its writer at the first signal"
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 0 ] || fail "the exit code after an interrupted wait is $code"
says "interrupted"
is_gone state

echo "what the summary says"
troubled="trace=$work/archive/traces.otf2\n${common}end=signal 9\nevents=1\nthreads=1\nduration=1500\ndropped=12\n"
troubled+="stalled=2500000\nsynthesised=1\nwarning=no symbols\nwarning=no clock\nwarning=third\nwarning=fourth\n\n"
run 0 "$omptape" sh -c "$(start_writer 0 "$troubled")"
says "1 event of 1 thread in 1.50 us"
says "end: signal 9 (Killed)"
says "12 records lost"
says "threads waited 2.50 ms"
says "1 construct was still open when the program ended, or the end was lost: omptape added it"
says "warning: no symbols"
says "2 more warnings"
[ "$(wc -l <err)" -le 12 ] || fail "the summary has more than a dozen lines"

failed="error=the disk is full\n${common}\n"
run 0 "$omptape" -q sh -c "$(start_writer 0 "$failed")"
says "no archive of app: the disk is full"
lines 1

many="$whole$troubled$failed"
for _ in 1 2 3 4 5 6 7 8 9; do many+=$whole; done
run 0 "$omptape" sh -c "$(start_writer 0 "$many")"
says "11 archives, 12,345,671 events of 41 threads"
says "no archive of app: the disk is full"
says "app (12): 1,234,567 events, 4 threads, 2.00 s: vampir archive/traces.otf2"
says "and 5 smaller ones"
[ "$(wc -l <err)" -le 15 ] || fail "the summary of many has $(wc -l <err) lines"

says "thread time: computing 50.0 %, serial 27.5 %, barrier 12.5 %, task wait 9.9 %, lock 0.1 %; 31.0 threads at work on average"
ranks=
for rank in 10 2 1; do ranks+="${whole%"unheard_of"*}rank=$rank\nevents=$rank\n\n"; done
run 0 "$omptape" sh -c "$(start_writer 0 "$ranks")"
[ "$(sed -n 's/^omptape: rank \([0-9]*\): .*/\1/p' err | tr '\n' ' ')" = "1 2 10 " ] ||
    fail "ranks are not in their order: $(cat err)"
snapshot="trace=$work/archive/snapshot-1/traces.otf2\n${common}end=snapshot\nevents=7\n\n"
run 0 "$omptape" sh -c "$(start_writer 0 "$snapshot$whole")"
says "1,234,567 events of 4 threads"
says "omptape: snapshot: vampir archive/snapshot-1/traces.otf2"
lines 5

echo "programs built by gcc"
cat >region.c <<'END'
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("sum %d\n", sum);
    return 8;
}
END
if command -v gcc >/dev/null; then
    gcc -fopenmp region.c -o region
    run 8 "$omptape" -o traced ./region
    prints "sum 4950"
    [ -f traced/traces.otf2 ] || fail "a program that gcc compiled is not traced"
    run 8 "$omptape" -q ./region
    lines 0
    if gcc -fopenmp -c region.c -o region.o &&
        gcc region.o -Wl,-Bstatic -lgomp -Wl,-Bdynamic -lpthread -ldl -o contained 2>/dev/null; then
        run 8 "$omptape" ./contained
        says "./contained holds GNU's libgomp (linked statically), whose calls cannot be recorded"
    fi
fi

# libc's asks a name server for this host, which may answer after seconds or never.
for program in "$omptape" "${omptape%/*}/../libexec/omptape/omptape-writer"; do
    nm -D --defined-only "$program" | grep -q ' T gethostid$' || fail "$program asks libc for the host's number"
done

if [ $failures -gt 0 ]; then
    echo "$failures failed" >&2
    exit 1
fi
echo "all passed"
