/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds, by samples, library functions that take a large part of a construct and can be avoided, and loops
 * that wait. A computing kernel is no finding. Called by findings.c and sentences.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/analysis/serial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finding needs this share of the construct's samples and at least MIN_SAMPLES. The construct needs
 * 1/INVERSE_MIN_SHARE of all samples. */
static const double min_share = 0.3;
static const double min_copied = 0.15; /* by a construct, as of firstprivate */
static const double min_spun = 0.1;
enum { MIN_SAMPLES = 15, INVERSE_MIN_SHARE = 20 };

/* Functions of one kind that programs call too often. Texts that are not set are NULL. */
struct function_family {
    enum omptape_finding_kind kind;
    enum omptape_inside_mark mark; /* also paths with this mark, whose functions are of no other family */
    bool locks;                    /* its functions take a lock that all threads share */
    const char *names;             /* separated by '|'; a '*' at the end of a name matches any rest */
    const char *what;              /* what the functions do, unless the name explains it */
    const char *proposal;
    /* The same where one thread works, if it is different there. */
    const char *what_alone;
    const char *proposal_alone;
};

/* Begin of the names of a text's functions. Those that only read the text are of no family. */
#define TEXT "std::__cxx11::basic_string<..>::"

static const struct function_family families[] = {
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "strlen|strnlen|strcmp|strncmp|strchr|strrchr|strstr|strcat|strcpy|strtok*",
     .proposal = "what it returns does not change from one iteration to the next as a rule: call it once, "
                 "before the loop; of a text that grows keep its end"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .locks = true,
     .names = "rand|random|drand48|lrand48|mrand48",
     .what = "its state and its lock are one for all threads",
     .proposal = "a generator for each thread: rand_r, erand48, or std::mt19937 in a private variable"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "__cxa_*|_Unwind_*|__gxx_personality*|std::__throw_*",
     .what = "a thrown exception is searched for in the program's tables",
     .proposal = "return a value where that is the usual case; throw where it is an error"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "clock_gettime*|gettimeofday|time|clock|std::chrono::*|omp_get_wtime*",
     .proposal = "ask for the time less often"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .locks = true,
     .names = "localtime*|gmtime*|mktime|strftime*|ctime*|tzset*|tz_convert",
     .what = "the time zone has one lock for all threads",
     .proposal = "keep the last result in each thread, and change only what differs from it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::random_device::*|getrandom|getentropy|arc4random*",
     .what = "each number comes from the processor's or the kernel's source of entropy",
     .proposal = "a generator for each thread (std::mt19937, rand_r) with such a number as its seed"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "getenv|secure_getenv|setenv|putenv",
     .proposal = "ask once, before the loop"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "omp_get_*|omp_in_*",
     .proposal = "ask once, before the loop"},
    {.kind = OMPTAPE_FINDING_SPIN,
     .names = "omp_test_lock*|omp_test_nest_lock*",
     .proposal =
         "omp_set_lock, which waits in the runtime; hold the lock for less, use several, or sum up in "
         "each thread and join at the end"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .locks = true,
     .names = "printf|fprintf|vprintf|vfprintf|puts|fputs|putc|fputc|putchar|fwrite",
     .what = "a stream has one buffer and one lock for all threads",
     .proposal = "write into a buffer of each thread, and that at once at the end",
     .what_alone = "one thread makes the text and writes it",
     .proposal_alone = "let threads make the texts of parts, and write these in order; or write binary data"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .locks = true,
     .names = "getc|fgetc|getchar|ungetc|getwc|fgetwc|getline|getdelim|fgets",
     .what = "each call locks the stream, for a character or a line",
     .proposal = "read larger pieces (fread, or mmap), or without locks (getc_unlocked)"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::regex_match<..>|std::regex_search<..>|std::regex_replace<..>|std::regex_iterator<..>*|"
              "std::__detail::_Executor<..>*|regexec",
     .what = "each match follows the expression step by step",
     .proposal = "search for fixed parts by hand first (find, from_chars), or take a library that makes code "
                 "of it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "mbstowcs|wcstombs|mbsrtowcs|wcsrtombs|mbrtowc|wcrtomb|iconv*",
     .what = "text is converted from one encoding to another",
     .proposal = "convert it once, before the loop, and keep it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "tls_get_addr",
     .what = "each access looks up where a library's thread-local variable is",
     .proposal = "pass a pointer to it, taken once before the loop; or compile the library with "
                 "-ftls-model=initial-exec"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "fflush|std::endl<..>|std::flush<..>|std::ostream::flush|std::basic_ostream<..>::flush",
     .what = "each one writes the stream's buffer out",
     .proposal = "'\\n' in place of std::endl, and flush at the end"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "snprintf|sprintf|vsnprintf|vsprintf|sscanf|vsscanf|strtod|strtof|strtol|strtoul|strtoll|"
              "atof|atoi|atol|std::to_string|std::__cxx11::to_string|std::sto*|std::__cxx11::sto*|"
              "std::ostream::*|std::istream::*|std::basic_ostream<..>::*|std::basic_istream<..>::*|"
              "std::__cxx11::basic_ostringstream<..>*|std::__cxx11::basic_istringstream<..>*|"
              "std::__cxx11::basic_stringstream<..>*|std::operator<<<..>|std::operator>><..>|"
              "std::__ostream_insert<..>",
     .what = "text is made of values, or values of text",
     .proposal = "do it less often, or with less: std::to_chars and std::from_chars need no locale; one "
                 "stream that is kept; binary data"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .locks = true,
     .names = "_gfortran_st_*|_gfortran_transfer_*|[libgfortran*|_FortranAio*",
     .what = "the Fortran library reads or writes, as far as its names tell",
     .proposal = "read or write whole arrays at once, less often, or unformatted"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::locale::*|std::__cxx11::locale::*|setlocale|newlocale|std::use_facet<..>|"
              "std::toupper<..>|std::tolower<..>|std::isspace<..>|std::isalpha<..>|std::isdigit<..>|"
              "std::isalnum<..>",
     .what = "a locale is made, or searched through, each time",
     .proposal = "make it once, before the loop"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::map<..>::*|std::multimap<..>::*|std::set<..>::*|std::_Rb_tree<..>::*|"
              "std::unordered_map<..>::*|std::unordered_set<..>::*|std::_Hashtable<..>::*|std::_Hash_bytes|"
              "std::__detail::_Map_base<..>*|std::unordered_multimap*",
     .what = "a value is searched for by its key",
     .proposal = "fewer searches: keep what was found, or number the keys and use an array; a hash table in "
                 "place of a tree"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::vector<..>::vector|std::vector<..>::~vector|std::vector<..>::operator=|"
              "std::deque<..>::deque|std::__cxx11::list<..>::list|std::map<..>::map|std::set<..>::set|"
              "std::unordered_map<..>::unordered_map|std::unordered_set<..>::unordered_set",
     .what = "a container is made or copied each time, with memory for its elements",
     .proposal = "pass it by reference (const &), or move it; make one before the loop or in each thread, "
                 "and reuse it",
     .what_alone = "one thread makes containers and fills them, or copies them",
     .proposal_alone = "pass them by reference (const &), or move them; what is large and made once may be "
                       "filled in parallel, by the threads that use it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::vector<..>::erase|std::vector<..>::insert|std::vector<..>::emplace",
     .what = "elements behind the place move each time",
     .proposal = "add and take at the end (push_back, pop_back), or use a std::deque; remove many at once "
                 "(std::remove_if)"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::_Sp_counted_base<..>*|std::__shared_count<..>*|std::shared_ptr<..>::shared_ptr*|"
              "std::shared_ptr<..>::~shared_ptr|std::shared_ptr<..>::operator=*|std::shared_ptr<..>::reset*|"
              "std::__shared_ptr<..>::__shared_ptr*|std::__shared_ptr<..>::~__shared_ptr|"
              "std::__shared_ptr<..>::operator=*|std::__shared_ptr<..>::reset*",
     .what = "all threads change one count atomically, with each copy of the pointer",
     .proposal = "pass it by reference, or make one copy for each thread"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names =
         "std::operator+<..>|" TEXT "basic_string*|" TEXT "~basic_string|" TEXT "append*|" TEXT
         "assign*|" TEXT "insert*|" TEXT "operator=*|" TEXT "operator+=|" TEXT "push_back|" TEXT
         "replace*|" TEXT "reserve|" TEXT "resize|" TEXT "substr|" TEXT "_M_append|" TEXT "_M_assign|" TEXT
         "_M_construct*|" TEXT "_M_create|" TEXT "_M_dispose|" TEXT "_M_mutate|" TEXT "_M_replace*",
     .what = "texts are copied and joined, with memory for each",
     .proposal = "append to one text that is kept, with reserve(); pass parts as std::string_view"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "pthread_rwlock_*|std::shared_mutex::*",
     .what = "each reader changes the lock, too, which all threads share",
     .proposal = "take it less often: once before the loop, or read a copy in each thread"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "std::__cxx11::basic_regex<..>::*|std::__detail::_Compiler<..>*",
     .what = "the expression is compiled each time",
     .proposal = "make it once, before the loop"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "dlopen*|dlsym|dlvsym",
     .proposal = "look it up once, before the loop"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "__dynamic_cast",
     .what = "the cast is searched for in the tables of classes",
     .proposal = "a virtual function, or a kind that each object knows"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "pthread_create*|std::thread::*|pthread_join*",
     .what = "a thread begins and ends for each piece of work",
     .proposal = "tasks of OpenMP, or threads that stay and take the pieces in turn"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "backtrace|backtrace_symbols*|unw_*",
     .what = "the callers are searched for in the tables of the program and its libraries",
     .proposal = "do it only where an error is reported"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "fesetround|fesetenv|feholdexcept|feupdateenv|feclearexcept|feenableexcept|fedisableexcept",
     .what = "the processor finishes all it does before its rounding or exceptions change",
     .proposal = "set it once, around the loop"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "fegetround|fegetenv|fegetexcept|fetestexcept",
     .proposal = "ask once, before the loop; for exceptions once after it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "memmove",
     .what = "memory is copied to where it may overlap",
     .proposal =
         "if it overlaps: keep where a list begins in place of moving it when its front is taken, and "
         "remove many at once; if not: copy less, or pass a pointer to it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "memcpy|mempcpy",
     .what = "memory is copied from one place to another",
     .proposal = "if the copy is only read, or what it is made of is not needed any more: pass a pointer, or "
                 "exchange the two pointers, in place of the copy; else copy only what changed",
     .what_alone = "one thread copies memory from one place to another",
     .proposal_alone = "if the copy is only read, or what it is made of is not needed any more: pass a "
                       "pointer, or exchange the two pointers, in place of the copy; if an array grows, by a "
                       "factor each time; else let threads copy parts"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "memset|bzero",
     .what = "memory is filled with one value",
     .proposal = "clear only what was used, or nothing that is written before it is read",
     .what_alone = "one thread fills memory with one value",
     .proposal_alone = "clear only what was used, or nothing that is written before it is read; else let the "
                       "threads that use it clear it"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "pow|powf|powl",
     .what = "a power of any exponent costs a logarithm and an exponential",
     .proposal = "if the exponent is a small whole number: multiply (x * x * x), or use squares of squares; "
                 "sqrt for 0.5 and cbrt for a third"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "hypot|hypotf|hypotl|cabs|cabsf|cabsl",
     .what = "a length is computed with care for very large and very small numbers",
     .proposal = "compare squares (x*x + y*y, std::norm), or take sqrt of these"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "fmod|fmodf|fmodl",
     .what = "a remainder is computed exactly",
     .proposal = "x - y * trunc(x / y), where x is not many times y and rounding is allowed"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "remainder|remainderf|remainderl|drem|dremf|dreml",
     .what = "a remainder to the nearest multiple is computed exactly",
     .proposal = "x - y * rint(x / y), where x is not many times y and rounding is allowed"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "umodti3|modti3|udivti3|divti3|udivmodti4|divmodti4|multi3|addtf3|subtf3|multf3|divtf3|"
              "trunctf*|extendsftf2|extenddftf2|floattitf|floatditf|floatsitf",
     .what = "numbers of 128 bits are computed by a function of the compiler's",
     .proposal = "64 bits (double, uint64_t) where they suffice; for a fixed modulus, Montgomery's or "
                 "Barrett's multiplication"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "popcountdi2|popcountsi2|extendhf*|extendbf*|truncsfhf2|truncdfhf2|truncsfbf2|"
              "truncdfbf2|floatundisf|floatundidf",
     .what = "a function of the compiler's does what most processors have an instruction for",
     .proposal = "-march=native, or the option of that instruction (-mpopcnt, -mf16c)"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "divdc3|divsc3|divxc3|divtc3",
     .what = "complex numbers are divided with care for infinite ones",
     .proposal = "multiply by the reciprocal, computed once; or -fcx-limited-range"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "muldc3|mulsc3|mulxc3|multc3",
     .what = "complex numbers are multiplied with care for infinite ones",
     .proposal = "-fcx-limited-range, where no number is infinite"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .names = "bid*|dpd_*",
     .what = "decimal numbers are computed by a function of the compiler's",
     .proposal = "whole numbers of the smallest unit (cents)"},
    {.kind = OMPTAPE_FINDING_ALLOCATION,
     .locks = true,
     .names = "malloc|free|calloc|realloc|posix_memalign|aligned_alloc|memalign|cfree|operator new*|"
              "operator delete*|_Znwm|_Znam|_ZdlPv*|_ZdaPv*",
     .proposal = "allocate once, before the loop or in each thread, and reuse it; or another allocator "
                 "(jemalloc, tcmalloc)"},
    {.kind = OMPTAPE_FINDING_SPIN,
     .mark = OMPTAPE_INSIDE_SPINNING,
     .names = "sched_yield|pthread_yield|thrd_yield",
     .proposal = "wait where the runtime knows of it, so that others can work meanwhile: a barrier, or tasks "
                 "with depend; if it is a lock, hold it for less"},
    {.kind = OMPTAPE_FINDING_SPIN,
     .locks = true,
     .names = "pthread_spin_lock|pthread_mutex_lock",
     .proposal = "a lock that is not OpenMP's: hold it for less, use several, or sum up in each thread and "
                 "join at the end"},
    {.kind = OMPTAPE_FINDING_ATOMIC,
     .mark = OMPTAPE_INSIDE_UPDATING,
     .what = "each takes much longer than other instructions",
     .proposal =
         "sum up in a variable of each thread, and update the shared one once at the end (reduction)"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .mark = OMPTAPE_INSIDE_REDUCING,
     .what = "a reduction clears a copy in each thread and adds it to the result, element by element",
     .proposal =
         "reduce fewer elements, or less often (one region around the steps); or let each thread own a "
         "part of the result"},
    {.kind = OMPTAPE_FINDING_HOT_FUNCTION,
     .mark = OMPTAPE_INSIDE_COPYING,
     .what = "firstprivate, copyin and the like copy whole variables",
     .proposal = "share what nobody changes, or pass a pointer to it; copy less often (one region around the "
                 "steps)"},
    {.kind = OMPTAPE_FINDING_FALSE_SHARING,
     .mark = OMPTAPE_INSIDE_SHARING,
     .what = "a thread reads from 64 bytes in which another thread writes other variables",
     .proposal = "compute in a local variable of each thread and store it once; or keep 128 bytes between "
                 "what threads write (alignas(128))"},
    {.kind = OMPTAPE_FINDING_STRIDE,
     .mark = OMPTAPE_INSIDE_FAR,
     .what = "each iteration goes on by 64 bytes or more, and uses at most 16 of each 64 bytes that come "
             "from memory",
     .proposal = "exchange the loops, so that the inner one goes through memory in order; or store together "
                 "what it uses together"},
    {.kind = OMPTAPE_FINDING_SCATTERED,
     .mark = OMPTAPE_INSIDE_SCATTERED,
     .what = "the order of the addresses is not the order of the index or pointers through which it reads or "
             "writes",
     .proposal = "sort the index, or store the data in the order of its use, so that what is used next lies "
                 "near"},
};
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static bool is_of(const struct function_family *family, const char *name)
{
    size_t length;
    for (const char *pattern = family->names; pattern != NULL && *pattern != '\0';
         pattern += length + (pattern[length] == '|')) {
        length = strcspn(pattern, "|");
        const bool is_start = pattern[length - 1] == '*';
        const size_t fixed = length - is_start;
        if (strncmp(name, pattern, fixed) == 0 && (is_start || name[fixed] == '\0'))
            return true;
    }
    return false;
}

