/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All threads write lines into one stream, whose lock and buffer are one for all. Mended: each one makes its
 * lines in a buffer of its own.
//: proposal buffer of each thread|more at a time
*/
#include "work.h"

enum { LINES = 16000000, BYTES = 65536 };

APART void write_to_stream(FILE *stream, long line)
{
    fputs("a line of a log\n", stream);
    keep((uint64_t)line);
}

APART void write_to_buffer(long line)
{
    static _Thread_local char buffer[BYTES];
    static _Thread_local size_t used;

    used = used + 32 < BYTES ? used : 0;
    memcpy(buffer + used, "a line of a log\n", 16);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    used += 16;
    keep((uint64_t)line);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long lines = run_scaled(&run, LINES);
    FILE *stream = fopen("/dev/null", "w");

    if (stream == NULL)
        return 1;
#pragma omp parallel for schedule(static) /* HERE hot_function system_time */
    for (long line = 0; line < lines; line++)
        if (run.mended)
            write_to_buffer(line);
        else
            write_to_stream(stream, line);
    fclose(stream);
    return run_end();
}
