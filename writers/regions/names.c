/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves names and source positions of regions. Called when the definitions are written, and for each new
 * region if there is a filter (region_filter.c).
 */
#include "writers/regions/names.h"

#include "src/core/short_names.h"
#include "src/core/words.h"
#include "writers/regions/kinds.h"
#include "writers/regions/references.h"
#include "writers/regions/sites.h"
#include "writers/regions/sources.h"
#include "writers/symbols/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_fortran(const char *file)
{
    static const char *const endings[] = {".f",   ".F",   ".for", ".FOR", ".f77", ".F77",
                                          ".f90", ".F90", ".f95", ".F95", ".f03", ".F03",
                                          ".f08", ".F08", ".f18", ".F18", NULL};
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    return dot != NULL && omptape_is_one_of(dot, endings);
}

/* Writes "solver.c:42", for an instance of a template "solver.c:42 sweep<double>", else "function+0x1c",
 * else "libfoo.so+0x1234", else the bare address. A label takes the place of the instance. */
static void describe_site(const struct omptape_source *source, uint64_t site, bool labelled, char *text,
                          size_t bytes)
{
    char name[OMPTAPE_SHORT_NAME_BYTES] = "";
    if (source->file != NULL && source->line != 0) {
        bool instance =
            !labelled && source->function != NULL && omptape_short_name_of_instance(source->function, name);
        snprintf(text, bytes, "%s:%u%s%s", omptape_base_name(source->file), source->line, instance ? " " : "",
                 instance ? name : "");
    } else if (source->symbol != NULL) {
        omptape_short_name_of_symbol(source->symbol, name);
        snprintf(text, bytes, "%s+0x%llx", name, (unsigned long long)source->function_offset);
    } else if (source->module != NULL) {
        snprintf(text, bytes, "%s+0x%llx", omptape_base_name(source->module),
                 (unsigned long long)source->module_offset);
    } else {
        snprintf(text, bytes, "0x%llx", (unsigned long long)site);
    }
}

static enum omptape_region_kind whole_of(enum omptape_region_kind kind)
{
    return omptape_constructs[kind].whole != 0 ? omptape_constructs[kind].whole : kind;
}

/* Returns true if the address reported for the construct belongs to another construct. */
static bool is_of_other(const struct omptape_writer *writer, enum omptape_region_kind kind, uint64_t address)
{
    enum omptape_region_kind whole = whole_of(kind);
    bool alone =
        whole == OMPTAPE_REGION_TASK || whole == OMPTAPE_REGION_LOOP || omptape_region_is_own_call(whole);
    return omptape_symbols_calls_other(writer->symbols, address, omptape_region_callees(kind), alone);
}

/* Resolves a call of MPI. In C the function has its name, in Fortran one of several: "mpi_recv_",
 * "mpi_recv__", "mpi_recv_f08_". */
static void resolve_mpi_call(struct omptape_writer *writer, const struct omptape_mpi_function *function,
                             uint64_t address, struct omptape_source *source)
{
    char fortran[OMPTAPE_MPI_NAME_BYTES + 2] = "*";
    const char *const callees[] = {function != NULL ? function->name : fortran, fortran, NULL};
    size_t length = 0;
    for (; function != NULL && function->name[length] != '\0'; length++)
        fortran[length] = (char)tolower((unsigned char)function->name[length]);
    if (function != NULL)
        memcpy(fortran + length, "_*", sizeof("_*"));
    omptape_symbols_resolve_call(writer->symbols, address, 0, callees, source);
}

static void resolve(struct omptape_writer *writer, const struct omptape_region *region,
                    struct omptape_source *source)
{
    struct omptape_site where = omptape_sites_get(writer->sites, region->site);
    const struct omptape_source *known =
        omptape_sources_get(writer->sources, (uint32_t)(region - writer->references->list));
    *source = known != NULL ? *known : (struct omptape_source){.file = NULL};
    if (known != NULL || omptape_region_is_named(region))
        return;
    if (region->kind == OMPTAPE_REGION_MPI) {
        source->file = "MPI"; /* Score-P uses this file name, too. */
        return;
    }
    if (region->kind == OMPTAPE_REGION_PROGRAM)
        source->module = omptape_archive_text(&writer->strings, writer->program);
    if (region->site == 0)
        return;
    struct omptape_site around = omptape_sites_get(writer->sites, where.parent);
    omptape_symbols_select_code(writer->symbols, where.code_id != 0 ? where.code_id : around.code_id);
    const char *const *callees = omptape_region_callees(region->kind);
    if (region->kind == OMPTAPE_REGION_MPI_CALL) {
        resolve_mpi_call(writer, omptape_region_mpi_function(region), where.address, source);
        if (source->is_approximate)
            source->file = "MPI";
        return;
    }
    if (where.address != 0 && !is_of_other(writer, region->kind, where.address))
        omptape_symbols_resolve_call(writer->symbols, where.address, around.address, callees, source);
    else
        omptape_symbols_resolve_inside(writer->symbols, around.address != 0 ? around.address : where.address,
                                       omptape_region_callees_inside(region->kind), source);
}

