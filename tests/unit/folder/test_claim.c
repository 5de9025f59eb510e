/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims: whose owner lives, whose is gone, and who gets a dead one's when many want it.
 */
#include "src/folder/claim.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CROWD = 16, ROUNDS = 30 };

static const char name[] = ".claim";
static char base[SCRATCH_BYTES];
static int folder = -1;

static int make_base(void **state)
{
    (void)state;
    if (scratch_make(base) != 0)
        return -1;
    folder = open(base, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

static int remove_base(void **state)
{
    (void)state;
    close(folder);
    return scratch_remove(base);
}

/* The text of a claim on this host. */
static const char *text_of(const char *rest)
{
    static char text[OMPTAPE_CLAIM_BYTES];
    char host[128] = "";
    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%s:%s", host, rest);
    return text;
}

static pid_t dead_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static void leave(const char *text)
{
    unlinkat(folder, name, 0);
    assert_int_equal(symlinkat(text, folder, name), 0);
}

static int take(double max_age_s, char *who)
{
    return omptape_claim_take(folder, name, max_age_s, who, OMPTAPE_CLAIM_BYTES);
}

/* Nothing but the claim may be left. */
static void assert_tidy(void)
{
    struct stat status;
    assert_int_equal(fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(unlinkat(folder, name, 0), 0);
    assert_int_equal(rmdir(base), 0);
    assert_int_equal(mkdir(base, 0777), 0);
    close(folder);
    folder = open(base, O_RDONLY | O_DIRECTORY);
}

static void test_owners(void **state)
{
    char own[OMPTAPE_CLAIM_BYTES];
    char text[64];
    unsigned long long start = 0;
    unsigned long long space = 0;
    int pid = 0;
    (void)state;
    omptape_claim_own(own, sizeof(own));
    assert_int_equal(omptape_claim_owner_of(own), OMPTAPE_CLAIM_ALIVE);
    assert_int_equal(sscanf(strchr(own, ':'), ":%d:%llu:%llu", &pid, &start, &space), 3);
    assert_int_equal(pid, getpid());
    assert_true(start > 0 && space > 0);

    /* As omptape wrote them before, without when the process began. */
    snprintf(text, sizeof(text), "%d", pid);
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_ALIVE);
    snprintf(text, sizeof(text), "%d:%llu", pid, start);
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_ALIVE);
    snprintf(text, sizeof(text), "%d", (int)dead_process());
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_NOBODY);

    /* The number is another process's now. */
    snprintf(text, sizeof(text), "%d:%llu", pid, start - 1);
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_NOBODY);
    /* Numbers of another container say nothing here. */
    snprintf(text, sizeof(text), "%d:%llu:%llu", (int)dead_process(), start, space + 1);
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_OTHER_HOST);
    assert_int_equal(omptape_claim_owner_of("another.host:1"), OMPTAPE_CLAIM_OTHER_HOST);
    assert_int_equal(omptape_claim_owner_of(text_of("") + 1), OMPTAPE_CLAIM_OTHER_HOST);

    static const char *const strange[] = {"", "x", "0", "-1", "99999999999999", ":::"};
    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
        assert_int_equal(omptape_claim_owner_of(text_of(strange[i])), OMPTAPE_CLAIM_NOBODY);
    assert_int_equal(omptape_claim_owner_of(""), OMPTAPE_CLAIM_NOBODY);
}

static void test_words(void **state)
{
    static const struct {
        const char *who, *words;
    } cases[] = {
        {"node3:4711:123:456", "process 4711 on node3"},
        {"node3:4711", "process 4711 on node3"},
        {"node3:4711:1:2 according to .claim of al", "process 4711 on node3 according to .claim of al"},
        {"unknown", "an unknown process"},
        {"unknown according to .claim of al", "an unknown process according to .claim of al"},
        {"", "an unknown process"}};
    char text[OMPTAPE_CLAIM_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        omptape_claim_describe(cases[i].who, text, sizeof(text));
        assert_string_equal(text, cases[i].words);
    }
}

/* Killed, and its parent does not care. */
static void test_zombie(void **state)
{
    char text[64];
    siginfo_t info;
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    snprintf(text, sizeof(text), "%d", (int)pid);
    assert_int_equal(omptape_claim_owner_of(text_of(text)), OMPTAPE_CLAIM_NOBODY);
    waitpid(pid, NULL, 0);
}

