/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program with several numbers of threads or ranks, several times each (scale.h). A run executes this
 * command again with OMP_NUM_THREADS and the number of ranks in the launcher's arguments. The sizes take
 * turns, so that a machine that becomes slower does not affect only one of them.
 */
#include "src/command/scale/scale.h"

#include "src/command/text/notice.h"
#include "src/command/text/ranges.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/output_folder.h"
#include "src/job/processors.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NUMBERS = 32, MAX_THREADS = 65536, DEFAULT_REPEAT = 3, COMMAND_NOT_RUN = 126, BY_SIGNAL = 128 };
static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof(caught) / sizeof(caught[0]) };
/* Placeholder for the number of ranks in a word of the command. */
static const char RANKS_WORD[] = "{ranks}";

/* Set by the signal handler. */
static volatile sig_atomic_t stopped_by;
static volatile pid_t child;

struct numbers {
    uint32_t list[MAX_NUMBERS];
    uint32_t count;
};

/* Width of one run. 0 means the program's own number. */
struct width {
    uint32_t ranks;
    uint32_t threads;
};

/* Signal handler: forwards a signal sent to this process alone. A terminal's reaches the child by itself. */
static void stop_series(int signal, siginfo_t *information, void *context)
{
    (void)context;
    stopped_by = signal;
    if (child > 0 && information->si_code <= 0)
        (void)kill(child, signal);
}

static bool read_number(const char *text, uint32_t max, uint32_t *number)
{
    uint64_t value = 0;
    if (!number_read(&text, &value))
        return false;
    *number = (uint32_t)value;
    return *text == '\0' && value >= 1 && value <= max;
}

/* Chooses 1, 2, 4... up to the number of processors. */
static void choose_numbers(struct numbers *numbers)
{
    const uint32_t processors = omptape_processors();
    for (uint32_t number = 1; number < processors; number *= 2)
        numbers->list[numbers->count++] = number;
    numbers->list[numbers->count++] = processors;
}

static int read_numbers(struct numbers *numbers, const char *option, const char *text)
{
    struct omptape_string_list words = {0};
    int status = 0;
    if (strcmp(text, "auto") == 0) {
        choose_numbers(numbers);
        return 0;
    }
    omptape_string_list_split(&words, text, ',');
    for (uint32_t i = 0; i < words.count && status == 0; i++)
        if (i == MAX_NUMBERS || !read_number(words.items[i], MAX_THREADS, &numbers->list[i])) {
            omptape_message("scale: --%s: %.80s is no list of numbers such as 1,2,4, nor auto", option, text);
            status = -EINVAL;
        }
    numbers->count = words.count;
    omptape_string_list_free(&words);
    return status;
}

/* Parses the numbers of ranks and threads. A number that was not requested stays the program's own. */
static int read_widths(const struct scale_series *series, struct numbers *ranks, struct numbers *threads)
{
    bool is_placed = false;
    int status = 0;
    for (size_t i = 0; series->argv[i] != NULL; i++)
        is_placed = is_placed || strstr(series->argv[i], RANKS_WORD) != NULL;
    if (series->ranks != NULL && !is_placed) {
        omptape_message("scale: --ranks: the command has no %s, as in: mpirun -n %s ./app", RANKS_WORD,
                        RANKS_WORD);
        return -EINVAL;
    }
    ranks->count = threads->count = 0;
    if (series->ranks != NULL)
        status = read_numbers(ranks, "ranks", series->ranks);
    else
        ranks->list[ranks->count++] = 0;
    if (status == 0 && series->ranks != NULL && series->threads == NULL)
        threads->list[threads->count++] = 0;
    else if (status == 0)
        status = read_numbers(threads, "threads", series->threads != NULL ? series->threads : "auto");
    return status;
}

/* Creates a new folder for the series. Returns NULL after an error message. The caller frees the result. */
static char *make_folder(const struct scale_series *series)
{
    char path[OMPTAPE_PATH_BYTES];
    char *base = series->output != NULL
                     ? omptape_text("%.*s", OMPTAPE_OUTPUT_FOLDER_BYTES - 1, series->output)
                     : omptape_text("omptape-scale-%.200s", omptape_base_name(series->argv[0]));
    int error = EEXIST;
    for (int number = 1; error == EEXIST && number <= OMPTAPE_MAX_OUTPUT_FOLDER; number++) {
        omptape_output_folder_number(path, sizeof(path), base, number);
        error = mkdir(path, S_IRWXU | S_IRWXG | S_IRWXO) == 0 ? 0 : errno;
    }
    if (error != 0)
        omptape_message("scale: cannot make the folder %.300s: %s", base, omptape_cause(error));
    free(base);
    return error == 0 ? omptape_text("%s", path) : NULL;
}

/* Returns a copy of a word of the command in which the number replaces each {ranks}. The caller frees it. */
static char *fill_word(const char *word, uint32_t ranks)
{
    char *filled = omptape_text("%s", "");
    for (const char *next = strstr(word, RANKS_WORD); ranks > 0 && next != NULL;
         next = strstr(word, RANKS_WORD)) {
        char *longer = omptape_text("%s%.*s%u", filled, (int)(next - word), word, ranks);
        free(filled);
        filled = longer;
        word = next + sizeof(RANKS_WORD) - 1;
    }
    char *whole = omptape_text("%s%s", filled, word);
    free(filled);
    return whole;
}

