# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report --html` in a real Chromium: what is there, what mouse and keyboard do, what hostile names do not."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import otf2
from otf2.enums import LocationGroupType, LocationType, MetricMode, Paradigm, RegionRole, Type

from export import sampled
from export.making import Making
from harness import main, source_of
from page import hostile
from page.browser import Browser

READY = "typeof page !== 'undefined' && page.drawn !== undefined"
# Of the timeline's rows, the part of pixels that is not the background.
FILLED = """(() => {
    const canvas = document.getElementById("timeline");
    const { left, right } = page.place;
    const data = canvas.getContext("2d").getImageData(left + 2, 70, right - left - 4, canvas.height - 72).data;
    let filled = 0;
    for (let i = 0; i < data.length; i += 4)
        filled += data[i] !== data[(data.length - 4) % data.length] || data[i + 1] !== data[i + 2];
    return filled / (data.length / 4);
})()"""
AFTER_A_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Page:
    """A page of one archive, and the browser that shows it."""

    def __init__(self, test, browser, archive, *options):
        self.test, self.browser = test, browser
        self.path = test.path("page.html")
        done = test.command("report", "--html", self.path, *options, archive)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)
        self.output = done.stdout

    def open(self, fragment=""):
        # A page that differs by its fragment alone is not loaded again.
        self.browser.open("/dev/null")
        self.browser.open(self.path, fragment)
        self.browser.wait(READY, "the page is drawn")

    def value(self, expression):
        return self.browser.value(expression)

    def wait_until_drawn(self):
        self.value(AFTER_A_FRAME)

    def box(self):
        self.value("document.getElementById('timeline').scrollIntoView({ block: 'center' })")
        return self.value("(() => { const { x, y } = document.getElementById('timeline').getBoundingClientRect(); return { x, y }; })()")

    def hover(self, x, y):
        """What is said of a place. A person's mouse moves all the time; of a busy Chromium's single movements some are lost."""
        for step in range(10):
            self.browser.mouse("mouseMoved", x + step % 2, y)
            self.wait_until_drawn()
            text = self.value("document.getElementById('hover').textContent")
            if text:
                break
        return text

    def quiet(self):
        for problem in self.browser.problems:
            self.test.fail(f"the console says: {problem}")


def traced(test, rounds=10, threads=2):
    program = test.compile("page", "program.c")
    ended = test.run("traced", [test.omptape, "--output=out", program, str(rounds)], test.environment(OMP_NUM_THREADS=str(threads)))
    if ended.code != 0:
        raise RuntimeError(ended.output)
    return test.path("traced", "out")


def near(test, what, expected, found, most):
    if abs(expected - found) > most:
        test.fail(f"{what}: {found}, not {expected}")


def shows(test):
    """All parts of the page are there and right; it asks for nothing."""
    archive = traced(test, threads=4)
    report = test.path("report.json")
    test.command("report", "--json", report, archive)
    with open(report, encoding="utf-8") as file:
        told = json.load(file)
    with Browser() as browser:
        page = Page(test, browser, archive)
        page.open()
        test.expect("findings", len(told["findings"]), page.value("document.querySelectorAll('#findings button').length"))
        for number, finding in enumerate(told["findings"]):
            said = page.value(f"document.querySelectorAll('#findings button')[{number}].textContent")
            if finding["text"] not in said:
                test.fail(f"finding {number} says \"{said}\"")
        test.expect("threads", 4, page.value("page.visible.length"))
        near(test, "length", told["wall_s"], page.value("page.view.end - page.view.begin"), 1e-6)
        if page.value(FILLED) < 0.5:
            test.fail(f"the timeline is blank: {page.value(FILLED)}")
        # What the rows hold is what the report counts, but for what a byte in each bin cannot say.
        lived = sum(thread["end_s"] - thread["begin_s"] for thread in told["threads_list"])
        for part, name in (("computing_s", "computing"), ("barrier_s", "barrier"), ("idle_s", "idle")):
            drawn = page.value("page.planes.filter((plane) => page.data.buckets[plane.bucket].name === '%s').map((plane) =>"
                               " plane.cells.reduce((sum, cell) => sum + cell, 0) / 255 * page.data.width)[0] || 0" % name)
            counted = sum(thread["parts"][part] for thread in told["threads_list"])
            near(test, f"seconds of {name} in the rows", counted, drawn, lived / 255 + 1e-6)
        page.value("page.chooseRegion(page.data.regions.findIndex((region) => region.label.startsWith('for @program.c')))")
        source = page.value("document.getElementById('source').textContent")
        if "schedule(static)" not in source:
            test.fail(f"the source is not shown: {source}")
        test.expect("no request", 0, page.value("performance.getEntriesByType('resource').filter((one) => !one.name.startsWith('data:')).length"))
        page.quiet()


