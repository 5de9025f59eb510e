/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the records about code that was loaded while the program ran, with each way to recognise it.
 * Run by CTest as unit.module; MODULE_ONE and MODULE_TWO are libraries that differ in nothing but their
 * names.
 */
#include "callbacks/module.c" /* its own names: find_object, table_lock */
#include "tests/unit/session_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct session session;
static struct omptape_slot *slot;

static int begin(void **state)
{
    session_open(&session, 16);
    slot = session_new_thread();
    omptape_module_start();
    if (*state != NULL)
        atomic_store(&find_object, NULL); /* as with an older libc */
    return slot != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    session_close(&session);
    return 0;
}

/* The next MODULE record's path, or NULL; good until the next call. */
static const char *next_path(void)
{
    const struct omptape_record *record;
    while ((record = session_next(&session, session_stream(&session, slot->index))) != NULL)
        if (record->kind == OMPTAPE_MODULE)
            return (const char *)&record->p[3];
    return NULL;
}

static void *load(const char *path, uintptr_t *address)
{
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    *address = (uintptr_t)dlsym(library, "here");
    assert_true(*address != 0);
    return library;
}

static void libraries_in_turn(void **state)
{
    (void)state;
    static const char *const paths[] = {MODULE_ONE, MODULE_TWO};
    uintptr_t first = 0;
    for (int i = 0; i < 6; i++) {
        uintptr_t address;
        void *library = load(paths[i % 2], &address);
        first = first != 0 ? first : address;
        if (address != first && getenv("OMPTAPE_TEST_EMULATED") != NULL)
            skip(); /* the emulator gives no address twice */
        assert_true(address == first);
        omptape_module_check(slot, address);
        assert_string_equal(next_path(), paths[i % 2]);
        omptape_module_check(slot, address);
        omptape_module_check(slot, address + 1);
        assert_null(next_path());
        dlclose(library);
    }
}

/* Another thread has recorded it, or the code that was at its address in between. */
static void threads_share_what_was_told(void **state)
{
    (void)state;
    struct omptape_slot *one = slot;
    uintptr_t address;
    void *library = load(MODULE_ONE, &address);
    omptape_module_check(one, address);
    assert_string_equal(next_path(), MODULE_ONE);
    slot = session_new_thread();
    omptape_module_check(slot, address);
    assert_null(next_path());
    dlclose(library);
    library = load(MODULE_TWO, &address);
    omptape_module_check(slot, address);
    assert_string_equal(next_path(), MODULE_TWO);
    dlclose(library);
    library = load(MODULE_ONE, &address);
    slot = one;
    omptape_module_check(slot, address);
    assert_string_equal(next_path(), MODULE_ONE);
    dlclose(library);
}

/* A handler comes while the thread itself changes the table: it records what it saw, and leaves the table
 * alone. */
static void in_the_midst_of_a_change(void **state)
{
    (void)state;
    uintptr_t address;
    void *library = load(MODULE_ONE, &address);
    assert_false(atomic_flag_test_and_set(&table_lock));
    omptape_module_check(slot, address);
    assert_string_equal(next_path(), MODULE_ONE);
    assert_int_equal(atomic_load(&module_count), 0);
    assert_true(slot->last_module == 0);
    atomic_flag_clear(&table_lock);
    omptape_module_check(slot, address);
    assert_string_equal(next_path(), MODULE_ONE);
    assert_int_equal(atomic_load(&module_count), 1);
    dlclose(library);
}

static void main_program_is_not_told_of(void **state)
{
    (void)state;
    omptape_module_check(slot, (uintptr_t)&main_program_is_not_told_of);
    assert_null(next_path());
    assert_true((uintptr_t)&main_program_is_not_told_of - omptape_main_code.begin < omptape_main_code.bytes);
    assert_int_equal(atomic_load(&module_count), 0);
}

/* The kernel knows which file it was; the folder may be another one by now. */
static void relative_names_become_absolute(void **state)
{
    (void)state;
    char folder[] = MODULE_ONE;
    uintptr_t address;
    char name[64];
    char *slash = strrchr(folder, '/');
    *slash = '\0';
    assert_true(snprintf(name, sizeof(name), "./%s", slash + 1) < (int)sizeof(name));
    assert_int_equal(chdir(folder), 0);
    void *library = load(name, &address);
    assert_int_equal(chdir("/"), 0);
    omptape_module_check(slot, address);
    assert_string_equal(next_path(), MODULE_ONE);
    dlclose(library);
}

static void code_without_a_file(void **state)
{
    (void)state;
    omptape_module_check(slot, 4096);
    assert_string_equal(next_path(), "");
    omptape_module_check(slot, 4096 + 8);
    assert_null(next_path());
}

#define TESTS(way)                                                                                           \
    {"libraries_in_turn", libraries_in_turn, begin, end, way},                                               \
        {"threads_share_what_was_told", threads_share_what_was_told, begin, end, way},                       \
        {"in_the_midst_of_a_change", in_the_midst_of_a_change, begin, end, way},                             \
        {"main_program_is_not_told_of", main_program_is_not_told_of, begin, end, way},                       \
        {"relative_names_become_absolute", relative_names_become_absolute, begin, end, way},                 \
    {                                                                                                        \
        "code_without_a_file", code_without_a_file, begin, end, way                                          \
    }

int main(void)
{
    static char older[] = "older";
    const struct CMUnitTest tests[] = {TESTS(NULL), TESTS(older)};
    return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
