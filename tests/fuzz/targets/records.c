/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: the program's shared memory holds whatever it likes, and the writer translates
 * that. First come records, of a few threads and with passes in between; then bytes anywhere in the memory
 * are changed. The consumer's mapping lies between inaccessible pages, and the archive must be written
 * without an error.
 */
#include "tests/fuzz/targets/input.h"
#include "tests/unit/translate/translate_fixture.h"
#include "writers/archive/room.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, MOST_WORDS = 12, MOST_RECORDS = 400, START = 10 };

static void put_record(struct input *input, uint64_t *time)
{
    uint64_t payload[MOST_WORDS];
    unsigned thread = take_byte(input) % translate.threads;
    enum omptape_kind kind = (enum omptape_kind)(take_byte(input) % (OMPTAPE_KIND_COUNT + 2));
    unsigned a = (uint16_t)take_number(input);
    uint32_t b = (uint32_t)take_number(input);
    unsigned words = take_byte(input) % MOST_WORDS;
    /* Mostly later than the last one; the thread's may be earlier. */
    uint64_t step = take_number(input);
    *time = step < UINT32_MAX ? *time + step : *time - (step & UINT8_MAX);
    for (unsigned i = 0; i < words; i++)
        payload[i] = take_number(input);
    translate_put_words(thread, *time, kind, a, b, words, payload);
}

/* Nothing may be put after that: the producer believes its memory. */
static void scribble(struct input *input)
{
    while (input->left > 0) {
        uint64_t place = take_number(input) << take_byte(input) % 16;
        uint64_t value = take_number(input);
        size_t size = (size_t)1 << take_byte(input) % 4;
        place = place % (translate.session.shm_bytes - sizeof(value)) / size * size;
        memcpy((char *)translate.session.shm + place, &value, size);
        if (take_byte(input) % 4 == 0)
            translate_pass();
    }
}

static void translate_input(const uint8_t *data, size_t bytes)
{
    struct input input = {data, bytes};
    uint64_t time = START;
    translate.writer.impatient = true;
    for (unsigned i = 0; i < THREADS; i++)
        translate_thread(START);
    for (unsigned records = 0; input.left > 0 && records < MOST_RECORDS; records++) {
        uint8_t choice = take_byte(&input);
        if (choice == UINT8_MAX)
            break;
        if (choice % 16 == 0)
            translate_pass();
        put_record(&input, &time);
    }
    scribble(&input);
    omptape_room_end(&translate.writer.archive.room);
    translate_finish_only(time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* The writer goes to its archive's folder. */
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (before < 0 || translate_open(NULL) != 0)
        return -1;
    translate_input(data, bytes);
    int result = translate_close(NULL);
    if (fchdir(before) != 0)
        result = -1;
    close(before);
    return result;
}
