# SPDX-License-Identifier: BSD-3-Clause
"""What users are told: each table has a row for what somebody did, the exit code, and what the lines on stderr must hold.
A line more than that is an error, unless it is a summary's.

    tests/run e2e.messages --build BUILD --runtimes DIR NAME
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys

from harness import Missing, main

STAGE = "19"
RANK = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
BAD_USE, NOT_RUN, NOT_RUNNABLE, NOT_FOUND = 2, 125, 126, 127
# Beside a summary; who fails has none.
COMPLAINT = re.compile("unknown|cannot|no archive|untraced|nothing was traced|strict|damaged|holds an archive|left as it is")


class CommandResult:
    """What a command said."""

    def __init__(self, test, command, env, before=None, cwd=None):
        done = subprocess.run(command, cwd=cwd or test.folder, env=test.environment(**env), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape",
                              timeout=100, check=False, preexec_fn=before)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.lines = [line for line in self.err.splitlines() if line.startswith("omptape")]
        self.own = [line for line in self.lines if self.code != 0 or COMPLAINT.search(line)]


def expect_result(test, what, told, code, said):
    """`said`: for each line that must come, in their order, a text that it holds."""
    if told.code != code or len(told.own) != len(said) or any(text not in line for text, line in zip(said, told.own)):
        test.fail(f"{what}: exit {told.code}, expected {code}; it says {told.err!r}, expected {said}")


def each(test, rows, **env):
    for words, code, *said in rows:
        expect_result(test, words, CommandResult(test, [test.omptape, *words], env), code, said)


def hello(test, rounds=1):
    """A program whose two threads meet in a critical region and then say hello, in the test's folder."""
    source = test.write(f"hello{rounds}.c", f"""#include <stdio.h>
int main(void)
{{
    int met = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < {rounds}; i++) {{
#pragma omp critical
        met++;
    }}
    return puts("hello") < 0 || met != 2 * {rounds};
}}
""")
    return test.toolchain.compile(source, test.path(f"hello{rounds}"))


