/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: messages to `omptape top`. Root may ask the writer of another user's program,
 * and reads the answer in the command's own process. The bytes choose the facts, the definitions and the sums
 * of two messages, which are well-formed: what is not is tested by tests/unit/analysis/test_partial.c.
 */
#include "src/analysis/reduce/partial.h"
#include "src/analysis/reduce/pyramid_bytes.h"
#include "src/analysis/reduce/sums.h"
#include "src/analysis/reduce/table.h"
#include "src/archive/read/memory.h"
#include "src/command/page/page.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/command/top/state.h"
#include "tests/fuzz/targets/input.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizer's own open_memstream sometimes refuses the address of a file that libFuzzer has closed. */
FILE *open_memstream(char **text, size_t *bytes)
{
    FILE *(*open)(char **, size_t *);
    *(void **)&open = dlsym(RTLD_NEXT, "open_memstream");
    return open(text, bytes);
}

static const char *const texts[] = {"thread",
                                    "OMP thread 1",
                                    "!$omp parallel @a.c:1",
                                    "!$omp for @a.c:2",
                                    "!$omp critical @b.c:3",
                                    "!$omp task @a.c:4",
                                    "!$omp create task @a.c:4",
                                    "!$omp barrier @a.c:5",
                                    "!$omp implicit barrier @a.c:5",
                                    "MPI_Recv @m.c:6",
                                    "step",
                                    "[blocked]",
                                    "/a.c",
                                    "dynamic, 4",
                                    "OMPTAPE::NUMBER",
                                    ""};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]), MAX_REFS = 4, MAX_DEFINITIONS = 64, MAX_ENTRIES = 4 };

