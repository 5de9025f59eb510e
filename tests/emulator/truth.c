/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The truth file. Entries are added by the program's threads; written by the thread that ends the tool, and
 * once more by the library's destructor if that comes later.
 */
#include "tests/emulator/truth.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/emulator/device.h"
#include "tests/emulator/device_clock.h"
#include "tests/emulator/modes.h"

enum { CHUNK = 4096, CHUNKS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct em_truth *chunks[CHUNKS];
static _Atomic uint32_t count;
static uint64_t first_ticks;
static uint64_t first_raw_ns;

static const char *const kind_names[EM_KINDS_OF_RECORD] = {
    "kernel",       "alloc",      "to",    "from",   "delete",      "associate", "disassociate",
    "target_begin", "target_end", "flood", "native", "native_info", "host",      "nothing"};
static const char *const fate_names[EM_FATES] = {"untraced", "paused",  "off",     "left_out",
                                                 "pending",  "dropped", "buffered"};

struct em_truth *em_truth_add(uint32_t *serial)
{
    uint32_t number;

    pthread_mutex_lock(&lock);
    number = atomic_load(&count);
    if (first_ticks == 0)
        em_clock_pair(&first_ticks, &first_raw_ns);
    if (number >= CHUNK * CHUNKS)
        abort();
    if (chunks[number / CHUNK] == NULL) {
        chunks[number / CHUNK] = calloc(CHUNK, sizeof(struct em_truth));
        if (chunks[number / CHUNK] == NULL)
            abort();
    }
    atomic_store(&count, number + 1);
    pthread_mutex_unlock(&lock);
    *serial = number;
    return em_truth_get(number);
}

struct em_truth *em_truth_get(uint32_t serial)
{
    static struct em_truth nothing; /* of a record that is read too late, and written over meanwhile */

    if (serial >= atomic_load(&count))
        return &nothing;
    return &chunks[serial / CHUNK][serial % CHUNK];
}

uint32_t em_truth_count(void)
{
    return atomic_load(&count);
}

static void write_damage(FILE *file, uint64_t damage)
{
    const char *between = " ";

    if (damage == 0)
        fputs(" -", file);
    for (int i = 0; i < EM_MODES; i++) {
        if ((damage & (UINT64_C(1) << i)) != 0) {
            fprintf(file, "%s%s", between, em_mode_name((enum em_mode)i));
            between = "+";
        }
    }
    fputc('\n', file);
}

static void write_entry(FILE *file, const struct em_truth *entry)
{
    fprintf(file,
            "record %d %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
            " %s %u %u",
            entry->device, kind_names[entry->kind], entry->host_op_id, entry->target_id, entry->begin,
            entry->end, entry->device_begin, entry->device_end, entry->bytes,
            fate_names[atomic_load(&entry->fate)], (unsigned)atomic_load(&entry->delivered),
            (unsigned)atomic_load(&entry->read));
    write_damage(file, entry->damage);
}

static void write_all(FILE *file)
{
    uint64_t ticks;
    uint64_t raw_ns;

    em_clock_pair(&ticks, &raw_ns);
    fprintf(file, "clock %s\npair %" PRIu64 " %" PRIu64 "\npair %" PRIu64 " %" PRIu64 "\n", em_clock_name(),
            first_ticks, first_raw_ns, ticks, raw_ns);
    em_devices_describe(file);
    fputs("# record device kind host_op_id target_id begin end device_begin device_end bytes fate delivered "
          "read damage\n",
          file);
    for (uint32_t i = 0; i < atomic_load(&count); i++)
        write_entry(file, em_truth_get(i));
    fputs("end\n", file);
}

void em_truth_write(void)
{
    const char *folder = getenv("OMPTAPE_EMULATOR_DIR");
    char path[4096];
    FILE *file;

    if (folder == NULL ||
        snprintf(path, sizeof(path), "%s/truth.%d", folder, (int)getpid()) >= (int)sizeof(path))
        return;
    file = fopen(path, "we");
    if (file == NULL)
        return;
    write_all(file);
    if (fclose(file) != 0)
        abort(); /* a short truth would make a test pass */
}
