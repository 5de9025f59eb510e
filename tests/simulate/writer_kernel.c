/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the writer of a simulated machine (kernel.h) has from the kernel. The linker has these functions
 * called in place of the writer's own (--wrap).
 */
#include "tests/simulate/kernel.h"

#include "src/archive/write/archive.h"
#include "writers/observe/observe.h"
#include "writers/state/sched.h"
#include "writers/translate/samples.h"
#include <omptape/properties.h>

#include <stdlib.h>
#include <string.h>

omptape_translator __real_omptape_samples_translate;
omptape_translator __wrap_omptape_samples_translate;
void __real_omptape_observe_report(struct omptape_writer *writer);
void __wrap_omptape_observe_report(struct omptape_writer *writer);

void __wrap_omptape_samples_translate(struct omptape_writer *writer, struct omptape_location *location,
                                      const struct omptape_record *record, uint64_t time)
{
    if (record->a != KERNEL_READING) {
        __real_omptape_samples_translate(writer, location, record, time);
        return;
    }
    struct omptape_sched_reading reading = omptape_sched_last(location);
    reading.time = time;
    reading.sums[OMPTAPE_MEMBER_RUNNING] = record->p[0];
    reading.sums[OMPTAPE_MEMBER_WAITING] = record->p[1];
    if (record->b != 0)
        omptape_sched_add_at_switch(writer, location, &reading);
    else
        omptape_sched_add(writer, location, &reading);
}

void __wrap_omptape_observe_report(struct omptape_writer *writer)
{
    char *lines = getenv(KERNEL_PROPERTIES);
    char *rest = NULL;
    __real_omptape_observe_report(writer);
    for (const char *line = lines != NULL ? strtok_r(lines, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char key[64];
        const char *value = strchr(line, '=');
        if (value == NULL || (size_t)(value - line) >= sizeof(key))
            continue;
        memcpy(key, line, (size_t)(value - line));
        key[value - line] = '\0';
        omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, key, value + 1);
    }
}
