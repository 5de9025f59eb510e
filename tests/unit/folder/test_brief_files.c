/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of files that are mostly open only while they are read: many more of them than there may be
 * descriptors, read in turn.
 * Run by CTest as unit.brief_files.
 */
#include "src/archive/brief_files.h"
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 300, LIMIT = 40, WORDS = 5, NAME = 32 };

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *entries = opendir("/proc/self/fd");
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

static void put_file(int folder, const char *name, unsigned first, unsigned count)
{
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    for (unsigned word = first; word < first + count; word++)
        assert_int_equal(write(file, &word, sizeof(word)), sizeof(word));
    close(file);
}

static int make_files(char *path)
{
    char name[NAME];
    assert_int_equal(scratch_make(path), 0);
    int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%u", i);
        put_file(folder, name, i, WORDS);
    }
    return folder;
}

static void limit_descriptors(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void test_more_files_than_descriptors(void **state)
{
    char path[SCRATCH_BYTES];
    char name[NAME];
    FILE *files[FILES];
    struct rlimit before;
    int folder = make_files(path);
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit_descriptors(LIMIT);
    unsigned others = open_descriptors();
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%u", i);
        files[i] = omptape_brief_file_open(folder, name, true);
        assert_non_null(files[i]);
    }
    for (unsigned round = 0; round < WORDS; round++) {
        for (unsigned i = 0; i < FILES; i++) {
            unsigned word = 0;
            size_t done = 0;
            assert_true(omptape_brief_file_read(files[i], &word, sizeof(word), &done));
            assert_int_equal(done, sizeof(word));
            assert_int_equal(word, i + round);
        }
        assert_int_equal(open_descriptors(), others + LIMIT / 4);
    }
    for (unsigned i = 0; i < FILES; i++)
        assert_true(omptape_brief_file_close(files[i]));
    assert_int_equal(open_descriptors(), others);
    limit_descriptors(before.rlim_cur);
    close(folder);
    assert_int_equal(scratch_remove(path), 0);
}

/* Replaces a file, and removes its neighbour. */
static void replace_file(int folder, unsigned number)
{
    char name[NAME];
    put_file(folder, "new", FILES, WORDS);
    snprintf(name, sizeof(name), "%u", number);
    assert_int_equal(renameat(folder, "new", folder, name), 0);
    snprintf(name, sizeof(name), "%u", number + 1);
    assert_int_equal(unlinkat(folder, name, 0), 0);
}

static void expect_read_error(FILE *file, int error)
{
    unsigned word = 0;
    size_t done = 0;
    bool failed = true;
    assert_true(omptape_brief_file_failed(file, &failed));
    assert_false(failed);
    assert_true(omptape_brief_file_read(file, &word, sizeof(word), &done));
    assert_int_equal(done, 0);
    assert_int_equal(errno, error);
    assert_true(omptape_brief_file_failed(file, &failed));
    assert_true(failed);
}

/* Its name is another file's by now, or no file's. */
static void test_another_file_is_refused(void **state)
{
    char path[SCRATCH_BYTES];
    char name[NAME];
    FILE *files[FILES];
    unsigned word = 0;
    size_t done = 0;
    bool failed = true;
    int folder = make_files(path);
    (void)state;
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%u", i);
        files[i] = omptape_brief_file_open(folder, name, true);
        assert_non_null(files[i]);
    }
    replace_file(folder, 0);
    replace_file(folder, FILES - 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(omptape_brief_file_read(files[i], &word, sizeof(word), &done));
        assert_int_equal(done, sizeof(word));
        assert_int_equal(word, i);
    }
    expect_read_error(files[FILES - 2], ESTALE);
    expect_read_error(files[FILES - 1], ENOENT);
    for (unsigned i = 0; i < FILES; i++)
        assert_true(omptape_brief_file_close(files[i]));
    assert_null(omptape_brief_file_open(folder, "none", false));
    assert_int_equal(errno, ENOENT);
    assert_false(omptape_brief_file_read(stdin, &word, sizeof(word), &done));
    assert_false(omptape_brief_file_failed(stdin, &failed));
    assert_false(omptape_brief_file_close(stdin));
    close(folder);
    assert_int_equal(scratch_remove(path), 0);
}

static size_t resident_pages(unsigned char *memory, size_t bytes)
{
    unsigned char pages[64];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;
    assert_true(bytes / page <= sizeof(pages));
    assert_int_equal(mincore(memory, bytes, pages), 0);
    for (size_t i = 0; i < bytes / page; i++)
        count += pages[i] & 1;
    return count;
}

static void test_behind_the_end_are_zeros_without_pages(void **state)
{
    char path[SCRATCH_BYTES];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = 16 * page;
    size_t done = 0;
    int folder = make_files(path);
    (void)state;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t shift = 0; shift < 2 * sizeof(uint64_t); shift += sizeof(uint64_t)) {
        FILE *file = omptape_brief_file_open(folder, "3", false);
        memset(memory, 0xAA, bytes);
        assert_true(omptape_brief_file_read(file, memory + shift, bytes - 2 * shift, &done));
        assert_int_equal(done, WORDS * sizeof(unsigned));
        assert_true(resident_pages(memory, bytes) <= 2);
        for (size_t i = shift + done; i < bytes - shift; i++)
            assert_int_equal(memory[i], 0);
        for (size_t i = bytes - shift; i < bytes; i++)
            assert_int_equal(memory[i], 0xAA);
        assert_true(omptape_brief_file_close(file));
    }
    munmap(memory, bytes);
    close(folder);
    assert_int_equal(scratch_remove(path), 0);
}

static void expect_place(FILE *file, long offset, int whence, unsigned expected)
{
    unsigned word = 0;
    size_t done = 0;
    int result = -1;
    assert_true(omptape_brief_file_seek(file, offset, whence, &result));
    assert_int_equal(result, 0);
    assert_true(omptape_brief_file_read(file, &word, sizeof(word), &done));
    assert_int_equal(done, sizeof(word));
    assert_int_equal(word, expected);
}

static void test_seek(void **state)
{
    enum { WORD = sizeof(unsigned) };
    char path[SCRATCH_BYTES];
    int result = 0;
    int folder = make_files(path);
    (void)state;
    FILE *file = omptape_brief_file_open(folder, "5", false);
    expect_place(file, 2 * WORD, SEEK_SET, 7);
    expect_place(file, WORD, SEEK_CUR, 9);
    expect_place(file, -2 * WORD, SEEK_END, 8);
    expect_place(file, 0, SEEK_SET, 5);
    assert_true(omptape_brief_file_seek(file, -WORD, SEEK_SET, &result));
    assert_int_equal(result, -1);
    assert_int_equal(errno, EINVAL);
    assert_true(omptape_brief_file_close(file));
    close(folder);
    assert_int_equal(scratch_remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_files_than_descriptors),
        cmocka_unit_test(test_another_file_is_refused),
        cmocka_unit_test(test_behind_the_end_are_zeros_without_pages),
        cmocka_unit_test(test_seek),
    };
    return cmocka_run_group_tests_name("brief_files", tests, NULL, NULL);
}
