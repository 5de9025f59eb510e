/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the analysis has summed up for some processes, as bytes (src/analysis/reduce/partial.h):
 * no field is forgotten, the order in which parts are added is of no account, and nothing in them is
 * believed. Run by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/analysis/reduce/message.h"
#include "src/analysis/reduce/partial.h"
#include "src/analysis/reduce/sums.h"
#include "src/analysis/reduce/table.h"
#include "tests/unit/check_harness.h"

#include <omptape/properties.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MUTATIONS = 20000, NAME_BYTES = 64, HASH_BYTES = 8 };

/* Two threads in a team, a third in another process, a device: something for each field of each table. */
static const char events[] =
    "0 100 program\n0 100 enter 0\n0 100 enter 15\n0 104 enter 10\n0 105 uint 4 64\n0 105 uint 5 4096\n0 105 "
    "uint 6 1\n"
    "0 105 enter 9\n0 107 leave 9\n0 108 leave 10\n"
    "0 108 uint 4 64\n0 108 uint 5 4096\n0 108 uint 6 1\n0 108 enter 9\n0 109 leave 9\n"
    "0 110 fork 2\n0 110 team 0\n0 110 enter 1\n1 120 team 0\n1 120 enter 1\n"
    "0 121 uint 0 51\n0 121 enter 6\n0 122 string 0 1\n0 123 uint 0 21\n0 123 enter 13\n0 149 leave 13\n0 "
    "150 "
    "leave 6\n"
    "1 121 uint 0 51\n1 121 enter 6\n1 121 sample 0\n1 122 uint 0 30\n1 122 enter 13\n1 160 counted 1 2000 "
    "9\n1 160 sample 0\n1 198 leave 13\n1 199 "
    "leave 6\n"
    "0 150 enter 8\n0 200 leave 8\n1 199 enter 8\n1 199 sample 0\n1 200 leave 8\n"
    "0 200 enter 4\n0 230 acquire 0 1\n0 300 release 0 1\n"
    "0 300 leave 4\n1 280 enter 4\n1 320 acquire 0 2\n1 330 release 0 2\n1 330 leave 4\n"
    "0 350 enter 7\n0 351 create 0 0 1\n0 352 leave 7\n1 400 switch 0 0 1\n1 400 enter 3\n"
    "1 410 enter 7\n1 411 create 0 1 1\n1 412 leave 7\n1 530 leave 3\n"
    "1 530 complete 0 0 1\n1 530 switch 0 1 0\n0 500 enter 2\n0 520 switch 0 1 1\n0 520 enter 3\n"
    "0 30540 leave 3\n0 30540 complete 0 1 1\n0 30540 switch 0 0 0\n0 30700 leave 2\n1 550 enter 2\n"
    "1 30700 leave 2\n0 30700 leave 1\n1 30700 leave 1\n0 30700 endteam 0\n1 30700 endteam 0\n"
    "0 30700 join\n0 30800 metric 0 22750 8000\n1 30800 metric 0 700 70\n1 30801 enter 4\n1 30999 leave 4\n"
    "3 300 enter 5\n3 600 leave 5\n3 605 sample 0\n3 610 put 0 0 64 1\n3 620 enter 11\n3 640 leave 11\n3 "
    "30860 enter 5\n3 "
    "30900 leave 5\n"
    "2 300 enter 0\n2 301 enter 17\n2 305 leave 17\n2 310 counted 1 1000 5\n2 310 sample 0\n2 320 enter 4\n2 "
    "330 acquire 0 1\n2 390 release "
    "0 1\n2 400 leave 4\n2 "
    "410 flush 430\n2 "
    "500 enter 12\n2 "
    "600 leave 12\n2 690 enter 15\n2 690 unsigned 2 7\n2 700 enter 14\n2 710 collective 11 0 0 8 16\n"
    "2 711 io 0 1 32\n2 712 io 1 2 64\n2 713 iodone 1 32\n2 714 iodone 2 60\n2 720 leave 14\n"
    /* It waits at its end for a lock that it has. */
    "2 785 value 2 7\n2 786 value 2\n"
    "2 790 enter 4\n2 800 acquire 0 2\n2 800 leave 4\n2 900 metric 0 100 10\n2 2000 "
    "leave 15\n2 2100 enter 14\n2 2110 uint 9 3\n2 2110 leave 14\n"
    "2 60000000 metric 0 30000000 "
    "10\n2 60000100 enter 4\n"
    "2 60000200 uint 7 1\n2 60000200 uint 8 0\n2 60000200 leave 4\n2 60000200 leave 0\n"
    "0 30850 enter 10\n0 30950 leave 10\n"
    "0 30990 fork 2\n0 31000 team 0\n0 31000 enter 1\n1 31000 team 0\n1 31000 enter 1\n"
    "1 31010 enter 13\n1 31011 leave 13\n1 31012 enter 13\n1 31013 leave 13\n1 31014 enter 13\n1 31015 leave "
    "13\n1 31016 enter 13\n1 31017 leave 13\n"
    "1 31018 enter 13\n1 31019 leave 13\n1 31020 enter 13\n1 31021 leave 13\n1 31022 enter 13\n1 31023 leave "
    "13\n1 31024 enter 13\n1 31025 leave 13\n"
    "1 31100 fork 3\n1 31100 team 2\n1 31100 enter 1\n1 31200 leave 1\n1 31200 endteam 2\n1 31200 join\n"
    "1 31250 enter 13\n1 31350 leave 13\n1 31400 metric 0 1200 70\n1 31450 enter 13\n1 31650 leave 13\n"
    "1 31700 metric 0 1200 470\n"
    "1 32000 leave 1\n"
    "1 32000 endteam 0\n1 33000 fork 1\n1 33000 team 2\n1 33000 enter 1\n1 34000 leave 1\n1 34000 endteam "
    "2\n1 34000 join\n0 631000 leave 1\n0 631000 endteam 0\n0 631000 join\n0 1030980 metric 0 522750 "
    "508000\n"
    "0 1039990 fork 2\n0 1040000 team 0\n0 1040000 enter 1\n1 1040000 team 0\n1 1040000 enter 1\n"
    /* A task is queued while both threads wait. */
    "0 1040010 enter 7\n0 1040011 create 0 0 2\n0 1040012 leave 7\n"
    /* A task with a dependence. */
    "0 1040013 enter 16\n0 1040013 create 0 0 3\n0 1040013 string 3 98\n0 1040014 leave 16\n"
    "0 1040014 switch 0 0 3\n0 1040014 enter 12\n0 1040020 leave 12\n0 1040020 complete 0 0 3\n"
    "0 1040020 switch 0 0 0\n0 1040100 enter 2\n1 1040100 enter 2\n"
    "1 1060000 switch 0 0 2\n1 1060000 enter 3\n1 1061000 leave 3\n1 1061000 complete 0 0 2\n1 1061000 "
    "switch 0 1 0\n0 1062000 leave 2\n1 1062000 leave 2\n1 1070000 "
    "leave 1\n1 1070000 endteam 0\n0 31040000 leave 1\n0 31040000 endteam 0\n0 31040000 join\n"
    "0 31040000 metric 0 10522750 508000 9000000 50\n0 31040001 leave 15\n"
    /* A thread has no processor before it begins, and another one waits for it. */
    "1 31050000 metric 0 30000000 470\n1 31090000 metric 0 30000000 40470\n0 31050000 fork 2\n"
    "0 31050000 team 0\n0 31050000 enter 1\n0 31051000 enter 2\n1 31090000 team 0\n1 31090000 enter 1\n"
    "1 31091000 enter 2\n0 31092000 leave 2\n1 31092000 leave 2\n0 31093000 leave 1\n1 31093000 leave 1\n"
    "0 31093000 endteam 0\n1 31093000 endteam 0\n0 31093000 join\n"
    "0 61040000 metric 0 20522750 508000\n0 61040000 leave "
    "0\n"
    "0 61040000 endprogram\n";

