/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pieces of findings' sentences. Called by sentences.c and sentences_work.c.
 */
#include "src/analysis/findings/gathering.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "3.1 us". */
const char *omptape_time_text(const struct analysis_state *state, double ticks, char *text)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    double ns = ticks * state->ns_per_tick;
    size_t i = 0;
    while (ns < units[i].least)
        i++;
    double value = units[i].least > 0 ? ns / units[i].least : ns;
    snprintf(text, TIME_BYTES, "%.*f %s", value < 10 ? 1 : 0, value, units[i].unit);
    return text;
}

const char *omptape_sentence(struct analysis_state *state, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy = omptape_arena_take(&state->result->arena, strlen(text) + 1);
    if (copy == NULL) {
        state->no_memory = true;
        return "";
    }
    memcpy(copy, text, strlen(text));
    return copy;
}
