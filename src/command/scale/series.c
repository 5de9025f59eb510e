/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program with several numbers of threads, each several times (scale.h). A run is this command again,
 * with OMP_NUM_THREADS. Numbers take turns, so that a machine that becomes slower does not slow one of them.
 */
#include "src/command/scale/scale.h"

#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/output_folder.h"
#include "src/job/processors.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NUMBERS = 32, MOST_THREADS = 65536, USUAL_REPEAT = 3, COMMAND_NOT_RUN = 126, BY_SIGNAL = 128 };
static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof(caught) / sizeof(caught[0]) };

/* Of the handler. */
static volatile sig_atomic_t stopped_by;
static volatile pid_t child;

struct numbers {
    uint32_t list[MOST_NUMBERS];
    uint32_t count;
};

/* A terminal signals the child, too; one process alone that sends it does not. */
static void stop_series(int signal, siginfo_t *information, void *context)
{
    (void)context;
    stopped_by = signal;
    if (child > 0 && information->si_code <= 0)
        (void)kill(child, signal);
}

static bool read_number(const char *text, uint32_t most, uint32_t *number)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    const unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return *end == '\0' && value >= 1 && value <= most;
}

/* 1, 2, 4... up to all processors. */
static void choose_numbers(struct numbers *numbers)
{
    const uint32_t processors = omptape_processors();
    for (uint32_t number = 1; number < processors; number *= 2)
        numbers->list[numbers->count++] = number;
    numbers->list[numbers->count++] = processors;
}

static int read_numbers(struct numbers *numbers, const char *text)
{
    struct omptape_string_list words = {0};
    int status = 0;
    if (text == NULL || strcmp(text, "auto") == 0) {
        choose_numbers(numbers);
        return 0;
    }
    omptape_string_list_split(&words, text, ',');
    for (uint32_t i = 0; i < words.count && status == 0; i++)
        if (numbers->count == MOST_NUMBERS ||
            !read_number(words.items[i], MOST_THREADS, &numbers->list[numbers->count++])) {
            omptape_message("scale: --threads: %.80s is no list of numbers such as 1,2,4, nor auto", text);
            status = -EINVAL;
        }
    omptape_string_list_free(&words);
    return status;
}

/* The folder of the series, which is new. NULL after one line. */
static char *make_folder(const struct scale_series *series)
{
    char path[OMPTAPE_PATH_BYTES];
    char *base = series->output != NULL
                     ? omptape_text("%.*s", OMPTAPE_OUTPUT_FOLDER_BYTES - 1, series->output)
                     : omptape_text("omptape-scale-%.200s", omptape_base_name(series->argv[0]));
    int error = EEXIST;
    for (int number = 1; error == EEXIST && number <= OMPTAPE_OUTPUT_FOLDER_MOST; number++) {
        omptape_output_folder_number(path, sizeof(path), base, number);
        error = mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO) == 0 ? 0 : errno;
    }
    if (error != 0)
        omptape_message("scale: cannot make the folder %.300s: %s", base, omptape_cause(error));
    free(base);
    return error == 0 ? omptape_text("%s", path) : NULL;
}