static void define_more(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"bytes",       "host address", "device",
                                        "synthesised", "awaited lock", "calls"};
    const OTF2_StringRef step = MAKE_STRINGS + 64;
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    static const struct {
        const char *name;
        OTF2_RegionRole role;
        OTF2_Paradigm paradigm;
    } regions[] = {
        {"!$omp for @a.c:12", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP},
        {"!$omp create task @a.c:15", OTF2_REGION_ROLE_TASK_CREATE, OTF2_PARADIGM_OPENMP},
        {"!$omp implicit barrier @a.c:13", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP},
        {"!$omp target transfer to device @a.c:30", OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_OPENMP},
        {"!$omp target update @a.c:30", OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_OPENMP},
        {"copy to device", OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_OPENMP},
        {"!$omp task @a.c:50", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP},
        {"!$omp for chunk @a.c:12", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP},
        {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI},
        {"solver", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER},
        {"!$omp create task @a.c:50", OTF2_REGION_ROLE_TASK_CREATE, OTF2_PARADIGM_OPENMP},
        {"MPI_Init", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_MPI}};
    for (uint32_t i = 0; i < NAMES; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
        make_succeed(
            OTF2_GlobalDefWriter_WriteAttribute(writer, 4 + i, MAKE_STRINGS + i, 0, OTF2_TYPE_UINT64));
    }
    for (uint32_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        OTF2_StringRef text = MAKE_STRINGS + NAMES + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, regions[i].name));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, 6 + i, text, text, 0, regions[i].role,
                                                      regions[i].paradigm, OTF2_REGION_FLAG_NONE, 0, 10, 20));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, step, "step"));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, 2, step, OTF2_PARAMETER_TYPE_UINT64));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, step + 1, "depend"));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, step + 2, "inout 0x10"));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, 3, step + 1, OTF2_PARAMETER_TYPE_STRING));
}