OWN = "(omptape's own are info, report, compare, scale, whatif, check, export, snapshot, unify, top)"
WORDS = (
    (["--ouput", "x", "true"], BAD_USE, "no option is named --ouput: did you mean --output? (omptape --help lists them)"),
    (["--buffersize=2M", "true"], BAD_USE, "--buffersize=2M: did you mean --buffer-size?"),
    (["--limit", "3", "true"], BAD_USE, "did you mean --limit-per-site?"),
    (["--versoin"], BAD_USE, "did you mean --version?"),
    (["--nonsense"], BAD_USE, "no option is named --nonsense (omptape --help lists them)"),
    (["-z"], BAD_USE, "no option is named -z (omptape --help lists them)"),
    (["--events=taks", "true"], BAD_USE, 'no event group is named "taks": did you mean task? (--events=help lists them)'),
    (["--events=-Flsh", "true"], BAD_USE, "did you mean flush?"),
    (["--filter=-critcal", "true"], BAD_USE, 'no construct is called "critcal": did you mean critical?'),
    (["--when-full=weit", "true"], BAD_USE, '"weit" is none of wait, drop, overwrite: did you mean wait?'),
    (["--start=later", "true"], BAD_USE, '"later" is none of running, paused'),
    (["--limit-per-site=0", "true"], BAD_USE, '"0" is no number from 1 on'),
    (["--buffer-size=12Q", "true"], BAD_USE,
     '"12Q" is no size (a number, then K, M or G if wanted; 1M is the least, 1024G the most)'),
    (["--buffer-size=1K", "true"], BAD_USE, '"1K" is too small (1M is the least, 1024G the most)'),
    (["--buffer-size=2T", "true"], BAD_USE, '"2T" is too large (1M is the least, 1024G the most)'),
    (["--buffer-size=99999999999999999999", "true"], BAD_USE, "is too large (1M is the least, 1024G the most)"),
    (["--device-buffer-size=1T", "true"], BAD_USE, "is too large (4K is the least, 1G the most)"),
    (["--output"], BAD_USE, "--output needs its DIR"),
    (["-o", "./hello"], BAD_USE, "no program is named: --output took ./hello (omptape --help shows how)"),
    (["-o", "two words"], BAD_USE, "--output took 'two words'"),
    (["--cuda", "off"], BAD_USE, "no program is named: --cuda took off"),
    (["-o", "x", "--quiet"], BAD_USE, "no program is named (omptape --help shows how)"),
    ([], BAD_USE, "no program is named (omptape --help shows how)"),
    (["--"], BAD_USE, "no program is named (omptape --help shows how)"),
    # Switches: what a variable may be, with every command.
    (["--quiet=1", "true"], 0),
    (["--quiet=0", "true"], 0, "nothing was traced: true has neither MPI nor an OpenMP runtime"),
    (["--quiet=perhaps", "true"], BAD_USE, '--quiet: "perhaps" is neither 1 nor 0'),
    (["--force=perhaps", "true"], BAD_USE, '--force: "perhaps" is neither 1 nor 0'),
    (["--strict=perhaps", "true"], BAD_USE, '--strict: "perhaps" is neither 1 nor 0'),
    (["check", "--quiet=1", "."], BAD_USE, "check: .: the folder holds no OTF2 archive"),
    (["check", "--all=perhaps", "."], BAD_USE, 'check: --all: "perhaps" is neither 1 nor 0'),
    (["info", "--sizes=perhaps", "."], BAD_USE, 'info: --sizes: "perhaps" is neither 1 nor 0'),
    (["unify", "--quiet=perhaps", "."], BAD_USE, 'unify: --quiet: "perhaps" is neither 1 nor 0'),
    # Subcommands.
    (["inf", "."], NOT_FOUND, f"inf: command not found: did you mean omptape info? {OWN}"),
    (["chekc", "."], NOT_FOUND, "did you mean omptape check?"),
    (["help", "report"], NOT_FOUND, f"help: command not found: did you mean omptape --help? {OWN}"),
    (["version"], NOT_FOUND, f"version: command not found: did you mean omptape --version? {OWN}"),
    (["summary", "."], NOT_FOUND, f"summary: command not found {OWN}"),
    (["info"], BAD_USE, "info: no archive is in this folder: name one (omptape info ARCHIVE), or make one (omptape ./program)"),
    (["info", "--size", "."], BAD_USE,
     "info: no option is named --size: did you mean --sizes? (omptape info --help shows how)"),
    (["info", "a", "b"], BAD_USE, "info: one archive at a time: a and b"),
    (["report"], BAD_USE, "report: no archive is in this folder: name one (omptape report ARCHIVE), or make one (omptape ./program)"),
    (["report", "--html", "x"], BAD_USE, "report: no archive is in this folder"),
    (["report", ".", "--html"], BAD_USE, "report: --html needs its FILE: omptape report --html report.html ARCHIVE"),
    (["report", ".", "--top"], BAD_USE, "report: --top needs its N (omptape report --help shows how)"),
    (["report", "--sorted=time", "."], BAD_USE, "report: no option is named --sorted=time: did you mean --sort?"),
    (["report", "--sort=tim", "."], BAD_USE, '"tim" is none of gain, time, waiting, visits, name: did you mean time?'),
    (["report", "--top=0", "."], BAD_USE, 'report: --top: "0" is no number from 1 on'),
    (["report", "--top=-3", "."], BAD_USE, 'report: --top: "-3" is no number from 1 on'),
    (["report", "--from=1e", "."], BAD_USE, "report: --from: 1e is no time (a number of seconds, or with ms"),
    (["report", "--to=-1", "."], BAD_USE, "report: --to: -1 is no time"),
    (["report", "--from=2", "--to=1", "."], BAD_USE, "report: --to must be later than --from"),
    (["report", "--from=for@a.c:7:0x", "nowhere"], BAD_USE, "report: nowhere: No such file or directory"),
    (["report", "--threads=2:", "."], BAD_USE, 'report: --threads: "2:" is no list of threads (0-3,7; 2:0-3 of process 2'),
    (["report", "--threads=0,", "."], BAD_USE, 'report: --threads: "0," is no list of threads'),
    (["report", "--ranks=3-1", "."], BAD_USE, 'report: --ranks: "3-1" is no list of numbers (0,4-7)'),
    (["report", "--ranks=1,", "."], BAD_USE, 'report: --ranks: "1," is no list'),
    (["report", "--json=-", "--csv=-", "."], BAD_USE, 'report: only one of --json and --csv can be "-"'),
    (["report", "--json=a", "--svg=a", "."], BAD_USE, "report: --json and --svg are both to be a"),
    (["report", "--json=nowhere/a", "."], BAD_USE, "report: cannot make nowhere/a: No such file or directory"),
    (["report", "--csv=./", "."], BAD_USE, "report: cannot make ./: Is a directory"),
    (["report", "."], BAD_USE, "report: .: the folder holds no OTF2 archive"),
    (["report", "nowhere"], BAD_USE, "report: nowhere: No such file or directory"),
    (["compare", "."], BAD_USE, "compare: which other archive? (omptape compare --help shows how)"),
    (["compare"], BAD_USE, "compare: which archive? (omptape compare --help shows how)"),
    (["compare", "a", "b", "c"], BAD_USE, "compare: which of the 3 archives are of before, and which of after? Put -- between them"),
    (["compare", "--top=x", "a", "b"], BAD_USE, 'compare: --top: "x" is no number from 1 on'),
    (["compare", "a", "b"], BAD_USE, "compare: a: No such file or directory"),
    (["check", "--al", "."], BAD_USE, "did you mean --all?"),
    (["unify", "--clock-offset=x", "."], BAD_USE, "did you mean --clock-offsets?"),
    (["unify", "--clock-offsets"], BAD_USE, "unify: --clock-offsets needs its FILE (omptape unify --help shows how)"),
    (["export", "--perfetto", "x"], BAD_USE, "export: no archive is in this folder"),
    (["export", "."], BAD_USE, "export: say --perfetto FILE, --csv, --sqlite, --folded or --pprof"),
    (["export", "--perfetto", "x", "--csv", "y", "."], BAD_USE, "export: --perfetto and --csv: one of them at a time"),
    (["export", "--perfeto", "x", "."], BAD_USE, "export: no option is named --perfeto: did you mean --perfetto?"),
    (["export", "--perfetto", "x", "--from", "soon", "."], BAD_USE, "export: --from: soon is no time (a number of seconds"),
    (["export", "--perfetto", "x", "--to=-1", "."], BAD_USE, "export: --to: -1 is no time"),
    (["export", "--perfetto", "x", "--from=2", "--to=1", "."], BAD_USE, "export: --from 2 lies behind --to 1"),
    (["export", "--perfetto", "x", "--min-duration=5h", "."], BAD_USE, "export: --min-duration: 5h is no time"),
    (["export", "--csv", "x", "--min-duration=5us", "."], BAD_USE, "export: --min-duration is for --perfetto and --instances"),
    (["export", "--csv", "x", "--threads=0-", "."], BAD_USE, "export: --threads: 0- is no list of locations: 0-3,7"),
    (["export", "--csv", "x", "--threads=3-1", "."], BAD_USE, "export: --threads: 3-1 is no list of locations"),
    (["export", "--csv", "nowhere/x", "."], BAD_USE, "export: cannot make nowhere/x: No such file or directory"),
    (["export", "--csv", "", "."], BAD_USE, "export: --csv needs its FILE: omptape export --csv export.csv ARCHIVE"),
    (["export", "--csv", "/dev/null", "."], BAD_USE, "export: cannot make /dev/null: null is no regular file"),
    (["export", "--csv", "x", "."], BAD_USE, "export: .: the folder holds no OTF2 archive"),
    (["snapshot"], BAD_USE, "snapshot: which process? (omptape snapshot --help shows how)"),
    (["snapshot", "me"], BAD_USE, "snapshot: me is no process number"),
    (["snapshot", "1", "2"], BAD_USE, "snapshot: one process at a time: 1 and 2"),
    (["--filter=-for,@nowhere", "true"], BAD_USE, "cannot read nowhere: No such file or directory"),
    (["--filter=@/dev/zero", "true"], BAD_USE, "cannot read /dev/zero: it is no file"),
)