static const struct function_family *family_of_mark(enum omptape_inside_mark mark)
{
    for (size_t i = 0; mark != OMPTAPE_INSIDE_UNMARKED && i < FAMILIES; i++)
        if (families[i].mark == mark)
            return &families[i];
    return NULL;
}

/* Returns true for what the compiler may have made of a construct's clauses. */
static bool is_of_clause(enum omptape_inside_mark mark)
{
    return mark == OMPTAPE_INSIDE_REDUCING || mark == OMPTAPE_INSIDE_COPYING;
}

static const struct function_family *family_of(const struct omptape_inside_call *call)
{
    enum { NAME_BYTES = 256 };
    char name[NAME_BYTES] = "";
    const struct function_family *of_mark = family_of_mark(call->mark);
    if (call->mark == OMPTAPE_INSIDE_SPINNING || is_of_clause(call->mark) || call->called.function == NULL)
        return of_mark;
    omptape_inside_plain_name(call->called.function, name, sizeof(name));
    for (size_t i = 0; i < FAMILIES; i++)
        if (is_of(&families[i], name))
            return &families[i];
    return of_mark;
}

const char *omptape_findings_function_proposal(const struct omptape_inside_call *call)
{
    const struct function_family *family = family_of(call);
    return family != NULL ? family->proposal : NULL;
}