/* Executes the run in the child process. The program's output goes to stderr, as stdout is for the table. */
static _Noreturn void execute(const struct scale_series *series, const char *path, struct width width)
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
    for (size_t i = 0; i < count; i++)
        words[BEFORE_PROGRAM + i] = fill_word(series->argv[i], width.ranks);
    (void)snprintf(number, sizeof(number), "%u", width.threads);
    if ((width.threads == 0 || setenv("OMP_NUM_THREADS", number, 1) == 0) &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        (void)execv("/proc/self/exe", (char *const *)words);
    omptape_message("scale: cannot start a run: %s", omptape_cause(errno));
    _exit(COMMAND_NOT_RUN);
}

/* Runs the program once. Returns its exit code as in a shell. */
static int run_once(const struct scale_series *series, const char *path, struct width width)
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
        execute(series, path, width);
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

/* Renames an incomplete archive. The new name begins with a dot, so it is skipped when the folder is read. */
static void set_aside(const char *folder, const char *path)
{
    char *aside = omptape_text("%s/.incomplete-%s", folder, omptape_base_name(path));
    (void)rename(path, aside);
    free(aside);
}

/* Returns "2 ranks of 4 threads". The caller frees it. */
static char *name_width(struct width width)
{
    char *threads =
        width.threads > 0 ? omptape_text("%u thread%s", width.threads, width.threads == 1 ? "" : "s") : NULL;
    char *name = width.ranks > 0 ? omptape_text("%u rank%s%s%s", width.ranks, width.ranks == 1 ? "" : "s",
                                                threads != NULL ? " of " : "", threads != NULL ? threads : "")
                                 : omptape_text("%s", threads != NULL ? threads : "");
    free(threads);
    return name;
}

/* Returns the path of a run's archive. The caller frees it. */
static char *name_path(const char *folder, struct width width, uint32_t number)
{
    char ranks[32] = "";
    char threads[32] = "";
    if (width.ranks > 0)
        (void)snprintf(ranks, sizeof(ranks), "ranks-%u-", width.ranks);
    if (width.threads > 0)
        (void)snprintf(threads, sizeof(threads), "threads-%u-", width.threads);
    return omptape_text("%s/%s%s%u", folder, ranks, threads, number);
}

/* Runs the program once and keeps the archive if it is complete. -ECANCELED if the program cannot run. */
static int run_and_keep(const struct scale_series *series, const char *folder, struct width width,
                        uint32_t number, struct scale_run **runs, uint32_t *count)
{
    int status = 0;
    char *path = name_path(folder, width, number);
    char *name = name_width(width);
    const int code = run_once(series, path, width);
    if (code == COMMAND_NOT_RUN || code == COMMAND_NOT_RUN + 1)
        status = -ECANCELED;
    else if (stopped_by == 0 && code < BY_SIGNAL && omptape_is_archive(path))
        status = keep_run(runs, count, path, width.threads);
    else if (stopped_by == 0)
        omptape_message("scale: run %u with %s is left out: %s (exit code %d)", number, name,
                        code < BY_SIGNAL ? "it left no archive" : "a signal ended it", code);
    if (stopped_by != 0 || code >= BY_SIGNAL)
        set_aside(folder, path);
    if (stopped_by == 0 && status == 0 && code > 0 && code < BY_SIGNAL)
        omptape_message("scale: run %u with %s ended with exit code %d", number, name, code);
    free(name);
    free(path);
    return status;
}

static int run_all(const struct scale_series *series, const char *folder, const struct numbers *ranks,
                   const struct numbers *threads, uint32_t repeat, struct scale_run **runs, uint32_t *count)
{
    const uint32_t all = ranks->count * threads->count;
    int status = 0;
    for (uint32_t number = 1; number <= repeat; number++)
        for (uint32_t i = 0; i < all; i++) {
            if (stopped_by != 0 || status != 0)
                return status;
            const struct width width = {ranks->list[i / threads->count], threads->list[i % threads->count]};
            char *name = name_width(width);
            omptape_notice("scale: %s, run %u of %u", name, number, repeat);
            free(name);
            status = run_and_keep(series, folder, width, number, runs, count);
        }
    return status;
}

int scale_run_series(const struct scale_series *series, struct scale_run **runs, uint32_t *count,
                     int *stopped)
{
    struct numbers ranks;
    struct numbers threads;
    struct sigaction action = {.sa_sigaction = stop_series, .sa_flags = SA_SIGINFO};
    struct sigaction old[CAUGHT];
    uint32_t repeat = DEFAULT_REPEAT;
    int status = read_widths(series, &ranks, &threads);
    if (status == 0 && series->repeat != NULL && !read_number(series->repeat, REPORT_MAX_RUNS, &repeat)) {
        omptape_message("scale: --repeat: %.80s is no number from 1 to %d", series->repeat, REPORT_MAX_RUNS);
        status = -EINVAL;
    }
    char *folder = status == 0 ? make_folder(series) : NULL;
    if (folder == NULL)
        return status != 0 ? status : -EIO;
    for (int i = 0; i < CAUGHT; i++)
        (void)sigaction(caught[i], &action, &old[i]);
    status = run_all(series, folder, &ranks, &threads, repeat, runs, count);
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
