# SPDX-License-Identifier: BSD-3-Clause
"""`omptape --profile`: the same numbers as from a trace, in files that do not grow; what is left when all is killed; what
the commands say of it, and of sums that are damaged or somebody else's.

    tests/run e2e.profile --build BUILD --runtimes DIR NAME
"""
import contextlib
import json
import os
import shutil
import sys

from e2e.messages import CommandResult, expect_result
from harness import kill_all, main, processes, sums, wait_for

STAGE = "19"
# What the kinds of the analysis need: loops, tasks with and without dependences, locks, nesting, reductions, targets, records
# that are hidden, threads that end in a construct.
PROGRAMS = ("barrier", "cancel_for", "critical", "doacross", "end_exit_task", "filter_keep", "for_dynamic", "for_ordered",
            "inlined", "limit_site", "lock_order", "locks", "masked", "parallel_nested", "parallel_repeat", "parallel_sizes",
            "reduction_tree", "sections", "single", "start_paused", "target_teams", "taskgroup", "taskloop", "tasks_depend_set",
            "tasks_detach", "tasks_lock_across", "tasks_nested")


def differences(trace, profile, at=""):
    """Of two reports in JSON: what is not the same, but for the files' names and what the writers took."""
    if isinstance(trace, dict) and isinstance(profile, dict) and trace.keys() == profile.keys():
        for key in trace.keys() - {"archive", "writing_s", "switching_s"}:
            yield from differences(trace[key], profile[key], f"{at}.{key}")
    elif isinstance(trace, list) and isinstance(profile, list) and len(trace) == len(profile):
        for number, (one, other) in enumerate(zip(trace, profile)):
            yield from differences(one, other, f"{at}[{number}]")
    elif trace != profile:
        yield f"{at}: {trace!r}, but {profile!r}"


def read_report(test, archive, *options):
    """What `report --json` says."""
    done = test.command("report", *options, "--json", test.path("told.json"), archive)
    if done.returncode != 0:
        test.fail(f"report {archive}: {done.stdout}")
        return None
    with open(test.path("told.json"), encoding="utf-8") as file:
        return json.load(file)


def both(test, output):
    """Variables for a program whose records a writer makes a trace of, in OUTPUT.before, and one a profile, in
    OUTPUT.after."""
    writer = test.built("libexec", "omptape", "omptape-writer")
    return {"OMPTAPE_WRITER": test.built("tests", "compare", "both_writers"), "COMPARED_WRITERS": f"{writer}:{writer}",
            "COMPARED_PROFILE": "1", "OMPTAPE_OUTPUT": output, "OMPTAPE_BUFFER_SIZE": "1G", "OMPTAPE_CHECKPOINT": "off",
            "OMPTAPE_SCHED": "off"}     # each writer reads it at its own moment


def hold(test, name, trace, profile, without=lambda report: report):
    """Both reports say the same, but for what `without` leaves out; and the profile can be drawn."""
    drawn = test.command("report", "--html", test.path("page.html"), "--svg", test.path("picture.svg"), "--jobs=1", profile)
    if drawn.returncode != 0:
        test.fail(f"{name}: the page: {drawn.stdout}")
    one, other = read_report(test, trace), read_report(test, profile)
    if one is None or other is None:
        return
    one, other = without(one), without(other)
    if one["events"] == 0 or not one["regions"]:
        test.fail(f"{name}: the trace is empty")
    for difference in list(differences(one, other))[:5]:
        test.fail(f"{name}: {difference}")


def same(test):
    """Trace and profile of the same records."""
    for source in PROGRAMS:
        program = test.compile("programs", source + ".c")
        test.run(source, [program], test.environment(LD_PRELOAD=test.library, OMP_NUM_THREADS="4", OMP_MAX_ACTIVE_LEVELS="3",
                                                     **both(test, test.path(source, "out"))))
        hold(test, source, test.path(source, "out.before"), test.path(source, "out.after"))


def profiled(test, name, program, *words, options=(), **more):
    """An archive of the program's."""
    ended = test.run(name, [test.omptape, "-q", "--profile", *options, "-o", "out", program, *words],
                     test.environment(OMP_NUM_THREADS="2", **more))
    if ended.code != 0:
        raise RuntimeError(ended.output)
    return test.path(name, "out")


def sizes(archive):
    return {os.path.relpath(os.path.join(place, name), archive): os.path.getsize(os.path.join(place, name))
            for place, _, names in os.walk(archive) for name in names}


