/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is beneath a folder: links, pipes, paths that lead out, second names, other owners. All of it once
 * with openat2, and once in a process in which the kernel has none.
 */
#include "src/folder/beneath.h"
#include "src/folder/named_folder.h"
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NUMBER_OF_OPENAT2 = 437 };

static char base[SCRATCH_BYTES];
static int folder = -1;

static void put(const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void holds(const char *name, const char *text)
{
    char found[64] = "";
    int fd = openat(folder, name, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, found, sizeof(found) - 1) >= 0);
    close(fd);
    assert_string_equal(found, text);
}

static int make_base(void **state)
{
    char path[128];
    (void)state;
    if (scratch_make(base) != 0)
        return -1;
    snprintf(path, sizeof(path), "%s/in", base);
    folder = mkdir(path, 0755) == 0 ? open(path, O_RDONLY | O_DIRECTORY) : -1;
    if (folder < 0 || mkdirat(folder, "below", 0755) != 0)
        return -1;
    put("file", "file");
    put("below/file", "below");
    put("../precious", "precious");
    return symlinkat("../precious", folder, "link") == 0 && symlinkat("below", folder, "way") == 0 &&
                   symlinkat("..", folder, "out") == 0 && symlinkat("nowhere", folder, "dangling") == 0 &&
                   mkfifoat(folder, "pipe", 0600) == 0 && mkfifoat(folder, "below/pipe", 0600) == 0
               ? 0
               : -1;
}

static int remove_base(void **state)
{
    (void)state;
    close(folder);
    return scratch_remove(base);
}

static bool is_link_error(int error)
{
    return error == -ELOOP || error == -ENOTDIR;
}

static void opens(int descriptor)
{
    assert_true(descriptor >= 0);
    close(descriptor);
}

