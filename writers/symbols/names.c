/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts symbol names to names as the user wrote them: removes what compilers append, and demangles.
 */
#include "writers/symbols/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* From libstdc++; declared here because its header, cxxabi.h, is C++. The name is its.
 * NOLINTNEXTLINE(readability-identifier-naming) */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Longer names are not demangled, because this is slow and the result unreadable. */
enum { MAX_MANGLED = 4096 };

/* Markers of the compiler's part in an outlined function's name. Names in C, C++ or Fortran have no dot. */
static const char *const outlined_marks[] = {
    ".omp_",      /* clang: foo.omp_outlined, foo.omp_outlined_debug__, .omp_outlined., .omp_task_entry. */
    ".omp.",      /* clang: .omp.reduction.reduction_func, .omp.copyprivate.copy_func */
    "._omp_",     /* gcc: foo._omp_fn.0, foo._omp_cpyfn.1 */
    ".extracted", /* icx, and LLVM's code extractor */
    ".DIR.OMP.",  /* icx */
};

/* Suffixes of functions that the compiler cloned or split, each possibly followed by a number. */
static const char *const clone_suffixes[] = {
    ".part",     ".constprop", ".isra", ".cold", ".lto_priv", ".llvm",  ".localalias",
    ".resolver", ".clone",     ".uniq", ".hot",  ".unlikely", ".split", ".specialized",
};

static const char *find_outlined_mark(const char *symbol)
{
    const char *first = NULL;
    for (size_t i = 0; i < sizeof(outlined_marks) / sizeof(*outlined_marks); i++) {
        const char *found = strstr(symbol, outlined_marks[i]);
        if (found != NULL && (first == NULL || found < first))
            first = found;
    }
    return first;
}

static size_t cut_digits(const char *symbol, size_t length)
{
    size_t n = length;
    while (n > 0 && isdigit((unsigned char)symbol[n - 1]))
        n--;
    return n > 0 && n < length && symbol[n - 1] == '.' ? n - 1 : length;
}

static size_t cut_suffix(const char *symbol, size_t length, const char *suffix)
{
    size_t n = strlen(suffix);
    return length > n && memcmp(symbol + length - n, suffix, n) == 0 ? length - n : length;
}

static size_t cut_clone_suffix(const char *symbol, size_t length)
{
    size_t cut = cut_digits(symbol, length);
    for (size_t i = 0; i < sizeof(clone_suffixes) / sizeof(*clone_suffixes); i++) {
        size_t n = cut_suffix(symbol, cut, clone_suffixes[i]);
        if (n < cut)
            return n;
    }
    return cut;
}

/* Demangles flang's names: _QMmoduleFhostPprocedure, _QPprocedure. Small letters: names, capitals: kinds. */
static char *read_flang(const char *symbol, size_t length)
{
    char *text = malloc(2 * length + 1);
    size_t out = 0;
    if (text == NULL)
        return NULL;
    for (size_t in = 2; in < length; in++) {
        if (!isupper((unsigned char)symbol[in])) {
            text[out++] = symbol[in];
        } else if (out > 0) {
            text[out++] = ':';
            text[out++] = ':';
        }
    }
    text[out] = '\0';
    return text;
}

/* Demangles gfortran's names: __module_MOD_procedure. */
static char *read_gfortran(const char *symbol, size_t length)
{
    char *text = strndup(symbol + 2, length - 2);
    char *mark = text != NULL ? strstr(text, "_MOD_") : NULL;
    if (mark != NULL) {
        memcpy(mark, "::", 2);
        memmove(mark + 2, mark + 5, strlen(mark + 5) + 1);
    }
    return text;
}

static char *demangle_name(const char *symbol, size_t length)
{
    if (length > MAX_MANGLED)
        return NULL;
    char *mangled = strndup(symbol, length);
    int status = -1;
    char *text = mangled != NULL ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    free(mangled);
    return text;
}

static bool starts_with(const char *text, size_t length, const char *prefix)
{
    size_t n = strlen(prefix);
    return length > n && memcmp(text, prefix, n) == 0;
}

bool omptape_name_is_outlined(const char *symbol)
{
    return find_outlined_mark(symbol) != NULL;
}

bool omptape_name_is_body(const char *symbol)
{
    static const char *const marks[] = {".omp_outlined", ".omp_task_entry", ".omp_par",
                                        "._omp_fn",      ".extracted",      ".DIR.OMP."};
    if (strstr(symbol, ".omp.") != NULL) /* "main.omp_outlined_debug__.omp.reduction.reduction_func" */
        return false;
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        if (strstr(symbol, marks[i]) != NULL)
            return true;
    return false;
}

size_t omptape_name_stem(const char *symbol)
{
    const char *mark = find_outlined_mark(symbol);
    size_t length = mark != NULL ? (size_t)(mark - symbol) : strlen(symbol);
    while (length > 0 && symbol[length - 1] == '.') /* flang: main..omp_par */
        length--;
    if (starts_with(symbol, length, "__omp_offloading_"))
        return cut_suffix(symbol, length, "_debug__");
    for (size_t cut; (cut = cut_clone_suffix(symbol, length)) < length;)
        length = cut;
    return length;
}

char *omptape_name_readable(const char *symbol, size_t length)
{
    char *text = NULL;
    if (starts_with(symbol, length, "_Z")) {
        text = demangle_name(symbol, length);
    } else if (starts_with(symbol, length, "_QM") || starts_with(symbol, length, "_QP") ||
               starts_with(symbol, length, "_QF") || starts_with(symbol, length, "_QQ")) {
        text = read_flang(symbol, length);
    } else if (starts_with(symbol, length, "__")) {
        const char *mark = strstr(symbol + 2, "_MOD_");
        if (mark != NULL && mark > symbol + 2 && mark + 5 < symbol + length)
            text = read_gfortran(symbol, length);
    }
    return text != NULL ? text : strndup(symbol, length);
}
