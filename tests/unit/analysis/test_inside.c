/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of how functions of libraries, and what compilers make for constructs, are called for people
 * (src/analysis/findings/inside.c). Run by CTest on one thread.
 */
#include "src/analysis/findings/inside.h"

#include "src/analysis/findings/gathering.h"
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>

#include <string.h>

static void is_plain(const char *function, const char *expected)
{
    char text[64];
    assert_string_equal(omptape_inside_plain_name(function, text, sizeof(text)), expected);
}

/* Families of functions are found by these names. */
static void test_plain_names(void **state)
{
    (void)state;
    is_plain("__strlen_avx2", "strlen");
    is_plain("_IO_fwrite", "fwrite");
    is_plain("pthread_spin_lock@GLIBC_2.34", "pthread_spin_lock");
    is_plain("__GI___libc_malloc@@GLIBC_2.2.5", "malloc");
    is_plain("__cxa_throw", "__cxa_throw");
    is_plain("__isoc99_fscanf", "fscanf");
    is_plain("____strtod_l_internal", "strtod");
    is_plain("[[vdso]]", "clock_gettime or gettimeofday");
    is_plain("operator new(unsigned long)", "operator new");
    is_plain("__gnu_cxx::__enable_if<true, double>::__type std::sqrt<int>(int)", "std::sqrt<..>");
    is_plain("std::map<int, int, std::less<int> >::find(int const&)", "std::map<..>::find");
}

static void has_family(const char *function, bool expected)
{
    const struct omptape_inside_call call = {.called.function = function};
    assert_int_equal(omptape_findings_function_proposal(&call) != NULL, expected);
}

static void is_proposed(const char *function, const char *expected)
{
    const struct omptape_inside_call call = {.called.function = function};
    const char *proposal = omptape_findings_function_proposal(&call);
    assert_non_null(proposal);
    assert_ptr_equal(strstr(proposal, expected), proposal);
}

static void test_families(void **state)
{
    (void)state;
    has_family("__strlen_avx2", true);
    has_family("std::__throw_invalid_argument(char const*)", true);
    has_family("std::__cxx11::stoi(std::string const&, unsigned long*, int)", true);
    has_family("std::chrono::_V2::steady_clock::now()", true);
    has_family("std::operator+<char>(char const*, std::string const&)", true);
    has_family("___pthread_rwlock_rdlock", true);
    has_family("_IO_getc", true);
    has_family("omp_get_wtime", true);
    has_family("omp_test_lock", true);
    has_family("omp_set_lock", false);
    has_family("__tls_get_addr", true);
    has_family("char std::toupper<char>(char, std::locale const&)", true);
    has_family("std::random_device::_M_getval()", true);
    has_family("strftime", true);
    has_family("__umodti3", true);
    has_family("__popcountdi2", true);
    has_family("__bid64_add", true);
    has_family("backtrace", true);
    has_family("void std::vector<int, std::allocator<int> >::erase(int*)", true);
    has_family("std::__cxx11::basic_string<char>::_M_append(char const*, unsigned long)", true);
    has_family("void std::__cxx11::basic_string<char>::_M_construct<char*>(char*, char*)", true);
    has_family("std::__cxx11::basic_string<char>::substr(unsigned long, unsigned long) const", true);
    has_family("std::shared_ptr<int>::shared_ptr(std::shared_ptr<int> const&)", true);
    has_family("std::__shared_ptr<int>::~__shared_ptr()", true);
    has_family(
        "std::vector<int, std::allocator<int> >::vector(std::vector<int, std::allocator<int> > const&)",
        true);
    has_family("std::vector<int, std::allocator<int> >::at(unsigned long)", false);
    has_family("cabs", true);
    has_family("__hypot_finite", false);
    has_family("__fmod_fma", true);
    has_family("memmove", true);
    has_family("__memcpy_avx_unaligned", true);
    has_family("__memset_avx2_unaligned_erms", true);
    has_family("__memcmp_avx2_movbe", false);
    has_family("dgemm_", false);
    has_family("std::sin(float)", false);
    /* These only read: they copy no text, and change no count. */
    has_family("std::__cxx11::basic_string<char>::compare(unsigned long, char const*) const", false);
    has_family("std::__cxx11::basic_string<char>::find(char, unsigned long) const", false);
    has_family("std::__shared_ptr<int>::get() const", false);
    is_proposed("fesetround", "set it once");
    is_proposed("fegetround", "ask once");
    is_proposed("fetestexcept", "ask once");
    is_proposed("__divdc3", "multiply by the reciprocal");
    is_proposed("__muldc3", "-fcx-limited-range");
    is_proposed("__mulxc3", "-fcx-limited-range");
    is_proposed("__fmod_fma", "x - y * trunc(x / y)");
    is_proposed("__remainder", "x - y * rint(x / y)");
    is_proposed("remainderl", "x - y * rint(x / y)");
    is_proposed("memmove", "if it overlaps: ");
    is_proposed("__memcpy_avx_unaligned", "if the copy is only read");
    is_proposed("__memset_avx2_unaligned_erms", "clear only what was used");
    is_proposed("__pow_fma", "if the exponent is a small whole number");
}

