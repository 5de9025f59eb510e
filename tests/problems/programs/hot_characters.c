/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread reads a text of its own by getc, which locks the stream for each character.
 * Mended: it reads pieces.
//: proposal fread
*/
#include "work.h"

enum { CHARACTERS = 240000000, TEXT = 1 << 16 };

static char text[TEXT];

APART uint64_t by_characters(FILE *stream)
{
    uint64_t sum = 0;

    for (int one = getc(stream); one != EOF; one = getc(stream))
        sum += (uint64_t)one;
    return sum;
}

APART uint64_t by_pieces(FILE *stream)
{
    char piece[4096];
    uint64_t sum = 0;

    for (size_t bytes = fread(piece, 1, sizeof(piece), stream); bytes > 0;
         bytes = fread(piece, 1, sizeof(piece), stream))
        for (size_t i = 0; i < bytes; i++)
            sum += (uint64_t)piece[i];
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long texts = run_scaled(&run, CHARACTERS) / TEXT;

    memset(text, 'a', sizeof(text));
#pragma omp parallel for schedule(static) /* HERE hot_function */
    for (long i = 0; i < texts; i++) {
        FILE *stream = fmemopen(text, sizeof(text), "r");

        if (stream != NULL) {
            keep(run.mended ? by_pieces(stream) : by_characters(stream));
            fclose(stream);
        }
    }
    return run_end();
}