def zooms(test):
    """The time under the pointer stays; keys, dragging, and the fragment."""
    archive = traced(test)
    with Browser() as browser:
        page = Page(test, browser, archive)
        page.open()
        at = page.box()
        x, y = at["x"] + 700, at["y"] + 90
        before = page.value("page.timeAt(700)")
        length = page.value("page.view.end - page.view.begin")
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-200)
        page.wait_until_drawn()
        if not page.value("page.view.end - page.view.begin") < 0.6 * length:
            test.fail("the wheel does not zoom")
        near(test, "the time under the pointer", before, page.value("page.timeAt(700)"), length * 1e-9)
        # Dragging moves what was taken along.
        taken = page.value("page.timeAt(700)")
        browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        browser.mouse("mouseMoved", x - 100, y, button="left", buttons=1)
        browser.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
        near(test, "the time that was dragged", taken, page.value("page.timeAt(600)"), length * 1e-6)
        hover = page.hover(x + 1, y)
        if "thread" not in hover:
            test.fail(f"hovering says \"{hover}\"")
        # A link leads to the same sight.
        page.value("document.getElementById('timeline').focus()")
        browser.key("ArrowDown")
        browser.wait("location.hash.includes('row=')", "the fragment says the row")
        fragment, begin, end = page.value("[location.hash, page.view.begin, page.view.end]")
        page.open(fragment)
        near(test, "begin of a link's range", begin, page.value("page.view.begin"), 1e-8)
        near(test, "end of a link's range", end, page.value("page.view.end"), 1e-8)
        test.expect("the row of a link", "0", page.value("page.view.row.id"))
        for key, right in (("w", "now < before"), ("s", "now > before"), ("0", f"Math.abs(now - {length}) < 1e-9")):
            before = page.value("page.view.end - page.view.begin")
            browser.key(key)
            page.wait_until_drawn()
            if not page.value(f"(() => {{ const before = {before}, now = page.view.end - page.view.begin; return {right}; }})()"):
                test.fail(f"the key {key} does not zoom")
        for fragment in ("#t=9e99,-1", "#t=nan,nan&rows=7.7.7,-&row=__proto__&region=1e9&finding=-1", "#%%%&&==", "#t=0,0"):
            page.open(fragment)
            near(test, f"the range of {fragment}", length, page.value("page.view.end - page.view.begin"), 1e-6)
        page.quiet()


def findings(test):
    """A finding leads to its worst instance, with single events; search finds."""
    archive = traced(test)
    with Browser() as browser:
        page = Page(test, browser, archive)
        page.open()
        count = page.value("page.data.findings.length")
        if count == 0:
            test.fail("no finding")
        for number in range(count):
            page.value(f"document.querySelectorAll('#findings button')[{number}].click()")
            page.wait_until_drawn()
            if not page.value(f"(() => {{ const one = page.data.findings[{number}]; return page.view.begin <= one.begin"
                              " && page.view.end >= Math.min(one.end, page.data.end); })()"):
                test.fail(f"finding {number} is not in sight")
            if page.value("page.windowAt((page.view.begin + page.view.end) / 2) === undefined"):
                test.fail(f"finding {number} has no single events")
            test.expect("pressed", "true", page.value(f"document.querySelectorAll('#findings button')[{number}].getAttribute('aria-pressed')"))
        # Single events and bins are of one analysis: over all of a window they say the same, but for what of the work lacked a
        # processor, which the bins alone know.
        worst = page.value("""Math.max(...page.windows.flatMap((window) => [...window.rows].map(([row, list]) => {
            const { width } = page.data;
            const begin = Math.ceil(window.begin / width) * width, end = Math.floor(window.end / width) * width;
            const item = { members: [row] };
            const shares = page.shares(item, begin + width / 4, end - width / 4);
            const names = page.planes.map((plane) => page.data.buckets[plane.bucket].name)
                .map((name) => (["computing", "serial", "blocked", "runnable"].includes(name) ? "at work" : name));
            return Math.max(...names.map((name) => {
                const own = list.filter((one) => names[one.plane] === name).reduce((sum, one) =>
                    sum + Math.max(0, Math.min(one.to, end) - Math.max(one.from, begin)), 0);
                const share = shares.reduce((sum, one, plane) => sum + (names[plane] === name ? one : 0), 0);
                return end - begin > 50 * width ? Math.abs(share - own / (end - begin)) : 0;
            }));
        })))""")
        near(test, "shares of single events and bins", 0, worst, 0.01)
        browser.key("/")
        for letter in "critical":
            browser.key(letter)
        browser.key("Enter", 13)
        page.value("document.getElementById('search').requestSubmit()")
        test.expect("what the search chose", True, page.value("page.data.regions[page.view.region].label.startsWith('critical')"))
        page.value("document.getElementById('query').blur()")
        browser.key("Escape")
        test.expect("Escape", -1, page.value("page.view.region"))
        shows_some_findings(test, page)
        page.quiet()


