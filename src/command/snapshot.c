/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape snapshot PID`: requests the writer of a running program to save its flight recorder.
 * Called by main.c. Sends the request (src/job/writer_call.h) and reads the answer, one line.
 */
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/job/process.h"
#include "src/job/writer_call.h"
#include <errno.h>
#include <omptape/requests.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, ANSWER_BYTES = 8192 };
/* Two minutes, because a large buffer on a slow file system takes long. */
enum { POLL_MS = 200, MAX_POLLS = 600 };

static const char USAGE[] = "Usage: omptape snapshot PID\n"
                            "\n"
                            "Has the flight recorder of a running program (omptape --when-full=overwrite)\n"
                            "saved, and prints the path of the archive. The recording goes on meanwhile.\n"
                            "\n"
                            "Exit code: 0, 1 if there is nothing to save or it cannot be saved, 2 if the\n"
                            "command line is wrong.\n";

/* Finds the writer of `program`. Returns false if there is none. `others` receives the traced programs. */
static bool find_writer(pid_t program, struct omptape_writer_found *found, struct omptape_traced *others)
{
    bool is_found = false;
    struct omptape_writer_search search = {.proc = NULL};
    omptape_writer_search_begin(&search);
    while (!is_found && omptape_writer_search_next(&search, OMPTAPE_REQUEST_SIGNAL, found)) {
        is_found = found->program == program;
        if (!is_found)
            omptape_traced_add(others, found->program);
    }
    omptape_writer_search_end(&search);
    omptape_writer_search_free(&search);
    return is_found;
}

static bool is_ready(int fd, int ms)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        ready = poll(&look, 1, ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* Waits until the writer answers or ends. Returns 0 or negative errno. */
static int wait_for_answer(struct omptape_writer_call *call)
{
    struct omptape_process_silence silence = {.activity = 0};
    for (int i = 0; i < MAX_POLLS; i++) {
        bool alive = kill(call->writer, 0) == 0;
        if (omptape_process_is_silent(&silence, omptape_process_activity(call->writer)))
            break;
        /* The writer may have answered just before it ended. */
        if (is_ready(call->fd, alive ? POLL_MS : 0) && omptape_writer_call_accept(call) == 0)
            return 0;
        if (!alive)
            return -ESRCH;
    }
    return -ETIMEDOUT;
}

/* Reads the writer's line. Returns its length or negative errno. */
static ssize_t read_answer(int fd, char *answer, size_t bytes)
{
    ssize_t n = is_ready(fd, POLL_MS * MAX_POLLS) ? read(fd, answer, bytes - 1) : 0;
    if (n < 0)
        return -errno;
    answer[n] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    return n;
}

static ssize_t get_answer(const struct omptape_writer_found *found, char *answer, size_t bytes)
{
    struct omptape_writer_call call;
    int error = omptape_writer_call(&call, found, OMPTAPE_REQUEST_SIGNAL);
    if (error == 0)
        error = wait_for_answer(&call);
    ssize_t length = error == 0 ? read_answer(call.fd, answer, bytes) : error;
    omptape_writer_call_end(&call);
    return length;
}

static int ask_writer(const struct omptape_writer_found *found)
{
    char answer[ANSWER_BYTES];
    char quoted[ANSWER_BYTES];
    const uid_t user = omptape_process_user(found->writer);
    ssize_t length = get_answer(found, answer, sizeof(answer));
    if (length < 0) {
        omptape_message("snapshot: the writer of process %d (process %d) gave no answer: %s",
                        (int)found->program, (int)found->writer, strerror((int)-length));
        return EXIT_FAILED;
    }
    if (omptape_starts_with(answer, "trace=")) {
        const char *path = answer + strlen("trace=");
        /* A path from another user's writer may contain escape sequences for the terminal. */
        printf("%s/" OMPTAPE_ARCHIVE_ANCHOR "\n",
               user == geteuid() ? path : omptape_path_quote(path, quoted, sizeof(quoted)));
        return 0;
    }
    const char *problem = omptape_starts_with(answer, "error=") ? answer + strlen("error=") : answer;
    omptape_message("snapshot of process %d: %s", (int)found->program, problem);
    return EXIT_FAILED;
}

int omptape_command_snapshot(int argc, char **argv)
{
    const struct usage usage = {.command = "snapshot", .help = USAGE, .operand = "process"};
    struct omptape_traced others = {.count = 0};
    struct omptape_writer_found found;
    const char *word;
    int parsed = usage_parse(&usage, argc, argv, &word);
    if (parsed != 0)
        return parsed > 0 ? 0 : EXIT_USAGE;
    pid_t program = omptape_parse_pid(word);
    if (program == 0) {
        omptape_message("snapshot: %s is no process number (omptape snapshot --help shows how)", word);
        return EXIT_USAGE;
    }
    if (!find_writer(program, &found, &others)) {
        omptape_message("snapshot: process %d is not being traced%s", (int)program, others.text);
        return EXIT_FAILED;
    }
    return ask_writer(&found);
}