const char *omptape_findings_lock_proposal(const struct omptape_inside_call *call)
{
    const struct function_family *family = family_of(call);
    return family != NULL && family->locks ? family->proposal : NULL;
}

/* A construct or serial part with enough samples. */
struct sampled_place {
    const struct analysis_region *region;
    const struct analysis_serial *serial;
    double threads; /* threads of a process that share it */
};

double omptape_findings_sampled_time(const struct analysis_state *state, uint64_t samples)
{
    const int64_t process = state->result->processes[0].number;
    return (double)samples * (double)omptape_reader_sample_period(state->reader, process) /
           state->ns_per_tick;
}

/* Returns the thread time of some of the place's samples. If samples were not taken by time (but by
 * instructions, for example), it is their share of the place's work. */
static double time_of(const struct analysis_state *state, const struct sampled_place *place, uint64_t samples,
                      uint64_t all)
{
    const double time = omptape_findings_sampled_time(state, samples);
    const uint64_t worked =
        place->serial != NULL ? place->serial->sum : omptape_analysis_worked(place->region->parts);
    return time > 0 ? time : (double)worked * (double)samples / (double)all;
}

static struct omptape_finding *add(struct analysis_findings *findings, enum omptape_finding_kind kind,
                                   const struct sampled_place *place)
{
    if (place->serial != NULL)
        return omptape_findings_add_serial(findings, kind, place->serial);
    struct omptape_finding *finding = omptape_findings_at(findings, kind, place->region);
    omptape_findings_set_worst(finding, &place->region->visits);
    return finding;
}