def files(test):
    """Ten times as many events leave as many bytes; readers open the archive; processes become one. Samples, whose paths
    are more in a longer run, are left out."""
    program = test.compile("page", "program.c")
    few = profiled(test, "few", program, "20", options=["--sample=off"])
    many = profiled(test, "many", program, "200", options=["--sample=off"])
    counts = [read_report(test, archive)["events"] for archive in (few, many)]
    if not counts[1] > 8 * counts[0]:
        test.fail(f"{counts} events: not ten times as many")
    small, large = sizes(few), sizes(many)
    test.expect("files", sorted(small), sorted(large))
    for name in small:
        if name.endswith(".evt") and large[name] != small[name]:
            test.fail(f"{name} grew from {small[name]} to {large[name]} bytes")
    # Bins of two rows, in a handful of bytes for each of their parts: more of them on a busy machine.
    most = 30 * 4096 * 2
    if large["traces/0.sums"] > most or sum(large.values()) - large["traces/0.sums"] > 1.1 * sum(small.values()):
        test.fail(f"the files grew from {small} to {large} bytes")
    said = test.run("print", ["otf2-print", os.path.join(many, "traces.otf2")])
    test.expect("otf2-print", 0, said.code)
    test.expect("check", 0, test.command("check", "-q", many).returncode)
    test.run("two", ["sh", "-c", f"'{test.omptape}' -q --profile -o out sh -c '\"$0\" 20 & \"$0\" 40 & wait' '{program}'"],
             test.environment(OMP_NUM_THREADS="2"))
    report = read_report(test, test.path("two", "out"))
    test.expect("processes", 2, report["processes"])
    test.expect("threads", [2, 2], [one["threads"] for one in report["process_list"]])
    for part in report["process_list"]:
        lived = sum(part["parts"].values())
        if not lived > part["end_s"] - part["begin_s"]:
            test.fail(f"{part['name']}: two threads lived {lived} s in {part['end_s'] - part['begin_s']} s")
    for thread in report["threads_list"]:
        if abs(sum(thread["parts"].values()) - (thread["end_s"] - thread["begin_s"])) > 1e-8:
            test.fail(f"{thread['name']}: its parts are not its life")


def killed(test):
    """Program and writer are killed at once: the sums until a second before are there."""
    program = test.compile("page", "program.c")
    running = test.start("killed", [program, "1000000"],
                         test.preloaded(OMPTAPE_PROFILE="1", OMPTAPE_CHECKPOINT="1", OMP_NUM_THREADS="2"))
    out = test.path("killed", "out")
    seen = set()

    def look():
        with contextlib.suppress(FileNotFoundError):
            found = os.stat(os.path.join(out, ".omptape-checkpoint"))
            seen.add((found.st_ino, found.st_mtime_ns))
        return len(seen) > 2
    wait_for("three checkpoints", look)
    kill_all([*processes.family(processes.writer_of(running.pid)), running.pid])
    test.finish(running, 60)
    if os.path.exists(os.path.join(out, "traces", "0.sums")):
        test.fail("the sums were there before they were complete")
    test.command("unify", out)
    report = read_report(test, out)
    if report is None:
        return
    if not report["wall_s"] > 1.5 or report["events"] < 1000:
        test.fail(f"{report['events']} events of {report['wall_s']} s are left")
    if "its writer was killed" not in test.command("info", out).stdout:
        test.fail("info does not say that it is not complete")


def words(test):
    """What the commands say."""
    program = test.compile("page", "program.c")
    archive = profiled(test, "run", program, "5")
    variable = test.run("variable", [program, "5"], test.preloaded(OMPTAPE_PROFILE="1", OMP_NUM_THREADS="2"))
    test.expect("with the variable", 0, variable.code)
    test.expect("with the variable: sums", True, os.path.exists(test.path("variable", "out", "traces", "0.sums")))
    profile = os.path.relpath(archive, test.folder)
    for name, command, code, lines in (
            ("export", ["export", "--csv", "table", profile], 2, ["it is a profile: sums without events"]),
            ("from", ["report", "--from", "0.001", profile], 2, ["a profile is of the whole run"]),
            ("to", ["report", "--to", "0.001", "--html", "page", profile], 2, ["a profile is of the whole run"]),
            ("compare", ["compare", profile, "variable/out"], 0, []),
            ("recorder", ["--profile", "--when-full=overwrite", program], 2, ["flight recorder"])):
        expect_result(test, name, CommandResult(test, [test.omptape, *command], {}), code, lines)
    for command, text in (("check", "events were added up and none kept"), ("info", "none: this is a profile")):
        said = CommandResult(test, [test.omptape, command, profile], {})
        if said.code != 0 or text not in said.out:
            test.fail(f"{command}: exit {said.code}: {said.out}")
    told_at_end = test.run("summary", [test.omptape, "--profile", "-o", "out", program, "5"], test.environment(OMP_NUM_THREADS="2"))
    said = told_at_end.output if isinstance(told_at_end.output, str) else str(told_at_end.output)
    if "added up" not in said or "omptape report out" not in said or "vampir" in said:
        test.fail(f"the summary says {said}")


def changed(chance, data, part):
    """The sums with some bytes changed in one part, and with the hashes that belong to them."""
    parts = [bytearray(one) for one in sums.split(data)]
    body = parts[part]
    for _ in range(chance.randrange(1, 4)):
        body[chance.randrange(len(body))] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
    return sums.joined(data, *parts)