def newest(test):
    """Without an archive the newest one here; an archive where a file is to be made; what is said of files that were made."""
    program = hello(test)
    for name in ("one-9", "one-10"):
        test.expect(name, 0, CommandResult(test, [test.omptape, "-q", "-o", name, program], {}).code)
    os.utime(test.path("one-10", "traces.otf2"), (2000, 2000))
    os.utime(test.path("one-9", "traces.otf2"), (1000, 1000))
    os.mkdir(test.path("no-archive"))
    commands = (["report"], ["info"], ["check"], ["export", "--csv", "events.csv"])
    for time, expected in ((3000, "one-9"), (2000, "one-10"), (1000, "one-10")):   # of the same time the last by name
        os.utime(test.path("one-9", "traces.otf2"), (time, time))
        for words_ in commands:
            told = CommandResult(test, [test.omptape, *words_], {})
            test.expect(f"{words_}", (0, f"omptape: {words_[0]}: the newest archive here is {expected}"), (told.code, told.lines[0]))
            test.expect(f"{words_} in it", f"omptape: {words_[0]}: the newest archive here is .",
                        CommandResult(test, [test.omptape, *words_], {}, cwd=test.path("one-9")).lines[0])
    test.expect("quiet", (0, ""), (lambda told: (told.code, told.err))(CommandResult(test, [test.omptape, "check", "-q"], {})))
    for words_, after in ((["report", "--html", "one-9"], "report.html one-9"), (["report", "--json", "one-9/"], "report.json one-9/"),
                          (["report", "--svg=one-9", "page.svg"], "report.svg one-9"),
                          (["export", "--perfetto", "one-9/traces.otf2"], "export.perfetto one-9/traces.otf2")):
        kind = words_[1].split("=")[0]
        expect_result(test, words_, CommandResult(test, [test.omptape, *words_], {}), BAD_USE, [f"omptape {words_[0]} {kind} {after}"])
    for folder in ("..", "../"):
        expect_result(test, "a folder of archives", CommandResult(test, [test.omptape, "report", folder], {}, cwd=test.path("no-archive")), BAD_USE,
              [f"report: {folder}: the folder holds no OTF2 archive (no *.otf2 file); of 2 below it ../one-10 is the newest"])
    os.rename(test.path("one-9"), test.path("no-archive", "one-9"))
    expect_result(test, "a folder of one", CommandResult(test, [test.omptape, "report", "no-archive"], {}), BAD_USE,
                  ["report: no-archive: the folder holds no OTF2 archive (no *.otf2 file); no-archive/one-9 is one"])
    os.rename(test.path("no-archive", "one-9"), test.path("one-9"))
    for kind in ("html", "json", "csv", "svg"):
        told = CommandResult(test, [test.omptape, "report", f"--{kind}", f"it.{kind}", "one-9"], {})
        size = os.path.getsize(test.path(f"it.{kind}"))
        shown = f"{size} bytes" if size < 1000 else f"{size / 1024:.1f} KiB"
        test.expect(kind, (0, "", [f"omptape: wrote it.{kind} ({shown})"]), (told.code, told.out, told.lines))