/* Returns true if the family is a problem only where several threads work. */
static bool needs_several(const struct function_family *family)
{
    return family->mark == OMPTAPE_INSIDE_UPDATING || family->mark == OMPTAPE_INSIDE_SHARING ||
           family->mark == OMPTAPE_INSIDE_REDUCING;
}

static void count_families(const struct omptape_inside *inside, uint64_t counts[FAMILIES])
{
    memset(counts, 0, FAMILIES * sizeof(*counts));
    for (uint32_t i = 0; i < inside->entry_count; i++) {
        const struct function_family *family = family_of(&inside->entries[i].call);
        if (family != NULL)
            counts[family - families] += inside->entries[i].count;
    }
}

/* Adds a finding for the family of functions with the largest share of the place. */
static void add_functions(struct analysis_findings *findings, const struct sampled_place *place,
                          const struct omptape_inside *inside)
{
    uint64_t counts[FAMILIES];
    size_t most = 0;
    const bool is_alone = place->threads < 2 || place->serial != NULL;
    count_families(inside, counts);
    for (size_t i = 0; i < FAMILIES; i++) {
        if (families[i].kind == OMPTAPE_FINDING_SPIN || (is_alone && needs_several(&families[i])))
            counts[i] = 0;
        most = counts[i] > counts[most] ? i : most;
    }
    const double share = (double)counts[most] / (double)inside->count;
    if (counts[most] < MIN_SAMPLES ||
        share < (families[most].mark == OMPTAPE_INSIDE_COPYING ? min_copied : min_share))
        return;
    struct omptape_finding *finding = add(findings, families[most].kind, place);
    finding->spent_wall = omptape_whole(time_of(findings->state, place, counts[most], inside->count) /
                                        place->threads / findings->state->result->at_once);
    finding->count = counts[most];
    finding->samples = inside->count;
}

