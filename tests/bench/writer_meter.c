/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for omptape-writer (OMPTAPE_WRITER names it): runs the real one as its child, with the
 * descriptors that the library handed over, and leaves what that took in a file. Started by libomptape.so in
 * the runs of tests/bench/writers.py, which set BENCH_WRITER (the real writer) and BENCH_WRITER_REPORT (the
 * file).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_FD = 3, LAST_FD = 5, PATH_BYTES = 4096 };

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Complete the moment it appears under its name. */
static int leave_report(const char *path, const struct rusage *usage, int status)
{
    char unfinished[PATH_BYTES];
    int n = snprintf(unfinished, sizeof(unfinished), "%s.part", path);
    FILE *file = n > 0 && (size_t)n < sizeof(unfinished) ? fopen(unfinished, "we") : NULL;
    if (file == NULL)
        return -errno;
    fprintf(file, "user=%.6f\nsystem=%.6f\nmaxrss_kib=%ld\nstatus=%d\n", seconds(usage->ru_utime),
            seconds(usage->ru_stime), usage->ru_maxrss, status);
    if (fclose(file) != 0 || rename(unfinished, path) != 0)
        return -errno;
    return 0;
}

int main(int argc, char **argv)
{
    const char *writer = getenv("BENCH_WRITER");
    const char *report = getenv("BENCH_WRITER_REPORT");
    struct rusage usage;
    int status = 0;
    (void)argc;
    if (writer == NULL || report == NULL)
        return 2;
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        execv(writer, argv);
        _exit(127);
    }
    /* The writer alone shall hold the shared memory. */
    for (int fd = FIRST_FD; fd <= LAST_FD; fd++)
        close(fd);
    /* As the writer does: the report is wanted most when somebody ends the run. */
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 1;
    return leave_report(report, &usage, status) == 0 ? 0 : 1;
}