#define OF(Kind) OMPTAPE_DEF_##Kind
static const struct {
    enum omptape_definition_kind kind;
    enum omptape_definition_kind refs[MAX_REFS]; /* up to the first NONE */
} kinds[] = {
    {OF(REGION), {OF(STRING), OF(STRING), OF(STRING), OF(STRING)}},
    {OF(LOCATION), {OF(STRING), OF(LOCATION_GROUP)}},
    {OF(CALLING_CONTEXT), {OF(REGION), OF(SOURCE_CODE_LOCATION), OF(CALLING_CONTEXT)}},
    {OF(LOCATION_GROUP), {OF(STRING), OF(SYSTEM_TREE_NODE), OF(LOCATION_GROUP)}},
    {OF(SYSTEM_TREE_NODE), {OF(STRING), OF(STRING), OF(SYSTEM_TREE_NODE)}},
    {OF(SOURCE_CODE_LOCATION), {OF(STRING)}},
    {OF(GROUP), {OF(STRING)}},
    {OF(COMM), {OF(STRING), OF(GROUP), OF(COMM)}},
    {OF(RMA_WIN), {OF(STRING), OF(COMM)}},
    {OF(METRIC_MEMBER), {OF(STRING), OF(STRING), OF(STRING)}},
    {OF(METRIC), {OF(METRIC), OF(LOCATION)}},
    {OF(PROPERTY), {OF(LOCATION_GROUP), OF(STRING)}},
    {OF(PROPERTY), {OF(LOCATION), OF(STRING)}},
    {OF(ATTRIBUTE), {OF(STRING), OF(STRING)}},
    {OF(PARAMETER), {OF(STRING)}},
    {OF(INTERRUPT_GENERATOR), {OF(STRING)}},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void put_definition(struct omptape_bytes *bytes, struct input *input)
{
    const unsigned which = take_byte(input) % KINDS;
    uint64_t members[3];
    struct omptape_reference refs[MAX_REFS];
    struct omptape_definition head = {.kind = kinds[which].kind, .id = take_byte(input) % TEXTS};
    uint32_t count = 0;
    for (unsigned i = 0; i < sizeof(head.value) / sizeof(head.value[0]); i++)
        head.value[i] = take_number(input);
    for (; count < MAX_REFS && kinds[which].refs[count] != OMPTAPE_DEF_NONE; count++)
        refs[count] = omptape_reader_refer(kinds[which].refs[count], take_number(input));
    if (head.kind == OMPTAPE_DEF_GROUP || head.kind == OMPTAPE_DEF_METRIC) {
        head.member_kind = head.kind == OMPTAPE_DEF_GROUP ? OMPTAPE_DEF_NONE : OMPTAPE_DEF_METRIC_MEMBER;
        head.member_count = take_byte(input) % 4;
        head.members = members;
        for (uint32_t i = 0; i < head.member_count; i++)
            members[i] = take_number(input);
    }
    omptape_message_define(bytes, &head, refs, count);
}

/* Defines what is needed to get far: texts, a process, its threads, and a region for each text. */
static void put_usual_definitions(struct omptape_bytes *bytes)
{
    enum { THREADS = 3 };
    const struct omptape_reference node = omptape_reader_refer(OMPTAPE_DEF_STRING, 0);
    for (unsigned i = 0; i < TEXTS; i++) {
        const struct omptape_definition text = {.kind = OMPTAPE_DEF_STRING, .id = i, .text = texts[i]};
        const struct omptape_definition region = {
            .kind = OMPTAPE_DEF_REGION, .id = i, .value = {0, OTF2_PARADIGM_OPENMP, i}};
        const struct omptape_reference name = omptape_reader_refer(OMPTAPE_DEF_STRING, i);
        const struct omptape_reference names[] = {name, name, name, name};
        const struct omptape_definition context = {.kind = OMPTAPE_DEF_CALLING_CONTEXT, .id = i};
        const struct omptape_reference caller[] = {omptape_reader_refer(OMPTAPE_DEF_REGION, i),
                                                   omptape_reader_refer(OMPTAPE_DEF_SOURCE_CODE_LOCATION, 0),
                                                   omptape_reader_refer(OMPTAPE_DEF_CALLING_CONTEXT, i - 1)};
        omptape_message_define(bytes, &text, NULL, 0);
        omptape_message_define(bytes, &region, names, 4);
        omptape_message_define(bytes, &context, caller, 3);
    }
    const struct omptape_definition group = {.kind = OMPTAPE_DEF_LOCATION_GROUP,
                                             .value = {OTF2_LOCATION_GROUP_TYPE_PROCESS}};
    const struct omptape_reference above[] = {
        node, omptape_reader_refer(OMPTAPE_DEF_SYSTEM_TREE_NODE, 0),
        omptape_reader_refer(OMPTAPE_DEF_LOCATION_GROUP, OTF2_UNDEFINED_LOCATION_GROUP)};
    omptape_message_define(bytes, &group, above, 3);
    for (unsigned i = 0; i < THREADS; i++) {
        const struct omptape_definition thread = {
            .kind = OMPTAPE_DEF_LOCATION, .id = i, .value = {OTF2_LOCATION_TYPE_CPU_THREAD, 9}};
        const struct omptape_reference refs[] = {omptape_reader_refer(OMPTAPE_DEF_STRING, i > 0),
                                                 omptape_reader_refer(OMPTAPE_DEF_LOCATION_GROUP, 0)};
        omptape_message_define(bytes, &thread, refs, 2);
    }
}

/* Most numbers of an entry are 0. */
static void put_entry(struct omptape_bytes *bytes, struct input *input, const struct analysis_table *table)
{
    enum { MAX_CHANGES = 16 };
    uint64_t numbers[ANALYSIS_MAX_NUMBERS] = {0};
    const uint32_t count = omptape_analysis_table_numbers(table);
    for (unsigned changes = take_byte(input) % MAX_CHANGES; changes > 0 && count > 0; changes--)
        numbers[take_number(input) % count] = take_number(input);
    for (unsigned i = 0; i < 2; i++)
        omptape_bytes_put(bytes, table->keys[i] == ANALYSIS_KEY_NONE ? take_byte(input) % 2
                                 : table->keys[i] == ANALYSIS_KEY_SERIAL
                                     ? (uint64_t)take_byte(input) << 32 | take_byte(input)
                                 : table->keys[i] == ANALYSIS_KEY_CAUSE
                                     ? (uint64_t)take_byte(input) << 32 | take_byte(input) % TEXTS
                                     : take_number(input));
    for (uint32_t i = 0; i < count; i++)
        omptape_bytes_put(bytes, numbers[i]);
}

/* Returns the bytes before the tables. */
static struct omptape_bytes head_of_sums(void)
{
    enum { NUMBERS = 2 };
    struct omptape_bytes head = {.list = NULL};
    struct omptape_partial empty = {0};
    struct analysis_plan plan;
    struct omptape_reader *reader = omptape_reader_of_memory(1);
    if (reader == NULL || omptape_analysis_plan_make(&plan, reader, NULL) != 0)
        abort();
    struct analysis_state *sums = omptape_analysis_sums_begin(&plan);
    if (sums == NULL || omptape_partial_write(&empty, sums, 0) != 0)
        abort();
    struct omptape_bytes_rest rest = {.at = empty.bytes + strlen("omptpart"),
                                      .end = empty.bytes + empty.count};
    for (unsigned i = 0; i < NUMBERS; i++)
        (void)omptape_bytes_take(&rest);
    omptape_bytes_put_raw(&head, empty.bytes, (size_t)(rest.at - empty.bytes));
    free(empty.bytes);
    omptape_analysis_sums_free(sums);
    omptape_analysis_plan_free(&plan);
    omptape_reader_free_memory(reader);
    return head;
}

static void put_sums(struct omptape_bytes *bytes, struct input *input)
{
    static struct omptape_bytes head;
    const size_t begin = bytes->count;
    if (head.list == NULL)
        head = head_of_sums();
    omptape_bytes_put_raw(bytes, head.list, head.count);
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const unsigned entries = take_byte(input) % MAX_ENTRIES;
        omptape_bytes_put(bytes, entries);
        for (unsigned j = 0; j < entries; j++)
            put_entry(bytes, input, &omptape_analysis_tables[i]);
    }
    const uint64_t hash = omptape_hash_key(bytes->list + begin, bytes->count - begin);
    omptape_bytes_put_raw(bytes, &hash, sizeof(hash));
}