def words(test):
    """Options, groups, values and subcommands, misspelt and misplaced; helps that fit into 80 columns."""
    each(test, WORDS)
    for topic in ("--events=help", "--filter=help"):
        test.expect(f"{topic}: wide lines", [], [line for line in CommandResult(test, [test.omptape, topic], {}).out.splitlines() if len(line) > 80])
    for command in ([], ["info"], ["report"], ["compare"], ["scale"], ["check"], ["export"], ["snapshot"], ["unify"], ["whatif"], ["top"]):
        told = CommandResult(test, [test.omptape, *command, "--help"], {})
        if told.code != 0 or told.err or not told.out.lower().startswith("usage: omptape " + "".join(command)):
            test.fail(f"{command} --help: exit {told.code}, {told.out[:60]!r}, {told.err!r}")
        test.expect(f"{command} --help: wide lines", [], [line for line in told.out.splitlines() if len(line) > 80])
    test.write("rules.txt", "-critical\n-critcal\n")
    for env, words_ in (({}, ["--filter=@rules.txt", "true"]), ({"OMPTAPE_FILTER": "@rules.txt"}, ["true"])):
        expect_result(test, "rules", CommandResult(test, [test.omptape, *words_], env), BAD_USE,
              ['rules.txt:2: no construct is called "critcal": did you mean critical?'])
    expect_result(test, "variable", CommandResult(test, [test.omptape, "true"], {"OMPTAPE_BUFFER_SIZE": "12Q"}), BAD_USE,
          ['OMPTAPE_BUFFER_SIZE: "12Q" is no size'])
    # A program of that name is a program.
    test.write("inf", "#!/bin/sh\necho program inf: $*\n", 0o755)
    told = CommandResult(test, [test.omptape, "-q", "inf", "."], {"PATH": f"{test.folder}:{os.environ['PATH']}"})
    test.expect("inf in PATH", (0, "program inf: .\n", ""), (told.code, told.out, told.err))
    expect_result(test, "a program is no archive", CommandResult(test, [test.omptape, "report", "./inf"], {}), BAD_USE,
          ["report: ./inf: a program, not an OTF2 archive (omptape ./inf traces it)"])
    expect_result(test, "scale a program", CommandResult(test, [test.omptape, "scale", "./inf"], {}), BAD_USE,
          ["scale: a program stands behind --: omptape scale -- ./inf"])
    # On some file systems all files are executable.
    test.write("all.otf2", "", 0o755)
    expect_result(test, "scale an executable archive", CommandResult(test, [test.omptape, "scale", "./all.otf2"], {}), BAD_USE,
          ["scale: ./all.otf2: all.otf2 is empty"])
    expect_result(test, "scale an archive and a program", CommandResult(test, [test.omptape, "scale", "./all.otf2", "./inf"], {}),
          BAD_USE, ["scale: a program stands behind --: omptape scale -- ./inf"])
    expect_result(test, "inf here", CommandResult(test, [test.omptape, "inf", "."], {}), NOT_FOUND, ["inf: command not found, but there is ./inf"])


def variables(test):
    """A variable that no option has is named, once for a run."""
    program = hello(test)
    line = "unknown variable OMPTAPE_EVENT: did you mean OMPTAPE_EVENTS?"
    test.write("Makefile", f"all: a b c\na b c:\n\t@{program}\n.PHONY: all a b c\n")
    unknown = {"OMPTAPE_EVENT": "task"}
    alone = {**unknown, "LD_PRELOAD": test.library, "OMPTAPE_OUTPUT": test.path("alone")}
    by_runtime = {**unknown, "OMP_TOOL_LIBRARIES": test.library, "OMPTAPE_OUTPUT": test.path("alone")}
    make, traced = ["make", "-s", "-j3"], [test.omptape, "-o", "out"]
    for what, command, env, said in (
            ("command", [*traced, program], unknown, [line]),
            ("command, make", [*traced, *make], unknown, [line]),
            ("command in command", [*traced, test.omptape, program], unknown, [line]),
            ("a rank", [*traced, program], {**unknown, **RANK}, []),
            ("quiet", [*traced, "-q", program], unknown, []),
            ("library", [program], alone, [line]),
            ("library, make", make, alone, [line]),
            ("library, exec", ["sh", "-c", f"exec {program}"], alone, [line]),
            ("library, quiet", [program], {**alone, "OMPTAPE_QUIET": "1"}, []),
            ("library, rank", [program], {**alone, **RANK, "OMPTAPE_UNIFY": "off"}, []),
            ("runtime", [program], by_runtime, [line]),
            ("two", [*traced, program], {**unknown, "OMPTAPE_WRITR": "x"},
             [line, "unknown variable OMPTAPE_WRITR: did you mean OMPTAPE_WRITER?"]),
            # omptape's own, and what environment modules set.
            ("known", [*traced, program], {"OMPTAPE_ROOT": "/opt", "OMPTAPE_LIB": "/opt/lib", "OMPTAPE_CHECKPOINT": "1"}, []),
            ("known, make", [*traced, *make], {}, [])):
        told = CommandResult(test, command, env)
        told.own = [text for text in told.own if "writing to" not in text]
        expect_result(test, what, told, 0, said)


