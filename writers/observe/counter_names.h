/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up the names of events that the kernel can count for a thread. Known names are the kernel's generic
 * ones, those in /sys/bus/event_source, raw numbers and those of libpfm4. May be called on any thread.
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>

enum { OMPTAPE_COUNTER_NAME_BYTES = 64 };

/* Source of a counter's values: a perf event, or the context switches in the thread's ring. The switches can
 * be counted without privilege. */
enum omptape_counter_source { OMPTAPE_COUNTER_PERF, OMPTAPE_COUNTER_SWITCHES, OMPTAPE_COUNTER_MIGRATIONS };

/* One event. `event` has type, config and the exclude flags; its other fields are zero. */
struct omptape_counter {
    char name[OMPTAPE_COUNTER_NAME_BYTES];
    enum omptape_counter_source source;
    struct perf_event_attr event;
};

/* Looks up one event: "cycles", "L1-dcache-load-misses", "r01c2", "cpu/event=0xc0,umask=1/", a name in
 * `devices`/PMU/events, or a name of libpfm4. A suffix selects what is counted: ":u" the program (the
 * default), ":k" the kernel, ":uk" both. `devices` is /sys/bus/event_source/devices. Returns 0, -ENOENT if
 * there is no such event, or -EINVAL if a term is wrong or the text is too long. */
int omptape_counter_lookup(const char *devices, const char *text, struct omptape_counter *counter);

/* Copies the first event of a list ("a,b/x,y/,c") into `text`. Returns the rest of the list, or NULL after
 * the last event. */
const char *omptape_counter_split(const char *list, char *text, size_t bytes);