static void has_lock(const char *function, bool expected)
{
    const struct omptape_inside_call call = {.called.function = function};
    assert_int_equal(omptape_findings_lock_proposal(&call) != NULL, expected);
}

/* A thread may sleep in these for another one that has their lock. */
static void test_locks(void **state)
{
    (void)state;
    has_lock("rand", true);
    has_lock("localtime_r", true);
    has_lock("_gfortran_st_write", true);
    has_lock("malloc", true);
    has_lock("rand_r", false);
    has_lock("clock_gettime", false);
    has_lock("__strlen_avx2", false);
}

static void has_proposal(const char *function, const char *expected)
{
    const char *proposal = omptape_findings_call_proposal(function);
    assert_non_null(proposal);
    assert_non_null(strstr(proposal, expected));
}

/* System calls that these functions make, or the locks of these, take time in the kernel. */
static void test_kernel_calls(void **state)
{
    (void)state;
    has_proposal("sigsetjmp", "mask of signals");
    has_proposal("fsync", "several records at once");
    has_proposal("dlsym", "look it up once");
    has_proposal("localtime_r", "last result");
    has_proposal("pthread_barrier_wait", "evenly");
    has_proposal("fseek", "in order");
    has_proposal("fread", "read ahead");
    has_proposal("sysconf", "ask once");
    has_proposal("stat", "ask once");
    has_proposal("clock", "time less often");
    has_proposal("clock_nanosleep", "sleeps by itself");
    has_proposal("getpwuid_r", "ask once");
    has_proposal("arc4random", "generator");
    has_proposal("getc", "read ahead");
    has_proposal("getcwd", "ask once");
    has_proposal("getcontext", "mask of signals");
    has_proposal("free", "allocate once");
    has_proposal("freeaddrinfo", "ask once");
    has_proposal("freelocale", "open it once");
    has_proposal("read", "read ahead");
    has_proposal("readdir", "open it once");
    has_proposal("malloc_trim", "keep the memory");
    has_proposal("newlocale", "open it once");
    has_proposal("_gfortran_st_close", "open it once");
    assert_null(omptape_findings_call_proposal("strlen"));
}

static void test_stems(void **state)
{
    (void)state;
    assert_int_equal(omptape_inside_stem("tf_Compute/12"), strlen("tf_Compute/"));
    assert_int_equal(omptape_inside_stem("worker"), strlen("worker"));
    assert_int_equal(omptape_inside_stem("42"), strlen("42"));
    assert_int_equal(omptape_inside_stem(""), 0);
}

/* A sample's call path, from the program's function on. Functions with a line are in the constructs' file. */
struct step {
    const char *function;
    unsigned line;
};
enum { MAX_STEPS = 2 };
static struct step path[MAX_STEPS];
static uint32_t path_length;

/* Constructs in that file. */
enum { LOOP = 20, AT_LOOP = 12, AT_CRITICAL, AT_TASK, AT_PARALLEL, AT_NONE, CONSTRUCTS = 4 };

static void define_region(OTF2_GlobalDefWriter *writer, uint32_t number, const char *name,
                          OTF2_RegionRole role, unsigned line)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + number, name));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(
        writer, LOOP + number, MAKE_STRINGS + number, MAKE_STRINGS + number, MAKE_EMPTY_STRING, role,
        number < CONSTRUCTS ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE,
        MAKE_SOME_STRING, line, 0));
}

