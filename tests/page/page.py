# SPDX-License-Identifier: BSD-3-Clause
"""`omptape report --html` in a real Chromium: what is there, what mouse and keyboard do, what hostile names do not."""
import json
import os
import re
import shutil
import sys
import time

import otf2
from otf2.enums import LocationGroupType, Paradigm, RegionRole

from export import sampled
from harness import main, source_of
from page import hostile
from page.archives import write_states
from page.browser import Browser
from page.shown import FILLED, Page, near, traced


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
        # However long the words above the timeline are, and however wide the page: it stays where it is.
        tall = "document.getElementById('tools').style.width = '%dpx', document.getElementById('tools').getBoundingClientRect().height"
        widths = range(500, 1400, 20)
        wide = [page.value(tall % width) for width in widths]
        page.value("document.getElementById('range').textContent = '1234.123456789 s to 1234.123456799 s (10 ns), arrows when zoomed in'")
        test.expect("the height above the timeline with more to say", wide, [page.value(tall % width) for width in widths])
        page.value("document.getElementById('tools').style.width = ''")
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
            if not page.value("document.getElementById('stage').getBoundingClientRect().top < innerHeight - 60"):
                test.fail(f"the timeline is not in sight after a click on finding {number}")
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
            document.getElementById("banner")?.remove();
            page.data.banner = "inflated";
            page.data.warnings = ["inflated", "without lines"];
            ["findings", "efficiency", "legend", "warnings"].forEach((id) => document.getElementById(id).replaceChildren());
            page.fillPanels();
        })()""")
        test.expect("findings that are shown", 6, page.value(shown))
        test.expect("the others", "3 more", page.value("document.getElementById('more').textContent"))
        test.expect("what limits all numbers, and the warnings", "inflated; without lines", page.value(
            "[...document.querySelectorAll('#banner, #warnings li')].map((one) => one.textContent).join('; ')"))
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
        lived = sum(thread["end_s"] - thread["begin_s"] for thread in told["threads_list"])
        for part, name in (("computing_s", "computing"), ("barrier_s", "barrier"), ("lock_s", "lock"), ("idle_s", "idle")):
            drawn = page.value("page.planes.filter((plane) => page.data.buckets[plane.bucket].name === '%s').map((plane) =>"
                               " plane.cells.reduce((sum, cell) => sum + cell, 0) / 255 * page.data.width)[0] || 0" % name)
            counted = sum(thread["parts"][part] for thread in told["threads_list"])
            near(test, f"seconds of {name} in the rows", counted, drawn, 0.01 * counted + lived / 255)
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


def templates(test):
    """A long name of a template's instance keeps its place and its end, in the text, too; the whole is a tooltip. Without a
    finding the source is that of the region that takes most."""
    name = "for @par.cpp:11 field<std::pair<double, std::map<int, std::string>>, std::vector>::for_each_cell<lambda 2>"
    with otf2.writer.open(test.path("archive"), timer_resolution=10**9) as archive:
        definitions = archive.definitions
        group = definitions.location_group("process", system_tree_parent=definitions.system_tree_node("node"))
        region = definitions.region("!$omp " + name, source_file="par.cpp", begin_line_number=11, region_role=RegionRole.LOOP,
                                    paradigm=Paradigm.OPENMP)
        writer = archive.event_writer_from_location(definitions.location("Master thread", group=group))
        writer.enter(1000, region)
        writer.leave(2000000, region)
    told = test.command("report", test.path("archive")).stdout
    test.expect("the report", True, "\nfor @par.cpp:11 ..lambda 2> " in told)
    with open(test.path("report.json"), "w", encoding="utf-8") as file:
        file.write(test.command("report", "--json=-", test.path("archive")).stdout)
    with open(test.path("report.json"), encoding="utf-8") as file:
        test.expect("JSON", [name], [one["region"] for one in json.load(file)["regions"]])
    with Browser() as browser:
        page = Page(test, browser, test.path("archive"))
        page.open()
        shown, title = page.value("(({ textContent, title }) => [textContent, title])(document.querySelector('#regions tbody button'))")
        test.expect("the table", (True, True, True), (shown.startswith("for @par.cpp:11 field<"), shown.endswith("::for_each_cell<lambda 2>"), len(shown) < 70))
        test.expect("the tooltip", True, title.startswith(name))
        test.expect("the source", True, page.value("document.getElementById('source').textContent").startswith("par.cpp:11"))
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


TEMPLATE = "void f3<std::map<int, std::vector<std::string> > >(std::map<int, std::vector<std::string> >&)"


def write_line_samples(folder, file):
    """Three samples in line 2 of the file, two in line 3, which is called there, and a look at it while it slept there."""
    with otf2.writer.open(folder, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        process = definitions.location_group("process", LocationGroupType.PROCESS, system_tree_parent=definitions.system_tree_node("node"))
        writer = archive.event_writer_from_location(definitions.location("Master thread", group=process))
        generator = definitions.interrupt_generator("processor time", exponent=-9, period=1000)
        context = None
        for name, line, count in (("f2", 2, 3), (TEMPLATE, 3, 2), ("[blocked]", 4, 1)):
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
        test.expect("the whole name", True, page.value(f"[...document.querySelectorAll('#flame .frame')].some((one) => one.title.startsWith('{TEMPLATE}'))"))
        choose("inside-what", 1)
        shows_samples("asleep", "1 look at 1 thread that slept at work, in sight", "f3<..> @lines.c:31 of 1", "[blocked]")
        page.quiet()
        # Without samples there is nothing of it.
        page = Page(test, browser, write_states(test.path("none"), 2))
        page.open()
        test.expect("hidden", [0, 3], page.value("[document.getElementById('inside').offsetHeight, document.scripts.length]"))


def phases(test):
    """The lane of what the program named, and the strip of its steps: a key and a click lead to the slowest, and text says so."""
    program = test.compile("e2e", "user.c", flags=["-I" + source_of("..", "include", "omptape"), "-pthread"])
    for attempt in range(3):    # where the machine stood still for a second, another step is the slowest
        out = test.path(f"slow{attempt}", "out")
        test.run(f"slow{attempt}", [test.omptape, "-q", "--output=out", program, "slow"])
        if "time step 5 of 32 takes" in " ".join(test.command("report", out).stdout.split()):
            break
    with Browser(width=1000, height=800) as browser:
        page = Page(test, browser, out)
        page.open()
        table = page.value("document.getElementById('phase-table').textContent")
        kept = "document.getElementById('kept').textContent"

        def expect_in_sight(what, number):
            """The step and a quarter of it on each side, however long it took, or all."""
            wanted, found = page.value("""(([step]) => [Math.min(page.data.end - page.data.begin, 1.5 * (step.end - step.begin)),
                page.view.end - page.view.begin])(page.phases.find((phase) => phase.numbered).steps.filter((one) => one.number === %d))""" % number)
            near(test, what, wanted, found, 1e-6)

        test.expect("depths", {"solver": 0, "time step": 1}, page.value("Object.fromEntries(page.phases.map((phase) => [phase.name, phase.depth]))"))
        test.expect("the table", True, "solver" in table and "time step32" in table and "(5)" in table)
        browser.key("p")
        page.wait_until_drawn()
        test.expect("p", True, page.value(kept).startswith("time step 5: ") and "times the median of 32 steps" in page.value(kept))
        expect_in_sight("in sight after p", 5)
        browser.key("0")
        page.value("document.getElementById('phases').focus()")
        browser.key("ArrowRight")
        browser.key("Enter")
        page.wait_until_drawn()
        test.expect("the next one", "time step 6", page.value(kept).split(":")[0])
        expect_in_sight("in sight after Enter", 6)
        browser.key("0")
        page.wait_until_drawn()
        at = page.value("""(() => { const canvas = document.getElementById('phases'); canvas.scrollIntoView({ block: 'center' });
            const { x, y } = canvas.getBoundingClientRect(); const [step] = page.phases.find((phase) => phase.numbered).steps.filter((one) => one.number === 5);
            return { x: x + page.xAt((step.begin + step.end) / 2), y: y + canvas.clientHeight - 5 }; })()""")
        browser.mouse("mousePressed", at["x"], at["y"], button="left", buttons=1, clickCount=1)
        browser.mouse("mouseReleased", at["x"], at["y"], button="left", clickCount=1)
        page.wait_until_drawn()
        test.expect("a click", "time step 5", page.value(kept).split(":")[0])
        expect_in_sight("in sight after a click", 5)
        page.quiet()


TESTS = {"shows": shows, "zooms": zooms, "findings": findings, "narrow": narrow, "without_scripts": without_scripts,
         "names": names, "templates": templates, "empty": empty, "source": source, "profile": profile, "inside": inside, "phases": phases}

if __name__ == "__main__":
    sys.exit(main(__doc__, TESTS, "page", stage="19"))
