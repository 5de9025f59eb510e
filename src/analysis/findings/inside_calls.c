/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the program's own function in a call path, what it called, and what that is, and writes it as text
 * (inside.h). Called by inside.c, the findings and the command.
 */
#include "src/analysis/findings/inside.h"

#include "src/archive/read/regions.h"
#include "src/core/short_names.h"
#include "src/core/words.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <string.h>

static const char *string_at(const struct omptape_reader *reader, const struct omptape_definition *definition,
                             unsigned ref)
{
    const char *text = omptape_reader_string(reader, definition->refs[ref].id);
    return text != NULL ? text : "";
}

/* Returns true for a function of OpenMP's that the program called. Runtimes lie in any folder. */
static bool is_runtime_function(const struct omptape_inside_frame *frame)
{
    const char *library = omptape_base_name(frame->module);
    return omptape_starts_with(frame->function, "omp_") &&
           (omptape_starts_with(library, "libomp") || omptape_starts_with(library, "libgomp") ||
            omptape_starts_with(library, "libiomp"));
}

/* Returns true for a function of the C library or of the compiler's. */
static bool is_usual_library(const struct omptape_inside_frame *frame)
{
    static const char *const usual[] = {"libc.",    "libc-",    "libpthread", "libstdc++",
                                        "libgcc_s", "ld-linux", NULL};
    return omptape_starts_with_one_of(omptape_base_name(frame->module), usual);
}

/* Returns true for code without a symbol of a library that comes with the compiler. */
static bool is_nameless_part(const struct omptape_inside_frame *frame)
{
    static const char *const libraries[] = {"[libstdc++", "[libgcc_s", "[libgfortran",
                                            "[libc.",     "[libc-",    NULL};
    return omptape_starts_with_one_of(frame->function, libraries);
}

/* Returns true for a function of the compiler's or the C library that was linked into the program, where it
 * has no line, as __umodti3. Of the program's functions only what compilers name begins with "__": procedures
 * of gfortran's modules, target regions, nvc's parallel regions, and initialisers. */
static bool is_linked_in(const struct omptape_inside_frame *frame)
{
    static const char *const starts[] = {"__", "_Fortran", "Fortran::", NULL};
    static const char *const own[] = {"__omp_offloading_", "__nv_", "__static_initialization_",
                                      "__cxx_global_", NULL};
    return frame->line == 0 && omptape_starts_with_one_of(frame->function, starts) &&
           !omptape_starts_with_one_of(frame->function, own) && strstr(frame->function, "_MOD_") == NULL;
}

/* Returns true for a function of a system library, also of one that was linked into the program. */
static bool is_of_library(const struct omptape_inside_frame *frame)
{
    return omptape_is_system_path(frame->module) || is_linked_in(frame);
}

struct omptape_inside_frame omptape_inside_frame(const struct omptape_reader *reader,
                                                 const struct omptape_definition *context)
{
    enum { NAME, DESCRIPTION = 2, PARADIGM = 1 };
    const struct omptape_definition *function =
        omptape_reader_find(reader, OMPTAPE_DEF_REGION, context->refs[0].id);
    const struct omptape_definition *place =
        omptape_reader_find(reader, OMPTAPE_DEF_SOURCE_CODE_LOCATION, context->refs[1].id);
    struct omptape_inside_frame frame = {.function = NULL, .file = "", .module = ""};
    if (function == NULL)
        return frame;
    frame.function = string_at(reader, function, NAME);
    frame.line = place != NULL ? (uint32_t)place->value[0] : 0;
    frame.file = place != NULL ? string_at(reader, place, 0) : "";
    const bool is_construct = function->value[PARADIGM] == OTF2_PARADIGM_OPENMP;
    frame.module = is_construct ? "" : string_at(reader, function, DESCRIPTION);
    const bool is_mark = frame.function[0] == '[' && frame.module[0] != '/';
    frame.is_own = !is_construct && !is_mark && !is_of_library(&frame) &&
                   !omptape_is_system_path(frame.file) && !is_runtime_function(&frame);
    return frame;
}

const struct omptape_definition *omptape_inside_caller(const struct omptape_reader *reader,
                                                       const struct omptape_definition *context)
{
    return omptape_reader_find(reader, OMPTAPE_DEF_CALLING_CONTEXT, context->refs[2].id);
}