static void put_message(struct omptape_bytes *bytes, struct input *input)
{
    struct omptape_message_facts facts = {
        .program = "/bin/program\033[31m", .host = "host\xff", .folder = "/out\n"};
    for (unsigned i = 0; omptape_message_number(&facts, i) != NULL; i++)
        *omptape_message_number(&facts, i) = take_number(input);
    struct omptape_message_thread others[] = {{.tid = 1, .name = "worker\033[31m"}, {.tid = 9, .name = ""}};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        others[i].begin = others[i].computing = others[i].runnable = others[i].blocked = take_number(input);
    omptape_message_begin(bytes, &facts, others, 2);
    const bool usual_first = take_byte(input) % 2 == 0;
    if (usual_first)
        put_usual_definitions(bytes);
    for (unsigned count = take_byte(input) % MAX_DEFINITIONS; count > 0; count--)
        put_definition(bytes, input);
    if (!usual_first)
        put_usual_definitions(bytes);
    omptape_bytes_put(bytes, OMPTAPE_DEF_NONE);
    put_sums(bytes, input);
}

/* As src/command/top/writers.c takes an answer. */
static bool take(struct top_process *process, unsigned index, const struct omptape_bytes *bytes)
{
    struct omptape_message *message = &process->messages[index];
    const struct omptape_message *before = process->has_message ? &process->messages[process->newest] : NULL;
    if (omptape_message_read(message, bytes->list, bytes->count) != 0 || message->analysis == NULL ||
        report_fold(message->analysis) != 0)
        return false;
    top_interval_free(&process->interval);
    process->has_interval =
        top_interval_make(&process->interval, before, message) == 0 && process->interval.wall > 0;
    process->newest = index;
    process->has_message = true;
    process->is_written = false;
    process->state = TOP_RUNS;
    return true;
}

static FILE *out;

static void show(struct top *top)
{
    const struct screen screen = {.out = out, .width = 100, .utf8 = true};
    top_print(top, &screen, 0);
    top->shows_threads = true;
    top_print(top, &screen, 40);
    (void)top_write_json(top, out);
}

/* Most numbers of a row are 0. */
static void put_sparse(struct omptape_bytes *bytes, struct input *input, uint64_t count)
{
    struct omptape_bytes_run run = {0};
    while (count > 0) {
        const uint64_t zeros = input->left > 0 ? take_number(input) : count;
        run.zeros += zeros < count ? zeros : count - 1;
        count -= zeros < count ? zeros : count - 1;
        omptape_bytes_put_sparse(bytes, &run, take_byte(input));
        count--;
    }
    omptape_bytes_end_sparse(bytes, &run);
}

