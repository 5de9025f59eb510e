# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report` of an archive of several processes, by several processes: the same to the byte as by one.

    tests/run e2e.sharing --build BUILD --runtimes DIR PART

jobs       --jobs, all forms of the answer, of the whole and of parts of the archive
killed     a child of it is killed at random instants
launchers  as the ranks of Open MPI's and of MPICH's mpiexec
terminal   typed into a rank's shell, and with launchers that somebody starts on a terminal
parts      parts that fail, that are made again, that lie in another folder
strangers  parts of somebody else, and a folder that cannot be written
"""
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import Missing, Test, main, wait_for
from harness.users import NOBODY, PublicFolder, as_user, need_root

PROGRAMS = ("critical.c", "tasks_depend.c", "locks.c", "sections.c", "for_dynamic.c", "taskloop.c")
WROTE = r"omptape: wrote \S+ \([0-9.]+ \w+\)\n"
LAUNCHERS = (["mpirun.openmpi", "--oversubscribe", "-n"], ["mpiexec.hydra", "-n"])
KILLS = 5


class Sharing(Test):
    """Makes archives, and compares what is said of them."""

    def made(self, name, processes=7, threads=3, events=400, hosts=2):
        """Of processes that never ran."""
        subprocess.run([self.built("tests", "unify", "make_parts"), self.path(name),
                        *(str(one) for one in (processes, threads, events, hosts, 1000))], check=True)
        return self.unified(name)

    def unified(self, name):
        done = self.command("unify", "-q", name)
        self.expect(f"{name}: unify", 0, done.returncode)
        return name

    def traced(self, name):
        """Of programs that ran, in one run."""
        programs = "; ".join(self.compile("programs", one) for one in PROGRAMS)
        done = self.command("-o", name, "sh", "-c", programs,
                            env=self.environment(OMP_NUM_THREADS="3", KMP_BLOCKTIME="0"))
        self.expect(f"{name}: {done.stdout}", 0, done.returncode)
        return name

    def of_launchers(self):
        return self.environment(TERM="dumb", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def answer(self, archive, form, *words, launcher=()):
        """What one report says, in one of its forms."""
        path = self.path(f"answer.{form}")
        if os.path.exists(path):
            os.remove(path)
        more = () if form == "text" else (f"--{form}", path)
        for _ in range(3):
            done = subprocess.run([*launcher, self.omptape, "report", *words, *more, archive], cwd=self.folder,
                                  env=self.of_launchers(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False, timeout=120)
            # Hydra itself was ended so once, on a busy machine, without a word.
            if not launcher or done.returncode != -signal.SIGPIPE:
                break
        if done.returncode != 0 or not re.fullmatch("" if form == "text" else WROTE, done.stderr):
            self.fail(f"{archive} {form} {words} {launcher}: {done.returncode}: {done.stderr}")
        if form == "text":
            return done.stdout
        with open(path, encoding="utf-8") as file:
            return file.read()

    def expect_same(self, what, expected, found):
        if expected != found:
            self.fail(f"{what}: another answer: {found[:2000]!r}")

    def hidden(self, folder):
        return sorted(name for name in os.listdir(self.path(folder)) if name.startswith(".omptape-report"))


def jobs(test):
    for archive, windows in ((test.made("made"), (["--from", "20", "--to", "70.5"], ["--ranks", "1,3-5"])),
                             (test.traced("traced"), (["--from", "0.001"],))):
        for words in ([], *windows):
            for form, more in (("json", []), ("csv", []), ("text", ["--all"]), ("html", []), ("svg", [])):
                one = test.answer(archive, form, "--jobs", "1", *more, *words)
                for number in ("2", "3", "40"):
                    test.expect_same(f"{archive} {words} {form}, {number} jobs", one,
                                     test.answer(archive, form, "--jobs", number, *more, *words))
    one = test.command("report", "--jobs", "0", "made")
    test.expect("--jobs 0", (2, 1), (one.returncode, one.stdout.count("\n")))
    for name in os.listdir(test.path("made", "traces")):
        if name.endswith(".evt"):
            with open(test.path("made", "traces", name), "r+b") as file:
                file.truncate(100)
    for number in ("1", "3"):
        done = test.command("report", "--jobs", number, "made")
        if done.returncode != 2 or done.stdout.count("\n") != 1 or "is cut short" not in done.stdout:
            test.fail(f"damaged, {number} jobs: {done.returncode}: {done.stdout}")


def descendants(pid):
    """Of a process, with their depth."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            found += [(1, int(child)) for child in file.read().split()]
    for _, child in list(found):
        try:
            found += [(depth + 1, below) for depth, below in descendants(child)]
        except OSError:
            pass
    return found