def rewritten(data, change):
    """The sums with other numbers in their tables, but for the two that say what they are."""
    tables, pyramid = sums.split(data)
    numbers = sums.numbers_of(tables)
    return sums.joined(data, b"".join(map(sums.encoded, [*numbers[:2], *change(numbers[2:])])), pyramid)


MAX_UINT64, HALF, LITTLE = (1 << 64) - 1, 1 << 63, 1 << 55


def large(*values):
    """Puts the values in turn in place of all numbers that are no small count or key."""
    return lambda numbers: [values[at % len(values)] if number > 64 else number for at, number in enumerate(numbers)]


EXTREMES = {"all at their most": large(MAX_UINT64), "more than fits": large(HALF + 1), "just within 62 bits": large(HALF // 2 - 1),
            "all gone": large(0), "every second one": large(0, MAX_UINT64), "every third one": large(0, MAX_UINT64, MAX_UINT64 - 8)}


def pairs(numbers):
    """In turn, each two neighbours among the large numbers add up to a little more than fits."""
    places = [at for at, number in enumerate(numbers) if number > 64]
    for one, other in zip(places, places[1:]):
        yield [HALF if at == one else HALF + LITTLE if at == other else number for at, number in enumerate(numbers)]


VIEWS = ([], ["--all"], ["--json", "told.json"], ["--csv", "told.csv"], ["--html", "page.html"], ["--svg", "picture.svg"])


def extremes(test):
    """Sums whose numbers are as large as they can be, with right hashes: they are shown, or refused by the file's name."""
    def shown(name, words):
        found = CommandResult(test, [test.omptape, "report", *words, "whole/out"], {})
        refused = found.code == 2 and len(found.own) == 1 and "traces/0.sums" in found.own[0]
        if found.code != 0 and not refused or "crashed" in found.err:
            test.fail(f"{name}: {' '.join(words)}: exit {found.code}, it says {found.err!r}")
        if found.code == 0 and "#######" in found.out:
            test.fail(f"{name}: a bar is longer than its place")

    program = test.compile("programs", "locks.c")
    path = os.path.join(profiled(test, "whole", program), "traces", "0.sums")
    with open(path, "rb") as file:
        data = file.read()
    test.expect("nothing changed", data, rewritten(data, lambda numbers: numbers))
    for name, change in EXTREMES.items():
        with open(path, "wb") as file:
            file.write(rewritten(data, change))
        for words in VIEWS:
            shown(name, words)
    tables, _ = sums.split(data)
    for number, changed_numbers in enumerate(pairs(sums.numbers_of(tables)[2:])):
        with open(path, "wb") as file:
            file.write(rewritten(data, lambda numbers, new=changed_numbers: new))
        shown(f"pair {number}", ["--all"])


def damage(test):
    """Sums that are cut, changed, a pipe, or missing: one line, no crash."""
    program = test.compile("page", "program.c")
    whole = profiled(test, "whole", program, "5")
    path = os.path.join(whole, "traces", "0.sums")
    with open(path, "rb") as file:
        data = file.read()
    test.expect("the hash", data, sums.joined(data, *sums.split(data)))
    said = ["the profile's sums, traces/0.sums, are damaged"]

    def report(what, *options):
        return CommandResult(test, [test.omptape, "report", *options, "whole/out"], {})

    for number in range(40):
        mutated = bytearray(data)
        if number < 15:
            del mutated[test.random.randrange(len(mutated)):]
        else:
            mutated[test.random.randrange(len(mutated))] ^= 1 << number % 8
        with open(path, "wb") as file:
            file.write(mutated)
        expect_result(test, f"damaged sums {number}", report(number), 2, said)
    # What was changed on purpose may be good: it is read, or refused, and nothing else happens.
    accepted = refused = 0
    for number in range(120):
        with open(path, "wb") as file:
            file.write(changed(test.random, data, number % 2))
        found = report(number, "--html", "page.html")
        accepted += found.code == 0
        refused += found.code == 2
        if found.code not in (0, 2) or found.code == 2 and (len(found.own) != 1 or "are damaged" not in found.own[0] and "another version" not in found.own[0]):
            test.fail(f"changed sums {number}: exit {found.code}, it says {found.err!r}")
            shutil.copy(path, test.path(f"changed.{number}"))
    if not refused:
        test.fail(f"{accepted} changed sums were taken, {refused} refused")
    os.remove(path)
    os.mkfifo(path)
    expect_result(test, "a pipe", report("a pipe"), 2, ["traces/0.sums is no regular file"])
    os.remove(path)
    expect_result(test, "no sums", report("no sums"), 2, ["the profile's sums, traces/0.sums, are missing"])


if __name__ == "__main__":
    sys.exit(main(__doc__, {"same": same, "files": files, "killed": killed, "words": words, "damage": damage,
                            "extremes": extremes}, "e2e.profile",
                  stage=STAGE))