def shows_some_findings(test, page):
    """The timeline is below the first findings; the others are shown when somebody asks for them, or is led to one."""
    shown = "[...document.querySelectorAll('#findings li')].filter((one) => one.offsetHeight > 0).length"
    for asked in ("document.getElementById('more').click()", "page.goToFinding(8)"):
        page.value("""(() => {
            page.view.finding = -1;
            page.data.findings = new Array(9).fill(page.data.findings[0]);
            ["findings", "efficiency", "legend", "warnings"].forEach((id) => document.getElementById(id).replaceChildren());
            page.fillPanels();
        })()""")
        test.expect("findings that are shown", 6, page.value(shown))
        test.expect("the others", "3 more", page.value("document.getElementById('more').textContent"))
        page.value(asked)
        test.expect("findings that are shown then", 9, page.value(shown))
        test.expect("no others", 0, page.value("document.getElementById('more').offsetHeight"))


def narrow(test):
    """On a telephone: nothing is wider than the screen, names can be read, and the ruler's times lie beside each other."""
    archive = traced(test)
    with Browser(width=400, height=800) as browser:
        page = Page(test, browser, archive)
        page.open()
        test.expect("width", 400, page.value("document.documentElement.scrollWidth"))
        if page.value("document.querySelector('#regions tbody td').clientWidth") < 100:
            test.fail("the names of regions have no room")
        test.expect("times of the ruler that lie upon each other", 0, page.value("""(() => {
            const context = document.getElementById("timeline").getContext("2d");
            const drawn = [];
            const before = context.fillText;
            context.fillText = (text, x, y) => {
                if (/^[0-9.]+ s$/.test(text))
                    drawn.push({ x, half: context.measureText(text).width / 2 });
                before.call(context, text, x, y);
            };
            page.draw();
            delete context.fillText;
            if (drawn.length === 0)
                throw new Error("no time is drawn");
            return drawn.filter((one, i) => i > 0 && one.x - one.half < drawn[i - 1].x + drawn[i - 1].half).length;
        })()"""))
        page.quiet()


def profile(test):
    """Of a profile: bins without single events, which hold what its report counts; all else works."""
    program = test.compile("page", "program.c")
    ended = test.run("profiled", [test.omptape, "--profile", "--output=out", program, "30"], test.environment(OMP_NUM_THREADS="3"))
    archive = test.path("profiled", "out")
    report = test.path("report.json")
    test.expect("reported", (0, 0), (ended.code, test.command("report", "--json", report, archive).returncode))
    with open(report, encoding="utf-8") as file:
        told = json.load(file)
    with Browser() as browser:
        page = Page(test, browser, archive)
        page.open()
        test.expect("threads", 3, page.value("page.visible.length"))
        test.expect("windows with single events", 0, page.value("page.windows.length"))
        test.expect("the kernel's states", 3, page.value("page.states.length"))
        bins = page.value("page.data.bins")
        if not bins >= 2048 or not 0.3 * bins * page.value("page.data.width") < told["wall_s"]:
            test.fail(f"{bins} bins of {page.value('page.data.width')} s for {told['wall_s']} s")
        near(test, "length", told["wall_s"], page.value("page.view.end - page.view.begin"), 1e-6)
        if page.value(FILLED) < 0.5:
            test.fail(f"the timeline is blank: {page.value(FILLED)}")
        for part, name in (("computing_s", "computing"), ("barrier_s", "barrier"), ("lock_s", "lock"), ("idle_s", "idle")):
            drawn = page.value("page.planes.filter((plane) => page.data.buckets[plane.bucket].name === '%s').map((plane) =>"
                               " plane.cells.reduce((sum, cell) => sum + cell, 0) / 255 * page.data.width)[0] || 0" % name)
            counted = sum(thread["parts"][part] for thread in told["threads_list"])
            near(test, f"seconds of {name} in the rows", counted, drawn, 0.01 * counted + 0.002)
        for number in range(page.value("page.data.findings.length")):
            page.value(f"document.querySelectorAll('#findings button')[{number}].click()")
            page.wait_until_drawn()
            if not page.value(f"(() => {{ const one = page.data.findings[{number}]; return page.view.begin <= one.begin"
                              " && page.view.end >= Math.min(one.end, page.data.end); })()"):
                test.fail(f"finding {number} is not in sight")
        at = page.box()
        browser.mouse("mouseWheel", at["x"] + 700, at["y"] + 90, deltaX=0, deltaY=-200)
        page.wait_until_drawn()
        hover = page.hover(at["x"] + 701, at["y"] + 90)
        if "thread" not in hover:
            test.fail(f"hovering says \"{hover}\"")
        page.value("page.chooseRegion(page.data.regions.findIndex((region) => region.label.startsWith('for @program.c')))")
        page.wait_until_drawn()
        browser.picture(test.path("profile.png"))
        page.quiet()