def killed(test):
    archive = test.made("made", processes=8, threads=4, events=60000)
    expected = test.answer(archive, "json", "--jobs", "1")
    hits = 0
    for _ in range(KILLS):
        path = test.path("killed.json")
        program = subprocess.Popen([test.omptape, "report", "--jobs", "2", "--json", path, archive], cwd=test.folder,
                                   env=test.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            child = wait_for("a child that reads", lambda: [pid for depth, pid in descendants(program.pid) if depth == 2] or
                             program.poll() is not None, 30, 0.001)
            time.sleep(test.random.random() * 0.3)
            if child is not True:
                os.kill(test.random.choice(child), signal.SIGKILL)
                hits += 1
        except OSError:
            pass
        said = program.communicate()[1]
        if program.returncode != 0 or not re.fullmatch(WROTE, said):
            test.fail(f"killed: {program.returncode}: {said}")
            continue
        with open(path, encoding="utf-8") as file:
            test.expect_same("a child was killed", expected, file.read())
    print(f"{hits} children killed")
    kill_a_part(test, archive, expected)


def kill_a_part(test, archive, expected):
    """It is named, and made again."""
    def at_work():
        return program.poll() is not None or any("live-" in name for folder in test.hidden(archive)
                                                 for name in os.listdir(test.path(archive, folder)))
    for _ in range(5):  # it may be too fast
        program = subprocess.Popen([test.omptape, "report", "--part", "1/2", "--json", "parts.json", archive], cwd=test.folder,
                                   env=test.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("its mark", at_work, pause=0.001)
        program.kill()
        if program.wait() == -signal.SIGKILL:
            break
        for folder in test.hidden(archive):
            shutil.rmtree(test.path(archive, folder))
    done = [test.command("report", "--part", part, "--json", "parts.json", archive) for part in ("0/2", "1/2")]
    test.expect(f"a part was killed: {done[0].stdout}", (2, 0), (done[0].returncode, done[1].returncode))
    if "1 of 2 parts of the result are missing: 1 (killed)" not in done[0].stdout:
        test.fail(f"a part was killed: {done[0].stdout}")
    with open(test.path("parts.json"), encoding="utf-8") as file:
        test.expect_same("the killed part made again", expected, file.read())
    test.expect("the killed part made again: what is left", [], [name for folder in test.hidden(archive)
                                                                 for name in os.listdir(test.path(archive, folder))
                                                                 if not name.startswith("new-")])


def launchers(test):
    archive = test.made("made")
    expected = test.answer(archive, "json", "--jobs", "1")
    text = test.answer(archive, "text", "--jobs", "1")
    page = test.answer(archive, "html", "--jobs", "1")
    there = [launcher for launcher in LAUNCHERS if shutil.which(launcher[0])]
    if not there:
        raise Missing("no mpirun.openmpi, no mpiexec.hydra")
    for launcher in there:
        for number in ("2", "5", "11"):
            what = f"{launcher[0]} -n {number}"
            test.expect_same(what, expected, test.answer(archive, "json", launcher=[*launcher, number]))
            test.expect_same(f"{what}, a page", page, test.answer(archive, "html", launcher=[*launcher, number]))
            test.expect(f"{what}: what is left", [], test.hidden(archive))
        said = test.answer(archive, "text", launcher=[*launcher, "3"])
        test.expect(f"{launcher[0]}: the first line", text.split(",")[0], said.split(",")[0])
        test.expect(f"{launcher[0]}: reports that are printed", 1, said.count("more: omptape report"))


def on_terminal(test, command, **environment):
    """What it prints there."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(test.folder)
        os.execvpe(command[0], command, {**test.of_launchers(), "COLUMNS": "80", **environment})
    written = b""
    while True:
        try:
            read = os.read(screen, 4096)
        except OSError:  # the terminal's last user is gone
            break
        written += read
    os.close(screen)
    test.expect(f"{command}: exit code", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return written.decode("utf-8", "replace").replace("\r\n", "\n")


def terminal(test):
    archive = test.made("made")
    for rank in range(4):
        said = on_terminal(test, [test.omptape, "report", archive], SLURM_JOB_ID="7", SLURM_STEP_ID="0", SLURM_NTASKS="4",
                           SLURM_STEP_NUM_TASKS="4", SLURM_PROCID=str(rank))
        test.expect(f"in the shell of rank {rank}: reports that are printed", 1, said.count("more: omptape report"))
    for launcher in (one for one in LAUNCHERS if shutil.which(one[0])):
        said = on_terminal(test, [*launcher, "3", test.omptape, "report", archive])
        test.expect(f"{launcher[0]}: reports that are printed", 1, said.count("more: omptape report"))
    test.expect("what is left", [], test.hidden(archive))


def part(test, number, *words, code=0):
    done = test.command("report", "--part", f"{number}/4", "--json", "parts.json", *words, "made")
    test.expect(f"part {number}: {done.stdout}", code, done.returncode)
    return done.stdout


def expect_parts(test, what, expected):
    with open(test.path("parts.json"), encoding="utf-8") as file:
        test.expect_same(what, expected, file.read())
    os.remove(test.path("parts.json"))
    test.expect(f"{what}: what is left", [], test.hidden("made"))


def parts(test):
    test.made("made", hosts=7)  # each with files of its own
    expected = test.answer("made", "json", "--jobs", "1")
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 2, 3, 1, 0)):
        for number in order:
            if os.path.exists(test.path("parts.json")):
                test.fail(f"{order}: there is an answer before all parts")
            part(test, number)
        expect_parts(test, f"parts in order {order}", expected)
    # The one that printed was killed: whoever comes next prints.
    for number in range(3):
        part(test, number)
    folder = test.path("made", *test.hidden("made"))
    run = next(name for name in os.listdir(folder) if name.startswith("done-")).split("-")[1]
    os.symlink(run, os.path.join(folder, f"print-{run}-0"))
    part(test, 3)
    expect_parts(test, "after one that was killed", expected)
    # One that fails, and is made again alone.
    events = next(name for name in sorted(os.listdir(test.path("made", "traces"))) if name.endswith(".evt"))
    shutil.copy(test.path("made", "traces", events), test.path("kept"))
    os.truncate(test.path("made", "traces", events), 100)
    codes = (2, 0, 0, 2)  # the last one says which is missing
    said = [part(test, number, code=code) for number, code in enumerate(codes)]
    if "is cut short" not in said[0] or "1 of 4 parts" not in said[3] or "0 (failed on" not in said[3]:
        test.fail(f"a part that fails: {said}")
    shutil.copy(test.path("kept"), test.path("made", "traces", events))
    part(test, 0)
    expect_parts(test, "the part made again", expected)
    # In another folder, beside parts of another choice.
    os.mkdir(test.path("elsewhere"))
    for number in range(4):
        part(test, number, "--parts", "elsewhere", "--ranks", "0-2")
        if number < 3:
            part(test, number, "--parts", "elsewhere")
    os.remove(test.path("parts.json"))
    part(test, 3, "--parts", "elsewhere")
    expect_parts(test, "parts elsewhere", expected)
    test.expect("parts elsewhere: what is left", [], os.listdir(test.path("elsewhere")))
    for wrong in ("4/4", "1", "x/2", "1/0", "-1/2"):
        done = test.command("report", "--part", wrong, "made")
        test.expect(f"--part {wrong}", (2, 1), (done.returncode, done.stdout.count("\n")))


def strangers(test):
    need_root()
    test.made("made")
    expected = test.answer("made", "json", "--jobs", "1")
    part(test, 1)
    folder = test.path("made", test.hidden("made")[0])
    # Of the right bytes, but somebody else's; and nonsense.
    os.chown(os.path.join(folder, "part-1"), NOBODY, -1)
    with open(os.path.join(folder, "part-2"), "wb") as file:
        file.write(b"omptpart" + bytes(100))
    for number in (0, 2, 3):
        part(test, number)
    expect_parts(test, "others' parts", expected)
    os.symlink("/tmp", folder)
    for number in (0, 1):
        said = part(test, number, code=2)
        if "--parts DIR" not in said or ".omptape-report-" not in said:
            test.fail(f"a link in the folder's place: {said}")
    os.remove(folder)
    with PublicFolder("sharing", [test.omptape]) as public:
        shutil.copytree(test.path("made"), public.at("made"))
        done = test.command("report", "--part", "0/4", public.at("made"), executable=public.at("omptape"), **as_user(NOBODY),
                            cwd=public.path)
        if done.returncode != 2 or "Permission denied; --parts DIR" not in done.stdout:
            test.fail(f"a folder of somebody else: {done.returncode}: {done.stdout}")
        # In one that both can write to, what one has begun is not in the other's way.
        os.chmod(public.at("made"), 0o777)
        for user in (NOBODY, 0):
            done = test.command("report", "--part", "0/4", public.at("made"), executable=public.at("omptape"), **as_user(user),
                                cwd=public.path)
            test.expect(f"begun by {user}", (0, ""), (done.returncode, done.stdout))


if __name__ == "__main__":
    sys.exit(main(__doc__, {"jobs": jobs, "killed": killed, "launchers": launchers, "parts": parts, "strangers": strangers,
                        "terminal": terminal},
                  "e2e.sharing", Sharing, "19"))