/* The frame of each mark, and what stands behind a call with it. */
static const struct {
    const char *frame;
    const char *text;
} marks[] = {[OMPTAPE_INSIDE_UNMARKED] = {OMPTAPE_FRAME_BLOCKED, ""},
             [OMPTAPE_INSIDE_RUNTIME] = {OMPTAPE_FRAME_RUNTIME, ""},
             [OMPTAPE_INSIDE_STOPPED] = {OMPTAPE_FRAME_STOPPED, ""},
             [OMPTAPE_INSIDE_SPINNING] = {OMPTAPE_FRAME_SPINNING, " (a loop that waits)"},
             [OMPTAPE_INSIDE_UPDATING] = {OMPTAPE_FRAME_UPDATING, " (an atomic update)"},
             [OMPTAPE_INSIDE_SHARING] = {OMPTAPE_FRAME_SHARING, " (a shared cache line)"},
             [OMPTAPE_INSIDE_FAR] = {OMPTAPE_FRAME_FAR, " (far apart in memory)"},
             [OMPTAPE_INSIDE_SCATTERED] = {OMPTAPE_FRAME_SCATTERED, " (scattered in memory)"},
             [OMPTAPE_INSIDE_DIVIDING] = {OMPTAPE_FRAME_DIVIDING, " (a division or square root)"},
             /* mark_made sets these: they have no frame. */
             [OMPTAPE_INSIDE_REDUCING] = {"", " (may be a reduction)"},
             [OMPTAPE_INSIDE_COPYING] = {"", " (may be a copy for each thread or task)"}};

/* Notes the mark at the end of a path. Returns false if the function is no mark. */
static bool take_mark(struct omptape_inside_call *call, const char *function)
{
    for (size_t i = 0; function[0] == '[' && i < sizeof(marks) / sizeof(marks[0]); i++)
        if (strcmp(function, marks[i].frame) == 0) {
            call->mark = (enum omptape_inside_mark)i;
            return true;
        }
    return false;
}

/* Returns true if the called function is a helper that users do not know: part of a header, or a copy or
 * comparison of bytes. Functions of the C++ library are helpers, but not those for memory and exceptions. */
static bool is_part_of_header(const struct omptape_inside_frame *called)
{
    static const char *const bytes[] = {"memcmp", "memcpy", "memmove", "memset", "bcmp", NULL};
    char name[OMPTAPE_INSIDE_NAME_BYTES];
    if (called->function == NULL || !is_of_library(called))
        return true;
    if (strstr(called->function, "::") != NULL)
        return !omptape_starts_with(called->function, "std::__throw_");
    omptape_inside_plain_name(called->function, name, sizeof(name));
    return omptape_is_one_of(name, bytes);
}

/* Returns true for code without a symbol that a library function with a name and of other libraries calls. */
static bool is_nameless(const struct omptape_inside_frame *frame, const struct omptape_inside_frame *called)
{
    return is_nameless_part(frame) || (frame->function[0] == '[' && !is_usual_library(called));
}

/* Keeps the library function that the program's own code calls, the outermost one. A function from a header,
 * compiled into the program, counts only if it calls no other library function. Nor does one without a name.
 */
static void take_called(struct omptape_inside_call *call, const struct omptape_inside_frame *frame)
{
    const bool has_name = call->called.function != NULL && call->called.function[0] != '[';
    if (has_name && is_nameless(frame, &call->called))
        return;
    if (is_of_library(frame) || is_part_of_header(&call->called))
        call->called = *frame;
}

/* Returns true if the frame is in a library that may stand for the program: the construct's, or outside of
 * constructs any but the compiler's. */
static bool is_in_library(const struct omptape_inside_frame *frame, const struct analysis_region *region)
{
    if (!omptape_is_system_path(frame->module) || is_usual_library(frame))
        return false;
    return region == NULL || (region->line == 0 && strcmp(frame->module, region->file) == 0);
}

/* Returns true if the program's own function, or its absence, says less than one of the library. */
static bool is_less(const struct omptape_inside_frame *own, const struct analysis_region *region)
{
    static const char *const installed[] = {"/usr/bin/", "/bin/", NULL};
    return own->line == 0 &&
           (region != NULL || own->function == NULL || omptape_starts_with_one_of(own->module, installed));
}

