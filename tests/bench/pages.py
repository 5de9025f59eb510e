# SPDX-License-Identifier: BSD-3-Clause
"""The page of a large trace: its bytes, what it takes to make it, when it is painted first, and what a zoom takes."""
import os
import shutil
import statistics
import subprocess
import time

from bench import tables
from bench.scale import OF_THE_COMMAND
from bench.tools import Failed
from page.browser import Browser

ZOOMS = 20
KIB = 1024
READY = "typeof page !== 'undefined' && page.drawn !== undefined"
PAINTED = "performance.getEntriesByName('first-contentful-paint')"
# A zoom, and how long the browser takes until it has drawn: from the input to the end of its frame.
ZOOM = """new Promise((done) => {
    const began = performance.now();
    page.zoom(%s, (page.view.begin + page.view.end) / 2);
    requestAnimationFrame(() => done(performance.now() - began));
})"""


class Pages:
    """Of one program that has so many threads and events."""

    def __init__(self, folder, environment, files, threads, arguments):
        self._folder = os.path.join(folder, "pages")
        self._environment = {name: value for name, value in environment.items() if name not in OF_THE_COMMAND}
        self._environment.update(OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive")
        self._files = files  # "command", "chunks" -> path
        self._threads, self._arguments = threads, arguments
        self.data = {}

    def run(self):
        shutil.rmtree(self._folder, ignore_errors=True)
        archive = os.path.join(self._folder, "trace")
        page = os.path.join(self._folder, "page.html")
        os.makedirs(self._folder)
        self._call([f"--output={archive}", self._files["chunks"], *self._arguments])
        began = time.monotonic()
        self._call(["report", "--html", page, archive])
        self.data = {"threads": self._threads, "seconds to make it": time.monotonic() - began,
                     "KiB": os.path.getsize(page) / KIB}
        with Browser() as browser:
            browser.open(page)
            browser.wait(READY, "the page is drawn")
            self.data["events"] = browser.value("page.data.events")
            browser.wait(f"{PAINTED}.length > 0", "the browser tells of the first paint")
            self.data["first paint, ms"] = browser.value(f"{PAINTED}[0].startTime")
            self.data["timeline drawn, ms"] = browser.value("page.drawnFirst")
            zooms = [browser.value(ZOOM % factor) for factor in ["0.7"] * ZOOMS + ["1.3"] * ZOOMS]
            self.data["zoom, ms"] = statistics.median(zooms)
            self.data["longest zoom, ms"] = max(zooms)
        shutil.rmtree(self._folder)

    def _call(self, words):
        done = subprocess.run([self._files["command"], *words], env=self._environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise Failed(f"omptape {words[0]}: {done.stderr.decode(errors='replace')}")

    def markdown(self):
        rows = [[what, f"{value:,.0f}" if value >= 10 else f"{value:.2f}"] for what, value in self.data.items()]
        return f"### The page\n\n{tables.table(['what', ''], rows)}"

    def missing(self):
        return [] if "zoom, ms" in self.data else ["pages: nothing was measured"]

    def json(self):
        return self.data