/* Counters of threads. */
static void define_counters(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"task-clock", "page-faults"};
    const OTF2_MetricMemberRef members[] = {1, 2};
    for (uint32_t i = 0; i < 2; i++) {
        const OTF2_StringRef text = MAKE_STRINGS + 80 + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteMetricMember(
            writer, members[i], text, 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
            OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, 0));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteMetricClass(writer, 1, 2, members, OTF2_METRIC_ASYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_CPU));
}

/* A value of the program's. */
static void define_value(OTF2_GlobalDefWriter *writer)
{
    const OTF2_StringRef text = MAKE_STRINGS + 82;
    const OTF2_MetricMemberRef member = 3;
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, "residual"));
    make_succeed(OTF2_GlobalDefWriter_WriteMetricMember(writer, member, text, 0, OTF2_METRIC_TYPE_USER,
                                                        OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
                                                        OTF2_BASE_DECIMAL, 0, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteMetricClass(writer, 2, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_CPU));
}

static void define_all(OTF2_GlobalDefWriter *writer)
{
    define_more(writer);
    define_counters(writer);
    define_value(writer);
    make_succeed(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 0, 0, 4));
    make_succeed(OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, 1, 0, OTF2_UNDEFINED_CALLING_CONTEXT));
    /* Its samples count as those of a thread that OpenMP does not know. */
    const OTF2_StringRef other = MAKE_STRINGS + 90;
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, other, OMPTAPE_LOCATION_OTHER_THREAD));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, 3, other, OTF2_TYPE_STRING,
                                                            (OTF2_AttributeValue){.stringRef = other}));
    make_succeed(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, 0, 0, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 10000000));
}

static struct omptape_reader *reader;
static struct analysis_plan plan;

