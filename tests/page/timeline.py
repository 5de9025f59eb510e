# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report --html` in a real Chromium: rows, lanes, arrows and windows of the timeline."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

from otf2.enums import Paradigm

from export.making import Making
from harness import main
from page import hostile
from page.archives import write_device, write_states, write_alike, write_long
from page.browser import Browser
from page.shown import FILLED, Page, near, traced


def devices(test):
    """A device below its process, its counters as curves."""
    write_device(test.path("archive"))
    with Browser() as browser:
        page = Page(test, browser, test.path("archive"))
        page.open()
        rows = page.value("page.visible.map((one) => one.label)")
        test.expect("rows", ["Master thread", "OpenMP device 0", "in use, Device 0 memory"], rows)
        colours = page.value("""(() => {
            const { left, right, row } = page.place;
            const context = document.getElementById("timeline").getContext("2d");
            const line = context.getImageData(left, page.topOf(1) + row / 2, right - left, 1).data;
            return [0.25, 0.75].map((part) => {
                const [r, g, b] = line.slice(4 * Math.round(part * (right - left)));
                return "#" + [r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("");
            });
        })()""")
        test.expect("colours of the stream", ["#009e73", "#56b4e9"], colours)
        told = page.value("[page.tell(page.visible[2], 0.0005), page.tell(page.visible[2], 0.0015)]")
        if "0 bytes" not in told[0] or "4,096 bytes" not in told[1]:
            test.fail(f"the curve says {told}")
        told = page.value("[0.0005, 0.0015].map((time) => page.tell(page.visible[1], time))")
        for text, words in zip(told, (("kernel @a.c:5", "computing for 1.000 ms"), ("copy to device", "transfer for 1.000 ms"))):
            if not all(one in text for one in words):
                test.fail(f"the stream says {told}")
        drawn = page.value("""(() => {
            const context = document.getElementById("timeline").getContext("2d");
            const [before, texts] = [context.fillText, []];
            context.fillText = (text, ...place) => { texts.push(text); before.call(context, text, ...place); };
            page.draw();
            delete context.fillText;
            return texts;
        })()""")
        test.expect("the scale of the curve", True, "0 to 4 KiB" in drawn)
        page.quiet()


def folds(test):
    """Of many threads or processes those that do the same are one row, and one that does not has its own."""
    for name, processes, threads, labels in (("threads", 1, 200, ["199 alike: t0-99, 101-199", "t100"]),
                                             ("ranks", 100, 1, ["99 alike: rank 0-49, 51-99", "rank 50"])):
        with Browser(width=1280, height=800) as browser:
            page = Page(test, browser, write_alike(test.path(name), processes, threads))
            page.open()
            test.expect(f"rows of many {name}", labels, page.value("page.visible.map((one) => one.label)"))
            page.value("page.visible[0].open = true; page.showRows()")
            rows = page.value("page.visible.map((one) => one.label)")
            test.expect("rows that are unfolded", True, 50 < len(rows) < 110)
            test.expect("threads in rows", 200 if processes == 1 else 100,
                        page.value("page.tree.reduce((sum, one) => sum + one.members.length, 0)"))