/* Adds a finding for busy-waiting: loops of the program that wait, sched_yield, and locks that are not
 * OpenMP's. As for an imbalance, the gain is the sum of all waiting divided by the number of threads. */
static void add_spinning(struct analysis_findings *findings, const struct sampled_place *place,
                         const struct omptape_inside *inside)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < inside->entry_count; i++) {
        const struct function_family *family = family_of(&inside->entries[i].call);
        count += family != NULL && family->kind == OMPTAPE_FINDING_SPIN ? inside->entries[i].count : 0;
    }
    const double share = (double)count / (double)inside->count;
    if (count < MIN_SAMPLES || share < min_spun || place->threads < 2 || place->serial != NULL)
        return;
    struct omptape_finding *finding = add(findings, OMPTAPE_FINDING_SPIN, place);
    const double waited = time_of(findings->state, place, count, inside->count);
    finding->waited = finding->cost = omptape_whole(waited);
    finding->gain = finding->cost_wall = omptape_whole(waited / place->threads);
    finding->count = count;
    finding->samples = inside->count;
}

static void look_inside(struct analysis_findings *findings, const struct sampled_place *place)
{
    const struct analysis_state *state = findings->state;
    struct omptape_inside inside;
    if (!omptape_inside_gather(state->result, place->region, place->serial, &inside))
        return;
    if (inside.count >= MIN_SAMPLES) {
        add_functions(findings, place, &inside);
        add_spinning(findings, place, &inside);
    }
    omptape_inside_free(&inside);
}