static void test_taking(void **state)
{
    char who[OMPTAPE_CLAIM_BYTES];
    char own[OMPTAPE_CLAIM_BYTES];
    char text[64];
    (void)state;
    omptape_claim_own(own, sizeof(own));
    assert_int_equal(take(OMPTAPE_CLAIM_FOR_EVER, who), 0);
    assert_int_equal(omptape_claim_check(folder, name), 0);
    assert_int_equal(take(OMPTAPE_CLAIM_FOR_EVER, who), -EBUSY);
    assert_string_equal(who, own);
    omptape_claim_release(folder, name);
    assert_int_equal(omptape_claim_check(folder, name), -EBUSY);
    assert_true(omptape_claim_age(folder, name) < 0);

    /* A dead one's; and one of another's that is not to be removed. */
    snprintf(text, sizeof(text), "%d:1:1", (int)dead_process());
    leave(text_of(text));
    omptape_claim_release(folder, name);
    assert_int_equal(omptape_claim_read(folder, name, who, sizeof(who)), OMPTAPE_CLAIM_OTHER_HOST);
    snprintf(text, sizeof(text), "%d", (int)dead_process());
    leave(text_of(text));
    assert_int_equal(take(OMPTAPE_CLAIM_FOR_EVER, who), 0);
    assert_int_equal(omptape_claim_check(folder, name), 0);
    assert_tidy();

    /* What is no number, with a name that is no file's. */
    leave(text_of("../../x"));
    assert_int_equal(take(OMPTAPE_CLAIM_FOR_EVER, who), 0);
    assert_tidy();
}

static void test_elsewhere(void **state)
{
    struct timespec old[2] = {{.tv_sec = time(NULL) - 700}, {.tv_sec = time(NULL) - 700}};
    char who[OMPTAPE_CLAIM_BYTES];
    (void)state;
    leave("another.host:1");
    assert_int_equal(take(600, who), -EBUSY);
    assert_string_equal(who, "another.host:1");
    assert_int_equal(utimensat(folder, name, old, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(omptape_claim_age(folder, name) > 600);
    assert_int_equal(take(OMPTAPE_CLAIM_FOR_EVER, who), -EBUSY);
    omptape_claim_touch(folder, name);
    assert_int_equal(take(600, who), -EBUSY);
    assert_int_equal(utimensat(folder, name, old, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(take(600, who), 0);
    assert_tidy();

    /* Something that is no link: nobody knows whose it is. */
    close(openat(folder, name, O_CREAT | O_WRONLY, 0666));
    assert_int_equal(take(600, who), -EBUSY);
    assert_string_equal(who, "unknown");
    assert_int_equal(utimensat(folder, name, old, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(take(600, who), 0);
    assert_tidy();
    assert_int_equal(mkdirat(folder, name, 0777), 0);
    assert_int_equal(utimensat(folder, name, old, 0), 0);
    assert_int_equal(take(600, who), -EISDIR);
    assert_int_equal(unlinkat(folder, name, AT_REMOVEDIR), 0);
    assert_int_equal(take(600, who), 0);
    assert_tidy();
}

/* Pipes: when it begins, who has tried, when all have. */
enum { START, TRIED, STOP, PIPES };

/* Whoever gets it keeps it until all have tried. */
static int try(int pipes[PIPES][2])
{
    char byte = 0;
    char who[OMPTAPE_CLAIM_BYTES];
    (void)!read(pipes[START][0], &byte, 1);
    int result = take(OMPTAPE_CLAIM_FOR_EVER, who);
    (void)!write(pipes[TRIED][1], &byte, 1);
    (void)!read(pipes[STOP][0], &byte, 1);
    if (result == 0)
        return omptape_claim_check(folder, name) == 0 ? 1 : 2;
    return result == -EBUSY ? 0 : 2;
}

static int count_winners(void)
{
    int pipes[PIPES][2];
    int won = 0;
    char byte;
    for (int i = 0; i < PIPES; i++)
        assert_int_equal(pipe(pipes[i]), 0);
    for (int i = 0; i < CROWD; i++) {
        if (fork() == 0) {
            close(pipes[START][1]);
            close(pipes[STOP][1]);
            _exit(try(pipes));
        }
    }
    close(pipes[START][1]);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(read(pipes[TRIED][0], &byte, 1), 1);
    close(pipes[STOP][1]);
    for (int i = 0; i < CROWD; i++) {
        int status = 0;
        wait(&status);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        won += WEXITSTATUS(status);
    }
    close(pipes[START][0]);
    close(pipes[STOP][0]);
    close(pipes[TRIED][0]);
    close(pipes[TRIED][1]);
    return won;
}

/* One of many gets a dead owner's claim, also when a dead one had the right to it. */
static void test_crowd(void **state)
{
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* the emulator tells a process another moment of its start than others see */
    char text[64];
    char heir[OMPTAPE_CLAIM_BYTES];
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(text, sizeof(text), "%d", (int)dead_process());
        leave(text_of(text));
        if (round % 2 == 1) {
            snprintf(heir, sizeof(heir), "%s-after-%.200s", name, text_of(text));
            snprintf(text, sizeof(text), "%d:5", (int)dead_process());
            assert_int_equal(symlinkat(text_of(text), folder, heir), 0);
        }
        assert_int_equal(count_winners(), 1);
        assert_tidy();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_owners, make_base, remove_base),
        cmocka_unit_test(test_words),
        cmocka_unit_test_setup_teardown(test_zombie, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_taking, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_elsewhere, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_crowd, make_base, remove_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