def elf(test, name, source, *flags):
    """A file by the machine's own compiler; None: it cannot make that."""
    path = test.write(f"{name}.c", source)
    done = subprocess.run(["cc", path, *flags, "-o", test.path(name)], capture_output=True, check=False)
    return test.path(name) if done.returncode == 0 else None


def changed(test, name, source, change):
    with open(source, "rb") as file:
        data = bytearray(file.read())
    with open(test.path(name), "wb") as file:
        file.write(change(data) or data)
    os.chmod(test.path(name), 0o755)


def other_machine(data):
    data[18:20] = (183 if data[18] != 183 else 62).to_bytes(2, "little")  # e_machine


PROGRAMS = (
    (["./nonesuch"], NOT_FOUND, "./nonesuch: No such file or directory"),
    (["nonesuch"], NOT_FOUND, f"nonesuch: command not found {OWN}"),
    (["-q", "nonesuch"], NOT_FOUND, "nonesuch: command not found"),
    (["plain"], NOT_FOUND, "plain: command not found, but there is ./plain"),
    (["./dangling"], NOT_FOUND, "./dangling is a link to nowhere, which is not there"),
    (["./folder"], NOT_RUNNABLE, "./folder is a folder, not a program"),
    (["./script"], NOT_RUNNABLE, "./script is not executable: chmod +x ./script"),
    (["./a script"], NOT_RUNNABLE, "'./a script' is not executable: chmod +x './a script'"),
    (["./orphan"], NOT_FOUND, "./orphan names the interpreter /nonesuch/interpreter, which is not there"),
    (["./refused"], NOT_RUNNABLE, "./refused names the interpreter ./script, which is not executable"),
    (["./windows"], NOT_FOUND, "./windows names the interpreter $'/bin/sh\\015': its lines end as on Windows"),
    (["./object"], NOT_RUNNABLE, "./object is an object file, which has to be linked first"),
    (["./library"], NOT_RUNNABLE, "./library is a library, not a program"),
    (["./head"], NOT_RUNNABLE, "./head is damaged: its ELF header is cut short"),
    (["./segments"], NOT_RUNNABLE, "./segments is damaged: its ELF header is wrong, or cut short"),
    (["./loaderless"], NOT_FOUND, "and needs the loader /nonesuch/ld.so, which is not installed"),
    (["./foreign"], NOT_RUNNABLE, "./foreign is built for ", ),
    # The shell's way with a script that names no interpreter.
    (["-q", "./bare"], 9),
)