def without_scripts(test):
    """The text is there."""
    archive = traced(test)
    with Browser(scripts=False) as browser:
        page = Page(test, browser, archive)
        browser.open(page.path)
        with open(page.path, encoding="utf-8") as file:
            text = re.search(r"<pre>(.*?)</pre>\n</details>", file.read(), re.DOTALL).group(1)
        first = test.command("report", archive).stdout.split(",")[0]
        for words in (first, "efficiency", "program.c"):
            if words not in text:
                test.fail(f"the text lacks \"{words}\"")
        tree = json.dumps(browser.ask("DOM.getDocument", depth=-1))
        if "Scripts are off" not in tree:
            test.fail("nothing says that scripts are off")
        picture = test.path("text.png")
        browser.picture(picture)
        if os.path.getsize(picture) < 10000:
            test.fail("the page is blank without scripts")
        page.quiet()


def names(test):
    """Names that would be markup do nothing and are shown; files that are no sources are not."""
    secret = test.write("secret", "one\nSECRET\nthree\n")
    source = test.write("source.c", "one\n</script><script>window.hit = 6</script>\nthree\n")
    pipe = test.path("pipe.c")
    os.mkfifo(pipe)
    archive = hostile.write(test.path("archive"), [secret, source, pipe, "/dev/zero", hostile.NAMES[0], "../source.c"])
    with Browser() as browser:
        page = Page(test, browser, archive)
        page.open()
        number = page.value("page.data.regions.length")
        for region in range(number):
            page.value(f"page.chooseRegion({region})")
            page.wait_until_drawn()
        shown = page.value("page.data.regions.map((region) => region.label).join('|')")
        if "<img src=x onerror='window.hit = 2'>" not in shown:
            test.fail(f"the names are not shown: {shown}")
        page.value("page.visible.forEach((one) => page.tell(one, page.view.begin))")
        for text in ("page.search('<img')", "page.enterSearch('</script>')"):
            page.value(text)
        test.expect("what ran", None, page.value("window.hit"))
        test.expect("scripts", 3, page.value("document.scripts.length"))
        test.expect("images", 0, page.value("document.images.length"))
        sources = page.value("JSON.stringify(page.data.sources)")
        if "SECRET" in sources or "window.hit = 6" not in sources:
            test.fail(f"sources: {sources}")
        page.quiet()


def empty(test):
    """An archive without any event speaks."""
    with otf2.writer.open(test.path("archive"), timer_resolution=1000000000) as archive:
        root = archive.definitions.system_tree_node("node")
        group = archive.definitions.location_group("process", system_tree_parent=root)
        archive.event_writer_from_location(archive.definitions.location("Master thread", group=group))
    with Browser() as browser:
        page = Page(test, browser, test.path("archive"))
        page.open()
        said = page.value("document.getElementById('app').innerText")
        page.value("document.getElementById('timeline').focus()")
        for key in ("w", "a", "f", "u", "ArrowDown", "ArrowRight", "Enter", "0", "Escape"):
            browser.key(key)
        page.wait_until_drawn()
        for words in ("No finding", "No devices", "No regions", "no events"):
            if words not in said:
                test.fail(f"it does not say \"{words}\"")
        page.quiet()