/* Returns the mark of what compilers may make of a construct's clauses by such a call. */
static enum omptape_inside_mark mark_of_clause(const struct omptape_inside_call *call)
{
    char name[OMPTAPE_INSIDE_NAME_BYTES] = "";
    if (call->called.function != NULL)
        omptape_inside_plain_name(call->called.function, name, sizeof(name));
    if (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0)
        return OMPTAPE_INSIDE_COPYING;
    return strcmp(name, "memset") == 0 || call->mark == OMPTAPE_INSIDE_UPDATING ? OMPTAPE_INSIDE_REDUCING
                                                                                : OMPTAPE_INSIDE_UNMARKED;
}

/* Returns true if the construct may have clauses for reductions, or for copies. */
static bool has_clause(enum omptape_region_kind kind, enum omptape_inside_mark mark)
{
    switch (kind) {
    case OMPTAPE_REGION_PARALLEL:
    case OMPTAPE_REGION_TEAMS:
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_SECTIONS:
    case OMPTAPE_REGION_SCOPE:
    case OMPTAPE_REGION_TASKLOOP:
        return true;
    case OMPTAPE_REGION_TASKGROUP:
    case OMPTAPE_REGION_REDUCTION:
        return mark == OMPTAPE_INSIDE_REDUCING;
    case OMPTAPE_REGION_TASK:
    case OMPTAPE_REGION_TASK_UNTIED:
    case OMPTAPE_REGION_TASK_CREATE:
    case OMPTAPE_REGION_TARGET:
    case OMPTAPE_REGION_TARGET_TASK:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_SINGLE:
        return mark == OMPTAPE_INSIDE_COPYING;
    default:
        return false;
    }
}

/* Returns true if the construct may be the sample's own, or begin in it. Other parallel regions may not. */
static bool is_near(const struct omptape_definition *construct, const struct analysis_region *region)
{
    const enum omptape_region_kind kind = construct->region->kind;
    enum { LINE = 2 };
    return region == NULL || region->line == construct->value[LINE] ||
           (kind != OMPTAPE_REGION_PARALLEL && kind != OMPTAPE_REGION_TEAMS);
}

/* Marks what the compiler may have made of clauses: it has the construct's line. A macro's body has it, too.
 */
static void mark_made(const struct omptape_reader *reader, const struct analysis_region *region,
                      struct omptape_inside_call *call)
{
    enum { FILE_NAME = 3, LINE = 2 };
    const enum omptape_inside_mark mark = mark_of_clause(call);
    if (mark == OMPTAPE_INSIDE_UNMARKED || call->own.line == 0)
        return;
    OMPTAPE_EACH_DEFINITION(construct, reader, OMPTAPE_DEF_REGION)
        if (construct->value[LINE] == call->own.line && has_clause(construct->region->kind, mark) &&
            is_near(construct, region) &&
            strcmp(string_at(reader, construct, FILE_NAME), call->own.file) == 0)
            call->mark = mark;
}

struct omptape_inside_call omptape_inside_call(const struct omptape_reader *reader,
                                               const struct omptape_definition *context,
                                               const struct analysis_region *region)
{
    struct omptape_inside_call call = {.mark = OMPTAPE_INSIDE_UNMARKED};
    struct omptape_inside_call library = {.own = {.function = NULL}};
    for (unsigned i = 0; context != NULL && i < OMPTAPE_INSIDE_MAX_FRAMES; i++) {
        const struct omptape_inside_frame frame = omptape_inside_frame(reader, context);
        if (frame.function == NULL)
            break;
        if (frame.is_own) {
            call.own = frame;
            break;
        }
        if (library.own.function == NULL && is_in_library(&frame, region)) {
            library = call;
            library.own = frame;
        }
        if (!take_mark(&call, frame.function))
            take_called(&call, &frame);
        context = omptape_inside_caller(reader, context);
    }
    if (library.own.function != NULL && is_less(&call.own, region))
        call = library;
    /* A function from a header that reads the flag is the waiting loop itself. */
    if (call.mark == OMPTAPE_INSIDE_SPINNING &&
        !omptape_is_system_path(call.called.module != NULL ? call.called.module : ""))
        call.called.function = NULL;
    mark_made(reader, region, &call);
    return call;
}