def states(test):
    """The lane below a row: on a processor, runnable, blocked, as the kernel's sums say, by shares; few rows are tall."""
    with Browser(width=1280, height=800) as browser:
        page = Page(test, browser, write_states(test.path("two"), 2))
        page.open()
        test.expect("height of a row", 64, page.value("page.place.row"))
        shares = page.value("[0.005, 0.015, 0.025].map((time) => page.stateShares(page.visible[0], time - 0.004, time + 0.004))")
        for found, expected in zip(shares, ((0.5, 0, 0.5), (0.5, 0.5, 0), (1, 0, 0))):
            if any(abs(one - other) > 0.02 for one, other in zip(found, expected)):
                test.fail(f"the shares are {found}, not {expected}")
        told = page.value("page.tell(page.visible[0], 0.005)")
        if "on a processor 67 %, runnable 17 %, blocked 17 %" not in told: # of the one stretch
            test.fail(f"it says {told}")
        told = page.value("page.tell(page.visible[0], 0.025)") # where a state is the only one between two readings
        if "on a processor for 10.00 ms, from 0.020000 s" not in told:
            test.fail(f"it says {told}")
        test.expect("without sums of the kernel", [0, 0, 0], page.value("page.stateShares(page.visible[1], 0, 0.03)"))
        test.expect("rows", ["t0", "t1", "logger (7)"], page.value("page.visible.map((one) => one.label)"))
        test.expect("threads", [2, True], page.value("[page.hosts.members.length, document.getElementById('about').textContent.includes('2 threads')]"))
        told = page.value("page.tell(page.visible[2], 0.015)")
        if "neither OpenMP nor MPI knows" not in told or "on a processor 50 %, runnable 50 %" not in told:
            test.fail(f"of the program's other thread it says {told}")
        if "created by t0 at 0.0000000 s" not in told or "awaited by t0 at 0.0300000 s" not in told:
            test.fail(f"of the other thread's life it says {told}")
        told = page.value("[0, 0.015].map((time) => page.tell(page.visible[0], time).includes('creates logger (7)'))")
        test.expect("where its creator is", [True, False], told)
        test.expect("arrows", ["thread awaited", "thread created"], page.value("page.visibleArrows().map((one) => one.name).sort()"))
        legend = page.value("document.getElementById('legend').textContent")
        test.expect(f"legend: {legend}", True, "thread created" in legend and "thread awaited" in legend)
        # Of the lane's pixels the parts that are filled, the runnable's colour, and what the other row has: nothing.
        lane = page.value("""(() => {
            const { left, right, bar, lane } = page.place;
            const canvas = document.getElementById("timeline");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return [0, 1].map((row) => [1 / 6, 3 / 6, 5 / 6].map((part) => {
                const counts = {};
                for (let y = page.topOf(row) + bar + 1; y < page.topOf(row + 1); y++)
                    for (let x = Math.round(left + part * (right - left)) - 50, i = 0; i < 100; x++, i++) {
                        const [r, g, b] = data.slice(4 * (y * canvas.width + x));
                        const colour = "#" + [r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("");
                        counts[colour] = (counts[colour] || 0) + 1 / (100 * (lane - 1));
                    }
                return counts;
            }));
        })()""")
        running, runnable = (page.value(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')").strip()
                             for name in ("running", "runnable"))
        for found, (filled, hatched) in zip(lane[0], ((0.5, False), (0.5, True), (1, False))):
            if abs(found.get(running, 0) - filled) > 0.1 or (found.get(runnable, 0) > 0.1) != hatched:
                test.fail(f"the lane has {found}, not {filled} of {running} and {runnable}: {hatched}")
        test.expect("the other lane", [1, 1, 1], [len(found) for found in lane[1]])
        legend = page.value("document.getElementById('legend').textContent")
        test.expect("the legend", True, "on a processorrunnableblocked" in legend)
        # What goes on long after a window's end is not among its single events; so it is what the bins say.
        page = Page(test, browser, test.path("two"), "--from", "0.001", "--to", "0.0015")
        page.open()
        colour = page.value("""(() => {
            const { left, right, bar } = page.place;
            return [...document.getElementById("timeline").getContext("2d").getImageData((left + right) / 2, page.topOf(1) + bar - 4, 1, 1).data];
        })()""")
        test.expect("the colour of a window in a long region", [0, 158, 115, 255], colour)
        # Many threads have no room for lanes: all together have one, and labels do not lie upon each other.
        page = Page(test, browser, write_states(test.path("many"), 64))
        page.open("#row=2")
        test.expect("lanes of low rows", 0, page.value("page.place.lane"))
        labels = page.value("""(() => {
            const context = document.getElementById("timeline").getContext("2d");
            const before = context.fillText, drawn = [];
            context.fillText = (text, x, y) => {
                if (/^t[0-9]+$/.test(text))
                    drawn.push([text, y]);
                before.call(context, text, x, y);
            };
            page.draw();
            delete context.fillText;
            return drawn;
        })()""")
        test.expect("the chosen row has its label", True, "t2" in [text for text, _ in labels])
        if len(labels) < 20 or any(abs(one[1] - other[1]) < 11 for i, one in enumerate(labels) for other in labels[:i]):
            test.fail(f"labels lie upon each other: {labels}")
        page.quiet()


def longest(test):
    """"longest" leads to the longest visit, then to the next longest; the keyboard does it, too."""
    with Browser() as browser:
        page = Page(test, browser, write_long(test.path("long")))
        page.open()
        button = "document.querySelector('#regions td:nth-child(5) button')"
        page.value(f"{button}.focus()")
        for begin, length, row in ((3000e-6, 900e-9, "t0"), (1000e-6, 800e-9, "t1"), (5000e-6, 700e-9, "t0")):
            browser.key("\r", 13)
            page.wait_until_drawn()
            found = page.value("[page.view.begin, page.view.end, page.view.row.label]")
            if not (found[0] <= begin and begin + length <= found[1] <= begin + 5 * length and found[2] == row):
                test.fail(f"{row}, {begin}: it shows {found}")
            said = page.value("document.getElementById('kept').textContent")
            test.expect(f"what is said: {said}", True, f"{length * 1e9:.0f} ns" in said and said.count("longest") > 0)
        page.quiet()


def command(test):
    """Where there are no single events: the command that makes a page of what is in sight, which does."""
    with Browser() as browser:
        folder = test.path("it is long")
        page = Page(test, browser, write_long(folder))
        page.open()
        shown = "document.getElementById('command').textContent"
        test.expect("all of it", True, page.value(shown).startswith("omptape report --html window.html --from 0.000"))
        page.value("page.setRange(0.002, 0.0021)")
        page.wait_until_drawn()
        said = page.value(shown)
        browser.key("c")
        browser.wait("/copied|selected/.test(document.getElementById('copy').textContent)", "it was copied")
        done = subprocess.run(["bash", "-c", said], cwd=test.folder, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "PATH": f"{test.built('bin')}:{os.environ['PATH']}"})
        test.expect(f"{said}: {done.stdout}", 0, done.returncode)
        page.path = test.path("window.html")
        page.open()
        near(test, "the begin of its page", 0.002, page.value("page.view.begin + 0"), 0.002)
        test.expect("its single events", "Single events are shown.", page.value("document.getElementById('single-text').textContent"))
        test.expect("no command", ["", True], page.value(f"[{shown}, document.getElementById('copy').hidden]"))
        near(test, "its loops", 200, page.value("[...page.windows[0].rows.values()].flat().filter((one) => one.region >= 0).length"), 4)
        page.quiet()