def write_device(folder):
    """A thread, a device's stream that has a kernel in the first half and a transfer in the second, and its memory."""
    with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
        definitions = archive.definitions
        root = definitions.system_tree_node("node")
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=root)
        device = definitions.location_group("OpenMP device 0", LocationGroupType.ACCELERATOR, system_tree_parent=root,
                                            creating_location_group=process)
        thread = definitions.location("Master thread", group=process)
        stream = definitions.location("Device 0 stream 1", LocationType.ACCELERATOR_STREAM, group=device)
        memory = definitions.location("Device 0 memory", LocationType.METRIC, group=device)
        program = definitions.region("program", paradigm=Paradigm.USER)
        kernel = definitions.region("kernel @a.c:5", region_role=RegionRole.FUNCTION, paradigm=Paradigm.CUDA)
        copy = definitions.region("copy to device", region_role=RegionRole.DATA_TRANSFER, paradigm=Paradigm.CUDA)
        level = definitions.metric_class([definitions.metric_member("in use", unit="bytes", value_type=Type.UINT64,
                                                                    metric_mode=MetricMode.ABSOLUTE_POINT)])
        for location, visits in ((thread, [(0, 2000000, program)]), (stream, [(0, 1000000, kernel), (1000000, 2000000, copy)])):
            writer = archive.event_writer_from_location(location)
            for begin, end, region in visits:
                writer.enter(1000 + begin, region)
                writer.leave(1000 + end, region)
        writer = archive.event_writer_from_location(memory)
        writer.metric(1001000, level, [4096])


def devices(test):
    """A device below its process, its counters as curves."""
    write_device(test.path("archive"))
    with Browser() as browser:
        page = Page(test, browser, test.path("archive"))
        page.open()
        rows = page.value("page.visible.map((one) => one.label)")
        test.expect("rows", ["Master thread", "OpenMP device 0", "Device 0 stream 1", "in use, Device 0 memory"], rows)
        colours = page.value("""(() => {
            const { left, right, row } = page.place;
            const context = document.getElementById("timeline").getContext("2d");
            const line = context.getImageData(left, page.topOf(2) + row / 2, right - left, 1).data;
            return [0.25, 0.75].map((part) => {
                const [r, g, b] = line.slice(4 * Math.round(part * (right - left)));
                return "#" + [r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("");
            });
        })()""")
        test.expect("colours of the stream", ["#009e73", "#56b4e9"], colours)
        told = page.value("[page.tell(page.visible[3], 0.0005), page.tell(page.visible[3], 0.0015)]")
        if "0 bytes" not in told[0] or "4,096 bytes" not in told[1]:
            test.fail(f"the curve says {told}")
        told = page.value("[0.0005, 0.0015].map((time) => page.tell(page.visible[2], time))")
        for text, words in zip(told, (("kernel @a.c:5", "computing for 1.000 ms"), ("copy to device", "transfer for 1.000 ms"))):
            if not all(one in text for one in words):
                test.fail(f"the stream says {told}")
        page.quiet()


# Of t0: asleep for half of the first 10 ms, without a processor for half of the second, on one in the third.
READINGS = ((0, 0), (5, 0), (10, 5), (20, 5))
MS = 1000000