/* In the child. What the program prints goes to stderr: the table is alone on stdout. */
static _Noreturn void execute(const struct scale_series *series, const char *path, uint32_t threads)
{
    enum { BEFORE_PROGRAM = 6 };
    char number[16];
    size_t count = 0;
    while (series->argv[count] != NULL)
        count++;
    const char **words = calloc(count + BEFORE_PROGRAM + 1, sizeof(words[0]));
    if (words == NULL)
        _exit(COMMAND_NOT_RUN);
    words[0] = "omptape";
    words[1] = "-q";
    words[2] = series->is_trace ? "-q" : "--profile";
    words[3] = "-o";
    words[4] = path;
    words[BEFORE_PROGRAM - 1] = "--";
    memcpy(words + BEFORE_PROGRAM, series->argv, count * sizeof(words[0]));
    (void)snprintf(number, sizeof(number), "%u", threads);
    if (setenv("OMP_NUM_THREADS", number, 1) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        (void)execv("/proc/self/exe", (char *const *)words);
    omptape_message("scale: cannot start a run: %s", omptape_cause(errno));
    _exit(COMMAND_NOT_RUN);
}

/* Its exit code, as a shell has it. */
static int run_once(const struct scale_series *series, const char *path, uint32_t threads)
{
    int status = 0;
    sigset_t signals;
    sigset_t old;
    sigemptyset(&signals);
    for (int i = 0; i < CAUGHT; i++)
        sigaddset(&signals, caught[i]);
    (void)fflush(stdout);
    (void)sigprocmask(SIG_BLOCK, &signals, &old);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < CAUGHT; i++)
            (void)signal(caught[i], SIG_DFL);
        (void)sigprocmask(SIG_SETMASK, &old, NULL);
        execute(series, path, threads);
    }
    const int error = errno;
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    if (child < 0) {
        omptape_message("scale: cannot start a run: %s", omptape_cause(error));
        return COMMAND_NOT_RUN;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int keep_run(struct scale_run **runs, uint32_t *count, const char *path, uint32_t threads)
{
    struct scale_run *list = realloc(*runs, (*count + 1) * sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    *runs = list;
    list[(*count)++] = (struct scale_run){omptape_text("%s", path), threads};
    return 0;
}

/* An archive that is not of a whole run: the folder is read without it, for its name begins with a dot. */
static void set_aside(const char *folder, const char *path)
{
    char *aside = omptape_text("%s/.incomplete-%s", folder, omptape_base_name(path));
    (void)rename(path, aside);
    free(aside);
}

/* A run, and whether it is complete. -ECANCELED: the program cannot be run at all. */
static int run_and_keep(const struct scale_series *series, const char *folder, uint32_t threads,
                        uint32_t number, struct scale_run **runs, uint32_t *count)
{
    int status = 0;
    char *path = omptape_text("%s/threads-%u-%u", folder, threads, number);
    const int code = run_once(series, path, threads);
    if (code == COMMAND_NOT_RUN || code == COMMAND_NOT_RUN + 1)
        status = -ECANCELED;
    else if (stopped_by == 0 && code < BY_SIGNAL && omptape_is_archive(path))
        status = keep_run(runs, count, path, threads);
    else if (stopped_by == 0)
        omptape_message("scale: run %u with %u threads is left out: %s (exit code %d)", number, threads,
                        code < BY_SIGNAL ? "it left no archive" : "a signal ended it", code);
    if (stopped_by != 0 || code >= BY_SIGNAL)
        set_aside(folder, path);
    if (stopped_by == 0 && status == 0 && code > 0 && code < BY_SIGNAL)
        omptape_message("scale: run %u with %u threads ended with exit code %d", number, threads, code);
    free(path);
    return status;
}

static int run_all(const struct scale_series *series, const char *folder, const struct numbers *numbers,
                   uint32_t repeat, struct scale_run **runs, uint32_t *count)
{
    int status = 0;
    for (uint32_t number = 1; number <= repeat; number++)
        for (uint32_t i = 0; i < numbers->count; i++) {
            if (stopped_by != 0 || status != 0)
                return status;
            omptape_notice("scale: %u thread%s, run %u of %u", numbers->list[i],
                           numbers->list[i] == 1 ? "" : "s", number, repeat);
            status = run_and_keep(series, folder, numbers->list[i], number, runs, count);
        }
    return status;
}

int scale_run_series(const struct scale_series *series, struct scale_run **runs, uint32_t *count,
                     int *stopped)
{
    struct numbers numbers = {0};
    struct sigaction action = {.sa_sigaction = stop_series, .sa_flags = SA_SIGINFO};
    struct sigaction old[CAUGHT];
    uint32_t repeat = USUAL_REPEAT;
    int status = read_numbers(&numbers, series->threads);
    if (status == 0 && series->repeat != NULL && !read_number(series->repeat, REPORT_MOST_RUNS, &repeat)) {
        omptape_message("scale: --repeat: %.80s is no number from 1 to %d", series->repeat, REPORT_MOST_RUNS);
        status = -EINVAL;
    }
    char *folder = status == 0 ? make_folder(series) : NULL;
    if (folder == NULL)
        return status != 0 ? status : -EIO;
    for (int i = 0; i < CAUGHT; i++)
        (void)sigaction(caught[i], &action, &old[i]);
    status = run_all(series, folder, &numbers, repeat, runs, count);
    for (int i = 0; i < CAUGHT; i++)
        (void)sigaction(caught[i], &old[i], NULL);
    *stopped = stopped_by;
    if (*count > 0)
        omptape_notice("scale: the runs are in %s: omptape scale %s", folder, folder);
    else
        (void)rmdir(folder);
    free(folder);
    return status;
}
