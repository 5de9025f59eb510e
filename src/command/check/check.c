/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape check ARCHIVE`: verifies an archive's invariants and prints the first violation. The
 * entry point runs on the command's only thread. The checks run in the child process that
 * omptape_reader_guard starts.
 */
#include "src/archive/read/guard.h"
#include "src/command/check/state.h"
#include "src/command/text/units.h"
#include "src/command/text/usage.h"
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "Usage: omptape check [--all] [-q|--quiet] [ARCHIVE]\n"
    "\n"
    "Verifies the invariants of an OTF2 archive (its .otf2 file, or the folder that\n"
    "holds it): times, nesting, references, counts, teams, tasks, locks, transfers,\n"
    "devices, samples. Without ARCHIVE it takes the newest one in the current folder.\n"
    "\n"
    "  --all        list up to 100 violations instead of the first one\n"
    "  -q, --quiet  print nothing, only set the exit code\n"
    "\n"
    "Exit code: 0 all is well, 1 a violation was found, 2 the archive cannot be read.\n";

struct check_request {
    const char *path;
    bool all;
    bool quiet;
};

/* Reads from the archive's properties whether it is complete (include/omptape/properties.h). */
static void read_circumstances(struct check *check)
{
    const char *end = omptape_reader_property(check->reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_END);
    const char *dropped = omptape_reader_property(check->reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_DROPPED);
    const char *unwritten =
        omptape_reader_property(check->reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_UNWRITTEN);
    check->ended_early = (end != NULL && strcmp(end, "finalize") != 0) || unwritten != NULL;
    check->is_own_archive =
        omptape_reader_property(check->reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_VERSION) != NULL;
    check->gaps = dropped != NULL && strtoull(dropped, NULL, 10) > 0;
}

static void report_result(const struct check *check)
{
    struct omptape_reader *reader = check->reader;
    const char *path = omptape_reader_path(reader);
    if (check->quiet)
        return;
    uint64_t summed = omptape_reader_number_of(reader, -1, OMPTAPE_KEY_PROFILE);
    if (check->violations == 0 && summed > 0) {
        fprintf(check->out,
                "%s: OK: a profile: %" PRIu64 " events were added up and none kept; %" PRIu64
                " locations, %" PRIu64 " definitions, %" PRIu64 " markers\n",
                path, summed, reader->announced_locations, reader->read_definitions, check->seen.markers);
    } else if (check->violations == 0) {
        fprintf(check->out,
                "%s: OK: %" PRIu64 " events at %" PRIu64 " locations, %" PRIu64 " definitions, %" PRIu64
                " team instances, %" PRIu64 " tasks, %" PRIu64 " lock acquisitions, %" PRIu64
                " transfers, %" PRIu64 " markers\n",
                path, check->seen.events, reader->announced_locations, reader->read_definitions,
                check->seen.team_instances, check->seen.tasks, check->seen.acquisitions,
                check->seen.transfers, check->seen.markers);
    } else if (check->limit > 1) {
        fprintf(check->out, "%s: %s%s\n", path, units_things(check->violations, "violation").text,
                check->violations >= check->limit ? " listed; there may be more" : "");
    }
}

static void free_check(struct check *check)
{
    for (uint32_t i = 0; i < check->locations.count; i++) {
        struct check_location *location = check->locations.list[i].value;
        /* Only frees: all transfers have been ended, or the checks were stopped early. */
        check_transfers_end(check, &location->transfers);
        replay_free(&location->replay);
        replay_free(&location->teams);
    }
    for (uint32_t i = 0; i < check->processes.count; i++) {
        struct check_process *process = check->processes.list[i].value;
        check_transfers_end(check, &process->transfers);
        check_io_end(check, &process->io);
        omptape_pairs_free(&process->created_comms);
    }
    for (uint32_t i = 0; i < check->instances.count; i++)
        free(check->instances.list[i].value);
    free(check->items);
    check_devices_free(check);
    omptape_pairs_free(&check->locations);
    omptape_pairs_free(&check->processes);
    omptape_pairs_free(&check->teams);
    omptape_pairs_free(&check->members);
    omptape_pairs_free(&check->sums);
    omptape_pairs_free(&check->lives);
    omptape_pairs_free(&check->instances);
    omptape_arena_free(&check->arena);
    omptape_reader_close(check->reader);
}

/* Runs all checks up to the limit of violations. Returns 0, or negative errno with a line in `error`. */
static int run_checks(struct check *check, char *error, size_t error_bytes)
{
    int status = 0;
    check_definitions(check);
    if (!check_stopped(check))
        status = omptape_reader_read_events(check->reader, check_event, check, error, error_bytes);
    if (status == 0 && !check_stopped(check)) {
        check_run_deferred(check);
        check_locations_end(check);
        check_teams_end(check);
        check_devices_end(check);
        check_samples_end(check);
        check_lifetimes_end(check);
    }
    if (status == 0 && !check_stopped(check)) {
        size_t first = check->reader->definition_count;
        status = omptape_reader_read_markers(check->reader, check_marker, check, error, error_bytes);
        check_marker_definitions(check, first);
    }
    /* After a read error, unfinished tasks and locks are no violations. */
    if (status != 0)
        check->limit = check->violations;
    check_tasks_end(check);
    check_locks_end(check);
    return status;
}

static int check_archive(void *data, FILE *out, char *error, size_t error_bytes,
                         struct omptape_reader_progress *progress)
{
    const struct check_request *request = data;
    struct check check = {.progress = progress,
                          .out = out,
                          .limit = request->all ? CHECK_LIST_LIMIT : 1,
                          .quiet = request->quiet};
    int status = omptape_reader_open(&check.reader, request->path, error, error_bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    omptape_reader_follow(check.reader, progress);
    read_circumstances(&check);
    status = run_checks(&check, error, error_bytes);
    if (status == 0 && !omptape_out_of_memory)
        report_result(&check);
    unsigned violations = check.violations;
    free_check(&check);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    return violations > 0 ? OMPTAPE_EXIT_VIOLATION : OMPTAPE_EXIT_OK;
}

int omptape_command_check(int argc, char **argv)
{
    struct check_request request = {0};
    const struct usage_option options[] = {{.name = "all", .on = &request.all},
                                           {.name = "quiet", .letter = 'q', .on = &request.quiet}};
    const struct usage usage = {
        "check", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = true};
    int parsed = usage_parse(&usage, argc, argv, &request.path);
    if (parsed != 0)
        return parsed > 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
    return omptape_reader_guard("check", request.path, check_archive, &request);
}
