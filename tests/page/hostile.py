# SPDX-License-Identifier: BSD-3-Clause
"""Archives whose names are made to do something in a browser, or name what is no source."""
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
