/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and parses a thread's files in /proc. Called by observe.c.
 */
#include "writers/observe/thread_files.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include "src/core/array.h"
#include "src/core/process_stat.h"
#include "src/core/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool omptape_machine_allowed(uint32_t tid, struct omptape_processor_set *set)
{
    /* The C library's function also fills the rest with zeros, which takes longer than the system call. */
    long bytes = syscall(SYS_sched_getaffinity, tid, sizeof(set->words), set->words);
    if (bytes <= 0)
        return false;
    set->count = (size_t)bytes / sizeof(set->words[0]);
    return true;
}

static bool is_in(const struct omptape_processor_set *set, uint64_t number)
{
    return number / 64 < set->count && (set->words[number / 64] >> (number % 64) & 1) != 0;
}

enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, INTERRUPT, SOFT_INTERRUPT, STOLEN, COLUMNS };

/* Adds one processor's line of /proc/stat. Older kernels have fewer columns. Guest time is ignored because
 * the first two columns include it. */
static void add_line(const char *numbers, struct omptape_processor_times *times, uint64_t tick_ns)
{
    uint64_t column[COLUMNS] = {0};
    char *end = NULL;
    for (unsigned i = 0; i < COLUMNS; i++) {
        column[i] = strtoull(numbers, &end, 10) * tick_ns;
        if (end == numbers)
            break;
        numbers = end;
    }
    for (unsigned i = 0; i < COLUMNS; i++) {
        times->all += column[i];
        if (i != IDLE && i != IO_WAIT && i != STOLEN)
            times->busy += column[i];
    }
    times->nice += column[NICE];
    times->stolen += column[STOLEN];
}

bool omptape_machine_times(const char *path, const struct omptape_processor_set *set,
                           struct omptape_processor_times *times)
{
    static const uint64_t second_ns = 1000000000;
    const long ticks = sysconf(_SC_CLK_TCK);
    char *line = NULL;
    size_t capacity = 0;
    *times = (struct omptape_processor_times){0};
    FILE *file = ticks > 0 ? fopen(path, "re") : NULL;
    while (file != NULL && getline(&line, &capacity, file) > 0) {
        uint64_t number;
        int length = 0;
        if (line[0] != 'c')
            break; /* the processors' lines end here */
        if (sscanf(line, "cpu%" SCNu64 "%n", &number, &length) == 1 && is_in(set, number))
            add_line(line + length, times, second_ns / (uint64_t)ticks);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return times->all > 0;
}

/* Returns the number after `label` ("\nlabel:"), or 0 if there is no such line. */
static uint64_t number_of_line(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL ? strtoull(at + strlen(label), NULL, 10) : 0;
}

uint64_t omptape_machine_numa_faults(const char *path)
{
    char text[16384];
    const ssize_t length = omptape_read_text(AT_FDCWD, path, text, sizeof(text));
    return length > 0 ? number_of_line(text, "\nnuma_hint_faults ") : 0;
}

enum { NAME_BYTES = 32, STATUS_BYTES = 4096 };
enum { MAX_THREADS = 1 << 20 };

/* Reads a file of a thread, cut after `bytes` - 1. Returns 0 or negative errno. */
static int read_text(int tasks, uint32_t tid, const char *file, char *text, size_t bytes)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "%" PRIu32 "/%s", tid, file);
    const ssize_t n = omptape_read_piece(tasks, name, text, bytes);
    return n < 0 ? (int)n : 0;
}

void omptape_thread_files_init(struct omptape_thread_files *files, int tasks)
{
    enum { PART_OF_LIMIT = 8 };
    struct rlimit limit;
    *files = (struct omptape_thread_files){.tasks = tasks, .places = OMPTAPE_THREAD_FILES_OPEN};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / PART_OF_LIMIT < files->places)
        files->places = (uint32_t)(limit.rlim_cur / PART_OF_LIMIT);
}

void omptape_thread_files_close(struct omptape_thread_files *files)
{
    for (uint32_t i = 0; i < files->places; i++)
        if (files->open[i].tid != 0)
            close(files->open[i].fd);
    files->places = 0;
}

static void close_place(struct omptape_thread_files *files, uint32_t place)
{
    if (files->open[place].tid != 0)
        close(files->open[place].fd);
    files->open[place].tid = 0;
}

/* Reads the thread's schedstat through the cached descriptor. Returns 0 or negative errno. Reading the file
 * of an ended thread fails even if another thread has its number now. */
static int read_kept(struct omptape_thread_files *files, uint32_t tid, char *text, size_t bytes)
{
    char name[NAME_BYTES];
    const uint32_t place = tid % files->places;
    if (files->open[place].tid != tid) {
        close_place(files, place);
        snprintf(name, sizeof(name), "%" PRIu32 "/schedstat", tid);
        files->open[place].fd = openat(files->tasks, name, O_RDONLY | O_CLOEXEC);
        if (files->open[place].fd < 0)
            return -errno;
        files->open[place].tid = tid;
    }
    ssize_t n = pread(files->open[place].fd, text, bytes - 1, 0);
    if (n <= 0)
        close_place(files, place);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -ESRCH;
}