/* The layout is that of src/analysis/reduce/pyramid_bytes.c. */
static void put_timeline(struct omptape_bytes *bytes, struct input *input)
{
    enum { MAX_LOG = 8, BUCKETS = OMPTAPE_BUCKET_COUNT, STATES = PYRAMID_STATES };
    enum { PLANES = BUCKETS + STATES + 2 * PYRAMID_TOPS };
    const uint64_t bins = UINT64_C(1) << take_byte(input) % MAX_LOG;
    const unsigned regions = take_byte(input) % MAX_ENTRIES;
    const unsigned rows = take_byte(input) % MAX_ENTRIES;
    omptape_bytes_put(bytes, take_number(input));
    omptape_bytes_put(bytes, take_number(input));
    omptape_bytes_put(bytes, bins);
    omptape_bytes_put(bytes, regions);
    for (unsigned i = 0; i < regions * (1 + 3 * PYRAMID_VISITS); i++)
        omptape_bytes_put(bytes, take_number(input));
    omptape_bytes_put(bytes, rows);
    for (unsigned i = 0; i < rows; i++) {
        omptape_bytes_put(bytes, i);
        for (unsigned j = 0; j < 3; j++)
            omptape_bytes_put(bytes, take_number(input));
        put_sparse(bytes, input, bins * PLANES);
    }
    while (input->left > 0) /* curves and samples */
        omptape_bytes_put(bytes, take_number(input));
}

static bool same_id(const void *data, enum omptape_definition_kind kind, uint64_t *id)
{
    return omptape_reader_find(data, kind, *id) != NULL;
}

static uint64_t same_number(const void *data, uint64_t number)
{
    (void)data;
    return number;
}

static void draw(const struct omptape_message *message, struct input *input)
{
    const struct omptape_partial_map map = {
        .data = message->reader, .id = same_id, .time = same_number, .ticks = same_number};
    struct omptape_bytes bytes = {.list = NULL};
    struct page page = {.analysis = message->analysis,
                        .pyramid = omptape_pyramid_begin(message->reader, 0, 0),
                        .title = "title",
                        .archive = "archive",
                        .text = "text"};
    put_timeline(&bytes, input);
    struct omptape_bytes_rest rest = {.at = bytes.list, .end = bytes.list + bytes.count};
    if (page.pyramid != NULL && omptape_pyramid_take(page.pyramid, &rest, &map)) {
        omptape_pyramid_end(page.pyramid);
        (void)page_write(out, &page);
        (void)page_svg(out, &page);
    }
    if (page.pyramid != NULL)
        omptape_pyramid_free(page.pyramid);
    omptape_bytes_free(&bytes);
}

static void report(const struct omptape_message *message, struct input *input)
{
    const struct report all = {.analysis = message->analysis,
                               .screen = {.out = out, .width = 100, .utf8 = true},
                               .top = UINT_MAX,
                               .all = true,
                               .threads = true,
                               .profile = true};
    static char anchor[] = "archive/traces.otf2";
    message->reader->anchor = anchor;
    report_print_findings(&all);
    (void)report_print_tables(&all);
    (void)report_print_by_phase(&all);
    (void)value_tree_write_json(out, report_write_numbers, message->analysis);
    draw(message, input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct input input = {.at = data, .left = bytes};
    struct top_process process = {.call = {.fd = -1, .other = -1}};
    struct top top = {.processes = &process, .count = 1};
    struct omptape_bytes messages[2] = {{.list = NULL}};
    out = out != NULL ? out : fopen("/dev/null", "w");
    if (out == NULL)
        abort();
    for (unsigned i = 0; i < 2; i++) {
        put_message(&messages[i], &input);
        if (take(&process, i, &messages[i]))
            show(&top);
    }
    if (process.has_message)
        report(&process.messages[process.newest], &input);
    top_interval_free(&process.interval);
    for (unsigned i = 0; i < 2; i++) {
        omptape_message_free(&process.messages[i]);
        omptape_bytes_free(&messages[i]);
    }
    return 0;
}
