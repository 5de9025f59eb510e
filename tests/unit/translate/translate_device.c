/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What callbacks and the intake of device records write (callbacks/, device/). On the test's main thread.
 */
#include "tests/unit/translate/translate_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HEAD = 3, MAX_WORDS = 64 }; /* time, thread and target come before the union's member */

static uint64_t on_device(uint64_t time)
{
    return time == 0 ? 0 : time + DEVICE_AHEAD;
}

/* Appends a text as payloads have it. */
static unsigned add_text(uint64_t *words, unsigned used, const char *text)
{
    unsigned length = (unsigned)strlen(text) / 8 + 1;
    memcpy(&words[used], text, strlen(text) + 1);
    return used + length;
}

static void put_device(int device, const char *type)
{
    uint64_t words[MAX_WORDS] = {0};
    unsigned used = add_text(words, 0, type);
    used = add_text(words, used, "");
    translate_put_words(0, 10, OMPTAPE_DEVICE_INITIALIZE, 0, (uint32_t)device, used, words);
}

void start_target(int device)
{
    put_threads(0);
    put_device(0, "first");
    put_device(1, "second");
    translate_put(0, BEGIN_OF_WORK, OMPTAPE_TARGET, omptape_pack_endpoint(ompt_target, ompt_scope_begin),
                  (uint32_t)device, 3, (uint64_t)TARGET_ID, (uint64_t)SITE_TARGET, UINT64_C(0));
}

void finish_target(int device)
{
    translate_put(0, END_OF_WORK, OMPTAPE_TARGET, omptape_pack_endpoint(ompt_target, ompt_scope_end),
                  (uint32_t)device, 3, (uint64_t)TARGET_ID, UINT64_C(0), UINT64_C(0));
    translate_finish(END_OF_ALL);
    translate_expect_readable();
}

static void put_anchor(unsigned thread, int device, uint64_t time)
{
    const uint64_t readings[] = {time, on_device(time), time};
    translate_put_words(thread, END_OF_WORK, OMPTAPE_DEVICE_ANCHOR, OMPTAPE_ANCHOR_DEVICE, (uint32_t)device,
                        3, readings);
}

static void put_producer(unsigned thread, int device, enum omptape_device_producer producer)
{
    uint64_t words[MAX_WORDS] = {0};
    unsigned used = add_text(words, 0, "because");
    used = add_text(words, used, "start_trace=yes\n");
    translate_put_words(thread, 20, OMPTAPE_DEVICE_TRACING, (unsigned)producer, (uint32_t)device, used,
                        words);
}

void put_tracing_without_clock(int device)
{
    put_producer(0, device, OMPTAPE_PRODUCER_RUNTIME);
}

void put_tracing(unsigned thread, int device, enum omptape_device_producer producer)
{
    put_producer(thread, device, producer);
    put_anchor(thread, device, 20);
    put_anchor(thread, device, END_OF_ALL);
}

void put_kernel(uint64_t id, uint64_t begin, uint64_t end, uint32_t teams)
{
    translate_put(0, begin, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, ompt_scope_begin), teams, 2, id,
                  (uint64_t)TARGET_ID);
    translate_put(0, end, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, ompt_scope_end), teams, 2, id,
                  (uint64_t)TARGET_ID);
}

struct data_op {
    uint64_t id;
    uint64_t begin;
    uint64_t end;
    ompt_target_data_op_t type;
    int source;
    int destination;
    uint64_t bytes;
    uint64_t source_address;
    uint64_t destination_address; /* known at the end only */
};

static void put_data_op(const struct data_op *op)
{
    uint32_t devices = ((uint32_t)op->source & 0xffffU) | ((uint32_t)op->destination << 16);
    uint64_t payload[] = {op->id, TARGET_ID, op->bytes, op->source_address, 0, SITE_TARGET};
    translate_put_words(0, op->begin, OMPTAPE_TARGET_DATA_OP,
                        omptape_pack_endpoint((unsigned)op->type, ompt_scope_begin), devices, 6, payload);
    uint64_t end[] = {op->id, op->destination_address};
    translate_put_words(0, op->end, OMPTAPE_TARGET_DATA_OP,
                        omptape_pack_endpoint((unsigned)op->type, ompt_scope_end), devices, 2, end);
}

void put_transfer(uint64_t id, uint64_t begin, uint64_t end, ompt_target_data_op_t type, int device,
                  uint64_t bytes)
{
    bool back = type == ompt_target_data_transfer_from_device;
    put_data_op(&(struct data_op){.id = id,
                                  .begin = begin,
                                  .end = end,
                                  .type = type,
                                  .source = back ? device : HOST_DEVICE,
                                  .destination = back ? HOST_DEVICE : device,
                                  .bytes = bytes});
}