int omptape_thread_files_times(struct omptape_thread_files *files, uint32_t tid,
                               struct omptape_sched_reading *reading)
{
    char text[96];
    uint64_t running;
    uint64_t waiting;
    int error = files->places > 0 ? read_kept(files, tid, text, sizeof(text)) : -ESRCH;
    if (error != 0)
        error = read_text(files->tasks, tid, "schedstat", text, sizeof(text));
    if (error != 0)
        return error;
    /* A kernel without schedstat accounting reports 0. */
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &running, &waiting) != 2 || (running == 0 && waiting == 0))
        return -ESRCH;
    reading->sums[OMPTAPE_MEMBER_RUNNING] = running;
    reading->sums[OMPTAPE_MEMBER_WAITING] = waiting;
    return 0;
}

/* Copies the name from the first line, "Name:\tNAME\n". */
static void copy_name(const char *status, char name[OMPTAPE_THREAD_NAME_BYTES])
{
    static const char label[] = "Name:\t";
    const char *begin = omptape_starts_with(status, label) ? status + strlen(label) : "";
    snprintf(name, OMPTAPE_THREAD_NAME_BYTES, "%.*s", (int)strcspn(begin, "\n"), begin);
}

static int read_stat(int tasks, uint32_t tid, struct omptape_process_stat *stat)
{
    char path[NAME_BYTES];
    snprintf(path, sizeof(path), "%" PRIu32 "/stat", tid);
    return omptape_process_stat(tasks, path, stat);
}

bool omptape_thread_files_are_private(int tasks, uint32_t tid)
{
    char name[NAME_BYTES];
    struct stat status;
    snprintf(name, sizeof(name), "%" PRIu32 "/stat", tid);
    return fstatat(tasks, name, &status, 0) == 0 && status.st_uid != geteuid();
}

char omptape_thread_files_state(int tasks, uint32_t tid)
{
    struct omptape_process_stat stat;
    return read_stat(tasks, tid, &stat) == 0 ? stat.state : '\0';
}

/* Parses "NUMBER 0xARGUMENT ... 0xSTACK 0xPC", "-1 0xSTACK 0xPC" or "running". */
int omptape_thread_files_call(int tasks, uint32_t tid, struct omptape_thread_call *call)
{
    char text[256];
    uint64_t words[8];
    unsigned count = 0;
    int error = read_text(tasks, tid, "syscall", text, sizeof(text));
    if (error != 0)
        return error;
    char *at = text;
    char *end = text;
    call->number = strtoll(at, &end, 10);
    if (end == at)
        return -EAGAIN;
    for (at = end; count < sizeof(words) / sizeof(words[0]); at = end) {
        words[count] = strtoull(at, &end, 16);
        if (end == at)
            break;
        count++;
    }
    if (count < 2 || words[count - 2] == 0)
        return -EINVAL;
    for (unsigned i = 0; i < sizeof(call->arguments) / sizeof(call->arguments[0]); i++)
        call->arguments[i] = i + 2 < count ? words[i] : 0;
    call->stack_pointer = words[count - 2];
    call->program_counter = words[count - 1];
    return 0;
}

int omptape_thread_files_details(int tasks, uint32_t tid, struct omptape_sched_reading *reading,
                                 struct omptape_thread_details *details)
{
    static const uint64_t second_ns = 1000000000;
    char text[STATUS_BYTES];
    struct omptape_process_stat stat;
    const long ticks = sysconf(_SC_CLK_TCK);
    int error = read_stat(tasks, tid, &stat);
    if (error == 0)
        error = read_text(tasks, tid, "status", text, sizeof(text));
    if (error != 0 || ticks <= 0)
        return error != 0 ? error : -EINVAL;
    reading->sums[OMPTAPE_MEMBER_SYSTEM] = stat.system * (second_ns / (uint64_t)ticks);
    reading->sums[OMPTAPE_MEMBER_MINOR_FAULTS] = stat.minor_faults;
    reading->sums[OMPTAPE_MEMBER_MAJOR_FAULTS] = stat.major_faults;
    reading->sums[OMPTAPE_MEMBER_VOLUNTARY] = number_of_line(text, "\nvoluntary_ctxt_switches:");
    reading->sums[OMPTAPE_MEMBER_INVOLUNTARY] = number_of_line(text, "\nnonvoluntary_ctxt_switches:");
    details->state = stat.state;
    details->peak_memory = number_of_line(text, "\nVmHWM:") * 1024;
    copy_name(text, details->name);
    reading->detailed = reading->sums[OMPTAPE_MEMBER_RUNNING];
    return 0;
}

int omptape_compare_tids(const void *left, const void *right)
{
    const uint32_t one = *(const uint32_t *)left;
    const uint32_t other = *(const uint32_t *)right;
    return (one > other) - (one < other);
}

int omptape_thread_files_list(int tasks, uint32_t **tids)
{
    uint32_t capacity = 0;
    uint32_t count = 0;
    const struct dirent *entry;
    *tids = NULL;
    int fd = openat(tasks, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        int error = -errno;
        if (fd >= 0)
            close(fd);
        return error;
    }
    while (count < MAX_THREADS && (entry = readdir(folder)) != NULL) {
        if (!OMPTAPE_RESERVE(*tids, count + 1, &capacity))
            break;
        (*tids)[count] = (uint32_t)strtoul(entry->d_name, NULL, 10);
        count += (*tids)[count] != 0;
    }
    closedir(folder);
    omptape_sort(*tids, count, sizeof(**tids), omptape_compare_tids);
    return (int)count;
}
