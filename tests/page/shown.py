# SPDX-License-Identifier: BSD-3-Clause
"""A page of an archive in a browser, as the tests of the page use it."""
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
        """What is said of a place."""
        self.browser.mouse("mouseMoved", x, y)
        self.wait_until_drawn()
        return self.value("document.getElementById('hover').textContent")

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
