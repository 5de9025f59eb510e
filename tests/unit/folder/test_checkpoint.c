/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints: what is packed comes back; one that is damaged, hostile or does not belong to the archive
 * changes nothing; one that could not be put back whole can be put back again.
 */
#include "src/folder/checkpoint.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char base[SCRATCH_BYTES];
static int archive = -1;
static int scratch = -1;
static char reason[512];

static void write_file(int folder, const char *name, const char *text, size_t bytes)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), bytes);
    close(fd);
}

static void put(int folder, const char *name, const char *text)
{
    write_file(folder, name, text, strlen(text));
}

/* -1: it is not there. */
static ssize_t read_file(const char *name, char *text, size_t bytes)
{
    int fd = openat(archive, name, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, bytes - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    return n;
}

static void holds(const char *name, const char *text)
{
    char found[256] = "";
    assert_true(read_file(name, found, sizeof(found)) >= 0);
    assert_string_equal(found, text);
}

static int make_base(void **state)
{
    char path[128];
    (void)state;
    if (scratch_make(base) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", base, i == 0 ? "archive" : "scratch");
        int fd = mkdir(path, 0700) == 0 ? open(path, O_RDONLY | O_DIRECTORY) : -1;
        if (fd < 0 || mkdirat(fd, "traces", 0700) != 0)
            return -1;
        *(i == 0 ? &archive : &scratch) = fd;
    }
    /* As a killed writer leaves them: more than was final, and a thread that came later. */
    put(archive, "traces/0.evt", "final0 and more");
    put(archive, "traces/2.evt", "final2");
    put(archive, "traces/7.evt", "later");
    put(archive, "traces/7.def", "later");
    put(archive, "traces/notes.txt", "the user's");
    put(scratch, "traces/0.evt", " tail0");
    put(scratch, "traces/1.evt", "tail1");
    put(scratch, "traces/0.def", "def0");
    put(scratch, "traces.def", "definitions");
    put(scratch, "traces.otf2", "anchor");
    return 0;
}

static int remove_base(void **state)
{
    (void)state;
    close(archive);
    close(scratch);
    return scratch_remove(base);
}

static void pack_names(const char *const *names, size_t count)
{
    struct omptape_checkpoint_pack pack;
    assert_int_equal(omptape_checkpoint_begin(&pack, archive, 12345, ""), 0);
    omptape_checkpoint_add(&pack, scratch, "traces/0.evt", 6);
    omptape_checkpoint_add(&pack, scratch, "traces/1.evt", 0);
    omptape_checkpoint_add(&pack, scratch, "traces/2.evt", 6);
    omptape_checkpoint_add(&pack, scratch, "traces/0.def", 0);
    for (size_t i = 0; i < count; i++)
        omptape_checkpoint_add(&pack, scratch, names[i], 0);
    omptape_checkpoint_add(&pack, scratch, "traces.def", 0);
    omptape_checkpoint_add(&pack, scratch, "traces.otf2", 0);
    assert_int_equal(omptape_checkpoint_commit(&pack), 0);
}

static int restore(void)
{
    struct omptape_checkpoint_head head;
    reason[0] = '\0';
    int result = omptape_checkpoint_restore(archive, &head, reason, sizeof(reason));
    if (result == 0)
        assert_int_equal(head.realtime, 12345);
    else if (result != -ENOENT)
        assert_true(reason[0] != '\0');
    return result;
}

static void is_as_it_was(void)
{
    holds("traces/0.evt", "final0 and more");
    holds("traces/2.evt", "final2");
    holds("traces/7.evt", "later");
    assert_int_equal(faccessat(archive, "traces.otf2", F_OK, 0), -1);
    assert_int_equal(faccessat(archive, "traces/1.evt", F_OK, 0), -1);
    assert_int_equal(faccessat(archive, OMPTAPE_CHECKPOINT_FILE, F_OK, 0), 0);
}

static void is_complete(void)
{
    char text[64];
    holds("traces/0.evt", "final0 tail0");
    holds("traces/1.evt", "tail1");
    holds("traces/2.evt", "final2");
    holds("traces/0.def", "def0");
    holds("traces.def", "definitions");
    holds("traces.otf2", "anchor");
    holds("traces/notes.txt", "the user's");
    assert_int_equal(read_file("traces/7.evt", text, sizeof(text)), -1);
    assert_int_equal(read_file("traces/7.def", text, sizeof(text)), -1);
    assert_int_equal(faccessat(archive, OMPTAPE_CHECKPOINT_FILE, F_OK, 0), -1);
}

static void test_comes_back(void **state)
{
    (void)state;
    assert_int_equal(restore(), -ENOENT);
    pack_names(NULL, 0);
    is_as_it_was();
    assert_int_equal(restore(), 0);
    is_complete();
    assert_int_equal(restore(), -ENOENT);
}

/* A pack that fails leaves the one before. */
static void test_failed_pack(void **state)
{
    struct omptape_checkpoint_pack pack;
    (void)state;
    pack_names(NULL, 0);
    assert_int_equal(omptape_checkpoint_begin(&pack, archive, 99, ""), 0);
    omptape_checkpoint_add(&pack, scratch, "traces", 0); /* no file */
    omptape_checkpoint_add(&pack, scratch, "traces.otf2", 0);
    assert_int_equal(omptape_checkpoint_commit(&pack), -EINVAL);
    /* Another that was interrupted. */
    assert_int_equal(omptape_checkpoint_begin(&pack, archive, 99, ""), 0);
    assert_int_equal(restore(), 0);
    assert_int_equal(faccessat(archive, OMPTAPE_CHECKPOINT_FRESH, F_OK, 0), -1);
    is_complete();
}

static void test_cut_short(void **state)
{
    static char whole[8192];
    (void)state;
    pack_names(NULL, 0);
    ssize_t bytes = read_file(OMPTAPE_CHECKPOINT_FILE, whole, sizeof(whole));
    assert_in_range(bytes, 500, (ssize_t)sizeof(whole) - 2);
    for (ssize_t cut = 0; cut < bytes; cut++) {
        write_file(archive, OMPTAPE_CHECKPOINT_FILE, whole, (size_t)cut);
        assert_int_equal(restore(), -EINVAL);
    }
    is_as_it_was();
}

static void test_garbled(void **state)
{
    static char whole[8192];
    (void)state;
    pack_names(NULL, 0);
    ssize_t bytes = read_file(OMPTAPE_CHECKPOINT_FILE, whole, sizeof(whole));
    for (ssize_t at = 0; at < bytes; at++) {
        whole[at] ^= 0x41;
        write_file(archive, OMPTAPE_CHECKPOINT_FILE, whole, (size_t)bytes);
        whole[at] ^= 0x41;
        if (restore() >= 0)
            fail_msg("byte %zd of %zd", at, bytes);
    }
    is_as_it_was();
}

/* With a checksum that is right: names that lead elsewhere. */
static void test_strange_names(void **state)
{
    static const char *const names[] = {"traces/../x.evt", "traces/1.txt",   "x",
                                        "traces/-1.evt",   "traces/0x1.evt", "traces.otf2"};
    (void)state;
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* without openat2 they are refused when they are packed */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        pack_names(&names[i], 1);
        assert_int_equal(restore(), -EINVAL);
        is_as_it_was();
    }
}