static void define_path(OTF2_GlobalDefWriter *writer)
{
    define_region(writer, 0, "!$omp for @a.c:12", OTF2_REGION_ROLE_LOOP, AT_LOOP);
    define_region(writer, 1, "!$omp critical @a.c:13", OTF2_REGION_ROLE_CRITICAL, AT_CRITICAL);
    define_region(writer, 2, "!$omp task @a.c:14", OTF2_REGION_ROLE_TASK, AT_TASK);
    define_region(writer, 3, "!$omp parallel @a.c:15", OTF2_REGION_ROLE_PARALLEL, AT_PARALLEL);
    for (uint32_t i = 0; i < path_length; i++) {
        define_region(writer, CONSTRUCTS + i, path[i].function, OTF2_REGION_ROLE_FUNCTION, 0);
        make_succeed(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, i, MAKE_SOME_STRING, path[i].line));
        make_succeed(OTF2_GlobalDefWriter_WriteCallingContext(
            writer, i, LOOP + CONSTRUCTS + i, path[i].line > 0 ? i : OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
            i > 0 ? i - 1 : OTF2_UNDEFINED_CALLING_CONTEXT));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, 0, MAKE_EMPTY_STRING, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 1000000));
}

/* The path is sampled in the loop. */
static void is_described(const char *expected)
{
    char text[256];
    struct omptape_inside inside;
    check_make_folder(NULL);
    analysis_fixture_add(0, 1, "team 0");
    analysis_fixture_add(0, 1, "enter 1");
    analysis_fixture_add(0, 1, "enter %d", LOOP);
    analysis_fixture_add(0, 2, "sample %u", path_length - 1);
    analysis_fixture_add(0, 3, "leave %d", LOOP);
    analysis_fixture_add(0, 3, "leave 1");
    analysis_fixture_add(0, 3, "endteam 0");
    analysis_fixture_make_added((struct make_plan){.more = define_path});
    assert_true(omptape_inside_gather_all(analysis_fixture, &inside));
    assert_int_equal(1, inside.entry_count);
    assert_string_equal(expected, omptape_inside_describe(&inside.entries[0].call, text, sizeof(text)));
    omptape_inside_free(&inside);
    analysis_fixture_close();
    check_remove_folder(NULL);
}

/* "sum" at this line calls the function, or has the mark. */
static void is_called(const char *function, unsigned line, const char *expected)
{
    path[0] = (struct step){.function = "sum", .line = line};
    path[1] = (struct step){.function = function};
    path_length = 2;
    is_described(expected);
}

/* Two threads are in a loop for 100 ms, and for 60 of these in the kernel. Half of the samples of the other
 * 40 are in the call, however many were taken: what is lost is 80 ms. */
static void test_beside_kernel(void **state)
{
    (void)state;
    path[0] = (struct step){.function = "sum", .line = AT_NONE};
    path[1] = (struct step){.function = "__stat"};
    path_length = 2;
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, 0, "metric 0 1 1 1 1");
        analysis_fixture_add(thread, 0, "team 0");
        analysis_fixture_add(thread, 0, "enter 1");
        analysis_fixture_add(thread, 0, "enter %d", LOOP);
        for (unsigned i = 0; i < 8; i++)
            analysis_fixture_add(thread, 10000 * (i + 1), "sample %u", i % 2);
        analysis_fixture_add(thread, 100000, "leave %d", LOOP);
        analysis_fixture_add(thread, 100000, "leave 1");
        analysis_fixture_add(thread, 100000, "endteam 0");
        analysis_fixture_add(thread, 100001, "metric 0 100000000 1 60000000 10");
    }
    analysis_fixture_make_added((struct make_plan){.more = define_path});
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_SYSTEM_TIME).gain, 79000000, 81000000);
    analysis_fixture_close();
}

static void test_reduction(void **state)
{
    (void)state;
    is_called(OMPTAPE_FRAME_UPDATING, AT_LOOP, "sum @some text:12 (may be a reduction)");
    is_called("__memset_avx2", AT_LOOP, "memset from sum @some text:12 (may be a reduction)");
    is_called("__memset_avx2", AT_NONE, "memset from sum @some text:16");
}

