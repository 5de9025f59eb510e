# SPDX-License-Identifier: BSD-3-Clause
"""`omptape top`: what it says of a program is what the program did, however that is recorded; who may look; what happens
when either side is killed; the terminal.

    tests/run e2e.top --build BUILD --runtimes DIR told
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

from harness import Missing, main, source_of, wait_for
from harness.facts import Facts
from harness.users import PublicFolder, as_user, need_root, nobody_else

STEPS = 50
SLEEP = 0.001  # seconds, as in top.c
LEAVES = b"\x1b[?1049l"  # the terminal's other screen
LINES, COLUMNS = 24, 80


def construct(kind, word):
    """The name of the construct of top.c with this word behind it."""
    with open(source_of("e2e", "top.c"), encoding="ascii") as file:
        return f"{kind} @top.c:{1 + next(i for i, line in enumerate(file) if f'omp {kind}' in line and f'// {word}' in line)}"


class Looker:
    """`omptape top --json`, line by line."""

    def __init__(self, test, *words):
        self.process = subprocess.Popen([test.omptape, "top", "--json", "--interval", "0.2", *(str(word) for word in words)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=test.environment())

    def next(self):
        """The first process of the next line that says what happened: a busy writer may answer late."""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise ChildProcessError(f"omptape top has ended: {self.process.communicate()[1]!r}")
            process = json.loads(line)["processes"][0]
            if "now" in process:
                return process

    def until(self, condition):
        """Lines until condition(sums) of what came since holds: the last one, and the sums, with the number of lines."""
        sums = {}
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline:
            process = self.next()
            now = process["now"]
            told = [(region["region"], region["visits"]) for region in now["regions"]]
            told += [("times " + phase["region"], phase["count"]) for phase in now["phases"]]
            told += [(key, value) for key, value in now.items() if key.endswith("_s")] + [("lines", 1)]
            for key, value in told:
                sums[key] = sums.get(key, 0) + value
            if condition(sums):
                return process, sums
        raise TimeoutError(f"omptape top says only {sums}")

    def end(self):
        self.process.kill()
        self.process.communicate()


class Program:
    """top.c; `more` is omptape's environment."""

    def __init__(self, test, name, **more):
        self.test, self.name = test, name
        binary = test.compile("e2e", "top.c", flags=["-I" + source_of("..", "include", "omptape")])
        self.program = test.start(name, [binary], test.preloaded(OMPTAPE_QUIET="1", **more), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.pid = self.program.pid
        self.hear("ready")
        self.writer = test.writer(self.pid)
        claim = test.path(name, "out", ".omptape-writing")
        wait_for(f"{name}: an archive", lambda: os.path.lexists(claim))

    def hear(self, word):
        line = self.program.process.stdout.readline()
        if line != word.encode() + b"\n":
            raise ChildProcessError(f"{self.name}: {line!r} instead of {word}")

    def do(self, what):
        self.program.process.stdin.write(f"{what} {STEPS}\n".encode())
        self.program.process.stdin.flush()
        self.hear("done")

    def finish(self, thorough=True):
        """Its archive must be as if nobody had looked."""
        ended = self.test.finish(self.program)
        self.test.expect(f"{self.name}: exit code", 0, ended.code)
        archive = self.test.path(self.name, "out", "traces.otf2")
        if thorough:
            return self.test.verify_archive(self.name, archive, Facts())
        self.test.expect(f"{self.name}: check", 0, self.test.command("check", archive).returncode)
        return None


def check_steps(test, program, looker, more=0):
    """What the program does now is what the lines say; `more` visits for each line that ends within some."""
    parallel = construct("parallel", "healthy")
    program.do("healthy")
    process, sums = looker.until(lambda sums: sums.get(parallel, 0) >= 2 * STEPS)
    test.expect(f"{program.name}: visits of {sums}", True, 2 * STEPS <= sums[parallel] <= 2 * STEPS + more * sums["lines"])
    test.expect(f"{program.name}: process", (program.pid, "runs", 2), (process["pid"], process["state"], process["threads"]))
    return process, sums


def told(test):
    """A healthy, a locking and a serial part of a program that is traced."""
    program = Program(test, "told")
    looker = Looker(test, program.pid)
    looker.next()
    _, sums = check_steps(test, program, looker)
    test.expect("steps", True, STEPS <= sums["times step"] <= STEPS + 1)
    critical = construct("critical", "lock")
    program.do("lock")
    process, sums = looker.until(lambda sums: sums.get(critical, 0) >= 2 * STEPS)
    test.expect("lock: visits", 2 * STEPS, sums[critical])
    # While one thread sleeps in it the other one waits, or is about to.
    test.expect("lock: waiting", True, sums["lock_s"] > SLEEP * STEPS / 2)
    test.expect("lock: found", True, any(finding["place"] == critical for finding in process["findings"]))
    program.do("serial")
    process, _ = looker.until(lambda sums: sums.get("serial_s", 0) + sums.get("blocked_s", 0) > SLEEP * STEPS)
    whole = process["whole"]
    test.expect("whole: lock, serial", (True, True),
                (whole["lock_s"] > SLEEP * STEPS / 2, whole["serial_s"] + whole["blocked_s"] > SLEEP * STEPS))
    # It waits for its next command meanwhile: asleep, from the begin to the end of an interval.
    wait_for("an interval asleep", lambda: (lambda now: now["blocked_s"] > 0.9 * now["wall_s"])(looker.next()["now"]))
    wait_for("the function in which it sleeps", lambda: any(
        one["function"] == "main" and one["asleep"] > 0 for one in looker.next()["now"]["functions"]))
    looker.end()
    facts = program.finish()
    test.expect("parallel regions in the archive", 2 * (STEPS + 2), facts.kinds["parallel"])


def other_threads(test):
    """A thread that OpenMP does not know: its name, its state, its end. It is no thread of OpenMP's."""
    program = Program(test, "other")
    looker = Looker(test, program.pid)
    helper = lambda: next((one for one in looker.next()["now"]["other_threads"] if one["name"] == "helper"), None)
    test.expect("before", None, helper())
    program.do("helper")
    asleep = wait_for("it asleep", lambda: (lambda one: one and one["blocked_s"] > 0 and one["computing_s"] == 0 and one)(helper()))
    test.expect("a thread of its own", True, os.path.exists(f"/proc/{program.pid}/task/{asleep['tid']}"))
    program.do("busy")
    wait_for("it busy", lambda: helper()["computing_s"] > 0)
    done = test.command("top", "--once", program.pid)
    test.expect("as text", True, bool(re.search(r"^others +1 thread that OpenMP does not know: ", done.stdout, re.M)))
    program.do("rest")
    wait_for("it asleep again", lambda: (lambda one: one["blocked_s"] > 0 and one["computing_s"] == 0)(helper()))
    program.do("join")
    wait_for("its end", lambda: helper() is None)
    test.expect("OpenMP's threads", 2, looker.next()["threads"])
    looker.end()
    program.finish(thorough=False)


UNUSED = """#include <stdio.h>
int main(void)
{
    int sum = 0;
    while (getchar() != EOF) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
    }
    return sum != 2;
}
"""


def unused(test):
    """A program of gcc's is known before its first use of OpenMP. LLVM's runtime is used from the start."""
    if shutil.which("gcc") is None:
        raise Missing("there is no gcc")
    binary = test.path("unused")
    subprocess.run(["gcc", "-fopenmp", "-x", "c", "-", "-o", binary], input=UNUSED, text=True, check=True)
    program = test.start("late", [binary], test.preloaded(OMPTAPE_QUIET="1", OMPTAPE_OUTPUT=test.path("out")), stdin=subprocess.PIPE)
    test.writer(program.pid)
    ask = lambda: test.command("top", "--once", program.pid)
    # The writer is there before it can be asked, and before it has read of its first thread.
    wait_for("its thread as text", lambda: f" ({program.pid}) " in ask().stdout)
    test.expect("as text", True, "it has not used OpenMP, MPI or marks yet" in ask().stdout)
    looker = Looker(test, program.pid)
    process = looker.next()
    test.expect("process", ("unused", program.pid, 1), tuple(process[key] for key in ("state", "pid", "threads")))
    test.expect("its thread", [program.pid], [thread["tid"] for thread in process["now"]["other_threads"]])
    program.process.stdin.write(b"x")
    program.process.stdin.flush()
    wait_for("both threads", lambda: looker.next()["threads"] == 2)
    looker.end()
    test.expect("exit code", 0, test.finish(program).code)


def nodes(test):
    """Ranks on other nodes cannot be asked: where they are is said. So it is where no rank is here."""
    program = Program(test, "nodes")
    marks = test.path("nodes", "out", ".omptape-marks")
    os.mkdir(marks)
    for rank, node in enumerate(("node7", "node8", "node7")):
        os.symlink(f"{node}:77:1:1", os.path.join(marks, f"live.{rank + 1}.77"))
    words = "3 ranks on other nodes not shown: node7 (2), node8 (1)"
    done = test.command("top", "--once", "nodes/out")
    test.expect("as text", (0, True), (done.returncode, words in done.stdout))
    done = test.command("top", "--once", "--json", "nodes/out", stderr=subprocess.DEVNULL)
    test.expect("as JSON", {"node7": 2, "node8": 1}, {node["node"]: node["ranks"] for node in json.loads(done.stdout)["other_nodes"]})
    shutil.rmtree(marks)
    program.finish(thorough=False)
    os.makedirs(test.path("away", ".omptape-marks"))
    os.symlink("node9:77:1:1", test.path("away", ".omptape-marks", "live.0.77"))
    done = test.command("top", "--once", "away")
    test.expect("all away", (1, True), (done.returncode, "1 rank on another node not shown: node9 (1)" in done.stdout))


def ways(test):
    """The same of other ways of recording, and by a folder."""
    for name, more in (("drop", {"OMPTAPE_WHEN_FULL": "drop"}), ("profile", {"OMPTAPE_PROFILE": "1"}),
                       ("overwrite", {"OMPTAPE_WHEN_FULL": "overwrite"}), ("filter", {"OMPTAPE_FILTER": "-critical"}),
                       ("bare", {"OMPTAPE_SAMPLE": "off", "OMPTAPE_SCHED": "off"})):
        program = Program(test, name, **more)
        looker = Looker(test, test.path(name, "out"))
        looker.next()
        check_steps(test, program, looker, 2 if name == "overwrite" else 0)
        looker.end()
        program.finish(thorough=False)


def has_request(writer):
    """A request waits for the writer. It is the only real-time signal that anybody sends it."""
    with open(f"/proc/{writer}/status", encoding="ascii") as file:
        return int(re.search(r"ShdPnd:\s*(\w+)", file.read())[1], 16) >> (signal.SIGRTMIN + 1 - 1) & 1


def killed(test):
    """Nobody looks any more: the analysis ends. The program or its writer is gone: that is no error."""
    log = test.path("log")
    program = Program(test, "viewer", OMPTAPE_LOG="info", OMPTAPE_LOG_FILE=log)
    looker = Looker(test, program.pid)
    earlier = looker.next()
    looker.end()
    wait_for("the end of the analysis", lambda: "the analysis ends" in open(log, encoding="utf-8").read())
    # Who looks again later sees the time from then on, and all of each thread's.
    looker = Looker(test, program.pid)
    process = looker.next()
    now = process["now"]
    looker.end()
    test.expect("its begin", True, process["run_s"] - now["wall_s"] >= earlier["run_s"])
    sums = [sum(value for key, value in thread.items() if key.endswith("_s")) for thread in now["threads"]]
    test.expect(f"times of {sums}", (2, True), (len(sums), all(abs(one - now["wall_s"]) < 1e-6 for one in sums)))
    program.finish()
    for name, victim in (("program", lambda one: one.pid), ("writer", lambda one: one.writer)):
        program = Program(test, name)
        looker = subprocess.Popen([test.omptape, "top", "--interval", "0.2", str(program.pid)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=test.environment())
        while "threads" not in looker.stdout.readline():
            pass
        os.kill(victim(program), signal.SIGKILL)
        out, err = looker.communicate(timeout=100)
        test.expect(f"{name}: end", (0, "", "the program has ended"), (looker.returncode, err, out.splitlines()[-1]))
        test.finish(program.program)
    # The writer gets the request and is gone before it answers.
    program = Program(test, "asked")
    os.kill(program.writer, signal.SIGSTOP)
    looker = subprocess.Popen([test.omptape, "top", "--once", str(program.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=test.environment())
    wait_for("the request", lambda: has_request(program.writer))
    os.kill(program.writer, signal.SIGKILL)
    out, err = looker.communicate(timeout=100)
    test.expect("asked: end", (0, "", "the program has ended"), (looker.returncode, err, out.splitlines()[-1]))
    test.finish(program.program)


def owners(test):
    """Only the program's user gets an answer, and root."""
    need_root()
    program = Program(test, "owner")
    with PublicFolder("top", [test.omptape]) as public:
        words = [public.at("omptape"), "top", "--json", "--once"]
        done = subprocess.run([*words, str(program.pid)], capture_output=True, text=True, timeout=60, cwd="/", check=False,
                              env=test.environment(), **as_user(nobody_else()))
        test.expect("another user", (1, "", True), (done.returncode, done.stdout, "belongs to another user" in done.stderr))
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd="/", check=False,
                              env=test.environment(), **as_user(nobody_else()))
        test.expect("nothing of one's own", (1, ""), (done.returncode, done.stdout))
    program.finish()


class Terminal:
    """`omptape top` in a terminal."""

    def __init__(self, test, pid, term="xterm"):
        self.shown = b""
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.execve(test.omptape, [test.omptape, "top", str(pid)], test.environment(TERM=term))
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.before = termios.tcgetattr(self.screen)

    def read(self, seconds=0.05):
        """False: nobody has the terminal any more."""
        if not select.select([self.screen], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.screen, 65536)
        except OSError:
            return False
        self.shown += part
        return bool(part)

    def await_text(self, text):
        wait_for(f"{text} on the terminal", lambda: self.read() and text in self.shown)

    def lines(self):
        """The lines of the newest picture."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown.decode().split("\x1b[H")[-1]).split("\r\n")

    def end(self):
        while self.read(1):
            pass
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


def terminal(test):
    """Keys, sizes; and however it ends the terminal is as before."""
    program = Program(test, "terminal")
    for key, code in (("q", 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, -signal.SIGINT),
                      (signal.SIGSEGV, -signal.SIGSEGV)):
        screen = Terminal(test, program.pid)
        screen.await_text(b"so far")
        test.expect(f"{key}: echo", False, bool(termios.tcgetattr(screen.screen)[3] & termios.ECHO))
        if key == "q":
            columns = rb"construct[^\n]*computing[^\n]*blocked[^\n]*waiting"
            wait_for("the columns of constructs", lambda: screen.read() and re.search(columns, screen.shown))
            screen.shown = b""
            os.write(screen.screen, b"t")
            columns = rb"thread.*computing.*blocked.*runnable.*waiting.*mostly"
            wait_for("the columns of threads", lambda: screen.read() and re.search(columns, screen.shown))
            screen.shown = b""
            fcntl.ioctl(screen.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 60, 0, 0))
            wait_for("threads on ten lines", lambda: screen.read() and re.search(columns, screen.shown))
            screen.shown = b""
            fcntl.ioctl(screen.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 20, 0, 0))
            screen.await_text(b"\x1b[3;1H")
            picture = screen.shown.split(b"\x1b[3;1H", maxsplit=1)[0].rsplit(b"\x1b[H", maxsplit=1)[-1]
            test.expect("lines above the keys, of three", True, picture.count(b"\r\n") <= 2)
            screen.shown = b""
            fcntl.ioctl(screen.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
            screen.await_text(b"\x1b[40;1H")
            os.write(screen.screen, b"q")
        else:
            os.kill(screen.pid, key)
        wait_for("the usual screen", lambda: screen.read() and LEAVES in screen.shown)
        # The command leaves the other screen first.
        wait_for(f"{key}: the terminal as before", lambda: termios.tcgetattr(screen.screen) == screen.before)
        test.expect(f"{key}: exit code", code, screen.end())
        test.expect(f"{key}: lines wrap again", True, b"\x1b[?7h" in screen.shown)
        os.close(screen.screen)
    # A terminal that knows no escape sequences.
    for term in ("dumb", ""):
        screen = Terminal(test, program.pid, term)
        screen.await_text(b"so far")
        os.kill(screen.pid, signal.SIGKILL)
        screen.end()
        test.expect(f"TERM={term}: sequences", False, b"\x1b" in screen.shown)
        os.close(screen.screen)
    # One whose writer gives no answer does not keep the others from being shown.
    silent = Program(test, "silent")
    os.kill(silent.writer, signal.SIGSTOP)
    screen = Terminal(test, test.folder)
    screen.await_text(b"load balance")
    os.write(screen.screen, b"q")
    test.expect("with a silent one: exit code", 0, screen.end())
    os.kill(silent.writer, signal.SIGKILL)
    silent.program.process.kill()
    silent.program.process.wait()
    program.finish()


def ranks(test):
    """Many ranks on a node, which began in another order: all are there, in the order of ranks, and their sums. Some end."""
    count = 32
    binary = test.compile("e2e", "top.c", flags=["-I" + source_of("..", "include", "omptape")])
    job = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": str(count), "OMP_WAIT_POLICY": "passive"}
    programs = {}
    for rank in reversed(range(count)):
        environment = test.preloaded(OMPTAPE_QUIET="1", OMPTAPE_OUTPUT=test.path("out"), SLURM_PROCID=str(rank), **job)
        programs[rank] = test.start(f"rank-{rank}", [binary], environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for program in programs.values():
        program.process.stdout.readline()
    screen = Terminal(test, test.path("out"))
    screen.await_text(f"all     {count} processes, {2 * count} threads: ".encode())
    rows = [line.lstrip(">").split() for line in screen.lines() if " top_ " in line or " runs " in line]
    test.expect("the first rows", [(str(programs[rank].pid), str(rank)) for rank in range(len(rows) - 1)],
                [(row[0], row[2]) for row in rows[:-1]])
    os.kill(programs[3].pid, signal.SIGKILL)
    programs[4].process.stdin.close()
    screen.await_text(f"all     {count} processes (2 ended), {2 * (count - 2)} threads: ".encode())
    os.write(screen.screen, b"o")
    screen.await_text(b"order (work)")
    os.write(screen.screen, b"q")
    test.expect("exit code", 0, screen.end())
    done = test.command("top", "--once", "--json", test.path("out"))
    processes = json.loads(done.stdout)["processes"]
    test.expect("as JSON", [(rank, count, 2) for rank in range(count) if rank not in (3, 4)],
                [(one["rank"], one["size"], one["threads"]) for one in processes])
    for program in programs.values():
        program.process.kill()


if __name__ == "__main__":
    sys.exit(main(__doc__, {"told": told, "other_threads": other_threads, "unused": unused, "nodes": nodes, "ways": ways, "killed": killed, "owners": owners, "terminal": terminal, "ranks": ranks},
                  "e2e.top", stage=("19", "16", "14")))