def programs(test):
    """Programs that cannot be started: the reason, and nothing is made for them."""
    test.write("plain", "no program")
    os.symlink("nowhere", test.path("dangling"))
    os.mkdir(test.path("folder"))
    test.write("script", "#!/bin/sh\n")
    test.write("a script", "#!/bin/sh\n")
    test.write("orphan", "#!/nonesuch/interpreter\n", 0o755)
    test.write("refused", "#!./script\n", 0o755)
    test.write("windows", "#!/bin/sh\r\necho\r\n", 0o755)
    test.write("bare", "exit 9\n", 0o755)
    main_ = "int main(void) { return 6; }\n"
    whole = elf(test, "whole", main_)
    if whole is None:
        raise Missing("no C compiler")
    elf(test, "object", main_, "-c")
    os.chmod(test.path("object"), 0o755)
    elf(test, "library", "int a(void);\nint a(void) { return 1; }\n", "-shared", "-fPIC")
    elf(test, "loaderless", main_, "-Wl,--dynamic-linker=/nonesuch/ld.so")
    changed(test, "head", whole, lambda data: data[:40])
    changed(test, "segments", whole, lambda data: data[:100])
    changed(test, "short", whole, lambda data: data[:len(data) // 4])
    changed(test, "foreign", whole, other_machine)
    for words_, code, *said in PROGRAMS:
        expect_result(test, words_, CommandResult(test, [test.omptape, "-o", "never", *words_], {}), code, said)
        test.expect(f"{words_}: a folder was made", False, os.path.exists(test.path("never")))
    told = CommandResult(test, [test.omptape, "-o", "never", "./short"], {})
    if not told.own or "./short is cut short" not in told.own[0]:
        test.fail(f"short: {told.err!r}")
    # A loader has no loader itself, as a static program, and yet preloads.
    loader = re.search(rb"/lib[^\0]*/ld-linux[^\0]*", open(whole, "rb").read())
    if loader is not None:
        name = loader[0].decode()
        expect_result(test, "loader", CommandResult(test, [test.omptape, "--strict", name, "./whole"], {}), 6,
              [f"nothing was traced: no program that {name} started used MPI or an OpenMP runtime that can be traced"])
    if elf(test, "static", main_, "-static") is not None:
        expect_result(test, "static", CommandResult(test, [test.omptape, "./static"], {}), 6,
              ["./static is linked statically and cannot load libomptape.so (link it without -static); the program runs untraced"])
        expect_result(test, "static", CommandResult(test, [test.omptape, "--strict", "./static"], {}), NOT_RUN,
              ["./static is linked statically and cannot load libomptape.so (link it without -static); the program is not run (--strict)"])
    if elf(test, "narrow", main_, "-m32", "-nostdlib", "-static", "-Wl,-e,main") is not None:
        expect_result(test, "narrow", CommandResult(test, [test.omptape, "--strict", "./narrow"], {}), NOT_RUN,
              ["./narrow is built for i386 (32 bits), and libomptape.so is not; the program is not run (--strict)"])
    if os.geteuid() == 0:
        shutil.chown(whole, "nobody")
        os.chmod(whole, 0o4755)
        expect_result(test, "setuid", CommandResult(test, [test.omptape, "./whole"], {}), 6,
              ["./whole runs with raised privileges and ignores LD_PRELOAD; the program runs untraced"])


def wrappers(test):
    """What keeps the library from a program that is started by another one."""
    program = hello(test)
    for name in ("ssh", "sudo", "podman"):  # stand-ins, which do as these do
        test.write(name, '#!/bin/sh\nexec env -i "$@"\n', 0o755)
    clears = "nothing was traced: env -i clears the environment, so libomptape.so was not loaded; put omptape behind it: " \
             "env -i omptape PROGRAM"
    library_path = f"LD_LIBRARY_PATH={test.environment()['LD_LIBRARY_PATH']}"
    for words_, said in (
            (["env", "-i", library_path, program], clears),
            (["env", "-", library_path, program], clears),
            (["timeout", "9", "env", "--ignore-environment", library_path, program], clears),
            (["env", "-u", "LD_PRELOAD", program], "env -u LD_PRELOAD takes LD_PRELOAD out of the environment"),
            (["./ssh", library_path, program], "ssh starts its program on another host, without this environment"),
            (["./sudo", library_path, program], "sudo gives its program an environment of its own"),
            (["nice", "./podman", library_path, program], "podman runs its program in a container"),
            (["true", "sudo"], "true has neither MPI nor an OpenMP runtime among its libraries")):
        expect_result(test, words_, CommandResult(test, [test.omptape, *words_], {}), 0, [said])
    # Behind it all is well.
    expect_result(test, "behind", CommandResult(test, ["env", "-i", library_path, test.omptape, program], {}), 0, [])


def limited(kind, most):
    def set_limit():
        resource.setrlimit(kind, (most, most))
    return set_limit


def limits(test):
    """Limits of the process and of the file system: each is named. With --strict the program is not run."""
    program = hello(test)
    said = "hello\n"
    raising = "the limit on {} is reached (ulimit -{} raises it)"
    for what, before, cause in (
            ("files' size", limited(resource.RLIMIT_FSIZE, 1024), raising.format("the size of files", "f")),
            ("memory", limited(resource.RLIMIT_AS, 70 << 20), raising.format("memory", "v")),
            ("open files", limited(resource.RLIMIT_NOFILE, 8), raising.format("open files", "n"))):
        told = CommandResult(test, [test.omptape, "-o", "out", program], {}, before)
        expect_result(test, what, told, 0, [cause])
        test.expect(f"{what}: output", said, told.out)
    told = CommandResult(test, [test.omptape, "--strict", "-o", "strict", program], {}, limited(resource.RLIMIT_FSIZE, 1024))
    expect_result(test, "strict, files' size", told, NOT_RUN, [raising.format("the size of files", "f")])
    test.expect("strict: output", "", told.out)
    test.expect("strict: a folder is left", False, os.path.exists(test.path("strict")))


def mounted(test, options, fill=0):
    """A small file system of its own, for as long as it is mounted."""
    folder = test.path("mounted")
    os.makedirs(folder, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        raise Missing("no file system can be mounted")
    if fill:
        with open(os.path.join(folder, "other"), "wb") as file:
            file.write(bytes(fill))
    return folder


def strict(test):
    """An archive that cannot be written: the program runs untraced, or with --strict not at all."""
    program = hello(test)
    test.write("blocked", "a file")
    for words_, code, out, end in ((["-q"], 0, "hello\n", "runs untraced"), (["--strict"], NOT_RUN, "", "is not run (--strict)")):
        told = CommandResult(test, [test.omptape, *words_, "-o", "blocked/below", program], {})
        expect_result(test, words_, told, code,
              [f"cannot write to blocked/below: Not a directory (-o names another folder); the program {end}"])
        test.expect(f"{words_}: output", out, told.out)
    told = CommandResult(test, [test.omptape, "-o", "blocked", program], {"OMPTAPE_STRICT": "1"})
    expect_result(test, "by variable", told, NOT_RUN, ["cannot write to blocked: Not a directory (-o names another folder); "
                                              "the program is not run (--strict)"])
    told = CommandResult(test, [test.omptape, "--strict", "-o", "blocked", program], RANK)
    expect_result(test, "rank", told, NOT_RUN, ["rank 1: cannot write to "])
    told = CommandResult(test, [test.omptape, "--strict", "-o", "good", program], {})
    expect_result(test, "all is well", told, 0, [])
    test.verify_archive("all is well", test.path("good", "traces.otf2"))
    if sorted(os.listdir(test.path("good"))) != ["traces", "traces.def", "traces.otf2"]:
        test.fail(f"the folder holds {os.listdir(test.path('good'))}")
    for options, fill, cause in (("ro", 0, "it is on a read-only file system"), ("size=256k", 240 << 10, "the disk is full")):
        folder = mounted(test, options, fill)
        try:
            told = CommandResult(test, [test.omptape, "--strict", "-o", f"{folder}/out", program], {})
            expect_result(test, cause, told, NOT_RUN, [f"cannot write to {folder}/out: {cause} (-o names another folder); the program "
                                               "is not run (--strict)"])
        finally:
            subprocess.run(["umount", folder], check=True)


NAMES = ("two\nlines", "a blank", "größe", "it's", "back\\slash", "tab\there", "$HOME", "-dash", "\u202eturned")


def names(test):
    """Folders of any name: they are found again, and what is printed can be copied into a shell."""
    program = hello(test)
    for name in NAMES:
        told = CommandResult(test, [test.omptape, f"--output={name}", program], {})
        expect_result(test, repr(name), told, 0, [])
        printed = [line.removeprefix("omptape: vampir ") for line in told.lines if line.startswith("omptape: vampir ")]
        size = [line for line in told.lines if line.endswith(" on disk") and " 0 bytes" not in line]
        if len(printed) != 1 or len(size) != 1:
            test.fail(f"{name!r}: {told.err!r}")
            continue
        copied = subprocess.run(["bash", "-c", f"printf %s {printed[0]}"], capture_output=True, text=True, check=False).stdout
        # A program would take it for an option.
        expected = f"./{name}/traces.otf2" if name.startswith("-") else f"{name}/traces.otf2"
        test.expect(f"{name!r}: copied into a shell", expected, copied)
        test.verify_archive(repr(name), test.path(name, "traces.otf2"))
        if name in ("größe", "-dash") and printed[0] != expected:
            test.fail(f"{name!r} is quoted for nothing: {printed[0]}")
    told = CommandResult(test, [test.omptape, "--output=two\nlines", program], {})
    expect_result(test, "taken", told, 0, ["$'two\\nlines' holds an archive; writing to $'two\\nlines-2' (--force replaces it)"])
    told = CommandResult(test, [test.omptape, "info", "none\nsuch"], {})
    expect_result(test, "info", told, 2, ["info: $'none\\nsuch': No such file or directory"])


PACKED = """#include <unistd.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    usleep(%d);
    return 0;
}
"""


LOG_LINE = re.compile(r"omptape\[(\d+)\] \d\d:\d\d:\d\d\.\d{6} (\w+): (.*)")
STEPS = (("command", "traces "), ("library", "begins a session"), ("writer", "starts for process"), ("library", "registered callbacks"),
         ("library", "ends the session"), ("writer", "the program has ended"), ("archive", "closed the archive: complete"),
         ("library", "waited for the writer: the archive is complete"), ("command", "the program has ended: exit code 0"))


def log(test):
    """The debug channel: the steps of a run in a file, or of one area on stderr; nothing unless asked for, or by a link."""
    program = hello(test)

    def run(name, *options, preload=False, **env):
        more = {"LD_PRELOAD": test.library, "OMPTAPE_OUTPUT": name} if preload else {}
        command = [program] if preload else [test.omptape, "-q", "-o", name, *options, program]
        told = CommandResult(test, command, {**more, "OMP_NUM_THREADS": "2", **env})
        if (told.code, told.out) != (0, "hello\n"):
            test.fail(f"{name}: exit {told.code}, {told.out!r}, {told.err!r}")
        return told

    def steps_of(name, lines):
        found = [LOG_LINE.fullmatch(line) for line in lines]
        if None in found:
            test.fail(f"{name}: no line of the log: {lines[found.index(None)]!r}")
        return [match.groups() for match in found if match]

    told = run("file", "-v", "--log-file", "steps.log")
    if told.err:
        test.fail(f"file: on stderr {told.err!r}")
    with open(test.path("steps.log"), encoding="utf-8") as file:
        steps = steps_of("file", file.read().splitlines())
    for area, text in STEPS:
        if not any(a == area and t.startswith(text) for _, a, t in steps):
            test.fail(f"file: no step {area}: {text} in {steps}")
    if len({pid for pid, _, _ in steps}) < 3:
        test.fail(f"file: lines of command, program and writer expected: {steps}")

    steps = steps_of("area", run("area", preload=True, OMPTAPE_QUIET="1", OMPTAPE_LOG="debug,writer").err.splitlines())
    if {area for _, area, _ in steps} != {"writer"}:
        test.fail(f"area: {steps}")
    steps = steps_of("reader", [line for line in CommandResult(test, [test.omptape, "--log=info,archive", "info", "area"], {}).err.splitlines()
                                if line.startswith("omptape[")])
    if [text.split(":")[0] for _, _, text in steps] != ["reads area"]:
        test.fail(f"reader: {steps}")
    os.symlink("elsewhere", test.path("link.log"))
    with open(test.path("own"), "w", encoding="utf-8") as file:
        file.write("own\n")
    os.link(test.path("own"), test.path("second.log"))
    for name, env, said in (("nothing", {}, 0), ("off", {"OMPTAPE_LOG": "off"}, 0),
                            ("link", {"OMPTAPE_LOG": "info", "OMPTAPE_LOG_FILE": "link.log"}, 1),
                            ("second", {"OMPTAPE_LOG": "info", "OMPTAPE_LOG_FILE": "second.log"}, 1)):
        told = run(name, preload=True, OMPTAPE_QUIET="1", **env)
        if len(told.lines) != said or said and f"cannot write the log to {name}.log" not in told.err:
            test.fail(f"{name}: {told.err!r}")
    if os.path.exists(test.path("elsewhere")):
        test.fail("link: a file was made behind it")
    with open(test.path("own"), encoding="utf-8") as file:
        test.expect("second: the file with two names", "own\n", file.read())
    each(test, ((["--log=loud", "true"], BAD_USE, '--log: "loud" is no level (off, info, debug)'),
                (["--log=info,gpu", "true"], BAD_USE, '"gpu" is no area (command, library, writer, symbols, archive, unify)')))


def packed(test):
    """Debug information that this libdw cannot unpack: one line and a warning of the report say it, also if a checkpoint's
    child met it first; where it can be unpacked there is none."""
    complaint = "its debug information is compressed in a way that"
    for name, wait, flags in (("short", 1000, ["-gz=zstd"]), ("long", 1500000, ["-gz=zstd"]), ("zlib", 1000, ["-gz=zlib"])):
        source = test.path(f"{name}.c")
        test.write(source, PACKED % wait)
        program = test.toolchain.compile(source, test.path(name), flags)
        told = CommandResult(test, [test.omptape, "-o", f"{name}.out", program], {})
        report = json.loads(CommandResult(test, [test.omptape, "report", "--json=-", f"{name}.out"], {}).out)
        lines = [row["line"] for row in report["regions"] if row["region"].startswith("parallel")]
        lacks = [int(lines[0] in (None, 0))]
        test.expect(f"{name}: line", lacks, [told.err.count(complaint)])
        test.expect(f"{name}: report", lacks, [sum(complaint in text for text in report["warnings"])])
        if name == "zlib":
            test.expect("zlib", [4], lines)
        elif lacks[0]:
            test.expect(f"{name}: -g", 0, sum("compile with -g" in text for text in report["warnings"]))


OTHER_RELEASE = """#!/usr/bin/python3
# Takes the writer's place, and starts it as a library of another release would.
import os, struct, sys
settings = os.pread(6, 1 << 20, 0)
version, = struct.unpack_from("I", settings, 8)
changed = os.memfd_create("settings")
os.pwrite(changed, settings[:8] + struct.pack("I", version + 1) + settings[12:], 0)
os.dup2(changed, 6)
os.execv(%r, ["omptape-writer", sys.argv[1]])
"""


def releases(test):
    """A library and a writer of different releases: one line names both, and the program ends as it would."""
    writer = test.write("writer", OTHER_RELEASE % test.built("libexec", "omptape", "omptape-writer"), 0o755)
    release = CommandResult(test, [test.omptape, "--version"], {}).out.split()[1]
    said = f"the writer is of omptape {release}, the library of omptape {release}; nothing is traced"
    for name, command, env in (("command", [test.omptape, "-o", "out", hello(test)], {}),
                               ("library", [hello(test)], {"LD_PRELOAD": test.library, "OMPTAPE_OUTPUT": test.path("out")})):
        told = CommandResult(test, command, {"OMPTAPE_WRITER": writer, **env})
        test.expect(f"{name}: program", (0, "hello\n"), (told.code, told.out))
        test.expect(f"{name}: lines", [True], [said in line for line in told.lines])


if __name__ == "__main__":
    sys.exit(main("What users are told.", {
        function.__name__: function for function in (words, newest, variables, programs, wrappers, limits, strict, names, packed, log, releases)
    }, "e2e.messages", stage=STAGE))