static void test_copy(void **state)
{
    (void)state;
    is_called("__memcpy_avx2", AT_LOOP,
              "memcpy from sum @some text:12 (may be a copy for each thread or task)");
    is_called("__memmove_avx2", AT_TASK,
              "memmove from sum @some text:14 (may be a copy for each thread or task)");
    is_called("__memcmp_avx2", AT_LOOP, "memcmp from sum @some text:12");
}

/* The program's own, at lines of constructs without such clauses, or that the loop does not contain. */
static void test_atomic(void **state)
{
    (void)state;
    is_called(OMPTAPE_FRAME_UPDATING, AT_NONE, "sum @some text:16 (an atomic update)");
    is_called(OMPTAPE_FRAME_UPDATING, AT_CRITICAL, "sum @some text:13 (an atomic update)");
    is_called(OMPTAPE_FRAME_UPDATING, AT_TASK, "sum @some text:14 (an atomic update)");
    is_called(OMPTAPE_FRAME_UPDATING, AT_PARALLEL, "sum @some text:15 (an atomic update)");
    is_called("__memcpy_avx2", AT_CRITICAL, "memcpy from sum @some text:13");
}

enum { ATOMIC = 30 };

static void define_atomic(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "!$omp atomic @a.f90:9"));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(
        writer, ATOMIC, MAKE_STRINGS, MAKE_STRINGS, MAKE_EMPTY_STRING, OTF2_REGION_ROLE_ATOMIC,
        OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 9, 0));
}

static void hold_atomic(unsigned thread, uint64_t asked, uint64_t from, uint64_t to, unsigned order)
{
    analysis_fixture_add(thread, asked, "enter %d", ATOMIC);
    analysis_fixture_add(thread, from, "acquire 7 %u", order);
    analysis_fixture_add(thread, to, "release 7 %u", order);
    analysis_fixture_add(thread, to, "leave %d", ATOMIC);
}

/* An atomic region that is held for so long: one thread waits for the other. */
static void is_said_of_atomic(uint64_t hold_us, bool is_reduction)
{
    const uint64_t end = 3 * hold_us;
    check_make_folder(NULL);
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, 0, "team 0");
        analysis_fixture_add(thread, 0, "enter 1");
    }
    hold_atomic(0, 0, 0, hold_us, 1);
    hold_atomic(1, 0, hold_us, 2 * hold_us, 2);
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, end, "leave 1");
        analysis_fixture_add(thread, end, "endteam 0");
    }
    analysis_fixture_make_added((struct make_plan){.more = define_atomic});
    const struct omptape_finding *finding = analysis_fixture->findings;
    for (uint32_t i = 0; finding->kind != OMPTAPE_FINDING_LOCK; i++, finding++)
        assert_true(i + 1 < analysis_fixture->finding_count);
    assert_int_equal(strstr(finding->text, ": if gcc compiled it, most likely a reduction") != NULL,
                     is_reduction);
    assert_int_equal(strncmp(finding->proposal, "reduce fewer elements", 21) == 0, is_reduction);
    analysis_fixture_close();
    check_remove_folder(NULL);
}

/* gcc adds a thread's copy of an array to the result in such a region. */
static void test_atomic_reduction(void **state)
{
    (void)state;
    is_said_of_atomic(150, true);
    is_said_of_atomic(1, false);
}

static void is_own(const char *function)
{
    path[0] = (struct step){.function = function};
    path_length = 1;
    is_described(function);
}

/* Compilers give the program's code such names, too. */
static void test_underscores(void **state)
{
    (void)state;
    is_called("__umodti3", AT_NONE, "umodti3 from sum @some text:16");
    is_own("__omp_offloading_10302_5_main_l10");
    is_own("__nv_main_F1L10_2");
    is_own("__static_initialization_and_destruction_0");
    is_own("__solver_MOD_step");
    path[0] = (struct step){.function = "__umodti3"};
    path_length = 1;
    is_described("umodti3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_kernel_calls),
        cmocka_unit_test_setup_teardown(test_beside_kernel, check_make_folder, check_remove_folder),
        cmocka_unit_test(test_stems),
        cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_underscores),
        cmocka_unit_test(test_atomic_reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