/* Returns the sample count of the row's construct or serial part, created if necessary. Returns NULL if out
 * of memory. */
static uint64_t *count_of(struct omptape_pairs *counts, struct omptape_arena *arena,
                          const struct analysis_sampled *row)
{
    const uint64_t region = omptape_analysis_region_id(row->region);
    return row->serial != NULL
               ? omptape_pairs_obtain(counts, arena,
                                      1 + (omptape_analysis_region_id(row->serial->after) & UINT32_MAX),
                                      omptape_analysis_region_id(row->serial->before), sizeof(uint64_t))
               : omptape_pairs_obtain(counts, arena, 0, region, sizeof(uint64_t));
}

static struct sampled_place place_of(const struct analysis_state *state, const struct analysis_sampled *row)
{
    const struct omptape_analysis *result = state->result;
    struct sampled_place place = {.region = row->region, .serial = row->serial, .threads = 1};
    if (row->serial == NULL)
        place.threads = omptape_analysis_mean_threads(result);
    return place;
}

void omptape_findings_add_functions(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    struct omptape_pairs counts = {0};
    struct omptape_arena arena = {0};
    uint64_t all = 0;
    for (uint32_t i = 0; i < result->sampled_count && result->process_count > 0; i++) {
        const uint64_t count = result->sampled[i]->count - result->sampled[i]->waiting;
        uint64_t *sum = count_of(&counts, &arena, result->sampled[i]);
        all += count;
        if (sum != NULL)
            *sum += count;
    }
    /* Rows are sorted by size: each place is processed at its first row. */
    for (uint32_t i = 0; i < result->sampled_count; i++) {
        const struct analysis_sampled *row = result->sampled[i];
        uint64_t *sum = count_of(&counts, &arena, row);
        if (sum == NULL || *sum < MIN_SAMPLES || *sum < all / INVERSE_MIN_SHARE ||
            (row->serial == NULL && row->region == NULL))
            continue;
        *sum = 0;
        const struct sampled_place place = place_of(state, row);
        look_inside(findings, &place);
    }
    omptape_pairs_free(&counts);
    omptape_arena_free(&arena);
}