def write_states(folder, threads):
    """Threads that are in one region for 30 ms, of which the first has readings of the kernel's sums in every 10 ms; and a thread
    of the program that OpenMP does not know, which has readings alone."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        process = definitions.location_group("process", LocationGroupType.PROCESS,
                                             system_tree_parent=definitions.system_tree_node("node"))
        region = definitions.region("!$omp parallel @a.c:1", region_role=RegionRole.PARALLEL, paradigm=Paradigm.OPENMP)
        inner = definitions.region("!$omp critical @a.c:2", region_role=RegionRole.CRITICAL, paradigm=Paradigm.OPENMP)
        members = [definitions.metric_member(name, unit="ns", value_type=Type.UINT64, metric_mode=MetricMode.ACCUMULATED_START)
                   for name in ("processor time", "run queue wait", "system time")]
        sums = definitions.metric_class(members)
        # Two numbers that are something else.
        others = definitions.metric_class([definitions.metric_member(name, unit="#", value_type=Type.UINT64,
                                                                     metric_mode=MetricMode.ACCUMULATED_START) for name in ("one", "two")])
        for number in range(threads):
            writer = archive.event_writer_from_location(definitions.location(f"t{number}", group=process))
            writer.enter(1000, region)
            for i, (running, queued) in enumerate(READINGS):
                if number == 0:
                    writer.metric(1000 + 10 * i * MS, sums, [running * MS, queued * MS, 0])
                else:
                    writer.metric(1000 + 10 * i * MS, others, [running * MS, queued * MS])
                if number == 1 and i == 0: # and is in the region itself from then on
                    writer.enter(1000 + 11 * MS // 10, inner)
                    writer.leave(1000 + 12 * MS // 10, inner)
            writer.leave(1000 + 30 * MS, region)
        other = definitions.location("logger (7)", LocationType.METRIC, group=process)
        definitions.location_property(other, "other thread", Type.STRING, "logger")
        writer = archive.event_writer_from_location(other)
        for i, (running, queued) in enumerate(READINGS):
            writer.metric(1000 + 10 * i * MS, sums, [running * MS, queued * MS, 0])
    return folder


def write_alike(folder, processes, threads):
    """Threads that wait at a barrier for a third of the time, and one in the middle that computes for all of it."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        region = definitions.region("!$omp parallel @a.c:1", region_role=RegionRole.PARALLEL, paradigm=Paradigm.OPENMP)
        wait = definitions.region("!$omp implicit barrier @a.c:1", region_role=RegionRole.IMPLICIT_BARRIER, paradigm=Paradigm.OPENMP)
        node = definitions.system_tree_node("node")
        for number in range(processes * threads):
            if number % threads == 0:
                process = definitions.location_group(f"rank {number // threads}", LocationGroupType.PROCESS, system_tree_parent=node)
            writer = archive.event_writer_from_location(definitions.location(f"t{number}", group=process))
            writer.enter(1000, region)
            if number != processes * threads // 2:
                writer.enter(1000 + 20 * MS, wait)
                writer.leave(1000 + 30 * MS, wait)
            writer.leave(1000 + 30 * MS, region)
    return folder


def folds(test):
    """Of many threads or processes those that do the same are one row, and one that does not has its own."""
    for name, processes, threads, labels in (("threads", 1, 200, ["199 alike: t0-99, 101-199", "t100"]),
                                             ("ranks", 100, 1, ["99 alike: rank 0-49, 51-99", "rank 50", "t50"])):
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


def write_long(folder):
    """12,000 loops, of which three are longer than the others, on two threads, with an arrow between neighbours."""
    def stretch(number, thread):
        length = {(3000, 0): 900, (1000, 1): 800, (5000, 0): 700}.get((number, thread), 400)
        return [(number * 1000, "enter", "for"), (number * 1000 + length, "leave", "for")]
    Making(folder, [[event for number in range(6000) for event in stretch(number, thread)] for thread in range(2)])
    return folder


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


def source(test):
    """The first finding's source is there from the start, with a word where the file was changed since; search and clicks."""
    text = test.path("edited.c")
    shutil.copy(source_of("page", "program.c"), text)
    program = test.toolchain.compile(text, test.path("edited"))
    ended = test.run("traced", [test.omptape, "--output=out", program, "10"], test.environment(OMP_NUM_THREADS="2"))
    archive = test.path("traced", "out")
    with Browser(width=1280, height=800) as browser:
        page = Page(test, browser, archive)
        page.open()
        test.expect("ended", 0, ended.code)
        first = page.value("page.data.regions[[page.data.findings[0].region, page.data.findings[0].beforeRegion].find((one) => one >= 0)].line")
        shown = "document.querySelector('#source .here').lastChild.textContent"  # behind the count of samples
        test.expect("the first finding's line", first, int(page.value(shown).split()[0]))
        warned = "!document.getElementById('source-warning').hidden"
        test.expect("no warning", False, page.value(warned))
        # A click, and what it says, moves nothing below.
        table = "document.getElementById('regions').getBoundingClientRect().top"
        at = page.box()
        before = page.value(table)
        for x in (400, 700):
            browser.mouse("mousePressed", at["x"] + x, at["y"] + 100, button="left", buttons=1, clickCount=1)
            browser.mouse("mouseReleased", at["x"] + x, at["y"] + 100, button="left", clickCount=1)
            page.wait_until_drawn()
            test.expect("the table's place after a click", before, page.value(table))
        test.expect("something is kept", True, page.value("document.getElementById('kept').textContent.length > 20"))
        # Escape ends the search.
        hidden = "[...document.querySelectorAll('#regions tbody tr')].filter((row) => row.hidden).length"
        browser.key("/")
        for letter in "critical":
            browser.key(letter)
        test.expect("the search hides rows", True, page.value(hidden) > 0)
        browser.key("Escape")
        test.expect("Escape shows them", (0, ""), (page.value(hidden), page.value("document.getElementById('query').value")))
        page.quiet()
        os.utime(text, (time.time() + 10, time.time() + 10))
        page = Page(test, browser, archive)
        page.open()
        test.expect("a warning", True, page.value(warned))
        test.expect("which says why", True, "changed after the program had begun" in page.value("document.getElementById('source-warning').textContent"))
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


