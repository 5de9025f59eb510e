/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints why a program cannot be started, and implements messages that a job prints once (run.h).
 */
#include "src/command/run/run.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/job/job.h"
#include "src/job/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127, SHOWN_BYTES = 400 };

/* Explains a bare name that is not in PATH: perhaps a file of the current folder or a misspelt subcommand. */
static void print_not_in_path(const char *name, const char *shown)
{
    struct omptape_nearest nearest = omptape_nearest_start(name, strlen(name));
    char *here = omptape_text("./%s", name);
    char *all = omptape_text("%s", subcommand_names[0]);
    struct stat status;
    for (size_t i = 0; i < subcommand_count; i++)
        omptape_nearest_try(&nearest, subcommand_names[i]);
    /* Other commands have such subcommands. */
    if (strcmp(name, "help") == 0 || strcmp(name, "version") == 0)
        nearest.name = *name == 'h' ? "--help" : "--version";
    for (size_t i = 1; i < subcommand_count; i++) {
        char *longer = omptape_text("%s, %s", all, subcommand_names[i]);
        free(all);
        all = longer;
    }
    if (*name && stat(here, &status) == 0 && S_ISREG(status.st_mode)) {
        omptape_message("%s: command not found, but there is %s", shown, omptape_quoted(here).text);
    } else {
        omptape_message("%s: command not found%s (omptape's own are %s)", shown,
                        omptape_nearest_hint(&nearest, "omptape ").text, all);
    }
    free(here);
    free(all);
}

static void print_not_found(const char *name, const char *shown)
{
    char target[SHOWN_BYTES];
    ssize_t length = readlink(name, target, sizeof(target) - 1);
    if (strchr(name, '/') == NULL) {
        print_not_in_path(name, shown);
    } else if (length > 0) {
        target[length] = '\0';
        omptape_message("%s is a link to %s, which is not there", shown, omptape_quoted(target).text);
    } else {
        omptape_message("%s: %s", shown, strerror(ENOENT));
    }
}

/* Explains why an existing file cannot be run. */
static void print_not_executable(const char *path, const char *shown)
{
    struct stat status;
    struct statvfs fs;
    if (stat(path, &status) != 0)
        omptape_message("%s: %s (a folder on the way may not be searched)", shown, strerror(errno));
    else if (S_ISDIR(status.st_mode))
        omptape_message("%s is a folder, not a program", shown);
    else if (!S_ISREG(status.st_mode))
        omptape_message("%s is no regular file, and cannot be run", shown);
    else if (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOEXEC) != 0)
        omptape_message("%s is on a file system from which nothing may be run (mounted noexec)", shown);
    else
        omptape_message("%s is not executable: chmod +x %s", shown, shown);
}

/* Explains that the interpreter of a script, or the loader of an ELF file, is missing or not executable. */
static void print_bad_interpreter(const struct run_program *program, const char *shown)
{
    const char *bad = program->bad_interpreter;
    const struct omptape_quoted quoted = omptape_quoted(bad);
    size_t length = strlen(bad);
    if (program->binary != NULL)
        omptape_message("%s is built for %s and needs the loader %s, which is not installed", shown,
                        program->machine, quoted.text);
    else if (length > 0 && bad[length - 1] == '\r')
        omptape_message("%s names the interpreter %s: its lines end as on Windows (sed -i 's/\\r$//' %s)",
                        shown, quoted.text, shown);
    else if (access(bad, F_OK) != 0)
        omptape_message("%s names the interpreter %s, which is not there", shown, quoted.text);
    else
        omptape_message("%s names the interpreter %s, which is not executable", shown, quoted.text);
}

int refusal_print(const char *name, const struct run_program *program, int error)
{
    const struct omptape_quoted quoted = omptape_quoted(name);
    const char *shown = quoted.text;
    int number = error < 0 ? -error : error;
    if (program->bad_interpreter != NULL && (number == 0 || number == ENOENT)) {
        print_bad_interpreter(program, shown);
        return program->binary == NULL && access(program->bad_interpreter, F_OK) == 0 ? NOT_RUNNABLE
                                                                                      : NOT_FOUND;
    }
    if (program->damage != NULL && (number == 0 || number == ENOEXEC)) {
        omptape_message("%s %s", shown, program->damage);
        return NOT_RUNNABLE;
    }
    if (number == ENOENT) {
        print_not_found(name, shown);
        return NOT_FOUND;
    }
    if (number == EACCES)
        print_not_executable(program->path != NULL ? program->path : name, shown);
    else if (number == ENOEXEC && program->foreign)
        omptape_message("%s is built for %s, which this machine cannot run", shown, program->machine);
    else if (number != 0)
        omptape_message("%s: %s", shown, strerror(number));
    return number != 0 ? NOT_RUNNABLE : 0;
}

static const char for_all[] = OMPTAPE_MESSAGE_CLAIM_KEY "*\n";

/* Returns true if the file contains the line or the line for all files; appends the line if not. */
static bool add_line(int descriptor, const char *wanted)
{
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;
    FILE *stream = fdopen(descriptor, "r+");
    if (stream == NULL) {
        close(descriptor);
        return false;
    }
    while (!found && getline(&line, &capacity, stream) > 0)
        found = strcmp(line, wanted) == 0 || strcmp(line, for_all) == 0;
    free(line);
    if (!found)
        (void)!write(fileno(stream), wanted, strlen(wanted));
    fclose(stream); /* also releases the lock */
    return found;
}

bool message_claim(const char *file)
{
    struct omptape_job job;
    const char *report = getenv("OMPTAPE_REPORT_FILE");
    int descriptor = report != NULL && omptape_report_file_is_there(report)
                         ? open(report, O_RDWR | O_APPEND | O_CLOEXEC)
                         : -1;
    if (descriptor < 0) {
        omptape_job_read(&job);
        return job.rank <= 0;
    }
    while (flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    char *line = omptape_text("%s%s\n", OMPTAPE_MESSAGE_CLAIM_KEY, file);
    bool found = add_line(descriptor, line);
    free(line);
    return !found;
}

void messages_suppress(int report)
{
    (void)!write(report, for_all, strlen(for_all));
}
