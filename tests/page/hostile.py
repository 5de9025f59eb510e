# SPDX-License-Identifier: BSD-3-Clause
"""Archives whose names are made to do something in a browser, name what is no source, or are no UTF-8."""
import glob
import os

import otf2

NAMES = ("</script><script>window.hit = 1</script>", "<img src=x onerror='window.hit = 2'>", "\"><svg onload=window.hit=3>",
         "--><!--<script>", "{{SCRIPT}}{{TEXT}}", "&lt;b&gt;&#60;", "javascript:window.hit=4", "a\nb\tc\x1b[31m\u202e", "%s%n${hit}`",
         "]]></pre></details><script>window.hit=5</script>")


def write(folder, files):
    """An archive with a region called by each of the names, in files that are called so, or by `files`."""
    with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
        definitions = archive.definitions
        root = definitions.system_tree_node(NAMES[0])
        group = definitions.location_group(NAMES[1], system_tree_parent=root)
        locations = [definitions.location(name, group=group) for name in (NAMES[2], NAMES[0], NAMES[9])]
        regions = [definitions.region(f"!$omp for @{name}" if number % 2 else name, source_file=files[number % len(files)],
                                      begin_line_number=2, end_line_number=3, paradigm=otf2.Paradigm.OPENMP)
                   for number, name in enumerate(NAMES)]
        for location in locations:
            writer = archive.event_writer_from_location(location)
            time = 1000
            for region in regions:
                writer.enter(time, region)
                writer.leave(time + 500000, region)
                time += 1000000
    return os.path.join(folder, "traces.otf2")


# A byte that begins nothing, surrogates, more bytes than needed, cut, beyond the range, continuations of nothing, what XML
# does not allow.
BAD_BYTES = (b"\xff", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xe2\x82",
             b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\x80\xbf", b"\xef\xbf\xbe", b"\xef\xbf\xbf",
             b"\x01\x0b\x1f", b"\xc2")


def write_bytes(folder):
    """An archive whose names have such bytes in their middle and at their end. otf2 writes texts of Python, so the bytes take
    the place of others."""
    marks = {f"<{number:02}{'#' * len(bad)}": f"<{number:02}".encode() + bad for number, bad in enumerate(BAD_BYTES)}
    names = [f"{mark}>{mark}" for mark in marks]
    with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
        definitions = archive.definitions
        group = definitions.location_group(names[1], system_tree_parent=definitions.system_tree_node(names[0]))
        locations = [definitions.location(f"thread {name}", group=group) for name in names]
        regions = [definitions.region(f"!$omp for @{name}", canonical_name=f"in {name}", source_file=f"/{name}.c", begin_line_number=2,
                                      end_line_number=3, paradigm=otf2.Paradigm.OPENMP) for name in names]
        for location in locations:
            writer = archive.event_writer_from_location(location)
            for time, region in enumerate(regions, 1):
                writer.enter(1000000 * time, region)
                writer.leave(1000000 * time + 500000, region)
    for path in glob.glob(os.path.join(folder, "**", "*.def"), recursive=True):
        with open(path, "rb") as file:
            data = file.read()
        for mark, bad in marks.items():
            data = data.replace(mark.encode(), bad)
        with open(path, "wb") as file:
            file.write(data)
    return os.path.join(folder, "traces.otf2")
