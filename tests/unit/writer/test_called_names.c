/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names by which the program called a library's functions: a forked child looks them up and exports them, and
 * then its parent knows them without reading symbols.
 */
#include "writers/regions/contexts.h"

#include "src/core/text_file.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_FRAMES = 32 };

/* Path of the last call of `compare`, innermost first. */
static void *frames[MAX_FRAMES];
static int frame_count;

static int compare(const void *a, const void *b)
{
    (void)a, (void)b;
    frame_count = backtrace(frames, MAX_FRAMES);
    return 0;
}

static const void *module_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* Returns the return address of a call of qsort in this program. */
static uint64_t call_library(void)
{
    int list[2] = {0};
    int i = 1;
    qsort(list, 2, sizeof(list[0]), compare);
    while (i < frame_count && module_of(frames[i]) != module_of(frames[0]))
        i++;
    assert_in_range(i, 2, frame_count - 1);
    return (uint64_t)(uintptr_t)frames[i];
}

static uint64_t find_in_library(void)
{
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    return (uint64_t)(uintptr_t)dlsym(library, "qsort") + 1;
}

static OTF2_CallingContextRef add_frame(struct omptape_contexts *contexts, OTF2_CallingContextRef parent,
                                        uint64_t address)
{
    const struct omptape_code_address frame = {.address = address};
    return omptape_contexts_child(contexts, parent,
                                  omptape_rows_number(&contexts->frames, &frame, sizeof(frame)));
}

static void free_contexts(struct omptape_contexts *contexts)
{
    omptape_rows_free(&contexts->tree);
    omptape_rows_free(&contexts->frames);
    omptape_arena_free(&contexts->arena);
    omptape_hash_free(&contexts->calls);
    omptape_sources_free(&contexts->sources);
}

static struct omptape_symbols *read_symbols(void)
{
    static char maps[1 << 18];
    const ssize_t bytes = omptape_read_text(AT_FDCWD, "/proc/self/maps", maps, sizeof(maps));
    struct omptape_symbols *symbols;
    assert_true(bytes > 0);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, maps, (size_t)bytes), 0);
    return symbols;
}

static void test_from_child(void **state)
{
    static struct omptape_writer writer;
    static struct omptape_writer child;
    struct omptape_contexts contexts[2] = {{.resolved = 0}, {.symbols_only = true}};
    const uint64_t addresses[] = {call_library(), find_in_library()};
    OTF2_CallingContextRef caller;
    OTF2_CallingContextRef called;
    (void)state;
    writer.contexts = &contexts[0];
    child.contexts = &contexts[1];
    child.symbols = read_symbols();
    for (unsigned i = 0; i < 2; i++) {
        caller = add_frame(&contexts[i], OTF2_UNDEFINED_CALLING_CONTEXT, addresses[0]);
        called = add_frame(&contexts[i], caller, addresses[1]);
    }
    const struct omptape_context *inner = omptape_contexts_get(&contexts[0], called);
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0);
    omptape_contexts_resolve(&child, fd);
    assert_null(omptape_contexts_called_name(&contexts[0], inner));
    omptape_contexts_import(&contexts[0], fd);
    assert_int_equal(contexts[0].resolved, 2);
    assert_string_equal(omptape_contexts_called_name(&contexts[0], inner), "qsort");
    assert_null(omptape_contexts_called_name(&contexts[0], omptape_contexts_get(&contexts[0], caller)));
    /* Nothing is left to look up: the writer has no symbols here. */
    contexts[0].symbols_only = true;
    omptape_contexts_resolve(&writer, -1);
    assert_string_equal(omptape_contexts_called_name(&contexts[0], inner), "qsort");
    close(fd);
    omptape_symbols_destroy(child.symbols);
    free_contexts(&contexts[0]);
    free_contexts(&contexts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_from_child)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
