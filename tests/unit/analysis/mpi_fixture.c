/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes of MPI (mpi_fixture.h).
 */
#include "tests/unit/analysis/mpi_fixture.h"

#include <omptape/properties.h>
#include <string.h>

bool mpi_fixture_four;
unsigned mpi_fixture_handles = 1;
unsigned mpi_fixture_files = 1;

void mpi_fixture_define(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {
        "MPI_Send",         "MPI_Recv",       "MPI_Isend",          "MPI_Irecv",      "MPI_Wait",
        "MPI_Allreduce",    "MPI_Iallreduce", "MPI_Win_fence",      "MPI_Win_post",   "MPI_Win_start",
        "MPI_Win_complete", "MPI_Win_wait",   "MPI_Win_lock",       "MPI_Win_unlock", "MPI_Recv @b.c:7",
        "MPI_Mprobe",       "MPI_Mrecv",      "MPI_Imrecv",         "MPI_Win_flush",  "MPI_Test",
        "MPI_Iprobe",       "MPI_Sendrecv",   "MPI_File_write_all", "MPI_File_close", "MPI_Init",
        "MPI_Finalize",     "MPI_Comm_dup",   "MPI_File_open",      "MPI_Put",        "MPI_Win_allocate_c",
        "MPI_Fetch_and_op", "MPI_Comm_spawn"};
    const uint64_t locations[] = {0, 2};
    const uint64_t ranks[] = {0, 1};
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "MPI"));
    make_succeed(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, MAKE_STRINGS,
                                                    OTF2_PARADIGM_CLASS_PROCESS));
    for (uint32_t i = 0; i < FUNCTIONS - SEND; i++) {
        OTF2_StringRef text = MAKE_STRINGS + 1 + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, SEND + i, text, text, 0, OTF2_REGION_ROLE_CODE,
                                                      OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + FUNCTIONS, "call site"));
    make_succeed(OTF2_GlobalDefWriter_WriteAttribute(writer, CALL_SITE, MAKE_STRINGS + FUNCTIONS,
                                                     MAKE_EMPTY_STRING, OTF2_TYPE_REGION));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + FUNCTIONS + 2, "calls"));
    make_succeed(OTF2_GlobalDefWriter_WriteAttribute(writer, CALLS, MAKE_STRINGS + FUNCTIONS + 2,
                                                     MAKE_EMPTY_STRING, OTF2_TYPE_UINT64));
    make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 6, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, locations));
    make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 7, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_GROUP,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + FUNCTIONS + 1, "MPI_COMM_WORLD"));
    make_succeed(OTF2_GlobalDefWriter_WriteComm(writer, 4, MAKE_STRINGS + FUNCTIONS + 1, 7,
                                                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (uint32_t i = 0; i < 2; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 8 + i, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_GROUP,
                                                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1, &ranks[i]));
    make_succeed(OTF2_GlobalDefWriter_WriteIoParadigm(writer, 0, MAKE_STRINGS, MAKE_STRINGS,
                                                      OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                                      OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
    for (uint32_t i = 0; i < mpi_fixture_files; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteIoRegularFile(writer, i, MAKE_STRINGS,
                                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < mpi_fixture_handles; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteIoHandle(writer, i, MAKE_STRINGS, i % mpi_fixture_files, 0,
                                                        OTF2_IO_HANDLE_FLAG_NONE, 4,
                                                        OTF2_UNDEFINED_IO_HANDLE));
    make_succeed(OTF2_GlobalDefWriter_WriteRmaWin(writer, 1, MAKE_STRINGS, 4, OTF2_RMA_WIN_FLAG_NONE));
}

struct omptape_reader *mpi_fixture_reader;
struct omptape_analysis *mpi_fixture_analysis;

const char *mpi_fixture_allowed;

static void set_properties(OTF2_Archive *archive)
{
    if (mpi_fixture_allowed != NULL)
        make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ALLOWED,
                                              mpi_fixture_allowed, true));
}

void mpi_fixture_analyse_from(const char *events, const char *dropped, uint64_t from, uint64_t to)
{
    const struct omptape_analysis_options options = {.from = from, .to = to};
    char error[512] = "";
    make_archive(check_folder, &(struct make_plan){.events = events,
                                                   .more = mpi_fixture_define,
                                                   .properties = set_properties,
                                                   .two_processes = !mpi_fixture_four,
                                                   .four_processes = mpi_fixture_four,
                                                   .dropped = dropped});
    if (omptape_reader_open(&mpi_fixture_reader, check_folder, error, sizeof(error)) != 0 ||
        omptape_analysis_run(&mpi_fixture_analysis, mpi_fixture_reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

void mpi_fixture_analyse(const char *events)
{
    mpi_fixture_analyse_from(events, NULL, 0, 0);
}

void mpi_fixture_close(void)
{
    omptape_analysis_free(mpi_fixture_analysis);
    omptape_reader_close(mpi_fixture_reader);
}

uint64_t mpi_fixture_waited_in(const char *function)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->mpi_count; i++)
        if (strcmp(mpi_fixture_analysis->mpi[i]->region->label, function) == 0)
            return mpi_fixture_analysis->mpi[i]->waited;
    return 0;
}

static const struct omptape_finding *finding_of(enum omptape_finding_kind kind)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++)
        if (mpi_fixture_analysis->findings[i].kind == kind)
            return &mpi_fixture_analysis->findings[i];
    fail_msg("no %s", omptape_finding_key(kind));
    return NULL;
}

static void expect_in(const char *all, const char *text)
{
    if (strstr(all, text) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", text, all);
}

void mpi_fixture_expect(enum omptape_finding_kind kind, const char *function, uint64_t waited,
                        const char *text)
{
    const struct omptape_finding *finding = finding_of(kind);
    assert_string_equal(function, finding->region->label);
    assert_int_equal(waited, finding->waited);
    expect_in(finding->text, text);
}

void mpi_fixture_proposes(enum omptape_finding_kind kind, const char *text)
{
    expect_in(finding_of(kind)->proposal, text);
}