def arrows(test):
    """Who made whom go on: arrows in sight, and in words."""
    folder = test.path("archive")
    Making(folder, ([(1000, "enter", "create task"), (1000, "thread_task_create", "team", 0, 1), (1100, "leave", "create task"),
                     (10000, "enter", "critical"), (10000, "thread_acquire_lock", Paradigm.OPENMP, 7, 1),
                     (20000, "thread_release_lock", Paradigm.OPENMP, 7, 1), (20000, "leave", "critical")],
                    [(5000, "thread_task_switch", "team", 0, 1), (5000, "enter", "task"), (9000, "leave", "task"),
                     (9000, "thread_task_complete", "team", 0, 1), (12000, "enter", "critical"),
                     (21000, "thread_acquire_lock", Paradigm.OPENMP, 7, 2),
                     (25000, "thread_release_lock", Paradigm.OPENMP, 7, 2), (25000, "leave", "critical")]))
    with Browser() as browser:
        page = Page(test, browser, folder)
        page.open()
        shown = "page.visibleArrows().map((one) => page.data.arrowKinds[one.kind].name).sort()"
        test.expect("all arrows", ["lock handed on", "task created"], page.value(shown))
        legend = page.value("document.getElementById('legend').textContent")
        if "lock handed on" not in legend or "task created" not in legend or "fork" in legend:
            test.fail(f"the legend says {legend}")
        # The task (4 to 8 us after the first event) was created before what is in sight.
        page.value("page.setRange(page.view.begin + 4e-6, page.view.end)")
        test.expect("arrows in sight", ["lock handed on"], page.value(shown))
        page.value("document.getElementById('timeline').focus()")
        page.value("(() => { page.view.row = page.visible[1]; page.view.cursor = page.data.begin + 6e-6; })()")
        test.expect("arrows of what is chosen", ["lock handed on", "task created"], page.value(shown))
        for row, time, words in ((1, 6e-6, "task created by t0"), (0, 15e-6, "hands the lock to t1"), (1, 22e-6, "gets the lock from t0")):
            told = page.value(f"page.tell(page.visible[{row}], page.data.begin + {time})")
            if words not in told:
                test.fail(f"row {row} at {time} says {told}")
        thin_arrows(test, browser)
        page.quiet()


def thin_arrows(test, browser):
    """Of 300 arrows from one row to the other some are drawn, none upon another; all of them when there is room."""
    tasks = range(300)
    made = [event for one in tasks for event in ((1000 + 100 * one, "enter", "create task"), (1000 + 100 * one, "thread_task_create", "team", 0, one),
                                                 (1050 + 100 * one, "leave", "create task"))]
    run = [event for one in tasks for event in ((50000 + 100 * one, "thread_task_switch", "team", 0, one), (50000 + 100 * one, "enter", "task"),
                                                (50050 + 100 * one, "leave", "task"), (50050 + 100 * one, "thread_task_complete", "team", 0, one))]
    Making(test.path("tasks"), (made, run))
    page = Page(test, browser, test.path("tasks"))
    page.open()
    test.expect("many arrows", True, page.value("page.windows[0].arrows.length") > 290)
    near(test, "least distance", 12, page.value("""(() => {
        const ends = page.visibleArrows().map((one) => [page.xAt(one.from), page.xAt(one.to)]);
        if (ends.length < 20)
            throw new Error(`only ${ends.length} are drawn`);
        return Math.min(...ends.flatMap((one, i) => ends.slice(0, i).map((other) =>
            Math.max(Math.abs(one[0] - other[0]), Math.abs(one[1] - other[1])))));
    })()"""), 2)
    test.expect("arrows that are shown", "", page.value("page.arrowsHidden ? 'hidden' : ''"))


