/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs `omptape check` on archives made for one test and looks at what it printed: see check_harness.h.
 * Called by the unit tests test_check*.c.
 */
#include "tests/unit/check_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

char check_folder[SCRATCH_BYTES]; /* of this test */
char check_output[65536];         /* stdout and stderr of the latest run */

int check_make_folder(void **state)
{
    (void)state;
    return scratch_make(check_folder);
}

int check_remove_folder(void **state)
{
    (void)state;
    return scratch_remove(check_folder);
}

int check_run_command(int (*command)(int, char **), const char *name, int count, const char *const *words)
{
    char *arguments[8] = {(char *)name};
    FILE *capture = tmpfile();
    assert_non_null(capture);
    for (int i = 0; i < count; i++)
        arguments[i + 1] = (char *)words[i];
    fflush(NULL);
    int saved_out = dup(STDOUT_FILENO);
    int saved_error = dup(STDERR_FILENO);
    dup2(fileno(capture), STDOUT_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
    int code = command(count + 1, arguments);
    fflush(NULL);
    dup2(saved_out, STDOUT_FILENO);
    dup2(saved_error, STDERR_FILENO);
    close(saved_out);
    close(saved_error);
    rewind(capture);
    check_output[fread(check_output, 1, sizeof(check_output) - 1, capture)] = '\0';
    fclose(capture);
    return code;
}

int check_run(int count, const char *const *words)
{
    return check_run_command(omptape_command_check, "check", count, words);
}

size_t check_lines(void)
{
    size_t count = 0;
    for (const char *at = check_output; *at != '\0'; at++)
        count += *at == '\n';
    return count;
}

int check_run_folder(void)
{
    const char *const words[] = {check_folder};
    return check_run(1, words);
}

void check_expect_text(const char *text)
{
    if (strstr(check_output, text) == NULL)
        fail_msg("expected \"%s\" in: %s", text, check_output);
}

void check_expect_no_text(const char *text)
{
    if (strstr(check_output, text) != NULL)
        fail_msg("did not expect \"%s\" in: %s", text, check_output);
}

void check_expect_code(int expected, int code)
{
    if (code != expected)
        fail_msg("expected exit code %d, found %d: %s", expected, code, check_output);
}

void check_passes(const struct make_plan *plan)
{
    make_archive(check_folder, plan);
    check_expect_code(0, check_run_folder());
    check_expect_text(": OK: ");
    assert_int_equal(check_lines(), 1);
}

void check_breaks(const struct make_plan *plan, const char *topic, const char *first, const char *second)
{
    make_archive(check_folder, plan);
    check_expect_code(1, check_run_folder());
    assert_int_equal(check_lines(), 1);
    check_expect_text(topic);
    check_expect_text(first);
    check_expect_text(second);
}

void check_events_pass(const char *events)
{
    check_passes(&(struct make_plan){.events = events});
}

void check_events_break(const char *events, const char *topic, const char *first, const char *second)
{
    check_breaks(&(struct make_plan){.events = events}, topic, first, second);
}

void check_definitions_break(void (*more)(OTF2_GlobalDefWriter *), const char *topic, const char *first,
                             const char *second)
{
    check_breaks(&(struct make_plan){.more = more}, topic, first, second);
}
