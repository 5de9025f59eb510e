/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape info ARCHIVE`: describes an archive for people. The entry point runs on the command's
 * only thread. The child process that omptape_reader_guard starts reads the archive.
 */
#include "src/command/info/state.h"

#include "src/archive/read/guard.h"
#include "src/command/text/usage.h"

#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "Usage: omptape info [--sizes] [ARCHIVE]\n"
    "\n"
    "Describes an OTF2 archive (its .otf2 file, or the folder that holds it): the\n"
    "program, its threads, teams, devices and regions, where the time went, what the\n"
    "OpenMP runtime said of itself, and what is missing. Reads all events once.\n"
    "Without ARCHIVE it takes the newest one in the current folder.\n"
    "\n"
    "  --sizes   say where the archive's bytes go instead: by kinds of records, kinds\n"
    "            of regions and files, beside what OTF2 itself needs for the events\n"
    "\n"
    "Exit code: 0, or 2 if the archive cannot be read.\n";

static void print_sections(struct info *info)
{
    info_print_recording(info);
    info_print_completeness(info);
    info_print_times(info);
    info_print_choice(info);
    info_print_processes(info);
    info_print_threads(info);
    info_print_teams(info);
    info_print_devices(info);
    info_print_events(info);
    info_print_regions(info);
    info_print_runtime(info);
}

static int describe_archive(void *data, FILE *out, char *error, size_t error_bytes,
                            struct omptape_reader_progress *progress)
{
    struct info info = {.out = out, .profile.progress = progress};
    int status = omptape_reader_open(&info.reader, *(const char **)data, error, error_bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    omptape_reader_follow(info.reader, progress);
    info.profile.reader = info.reader;
    status = info_gather(&info.profile, error, error_bytes);
    if (status == 0)
        print_sections(&info);
    info_free_profile(&info.profile);
    omptape_reader_close(info.reader);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

static int describe_sizes(void *data, FILE *out, char *error, size_t error_bytes,
                          struct omptape_reader_progress *progress)
{
    struct omptape_reader *reader = NULL;
    int status = omptape_reader_open(&reader, *(const char **)data, error, error_bytes);
    if (status == 0) {
        omptape_reader_follow(reader, progress);
        status = info_print_sizes(reader, out, progress, error, error_bytes);
        omptape_reader_close(reader);
    }
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

int omptape_command_info(int argc, char **argv)
{
    bool sizes = false;
    const char *path;
    const struct usage_option options[] = {{.name = "sizes", .on = &sizes}};
    const struct usage usage = {
        "info", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = true};
    int parsed = usage_parse(&usage, argc, argv, &path);
    if (parsed != 0)
        return parsed > 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
    return omptape_reader_guard("info", path, sizes ? describe_sizes : describe_archive, &path);
}