static void test_links(void **state)
{
    (void)state;
    pack_names(NULL, 0);
    put(scratch, "precious", "precious");
    assert_int_equal(unlinkat(archive, "traces/0.evt", 0), 0);
    assert_int_equal(symlinkat("../../scratch/precious", archive, "traces/0.evt"), 0);
    assert_true(restore() < 0);
    assert_int_equal(unlinkat(archive, "traces/0.evt", 0), 0);
    assert_int_equal(mkfifoat(archive, "traces/0.evt", 0600), 0);
    assert_true(restore() < 0);
    assert_int_equal(unlinkat(archive, "traces/0.evt", 0), 0);
    put(archive, "traces/0.evt", "final0 and more");
    assert_int_equal(renameat(archive, "traces", scratch, "elsewhere"), 0);
    assert_int_equal(symlinkat("../scratch/elsewhere", archive, "traces"), 0);
    assert_true(restore() == -ELOOP || restore() == -ENOTDIR);
    char text[64] = "";
    int fd = openat(scratch, "precious", O_RDONLY);
    assert_int_equal(read(fd, text, sizeof(text) - 1), 8);
    close(fd);
    assert_string_equal(text, "precious");
}

/* A power cut took what had been final. */
static void test_lost_events(void **state)
{
    (void)state;
    pack_names(NULL, 0);
    put(archive, "traces/2.evt", "fin");
    assert_int_equal(restore(), -EIO);
    assert_non_null(strstr(reason, "traces/2.evt"));
    put(archive, "traces/2.evt", "final2");
    is_as_it_was();
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that fills up in the middle of it: when there is room again, it goes on. */
static void test_no_room(void **state)
{
    (void)state;
    pack_names(NULL, 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room < 12; room += 3) {
        limit_files(room);
        int result = restore();
        limit_files(RLIM_INFINITY);
        assert_int_equal(result, -EFBIG);
        assert_int_equal(faccessat(archive, "traces.otf2", F_OK, 0), -1);
    }
    assert_int_equal(restore(), 0);
    is_complete();
}

/* The killed writer's folder in memory goes, and nothing else. */
static void test_scratch(void **state)
{
    struct omptape_checkpoint_head head;
    struct omptape_checkpoint_pack pack;
    char ours[128];
    char others[128];
    (void)state;
    snprintf(ours, sizeof(ours), "%s/" OMPTAPE_CHECKPOINT_SCRATCH "1-abc", base);
    snprintf(others, sizeof(others), "%s/scratch", base);
    assert_int_equal(mkdir(ours, 0700), 0);
    const char *const scratches[] = {others, ours};
    for (int i = 0; i < 2; i++) {
        unlinkat(archive, "traces.otf2", 0);
        assert_int_equal(omptape_checkpoint_begin(&pack, archive, 1, scratches[i]), 0);
        omptape_checkpoint_add(&pack, scratch, "traces.otf2", 0);
        assert_int_equal(omptape_checkpoint_commit(&pack), 0);
        assert_int_equal(omptape_checkpoint_restore(archive, &head, reason, sizeof(reason)), 0);
        assert_int_equal(access(others, F_OK), 0);
        assert_int_equal(faccessat(scratch, "traces.def", F_OK, 0), 0);
        assert_int_equal(access(ours, F_OK), i == 0 ? 0 : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_comes_back, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_failed_pack, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_cut_short, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_garbled, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_strange_names, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_links, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_lost_events, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_no_room, make_base, remove_base),
        cmocka_unit_test_setup_teardown(test_scratch, make_base, remove_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