/* Returns the events, and ends them with short regions: those before them were far longer. */
static const char *all_events(void)
{
    enum { REGIONS = 8, BEGIN = 31100000 };
    static char text[sizeof(events) + REGIONS * 128];
    char *at = text + snprintf(text, sizeof(text), "%s", events);
    for (unsigned time = BEGIN; time < BEGIN + 100 * REGIONS; time += 100)
        at += snprintf(at, 128,
                       "1 %u fork 1\n1 %u team 2\n1 %u enter 1\n1 %u leave 1\n1 %u endteam 2\n1 %u join\n",
                       time, time, time, time + 10, time + 10, time + 10);
    return text;
}

static void open_plan(void)
{
    char error[512] = "";
    make_archive(check_folder,
                 &(struct make_plan){
                     .events = all_events(), .more = define_all, .initial = 1U << 1, .two_processes = true});
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    assert_int_equal(0, omptape_analysis_plan_make(&plan, reader, NULL));
    assert_int_equal(2, plan.count);
}

static void close_plan(void)
{
    omptape_analysis_plan_free(&plan);
    omptape_reader_close(reader);
}

static struct analysis_state *begin_sums(void)
{
    struct analysis_state *sums = omptape_pass_begin(&plan, 0, plan.count);
    assert_non_null(sums);
    return sums;
}

/* Only steps that were found differ in what begins in them, and a program that names its own has none. */
static void make_steps_unlike(struct analysis_state *sums)
{
    struct analysis_entry entry;
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const struct analysis_table *table = &omptape_analysis_tables[i];
        for (uint32_t j = 0;
             strcmp(table->name, "steps") == 0 && omptape_analysis_entry_at(sums, table, j, &entry); j++)
            ((struct analysis_step *)entry.value)->atypical = ((struct analysis_step *)entry.value)->count;
    }
}

