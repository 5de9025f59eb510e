# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, spoken to by its DevTools protocol over a pipe."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from harness import Missing

SECONDS = 120  # for an answer: the machine may be busy


class Browser:
    """One window. `problems`: what the console had of errors, exceptions and requests over a network."""

    def __init__(self, width=1400, height=1000, scripts=True, dark=False):
        program = shutil.which("chromium")
        if program is None:
            raise Missing("chromium is not installed")
        self.problems = []
        self._number = 0
        self._rest = b""
        self._profile = tempfile.mkdtemp(prefix="omptape-page-")
        read_by_it, self._write = os.pipe()
        self._read, written_by_it = os.pipe()
        # The pipe's ends have to be 3 and 4 there: dup2 in a shell, since Popen renumbers nothing.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{read_by_it} 4>&{written_by_it}', "sh", program, "--headless", "--no-sandbox",
             "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--remote-debugging-pipe", f"--user-data-dir={self._profile}", f"--window-size={width},{height}",
             "--force-prefers-reduced-motion", "about:blank"],
            pass_fds=(read_by_it, written_by_it), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read_by_it)
        os.close(written_by_it)
        self._session = self._ask("Target.attachToTarget", targetId=self._target(), flatten=True)["sessionId"]
        self._loaded = set()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self._process.pid, 9)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _target(self):
        """The window's, once there is one."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for one in self._ask("Target.getTargets")["targetInfos"]:
                if one["type"] == "page":
                    return one["targetId"]
            time.sleep(0.05)
        raise TimeoutError("Chromium opens no window")

    def _send(self, method, more, session):
        self._number += 1
        message = {"id": self._number, "method": method, "params": more}
        if session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._number

    def _receive(self, deadline):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self._read, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("Chromium does not answer")
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _note(self, message):
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.problems.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.problems.append(f"console.{about['type']}: {about['args']}")
        elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "data:", "blob:")):
            self.problems.append(f"a request: {about['request']['url']}")
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"a dialog: {about['message']}")
        elif method == "Page.lifecycleEvent" and about["name"] == "load":
            self._loaded.add(about["loaderId"])

    def _ask(self, method, session=False, **more):
        number = self._send(method, more, session)
        deadline = time.monotonic() + SECONDS
        while True:
            message = self._receive(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message.get("result", {})
            self._note(message)

    def ask(self, method, **more):
        """One command of the protocol; what it answers."""
        return self._ask(method, session=True, **more)

    def open(self, path, fragment=""):
        """Loads a file, and waits until that page is loaded: what was loading before may end meanwhile."""
        loader = self.ask("Page.navigate", url=f"file://{path}{fragment}")["loaderId"]
        deadline = time.monotonic() + SECONDS
        while loader not in self._loaded:
            self._note(self._receive(deadline))

    def value(self, expression):
        """What a JavaScript expression is, promises awaited."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, what):
        deadline = time.monotonic() + SECONDS
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(what)
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, code=0):
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