/* No way leads out, and nothing is waited for. */
static void test_reading(void **state)
{
    struct stat status;
    (void)state;
    opens(omptape_beneath_open_file(folder, "file"));
    opens(omptape_beneath_open_own_file(folder, "below/file"));
    opens(omptape_beneath_open_own_folder(folder, "below"));
    opens(omptape_beneath_open_folder(folder, "."));
    assert_int_equal(omptape_beneath_open_file(folder, "link"), -ELOOP);
    assert_int_equal(omptape_beneath_open_file(folder, "dangling"), -ELOOP);
    assert_true(is_link_error(omptape_beneath_open_file(folder, "way/file")));
    assert_true(is_link_error(omptape_beneath_open_folder(folder, "way")));
    assert_true(omptape_beneath_open_file(folder, "out/precious") < 0);
    assert_true(omptape_beneath_open_file(folder, "../precious") < 0);
    assert_true(omptape_beneath_open_file(folder, "below/../../precious") < 0);
    assert_true(omptape_beneath_open_folder(folder, "..") < 0);
    assert_true(omptape_beneath_open_folder(folder, "below/..") < 0);
    assert_true(omptape_beneath_open_file(folder, "/etc/passwd") < 0);
    assert_true(omptape_beneath_open_folder(folder, "/") < 0);
    assert_int_equal(omptape_beneath_open_file(folder, ""), -EINVAL);
    assert_int_equal(omptape_beneath_open_file(folder, "pipe"), -EINVAL);
    assert_int_equal(omptape_beneath_open_file(folder, "below/pipe"), -EINVAL);
    assert_int_equal(omptape_beneath_open_file(folder, "below"), -EINVAL);
    assert_int_equal(omptape_beneath_open_folder(folder, "file"), -ENOTDIR);
    assert_int_equal(omptape_beneath_open_file(folder, "none"), -ENOENT);
    assert_int_equal(omptape_beneath_open_file(folder, "none/file"), -ENOENT);
    assert_int_equal(omptape_beneath_status(folder, "link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_false(omptape_beneath_is_there(folder, "way/file"));
    assert_int_equal(omptape_beneath_check_own(folder, "link", S_IFREG), -ELOOP);
    assert_int_equal(omptape_beneath_check_own(folder, "pipe", S_IFREG), -EINVAL);
    assert_int_equal(omptape_beneath_check_own(folder, "file", S_IFREG), 0);
}

static void test_writing(void **state)
{
    (void)state;
    opens(omptape_beneath_create(folder, "below/new"));
    opens(omptape_beneath_create(folder, "file")); /* its own of before goes */
    holds("file", "");
    assert_int_equal(omptape_beneath_create(folder, "link"), -EEXIST);
    assert_int_equal(omptape_beneath_create(folder, "dangling"), -EEXIST);
    assert_int_equal(omptape_beneath_create(folder, "pipe"), -EEXIST);
    assert_int_equal(omptape_beneath_create(folder, "below"), -EEXIST);
    assert_true(omptape_beneath_create(folder, "out/precious") < 0);
    assert_true(omptape_beneath_create(folder, "../other") < 0);
    assert_int_equal(omptape_beneath_open_for_writing(folder, "link"), -ELOOP);
    assert_int_equal(omptape_beneath_open_for_writing(folder, "pipe"), -EINVAL);
    assert_int_equal(omptape_beneath_open_for_writing(folder, "none"), -ENOENT);
    opens(omptape_beneath_open_for_writing(folder, "below/file"));
    /* A second name of a file. */
    assert_int_equal(linkat(folder, "../precious", folder, "second", 0), 0);
    assert_int_equal(omptape_beneath_open_for_writing(folder, "second"), -EMLINK);
    opens(omptape_beneath_create(folder, "second"));
    holds("../precious", "precious");
}

static void test_folders(void **state)
{
    bool made = false;
    char name[64];
    struct stat status;
    (void)state;
    opens(omptape_beneath_make_folder(folder, "new", &made));
    assert_true(made);
    opens(omptape_beneath_make_folder(folder, "new", &made));
    assert_false(made);
    assert_true(is_link_error(omptape_beneath_make_folder(folder, "way", &made)));
    assert_true(is_link_error(omptape_beneath_make_folder(folder, "dangling", &made)));
    assert_int_equal(omptape_beneath_make_folder(folder, "file", NULL), -ENOTDIR);
    opens(omptape_beneath_make_private(folder, "mine-", name, sizeof(name)));
    assert_int_equal(fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(omptape_beneath_remove_folder(folder, name), 0);
    assert_true(omptape_beneath_remove(folder, "out/precious") < 0);
    assert_true(omptape_beneath_rename(folder, "file", folder, "out/file") < 0);
    assert_int_equal(omptape_beneath_rename(folder, "file", folder, "link"), 0); /* the link itself */
    holds("../precious", "precious");
    assert_int_equal(omptape_beneath_remove(folder, "way"), 0);
    holds("below/file", "below");
}

static void test_links(void **state)
{
    char text[8];
    struct stat status;
    (void)state;
    assert_int_equal(omptape_beneath_read_link(folder, "out", text, sizeof(text), &status), 0);
    assert_string_equal(text, "..");
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(omptape_beneath_read_link(folder, "link", text, sizeof(text), NULL), 0);
    assert_string_equal(text, "../prec"); /* what fits */
    assert_int_equal(omptape_beneath_read_link(folder, "file", text, sizeof(text), &status), -EINVAL);
    assert_int_equal(omptape_beneath_read_link(folder, "pipe", text, sizeof(text), &status), -EINVAL);
    assert_int_equal(omptape_beneath_read_link(folder, "none", text, sizeof(text), NULL), -ENOENT);
    assert_int_equal(omptape_beneath_make_link(folder, "below/new", "text"), 0);
    assert_int_equal(omptape_beneath_read_link(folder, "below/new", text, sizeof(text), NULL), 0);
    assert_string_equal(text, "text");
}

static void test_others(void **state)
{
    enum { SOMEBODY = 64102 };
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    (void)state;
    if (geteuid() != 0) {
        print_message("not root: nothing can be given to somebody else\n");
        skip();
    }
    assert_int_equal(fchownat(folder, "file", SOMEBODY, SOMEBODY, 0), 0);
    opens(omptape_beneath_open_file(folder, "file"));
    assert_int_equal(omptape_beneath_open_own_file(folder, "file"), -EPERM);
    assert_int_equal(omptape_beneath_open_for_writing(folder, "file"), -EPERM);
    assert_int_equal(omptape_beneath_create(folder, "file"), -EEXIST);
    assert_int_equal(omptape_beneath_check_own(folder, "file", S_IFREG), -EPERM);
    omptape_beneath_explain(folder, "file", -EPERM, why, sizeof(why));
    assert_string_equal(why, "file belongs to user 64102");
    /* A file of the caller's in somebody else's folder. */
    assert_int_equal(fchownat(folder, "below", SOMEBODY, SOMEBODY, 0), 0);
    opens(omptape_beneath_open_file(folder, "below/file"));
    assert_int_equal(omptape_beneath_open_own_file(folder, "below/file"), -EPERM);
    omptape_beneath_explain(folder, "below/file", -EPERM, why, sizeof(why));
    assert_string_equal(why, "below belongs to user 64102");
    assert_int_equal(omptape_beneath_open_own_folder(folder, "below"), -EPERM);
    assert_int_equal(omptape_beneath_make_folder(folder, "below", NULL), -EPERM);
    assert_int_equal(fchownat(folder, "way", SOMEBODY, SOMEBODY, AT_SYMLINK_NOFOLLOW), 0);
    omptape_beneath_explain(folder, "way/file", -ELOOP, why, sizeof(why));
    assert_non_null(strstr(why, "way is a link of user 64102"));
    omptape_beneath_explain(folder, "below/pipe", -EINVAL, why, sizeof(why));
    assert_non_null(strstr(why, "below/pipe is no regular file; it belongs to root (user 0)"));
}

/* fdopendir needs memory. */
static bool no_lists;
DIR *__real_fdopendir(int descriptor);
DIR *__wrap_fdopendir(int descriptor);
DIR *__wrap_fdopendir(int descriptor)
{
    if (!no_lists)
        return __real_fdopendir(descriptor);
    errno = ENOMEM;
    return NULL;
}

static void test_no_leak(void **state)
{
    int next = dup(folder);
    (void)state;
    close(next);
    no_lists = true;
    assert_null(omptape_beneath_list(folder, "below"));
    assert_int_equal(errno, ENOMEM);
    no_lists = false;
    assert_null(omptape_beneath_list(folder, "way"));
    assert_null(omptape_beneath_list(folder, "pipe"));
    DIR *entries = omptape_beneath_list(folder, "below");
    assert_non_null(entries);
    closedir(entries);
    assert_int_equal(omptape_beneath_open_file(folder, "below/pipe"), -EINVAL);
    int after = dup(folder);
    assert_int_equal(after, next);
    close(after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_base, remove_base)
static int run(const char *name)
{
    const struct CMUnitTest tests[] = {TEST(test_reading), TEST(test_writing), TEST(test_folders),
                                       TEST(test_links),   TEST(test_others),  TEST(test_no_leak)};
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

/* As kernels before 5.6 answer. */
static int run_without_openat2(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NUMBER_OF_OPENAT2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        print_message("no seccomp: not tried without openat2\n");
        return 0;
    }
    return run("without openat2");
}

int main(void)
{
    int failed = run("beneath");
    return failed + run_without_openat2();
}