def tell_longest_chunk(test, page):
    """Of the first window."""
    told = page.value("""(() => {
        const all = [...page.windows[0].rows].flatMap(([row, list]) => list.map((one) => ({ row, ...one })));
        const length = (one) => (page.data.regions[one.region]?.label.startsWith("for chunk") ? one.to - one.from : 0);
        const longest = all.reduce((most, one) => (length(one) > length(most) ? one : most));
        page.setRange(longest.from, longest.to);
        return page.tell(page.visible.find((one) => one.members[0] === longest.row), (longest.from + longest.to) / 2);
    })()""")
    if "32 iterations" not in told or ("computing" not in told and "at work" not in told) or "for chunk" not in told:
        test.fail(f"the longest chunk says {told}")


def window(test):
    """--from and --to: all single events of that time."""
    archive = traced(test)
    told = json.loads(test.command("report", "--json", "-", archive).stdout)
    visits = next(one["visits"] for one in told["regions"] if one["region"].startswith("for @"))
    begin = max(0, visits["longest_begin_s"] - 0.0001)
    end = visits["longest_begin_s"] + visits["longest_s"] + 0.0001
    with Browser() as browser:
        page = Page(test, browser, archive, "--from", f"{begin:.9f}", "--to", f"{end:.9f}")
        page.open()
        test.expect("windows", 1, page.value("page.windows.length"))
        shown = float(page.value("page.moment(page.view.begin, 1e-6)").split()[0])
        near(test, "the window's begin", begin, shown, 2e-6)
        near(test, "the window's length", end - begin, page.value("page.view.end - page.view.begin"), 1e-6)
        if page.value(FILLED) < 0.3:
            test.fail("the window is blank")
        # 64 iterations, statically, for two threads.
        tell_longest_chunk(test, page)
        page.quiet()
        # The chunks begin before a window that begins in their middle.
        page = Page(test, browser, archive, "--from", f"{(begin + end) / 2:.9f}", "--to", f"{end:.9f}")
        page.open()
        tell_longest_chunk(test, page)
        page.quiet()


def picture(test):
    """--svg: a picture that is XML, whose rows' shares fill their life, whatever the names are."""
    def draw(name, archive, *options):
        path = test.path(name)
        done = test.command("report", "--svg", path, *options, archive)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)
        return xml.etree.ElementTree.parse(path).getroot()

    svg = "{http://www.w3.org/2000/svg}"
    archive = traced(test, rounds=100)  # longer than the window
    found = draw("whole.svg", archive)
    texts = [one.text for one in found.iter(f"{svg}text")]
    for words in ("Master thread", "OMP thread 1", "computing", "barrier"):
        if words not in texts:
            test.fail(f"the picture lacks \"{words}\": {texts}")
    # The first thread lives as long as the program: all columns of its row are filled.
    filled = sum(float(width) * float(height) for one in found.iter(f"{svg}path") if one.get("fill")
                 for top, width, height in re.findall(r"M\d+ ([\d.]+)h(\d+)v-([\d.]+)h", one.get("d")) if float(top) < 50)
    near(test, "pixels of the first row", 900 * 15, filled, 900 * 15 * 0.02)
    cut = [one.text for one in draw("cut.svg", archive, "--from", "0.01", "--to", "0.02").iter(f"{svg}text")]
    ruler = [float(text.split()[0]) for text in cut if re.fullmatch(r"[\d.]+ s", text)]
    if len(ruler) < 2 or not all(0.01 <= time <= 0.02 for time in ruler):
        test.fail(f"the ruler of a window says {cut}")
    found = draw("hostile.svg", hostile.write(test.path("archive"), ["/a.c"]))
    test.expect("elements", {"svg", "rect", "text", "path"}, {one.tag.replace(svg, "") for one in found.iter()})


TESTS = {"devices": devices, "states": states, "folds": folds, "longest": longest, "command": command, "arrows": arrows,
         "window": window, "picture": picture}

if __name__ == "__main__":
    sys.exit(main(__doc__, TESTS, "page", stage="19"))
