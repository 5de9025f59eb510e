/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the fixtures of the symbol tests and reads what they print. Called by the tests on their only thread.
 */
#include "fixtures.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *cut(char **rest, const char *separators)
{
    char *word = strsep(rest, separators);
    if (word == NULL || !*word)
        fail_msg("a line of %s/fixtures.txt is incomplete", FIXTURES);
    return word;
}

size_t fixtures_read(struct fixture fixtures[MAX_FIXTURES])
{
    char line[16384];
    size_t count = 0;
    FILE *list = fopen(FIXTURES "/fixtures.txt", "r");
    assert_non_null(list);
    while (count < MAX_FIXTURES && fgets(line, sizeof(line), list) != NULL) {
        char *rest = strdup(line);
        fixtures[count].name = cut(&rest, "|");
        fixtures[count].expect = cut(&rest, "|");
        fixtures[count].source = cut(&rest, "|");
        fixtures[count++].command = cut(&rest, "\n");
    }
    fclose(list);
    assert_true(count > 0 && count < MAX_FIXTURES);
    return count;
}

const struct fixture *fixtures_find(const char *name)
{
    static struct fixture fixtures[MAX_FIXTURES];
    static size_t count;
    if (count == 0)
        count = fixtures_read(fixtures);
    for (size_t i = 0; i < count; i++)
        if (strcmp(fixtures[i].name, name) == 0)
            return &fixtures[i];
    print_message("no fixture %s\n", name);
    skip();
    return NULL;
}

static void add_call(struct report *report, const char *text)
{
    struct call *call = &report->calls[report->call_count++];
    assert_true(report->call_count < MAX_CALLS);
    assert_int_equal(sscanf(text, "%lx %15s %d", &call->address, call->kind, &call->parent), 3);
}

static void add_map(struct report *report, const char *text)
{
    size_t length = strlen(text);
    report->maps = realloc(report->maps, report->maps_bytes + length + 1);
    assert_non_null(report->maps);
    memcpy(report->maps + report->maps_bytes, text, length + 1);
    report->maps_bytes += length;
}

/* Tabs part the words of the list's commands: folders may have blanks. */
static FILE *open_output(const char *command)
{
    char *words = strdup(command);
    char *rest = words;
    char *quoted = NULL;
    size_t bytes;
    FILE *text = open_memstream(&quoted, &bytes);
    for (const char *word = strsep(&rest, "\t"); word != NULL; word = strsep(&rest, "\t"))
        fprintf(text, "'%s' ", word);
    fclose(text);
    FILE *output = popen(quoted, "r");
    free(words);
    free(quoted);
    return output;
}

size_t fixture_run(const char *command, struct report reports[MAX_REPORTS])
{
    char line[8192];
    size_t count = 0;
    memset(reports, 0, MAX_REPORTS * sizeof(*reports));
    FILE *output = open_output(command);
    assert_non_null(output);
    while (fgets(line, sizeof(line), output) != NULL) {
        assert_true(count < MAX_REPORTS);
        if (strncmp(line, "call ", 5) == 0)
            add_call(&reports[count], line + 5);
        else if (strncmp(line, "map ", 4) == 0)
            add_map(&reports[count], line + 4);
        else if (strcmp(line, "end\n") == 0)
            count++;
        else
            fail_msg("%s said: %s", command, line);
    }
    assert_int_equal(pclose(output), 0);
    assert_true(count > 0);
    return count;
}

void reports_free(struct report *reports, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(reports[i].maps);
}

size_t marks_read(const char *source, struct mark marks[MAX_MARKS])
{
    char text[1024];
    size_t count = 0;
    FILE *file = fopen(source, "r");
    assert_non_null(file);
    for (unsigned line = 1; fgets(text, sizeof(text), file) != NULL; line++) {
        char *site = strstr(text, "@site ");
        char *end = strstr(text, " */");
        if (site == NULL || strstr(text, "@site KIND") != NULL)
            continue;
        if (end == NULL)
            end = strchr(text, '\n');
        *end = '\0';
        struct mark *mark = &marks[count++];
        assert_true(count < MAX_MARKS);
        mark->line = line;
        assert_int_equal(sscanf(site, "@site %15s %255[^\n]", mark->kind, mark->function), 2);
    }
    fclose(file);
    assert_true(count > 0);
    return count;
}

bool mark_names(const struct mark *mark, const char *function)
{
    const char *rest = mark->function;
    while (function != NULL) {
        const char *end = strstr(rest, " | ");
        size_t length = end != NULL ? (size_t)(end - rest) : strlen(rest);
        if (strlen(function) == length && strncmp(rest, function, length) == 0)
            return true;
        if (end == NULL)
            break;
        rest = end + 3;
    }
    return false;
}

static int file_type(const char *path)
{
    Elf64_Ehdr header;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
    fclose(file);
    return header.e_type;
}

uint64_t report_base(const struct report *report, const char *path)
{
    char *copy = strdup(report->maps);
    char *rest = copy;
    char *line;
    uint64_t start = 0;
    while (start == 0 && (line = strsep(&rest, "\n")) != NULL)
        if (strstr(line, path) != NULL)
            start = strtoull(line, NULL, 16);
    free(copy);
    assert_true(start != 0);
    return file_type(path) == ET_EXEC ? 0 : start;
}