/* Returns the largest entry of the family with most samples, for this kind of finding; NULL: none. */
static const struct omptape_inside_entry *find_most(const struct omptape_inside *inside,
                                                    enum omptape_finding_kind kind)
{
    const struct omptape_inside_entry *most = NULL;
    uint64_t counts[FAMILIES];
    uint64_t max = 0;
    count_families(inside, counts);
    for (size_t i = 0; i < FAMILIES; i++)
        max = families[i].kind == kind && counts[i] > max ? counts[i] : max;
    for (uint32_t i = 0; i < inside->entry_count; i++) {
        const struct omptape_inside_entry *entry = &inside->entries[i];
        const struct function_family *family = family_of(&entry->call);
        if (family != NULL && family->kind == kind && counts[family - families] == max &&
            (most == NULL || entry->count > most->count))
            most = entry;
    }
    return most;
}

void omptape_describe_functions(struct analysis_state *state, struct omptape_finding *finding)
{
    const double nearly_all = 0.9;
    struct omptape_inside inside;
    char place[TEXT_BYTES / 2];
    if (!omptape_inside_gather(state->result, finding->region, finding->serial, &inside))
        return;
    const struct omptape_inside_entry *entry = find_most(&inside, finding->kind);
    if (entry != NULL && finding->kind == OMPTAPE_FINDING_SPIN) {
        struct omptape_inside_call call = entry->call;
        char name[TEXT_BYTES / 4];
        const char *how = call.mark == OMPTAPE_INSIDE_SPINNING
                              ? "a loop that only looks at memory until it changes"
                              : omptape_inside_plain_name(call.called.function, name, sizeof(name));
        finding->proposal = family_of(&call)->proposal;
        call.mark = OMPTAPE_INSIDE_UNMARKED;
        call.called.function = NULL;
        finding->text = omptape_sentence(
            state, "threads wait in %s at %s, about %s in all (%" PRIu64 " of %" PRIu64 " samples)", how,
            omptape_inside_describe(&call, place, sizeof(place)),
            omptape_time_text(state, (double)finding->waited), finding->count, finding->samples);
    } else if (entry != NULL) {
        const struct function_family *family = family_of(&entry->call);
        const bool is_alone = finding->serial != NULL && family->what_alone != NULL;
        const char *what = is_alone ? family->what_alone : family->what;
        const bool has_others = (double)entry->count < nearly_all * (double)finding->count;
        finding->text = omptape_sentence(
            state, "%s%s about %.0f %% of its time at work, %s (%" PRIu64 " of %" PRIu64 " samples)%s%s",
            omptape_inside_describe(&entry->call, place, sizeof(place)),
            has_others ? " and others like it take" : " takes",
            100 * (double)finding->count / (double)finding->samples,
            omptape_time_text(state, (double)finding->spent_wall), finding->count, finding->samples,
            what != NULL ? ": " : "", what != NULL ? what : "");
        finding->proposal = is_alone ? family->proposal_alone : family->proposal;
    }
    omptape_inside_free(&inside);
}