const char *omptape_inside_plain_name(const char *function, char *text, size_t bytes)
{
    static const char *const variants[] = {"_avx",   "_sse", "_evex",  "_erms",       "_unaligned", "_rtm",
                                           "_asimd", "_fma", "_ifunc", "_l_internal", "_internal"};
    static const char *const prefixes[] = {"libc_", "isoc99_", "isoc23_"};
    static const char *const kept[] = {"__cxa_", "__gxx_", "__dynamic", "__kmp", "_ZN", "__builtin", NULL};
    const char *name = omptape_starts_with(function, "__GI_") ? function + strlen("__GI_") : function;
    name = omptape_starts_with(name, "_IO_") ? name + strlen("_IO_") : name;
    const bool is_plain = name[0] != '_' || name[1] != '_' || strstr(name, "::") != NULL ||
                          omptape_starts_with_one_of(name, kept);
    if (strcmp(name, "[[vdso]]") == 0) /* all functions that programs call in it */
        name = "clock_gettime or gettimeofday";
    if (is_plain) {
        char plain[OMPTAPE_SHORT_NAME_BYTES];
        (void)omptape_short_name_of_function(name, plain);
        plain[strcspn(plain, "@")] = '\0'; /* cut off the symbol's version */
        snprintf(text, bytes, "%s", plain);
        return text;
    }
    name += strspn(name, "_");
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (omptape_starts_with(name, prefixes[i]))
            name += strlen(prefixes[i]);
    size_t length = strcspn(name, "@");
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const char *at = strstr(name, variants[i]);
        length = at != NULL && (size_t)(at - name) < length ? (size_t)(at - name) : length;
    }
    snprintf(text, bytes, "%.*s", (int)length, name);
    return text;
}

/* Writes " (libblas)" for a library other than the C library and the compiler's. */
static void describe_module(const struct omptape_inside_frame *frame, char *text, size_t bytes)
{
    const char *name = omptape_base_name(frame->module);
    const char *end = strstr(name, ".so");
    text[0] = '\0';
    if (end != NULL && !is_usual_library(frame) && omptape_is_system_path(frame->module) &&
        frame->function[0] != '[')
        snprintf(text, bytes, " (%.*s)", (int)(end - name), name);
}

/* Writes "code of libfoo" for code of a library without a symbol, "[libfoo.so.1]". */
static void describe_function(const char *function, char *text, size_t bytes)
{
    const char *end = function[0] == '[' ? strstr(function, ".so") : NULL;
    const char *build = end != NULL ? strstr(function, ".cpython-") : NULL; /* Python's part of the name */
    if (end == NULL)
        snprintf(text, bytes, "%s", function);
    else
        snprintf(text, bytes, "code of %.*s", (int)((build != NULL ? build : end) - function - 1),
                 function + 1);
}

static void describe_place(const struct omptape_inside_frame *frame, char *text, size_t bytes)
{
    char name[OMPTAPE_SHORT_NAME_BYTES];
    omptape_short_name_of_function(frame->function, name);
    if (frame->line > 0)
        snprintf(text, bytes, "%s @%s:%u", name, omptape_base_name(frame->file), frame->line);
    else
        describe_function(name, text, bytes);
}

const char *omptape_inside_describe(const struct omptape_inside_call *call, char *text, size_t bytes)
{
    char name[OMPTAPE_INSIDE_NAME_BYTES] = "";
    char module[OMPTAPE_INSIDE_NAME_BYTES] = "";
    char place[2 * OMPTAPE_INSIDE_NAME_BYTES] = "";
    const bool calls = call->called.function != NULL && call->mark != OMPTAPE_INSIDE_SPINNING;
    if (call->own.function != NULL)
        describe_place(&call->own, place, sizeof(place));
    if (calls) {
        char plain[OMPTAPE_INSIDE_NAME_BYTES];
        describe_function(omptape_inside_plain_name(call->called.function, plain, sizeof(plain)), name,
                          sizeof(name));
        describe_module(&call->called, module, sizeof(module));
    } else if (call->mark == OMPTAPE_INSIDE_RUNTIME) {
        snprintf(name, sizeof(name), "the OpenMP runtime");
    }
    snprintf(text, bytes, "%s%s%s%s%s", name, module, name[0] != '\0' && place[0] != '\0' ? " from " : "",
             place, marks[call->mark].text);
    if (text[0] == '\0')
        snprintf(text, bytes, "unknown code");
    return text;
}