def write_line_samples(folder, file):
    """Three samples in line 2 of the file, two in line 3, which is called there, and a look at it while it slept there."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=definitions.system_tree_node("node"))
        writer = archive.event_writer_from_location(definitions.location("Master thread", group=process))
        generator = definitions.interrupt_generator("processor time", exponent=-9, period=1000)
        context = None
        for name, line, count in (("f2", 2, 3), ("f3", 3, 2), ("[blocked]", 4, 1)):
            function = definitions.region(name, region_role=RegionRole.FUNCTION, paradigm=Paradigm.SAMPLING, source_file=file)
            context = definitions.calling_context(function, source_code_location=definitions.source_code_location(file=file, line_number=line),
                                                  parent=context)
            for number in range(count):
                writer.calling_context_sample(1000 * (10 * line + number), context, 0, generator)
    return folder


def inside(test):
    """Functions by samples: of all, of a region, a thread and what is in sight; search; the keyboard; as text."""
    with Browser(width=1280, height=800) as browser:
        page = Page(test, browser, sampled.write(test.path("sampled")))
        page.open()
        about = "document.getElementById('inside-about').textContent"
        frames = "[...document.querySelectorAll('#flame [role=treeitem]')].map((one) => one.textContent).join('|')"
        table = "[...document.querySelectorAll('#inside-table tr')].map((row) => [...row.cells].map((one) => one.textContent).join(' ')).join('|')"

        def shows_samples(what, *words):
            browser.wait(f"{about}.startsWith('{words[0]}')", f"{what}: it says {page.value(about)}")
            for word in words[1:]:
                if word not in f"{page.value(about)} {page.value(frames)}":
                    test.fail(f"{what}: no {word} in {page.value(about)} {page.value(frames)}")

        def choose(name, option):
            page.value(f"(() => {{ const one = document.getElementById('{name}'); one.selectedIndex = {option}; one.dispatchEvent(new Event('change')); }})()")

        shows_samples("all", "13 samples of 2 threads in sight", "Too few", "all13 of 13", "main @a.c9 of 13", "solve @a.c8 of 13")
        if "dg @a.c 4 31 % 4" not in page.value(table):
            test.fail(f"the table says {page.value(table)}")
        # A tick for each, with its path.
        told = page.value("page.tell(page.visible[0], page.samples.times[1])")
        if "sample: dg @a.c:5 ← solve @a.c:12 ← main @a.c:19" not in told:
            test.fail(f"a sample says {told}")
        choose("inside-list", 1)
        test.expect("functions", True, "dg @a.c 5 38 % 5|lines @a.c 4 31 % 4" in page.value(table))
        # The keyboard: into main and its callee, and back.
        page.value("document.querySelector('#flame [tabindex=\"0\"]').focus()")
        for key in ("ArrowDown", "ArrowDown"):
            browser.key(key)
        test.expect("what is told", True, page.value("document.getElementById('inside-told').textContent").startswith("solve @a.c, a.c: 8 of 13 samples (62 %), 0 in itself. Lines: "))
        wide = "[...document.querySelectorAll('#flame .frame')].filter((one) => one.style.width === '100%').length"
        for key, levels in (("Enter", 3), ("Escape", 2), ("Escape", 1)):
            browser.key(key, 13 if key == "Enter" else 0)
            test.expect(f"frames that are as wide as all after {key}", levels, page.value(wide))
        page.value("page.searchFor('lines')")
        browser.wait("document.getElementById('inside-found').textContent === '4 of 13 samples'", "the search says how many it found")
        test.expect("frames in the light", 4, page.value("document.querySelectorAll('#flame .lit').length"))
        page.value("page.searchFor('')")
        # A region, of which one thread, and less time.
        page.value("page.chooseRegion(page.data.regions.findIndex((one) => one.label === 'for @a.c:11'))")
        shows_samples("a region", "6 samples of 2 threads in sight", "in for @a.c:11", "main @a.c:195 of 6")
        choose("inside-threads", 2)
        shows_samples("a thread", "3 samples of 1 thread in sight")
        page.value("page.setRange(page.data.begin, page.data.begin + 45e-9)")
        shows_samples("a window", "1 sample of 1 thread in sight", "The whole run has 3")
        browser.key("Escape")
        shows_samples("any region", "2 samples of 1 thread in sight")
        page.quiet()
        # The samples of each line beside its source, which is there for the lines with most samples.
        page = Page(test, browser, write_line_samples(test.path("lines"), test.write("lines.c", "one\ntwo\nthree\n")))
        page.open()
        shows_samples("lines", "5 samples of 1 thread")
        choose("inside-list", 2)
        page.value("document.querySelector('#inside-table button').click()")
        source = page.value("[...document.querySelectorAll('#source span')].map((one) => [one.textContent.trim(), one.title])")
        for line, title in ((1, ""), (2, "5 of 5 samples (100 %), 3 in the line itself"), (3, "2 of 5 samples (40 %), 2 in the line itself")):
            test.expect(f"line {line}", title, source[line][1])
        test.expect("line 2", ["5", "2", "two"], source[2][0].split())
        choose("inside-what", 1)
        shows_samples("asleep", "1 look at 1 thread that slept at work, in sight", "f3 @lines.c:31 of 1", "[blocked]")
        page.quiet()
        # Without samples there is nothing of it.
        page = Page(test, browser, write_states(test.path("none"), 2))
        page.open()
        test.expect("hidden", [0, 3], page.value("[document.getElementById('inside').offsetHeight, document.scripts.length]"))


def phases(test):
    """The lane of what the program named, and the strip of its steps: a key and a click lead to the slowest, and text says so."""
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    test.run("slow", [test.omptape, "-q", "--output=out", program, "slow"])
    with Browser(width=1000, height=800) as browser:
        page = Page(test, browser, test.path("slow", "out"))
        page.open()
        kept = "document.getElementById('kept').textContent"
        length = "page.view.end - page.view.begin"
        test.expect("depths", {"solver": 0, "time step": 1}, page.value("Object.fromEntries(page.phases.map((phase) => [phase.name, phase.depth]))"))
        table = page.value("document.getElementById('phase-table').textContent")
        test.expect("the table", True, "solver" in table and "time step32" in table and "(5)" in table)
        browser.key("p")
        page.wait_until_drawn()
        test.expect("p", True, page.value(kept).startswith("time step 5: ") and "times the median of 32 steps" in page.value(kept))
        near(test, "in sight after p", 0.7, page.value(length), 0.2)
        browser.key("0")
        page.value("document.getElementById('phases').focus()")
        browser.key("ArrowRight")
        browser.key("Enter")
        page.wait_until_drawn()
        test.expect("the next one", "time step 6", page.value(kept).split(":")[0])
        test.expect("in sight after Enter", True, page.value(length) < 0.4)
        browser.key("0")
        page.wait_until_drawn()
        at = page.value("""(() => { const canvas = document.getElementById('phases'); canvas.scrollIntoView({ block: 'center' });
            const { x, y } = canvas.getBoundingClientRect(); const [step] = page.phases.find((phase) => phase.numbered).steps.filter((one) => one.number === 5);
            return { x: x + page.xAt((step.begin + step.end) / 2), y: y + canvas.clientHeight - 5 }; })()""")
        browser.mouse("mousePressed", at["x"], at["y"], button="left", buttons=1, clickCount=1)
        browser.mouse("mouseReleased", at["x"], at["y"], button="left", clickCount=1)
        page.wait_until_drawn()
        test.expect("a click", "time step 5", page.value(kept).split(":")[0])
        near(test, "in sight after a click", 0.7, page.value(length), 0.2)
        page.quiet()


TESTS = {"shows": shows, "zooms": zooms, "findings": findings, "narrow": narrow, "without_scripts": without_scripts,
         "names": names, "empty": empty, "devices": devices, "states": states, "folds": folds, "longest": longest, "command": command, "source": source, "arrows": arrows, "window": window, "picture": picture, "profile": profile, "inside": inside, "phases": phases}

if __name__ == "__main__":
    sys.exit(main(__doc__, TESTS, "page", stage="19"))