static void add_process(struct analysis_state *sums, uint32_t index)
{
    char error[512] = "";
    if (omptape_analysis_add_process(sums, index, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    make_steps_unlike(sums);
}

static struct omptape_partial write_partial(const struct analysis_state *pass)
{
    struct omptape_partial partial;
    assert_int_equal(0, omptape_partial_write(&partial, pass, 7));
    return partial;
}

/* Of both processes, each read by itself. */
static void make_parts(struct omptape_partial parts[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        struct analysis_state *sums = begin_sums();
        add_process(sums, i);
        parts[i] = write_partial(sums);
        omptape_pass_free(sums);
    }
}

static void every_byte_has_a_row(void **state)
{
    /* Room between members that nothing stands in. */
    static const struct {
        const char *table;
        uint32_t bytes;
    } gaps[] = {{"processes", 0},
                {"threads", 4},
                {"regions", 8},
                {"causes", 4},
                {"parallels", 7},
                {"tasks", 0},
                {"locks", 4},
                {"lock holders", 0},
                {"samples", 0},
                {"serial samples", 0},
                {"other threads' samples", 0},
                {"loops", 0},
                {"loop threads", 0},
                {"serials", 0},
                {"phases", 0},
                {"phases' shares", 0},
                {"steps", 0},
                {"values", 0},
                {"outliers", 0},
                {"transfers", 0},
                {"MPI", 0},
                {"devices", 0},
                {"opens", 4},
                {"whole", 0}};
    (void)state;
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const struct analysis_table *table = &omptape_analysis_tables[i];
        unsigned char *rows = calloc(table->bytes, 1);
        uint32_t without = 0;
        assert_non_null(rows);
        for (uint32_t j = 0; j < table->field_count; j++)
            for (uint32_t k = 0; k < table->fields[j].bytes; k++)
                if (rows[table->fields[j].offset + k]++ != 0)
                    fail_msg("%s: byte %u has two rows", table->name, table->fields[j].offset + k);
        for (uint32_t k = 0; k < table->bytes; k++)
            without += rows[k] == 0;
        free(rows);
        assert_true(omptape_analysis_table_numbers(table) <= ANALYSIS_MAX_NUMBERS);
        assert_true(i < sizeof(gaps) / sizeof(gaps[0]));
        assert_string_equal(gaps[i].table, table->name);
        if (without != gaps[i].bytes)
            fail_msg("%s: %u bytes of the struct have no row in src/analysis/reduce/tables.c, not %u",
                     table->name, without, gaps[i].bytes);
    }
}

/* What is in no part can be missed by none of these tests. */
static void every_field_has_a_number(void **state)
{
    (void)state;
    open_plan();
    struct analysis_state *sums = begin_sums();
    add_process(sums, 0);
    add_process(sums, 1);
    for (uint32_t i = 0; i < omptape_analysis_table_count; i++) {
        const struct analysis_table *table = &omptape_analysis_tables[i];
        uint32_t count = omptape_analysis_table_numbers(table);
        bool some[ANALYSIS_MAX_NUMBERS] = {false};
        struct analysis_entry entry;
        for (uint32_t j = 0; omptape_analysis_entry_at(sums, table, j, &entry); j++) {
            uint64_t numbers[ANALYSIS_MAX_NUMBERS] = {0};
            if (entry.value != NULL)
                omptape_analysis_entry_read(table, entry.value, numbers);
            for (uint32_t k = 0; k < count; k++)
                some[k] = some[k] || numbers[k] > 0;
        }
        uint32_t number = 0;
        for (uint32_t j = 0; j < table->field_count; j++) {
            const struct analysis_field *field = &table->fields[j];
            uint32_t numbers = field->rule == ANALYSIS_DERIVED ? 0 : field->bytes / field->size;
            bool any = numbers == 0 || field->rule == ANALYSIS_OF_WORST; /* which may be location 0 */
            for (uint32_t k = 0; k < numbers; k++, number++)
                any = any || some[number];
            if (!any)
                fail_msg("%s: field %u is 0 in all entries", table->name, j);
        }
    }
    omptape_pass_free(sums);
    close_plan();
}

static void expect_same(const struct omptape_partial *one, const struct omptape_partial *other)
{
    assert_int_equal(one->count, other->count);
    assert_memory_equal(one->bytes, other->bytes, one->count);
}

/* Sorted, as all that follows is made from. */
static struct omptape_partial write_sorted(struct analysis_state *sums)
{
    assert_true(omptape_analysis_tables_sort(sums));
    struct omptape_partial partial = write_partial(sums);
    omptape_pass_free(sums);
    return partial;
}

static void parts_add_up_in_any_order(void **state)
{
    struct omptape_partial parts[2];
    (void)state;
    open_plan();
    struct analysis_state *direct = begin_sums();
    add_process(direct, 0);
    add_process(direct, 1);
    struct omptape_partial expected = write_sorted(direct);
    make_parts(parts);
    for (uint32_t first = 0; first < 2; first++) {
        struct analysis_state *sums = begin_sums();
        assert_int_equal(0, omptape_partial_add(sums, parts[first].bytes, parts[first].count, 7, NULL));
        assert_int_equal(0,
                         omptape_partial_add(sums, parts[1 - first].bytes, parts[1 - first].count, 7, NULL));
        struct omptape_partial found = write_sorted(sums);
        expect_same(&expected, &found);
        free(found.bytes);
    }
    /* A part of parts, too. */
    struct analysis_state *sums = begin_sums();
    assert_int_equal(0, omptape_partial_add(sums, expected.bytes, expected.count, 7, NULL));
    struct omptape_partial found = write_sorted(sums);
    expect_same(&expected, &found);
    free(found.bytes);
    free(expected.bytes);
    for (uint32_t i = 0; i < 2; i++)
        free(parts[i].bytes);
    close_plan();
}

static void others_are_refused(void **state)
{
    struct omptape_partial parts[2];
    (void)state;
    open_plan();
    make_parts(parts);
    struct analysis_state *sums = begin_sums();
    assert_int_equal(-ESTALE, omptape_partial_check(parts[0].bytes, parts[0].count, 8));
    assert_int_equal(-ESTALE, omptape_partial_add(sums, parts[0].bytes, parts[0].count, 8, NULL));
    for (size_t count = 0; count < parts[0].count; count++)
        assert_int_equal(-EBADMSG, omptape_partial_add(sums, parts[0].bytes, count, 7, NULL));
    assert_int_equal(0, omptape_partial_add(sums, parts[0].bytes, parts[0].count, 7, NULL));
    assert_int_equal(-EEXIST, omptape_partial_add(sums, parts[0].bytes, parts[0].count, 7, NULL));
    omptape_pass_free(sums);
    for (uint32_t i = 0; i < 2; i++)
        free(parts[i].bytes);
    close_plan();
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Some bytes become others, and the hash at the end fits again. */
static void mutate(unsigned char *bytes, size_t *count, uint32_t *random)
{
    size_t body = *count - HASH_BYTES;
    if (next_random(random) % 8 == 0)
        body -= next_random(random) % (body - 32);
    for (uint32_t i = next_random(random) % 4; i < 4; i++) {
        static const unsigned char odd[] = {0, 1, 0x7F, 0x80, 0xFF};
        size_t at = 28 + next_random(random) % (body - 28);
        bytes[at] = next_random(random) % 2 == 0 ? odd[next_random(random) % sizeof(odd)]
                                                 : (unsigned char)next_random(random);
    }
    uint64_t hash = omptape_hash_key(bytes, body);
    memcpy(bytes + body, &hash, HASH_BYTES);
    *count = body + HASH_BYTES;
}

static void nothing_is_believed(void **state)
{
    struct omptape_partial parts[2];
    uint32_t random = 4711;
    uint32_t taken = 0;
    (void)state;
    open_plan();
    make_parts(parts);
    unsigned char *bytes = malloc(parts[0].count);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < MUTATIONS; i++) {
        char error[512];
        size_t count = parts[0].count;
        struct omptape_analysis *analysis = NULL;
        struct analysis_state *sums = begin_sums();
        memcpy(bytes, parts[0].bytes, count);
        mutate(bytes, &count, &random);
        int status = omptape_partial_add(sums, bytes, count, 7, NULL);
        assert_true(status == 0 || status == -EBADMSG || status == -ESTALE || status == -EEXIST);
        taken += status == 0;
        assert_int_equal(0,
                         omptape_partial_add(sums, parts[1].bytes, parts[1].count, 7, NULL) * (status == 0));
        assert_int_equal(0, omptape_analysis_conclude(&analysis, sums, error, sizeof(error)));
        omptape_analysis_free(analysis);
        omptape_pass_free(sums);
    }
    assert_true(taken > MUTATIONS / 10);
    free(bytes);
    for (uint32_t i = 0; i < 2; i++)
        free(parts[i].bytes);
    close_plan();
}

/* A message to `omptape top` of both processes; the caller frees the bytes. */
static struct omptape_bytes make_message(void)
{
    const struct omptape_message_facts facts = {
        .pid = 7, .resolution = 1000000000, .now = 61040000, .books = {3, 4}, .program = "/bin/program"};
    struct omptape_bytes bytes = {.list = NULL};
    struct analysis_state *sums = begin_sums();
    add_process(sums, 0);
    add_process(sums, 1);
    omptape_message_begin(&bytes, &facts, NULL, 0);
    omptape_message_define_all(&bytes, reader);
    for (uint32_t i = 0; i < reader->definition_count; i++)
        if (reader->definitions[i]->kind == OMPTAPE_DEF_CALLING_CONTEXT)
            omptape_message_define(&bytes, reader->definitions[i], reader->definitions[i]->refs,
                                   reader->definitions[i]->ref_count);
    omptape_message_end(&bytes, sums);
    omptape_pass_free(sums);
    assert_false(bytes.failed);
    return bytes;
}

/* What is read is what was written. Of a part of it nothing is. */
static void a_message_says_the_same(void **state)
{
    struct omptape_message message;
    struct omptape_analysis *analysis = NULL;
    char error[512] = "";
    (void)state;
    open_plan();
    struct omptape_bytes bytes = make_message();
    struct analysis_state *sums = begin_sums();
    add_process(sums, 0);
    add_process(sums, 1);
    assert_int_equal(0, omptape_analysis_conclude(&analysis, sums, error, sizeof(error)));
    assert_int_equal(0, omptape_message_read(&message, bytes.list, bytes.count));
    assert_int_equal(7, message.facts.pid);
    assert_int_equal(4, message.facts.books[1]);
    assert_string_equal("/bin/program", message.facts.program);
    assert_int_equal(analysis->region_count, message.analysis->region_count);
    for (uint32_t i = 0; i < analysis->region_count; i++) {
        assert_string_equal(analysis->regions[i]->label, message.analysis->regions[i]->label);
        assert_memory_equal(analysis->regions[i]->parts, message.analysis->regions[i]->parts,
                            sizeof(analysis->regions[i]->parts));
    }
    omptape_message_free(&message);
    omptape_analysis_free(analysis);
    omptape_pass_free(sums);
    for (size_t count = 0; count < bytes.count; count += 1 + count / 64) {
        assert_int_not_equal(0, omptape_message_read(&message, bytes.list, count));
        omptape_message_free(&message);
    }
    omptape_bytes_free(&bytes);
    close_plan();
}

static void no_message_is_believed(void **state)
{
    uint32_t random = 815;
    (void)state;
    open_plan();
    struct omptape_bytes bytes = make_message();
    unsigned char *copy = malloc(bytes.count);
    assert_non_null(copy);
    for (uint32_t i = 0; i < MUTATIONS / 10; i++) {
        struct omptape_message message;
        memcpy(copy, bytes.list, bytes.count);
        for (uint32_t j = next_random(&random) % 4; j < 4; j++)
            copy[next_random(&random) % bytes.count] = (unsigned char)next_random(&random);
        const int status = omptape_message_read(&message, copy, bytes.count);
        assert_true(status == 0 || status == -EBADMSG || status == -ENOMEM);
        omptape_message_free(&message);
    }
    free(copy);
    omptape_bytes_free(&bytes);
    close_plan();
}

/* A reader would look for what these do not have. */
static void no_definition_lacks_a_part(void **state)
{
    static const struct {
        enum omptape_definition_kind kind;
        uint64_t value;
        uint32_t refs;
    } lacking[] = {{OMPTAPE_DEF_STRING, 0, 0},  {OMPTAPE_DEF_PROPERTY, 0, 1}, {OMPTAPE_DEF_METRIC, 1, 0},
                   {OMPTAPE_DEF_RMA_WIN, 0, 1}, {OMPTAPE_DEF_REGION, 0, 1},   {OMPTAPE_DEF_LOCATION, 0, 1},
                   {OMPTAPE_DEF_KINDS, 0, 1}};
    const struct omptape_message_facts facts = {.resolution = 1};
    const struct omptape_reference name = {.kind = OMPTAPE_DEF_STRING, .id = 0};
    (void)state;
    for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++) {
        const struct omptape_definition head = {.kind = lacking[i].kind, .value = {lacking[i].value}};
        struct omptape_bytes bytes = {.list = NULL};
        struct omptape_message message;
        omptape_message_begin(&bytes, &facts, NULL, 0);
        omptape_message_define(&bytes, &head, &name, lacking[i].refs);
        omptape_message_end(&bytes, NULL);
        assert_int_equal(-EBADMSG, omptape_message_read(&message, bytes.list, bytes.count));
        omptape_message_free(&message);
        omptape_bytes_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_a_row),
        cmocka_unit_test_setup_teardown(every_field_has_a_number, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(parts_add_up_in_any_order, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(others_are_refused, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nothing_is_believed, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_message_says_the_same, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(no_message_is_believed, check_make_folder, check_remove_folder),
        cmocka_unit_test(no_definition_lacks_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
