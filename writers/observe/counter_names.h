/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of events that the kernel can count for a thread: its generic ones, those of a processor as
 * /sys/bus/event_source lists them, raw numbers, and those that libpfm4 knows. Any thread.
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>

enum { OMPTAPE_COUNTER_NAME_BYTES = 64 };

/* Where a counter's values come from: the kernel's perf events, or the context switches in the thread's
 * ring, which may be counted without privilege. */
enum omptape_counter_source { OMPTAPE_COUNTER_PERF, OMPTAPE_COUNTER_SWITCHES, OMPTAPE_COUNTER_MIGRATIONS };

/* One event. `event` has type, config and what is excluded; the rest is zero. */
struct omptape_counter {
    char name[OMPTAPE_COUNTER_NAME_BYTES];
    enum omptape_counter_source source;
    struct perf_event_attr event;
};

/* Looks up `text`, one event: "cycles", "L1-dcache-load-misses", "r01c2", "cpu/event=0xc0,umask=1/", a name
 * in `devices`/PMU/events, or one of libpfm4's. A suffix ":u", ":k" or ":uk" says what is counted: the
 * program (the default), the kernel, both. `devices`: /sys/bus/event_source/devices. 0; -ENOENT: there is no
 * such event; -EINVAL: a term is wrong, or the text is too long. */
int omptape_counter_look_up(const char *devices, const char *text, struct omptape_counter *counter);

/* Cuts the first event off a list ("a,b/x,y/,c") into `text`. Returns the rest, or NULL at the list's end. */
const char *omptape_counter_split(const char *list, char *text, size_t bytes);