void omptape_names_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                           struct omptape_source *source)
{
    char *packed = writer->references->packed;
    resolve(writer, region, source);
    if (source->packed && source->module != NULL && packed[0] == '\0')
        snprintf(packed, sizeof(writer->references->packed), "%s", omptape_base_name(source->module));
}

/* Parses "__omp_offloading_<device>_<file>_<function>_l<line>", the name that clang and its derivatives give
 * to a target construct's kernel. Returns the start of the function's name, or NULL for other symbols. */
static const char *offloaded_function(const char *symbol, size_t *length, const char **line)
{
    const char *function = omptape_text_after(symbol, "__omp_offloading_");
    if (function == NULL)
        return NULL;
    for (int i = 0; i < 2; i++) {
        size_t digits = strspn(function, "0123456789abcdef");
        if (digits == 0 || function[digits] != '_')
            return NULL;
        function += digits + 1;
    }
    const char *end = NULL;
    for (const char *at = strstr(function, "_l"); at != NULL; at = strstr(at + 1, "_l"))
        if (strspn(at + 2, "0123456789") > 0)
            end = at;
    if (end == NULL || end == function)
        return NULL;
    *length = (size_t)(end - function);
    *line = end + 2;
    return function;
}

/* Writes the name of a region that is identified by name (OMPTAPE_SITE_NAMED). It is a kernel's demangled
 * symbol, or "!$omp target kernel @FUNCTION:LINE" for a target construct's kernel. */
static void write_own_name(const struct omptape_writer *writer, const struct omptape_region *region,
                           char *text, size_t bytes)
{
    uint64_t ref = region->site & ~OMPTAPE_SITE_NAMED;
    /* The site of a damaged record may have this bit, so the reference may be invalid. */
    const char *symbol = omptape_archive_text(&writer->strings, ref);
    const char *line = NULL;
    size_t length = strlen(symbol);
    const char *function = offloaded_function(symbol, &length, &line);
    char *readable = region->kind == OMPTAPE_REGION_USER
                         ? NULL
                         : omptape_name_readable(function != NULL ? function : symbol, length);
    const char *shown = readable != NULL ? readable : symbol;
    if (function != NULL)
        snprintf(text, bytes, "!$omp target kernel @%s:%.*s", shown, (int)strspn(line, "0123456789"), line);
    else
        snprintf(text, bytes, "%s", shown);
    free(readable);
}

void omptape_names_write(const struct omptape_writer *writer, const struct omptape_region *region,
                         const struct omptape_source *source, char *text, size_t bytes)
{
    const struct omptape_construct *info = &omptape_constructs[region->kind];
    char site[1024];
    if (region->kind == OMPTAPE_REGION_PROGRAM) {
        const char *path = omptape_archive_text(&writer->strings, writer->program);
        snprintf(text, bytes, "%s", omptape_base_name(path));
        return;
    }
    const struct omptape_mpi_function *function = omptape_region_mpi_function(region);
    if (region->kind == OMPTAPE_REGION_MPI && function != NULL) {
        snprintf(text, bytes, "%s", function->name);
        return;
    }
    if (omptape_region_is_named(region)) {
        write_own_name(writer, region, text, bytes);
        return;
    }
    if (region->kind == OMPTAPE_REGION_USER && source->function != NULL && source->function[0] != '\0') {
        snprintf(text, bytes, "%s", source->function);
        return;
    }
    const struct omptape_site where = omptape_sites_get(writer->sites, region->site);
    const char *label = where.label != 0 ? omptape_archive_text(&writer->strings, where.label) : "";
    bool placed = region->site != 0 && !source->is_approximate;
    describe_site(source, where.address, where.label != 0, site, sizeof(site));
    const char *construct = info->fortran != NULL && is_fortran(source->file) ? info->fortran : info->name;
    construct = function != NULL ? function->name : construct;
    /* The source has no critical construct there. */
    bool reduction = source->reduction && whole_of(region->kind) == OMPTAPE_REGION_CRITICAL;
    snprintf(text, bytes, "%s%s%s%s%s%s%s", info->alone ? "" : "!$omp ", construct, placed ? " @" : "",
             placed ? site : "", placed && reduction ? " (reduction)" : "", placed && *label ? " " : "",
             placed ? label : "");
}