void put_alloc(uint64_t id, uint64_t time, uint64_t address, uint64_t bytes)
{
    put_data_op(&(struct data_op){.id = id,
                                  .begin = time,
                                  .end = time + 10,
                                  .type = ompt_target_data_alloc,
                                  .source = HOST_DEVICE,
                                  .destination = 0,
                                  .bytes = bytes,
                                  .destination_address = address});
}

void put_delete(uint64_t id, uint64_t time, uint64_t address)
{
    put_data_op(&(struct data_op){.id = id,
                                  .begin = time,
                                  .end = time + 10,
                                  .type = ompt_target_data_delete,
                                  .source = 0,
                                  .destination = -1,
                                  .source_address = address});
}

static void put_record(unsigned thread, int device, unsigned type, uint64_t head[HEAD], const void *member,
                       size_t bytes)
{
    uint64_t words[MAX_WORDS] = {0};
    memcpy(words, head, HEAD * sizeof(words[0]));
    memcpy(&words[HEAD], member, bytes);
    translate_put_words(thread, END_OF_WORK, OMPTAPE_DEVICE_RECORD, type, (uint32_t)device,
                        HEAD + (unsigned)((bytes + 7) / 8), words);
}

void put_kernel_record(unsigned thread, int device, uint64_t id, uint64_t begin, uint64_t end)
{
    const ompt_record_target_kernel_t said = {
        .host_op_id = id, .requested_num_teams = 4, .granted_num_teams = 3, .end_time = on_device(end)};
    put_record(thread, device, ompt_callback_target_submit_emi, (uint64_t[]){on_device(begin), 0, TARGET_ID},
               &said, sizeof(said));
}

void put_transfer_record(unsigned thread, int device, uint64_t id, uint64_t begin, uint64_t end,
                         ompt_target_data_op_t type, uint64_t bytes)
{
    bool back = type == ompt_target_data_transfer_from_device;
    const ompt_record_target_data_op_t said = {.host_op_id = id,
                                               .optype = type,
                                               .src_device_num = back ? device : HOST_DEVICE,
                                               .dest_device_num = back ? HOST_DEVICE : device,
                                               .bytes = bytes,
                                               .end_time = on_device(end)};
    put_record(thread, device, ompt_callback_target_data_op_emi, (uint64_t[]){on_device(begin), 0, TARGET_ID},
               &said, sizeof(said));
}

void put_scope_record(int device, unsigned type, uint64_t thread, uint64_t time, uint32_t first,
                      uint32_t second)
{
    const uint32_t said[] = {first, second};
    put_record(0, device, type, (uint64_t[]){on_device(time), thread, TARGET_ID}, said, sizeof(said));
}

void put_native(const struct native *native)
{
    uint64_t words[MAX_WORDS] = {on_device(native->begin),
                                 on_device(native->end),
                                 native->stream,
                                 native->operation,
                                 native->bytes,
                                 native->copy,
                                 0,
                                 native->correlation,
                                 0};
    unsigned used = add_text(words, 9, native->name != NULL ? native->name : "");
    translate_put_words(0, END_OF_WORK, OMPTAPE_DEVICE_NATIVE, (unsigned)native->activity << 8,
                        (uint32_t)native->device, used, words);
}

void put_explanation(int device, uint64_t operation, uint64_t correlation)
{
    const uint64_t words[10] = {[3] = operation, [7] = correlation};
    translate_put_words(0, END_OF_WORK, OMPTAPE_DEVICE_NATIVE, (unsigned)OMPTAPE_ACTIVITY_OTHER << 8,
                        (uint32_t)device, 10, words);
}

const struct omptape_device_counts *counts_of(int device)
{
    const struct omptape_device *found = omptape_device_find(&translate.writer, device);
    assert_non_null(found);
    return &found->counts;
}

static unsigned find_location(const char *name, unsigned *found)
{
    unsigned count = 0;
    for (unsigned i = 0; i < translate.text->locations; i++) {
        if (strcmp(translate.text->names[i], name) != 0)
            continue;
        *found = i;
        count++;
    }
    return count;
}

void expect_location(const char *name, const char *text)
{
    unsigned location = 0;
    assert_int_equal(find_location(name, &location), 1);
    assert_string_equal(translate.text->events[location], text);
}

void expect_no_location(const char *name)
{
    unsigned location = 0;
    assert_int_equal(find_location(name, &location), 0);
}
