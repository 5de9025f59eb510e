/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up lines and files in a unit's line table.
 */
#include "writers/symbols/lines.h"

#include "writers/symbols/dies.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Joins a relative name to the compilation folder and removes "./" and "//". */
static const char *full_path(Dwarf_Die *unit, const char *name, struct omptape_rows *strings)
{
    const char *folder = name[0] == '/' ? NULL : omptape_die_string(unit, DW_AT_comp_dir);
    size_t prefix = folder != NULL ? strlen(folder) : 0;
    size_t length = strlen(name);
    char *text = malloc(prefix + 1 + length + 1);
    if (text == NULL)
        return NULL;
    if (folder != NULL) {
        memcpy(text, folder, prefix);
        text[prefix++] = '/';
    }
    memcpy(text + prefix, name, length + 1);
    size_t out = 0;
    for (const char *in = text; *in;) {
        bool component_starts = out == 0 || text[out - 1] == '/';
        if (component_starts && in[0] == '.' && in[1] == '/')
            in += 2;
        else if (out > 0 && component_starts && in[0] == '/')
            in++;
        else
            text[out++] = *in++;
    }
    const char *path = omptape_rows_keep(strings, text, out);
    free(text);
    return path;
}

static Dwarf_Addr row_address(Dwarf_Lines *lines, size_t row)
{
    Dwarf_Addr address = 0;
    (void)dwarf_lineaddr(dwarf_onesrcline(lines, row), &address);
    return address;
}

/* Returns the index of the first row above the address. */
static size_t first_above(Dwarf_Lines *lines, size_t count, Dwarf_Addr address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_address(lines, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool ends_sequence(Dwarf_Line *row)
{
    bool end = true;
    return dwarf_lineendsequence(row, &end) != 0 || end;
}

static unsigned row_line(Dwarf_Line *row)
{
    int line = 0;
    return dwarf_lineno(row, &line) == 0 && line > 0 ? (unsigned)line : 0;
}

/* Returns true if the row begins a statement. Otherwise it may be the last row of the previous code. */
static bool begins_statement(Dwarf_Line *row)
{
    bool begins = false;
    return !ends_sequence(row) && dwarf_linebeginstatement(row, &begins) == 0 && begins;
}

/* Line 0 marks code without a line, possibly of several constructs. The compiler flang uses it for most calls
 * of the runtime; then the previous line is the best known one. */
static bool is_of_flang(Dwarf_Die *unit)
{
    const char *producer = omptape_die_string(unit, DW_AT_producer);
    return producer != NULL && strstr(producer, "flang") != NULL;
}

bool omptape_lines_find(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings, const char **file,
                        unsigned *line)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    size_t above = first_above(lines, count, address);
    while (above > 0 && !ends_sequence(dwarf_onesrcline(lines, above - 1)) &&
           row_line(dwarf_onesrcline(lines, above - 1)) == 0 && is_of_flang(unit))
        above--;
    Dwarf_Line *row = above > 0 ? dwarf_onesrcline(lines, above - 1) : NULL;
    const char *name =
        row != NULL && !ends_sequence(row) && row_line(row) ? dwarf_linesrc(row, NULL, NULL) : NULL;
    if (name == NULL)
        return false;
    *line = row_line(row);
    *file = full_path(unit, name, strings);
    return *file != NULL;
}

bool omptape_lines_find_first(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings,
                              const char **file, unsigned *line)
{
    Dwarf_Lines *lines;
    size_t count;
    if (address == 0 || dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t i = first_above(lines, count, address - 1); i < count && row_address(lines, i) == address;
         i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        const char *name = begins_statement(row) && row_line(row) ? dwarf_linesrc(row, NULL, NULL) : NULL;
        if (name == NULL)
            continue;
        *line = row_line(row);
        *file = full_path(unit, name, strings);
        return *file != NULL;
    }
    return false;
}

/* Returns true if there is a row of the file with a line from `first` to `last`. If `begins`, only rows
 * that begin a statement count. */
static bool has_row(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                    const char *file, unsigned first, unsigned last, bool begins)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t i = first_above(lines, count, high); i > 0 && row_address(lines, i - 1) >= low; i--) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i - 1);
        const bool counts = begins ? begins_statement(row) : !ends_sequence(row);
        const unsigned line = counts ? row_line(row) : 0;
        const char *name = counts && line >= first && line <= last ? dwarf_linesrc(row, NULL, NULL) : NULL;
        if (name != NULL && full_path(unit, name, strings) == file)
            return true;
    }
    return false;
}

bool omptape_lines_start(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned line)
{
    return has_row(unit, low, high, strings, file, line, line, true);
}

bool omptape_lines_any(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                       const char *file, unsigned first, unsigned last)
{
    return has_row(unit, low, high, strings, file, first, last, false);
}

bool omptape_lines_range(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned *first, unsigned *last)
{
    Dwarf_Lines *lines;
    size_t count;
    const char *known = NULL;
    bool match = false;
    *first = UINT_MAX;
    *last = 0;
    if (low == 0 || dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t i = first_above(lines, count, high); i > 0 && row_address(lines, i - 1) >= low; i--) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i - 1);
        unsigned line = ends_sequence(row) ? 0 : row_line(row);
        if (line == 0 || (line >= *first && line <= *last))
            continue;
        const char *name = dwarf_linesrc(row, NULL, NULL);
        if (name != known)
            match = name != NULL && full_path(unit, name, strings) == file;
        known = name;
        if (!match)
            continue;
        *first = line < *first ? line : *first;
        *last = line > *last ? line : *last;
    }
    return *last > 0;
}

static bool is_of_line(Dwarf_Line *row, unsigned line, const char *name)
{
    const char *own = row_line(row) == line && !ends_sequence(row) ? dwarf_linesrc(row, NULL, NULL) : NULL;
    return own != NULL && strcmp(own, name) == 0;
}

bool omptape_lines_differ(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Addr other_low,
                          Dwarf_Addr other_high)
{
    enum { MAX_COMPARED = 1 << 20 };
    Dwarf_Lines *lines;
    size_t count;
    size_t compared = 0;
    if (low == 0 || other_low == 0 || dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    size_t first = first_above(lines, count, other_low - 1);
    for (size_t i = first_above(lines, count, low - 1); i < count && row_address(lines, i) < high; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        const char *name = row_line(row) && !ends_sequence(row) ? dwarf_linesrc(row, NULL, NULL) : NULL;
        bool found = name == NULL;
        for (size_t j = first; !found && j < count && row_address(lines, j) < other_high; j++, compared++)
            found = is_of_line(dwarf_onesrcline(lines, j), row_line(row), name);
        if (!found || compared > MAX_COMPARED)
            return true;
    }
    return false;
}

bool omptape_lines_row(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Addr *start)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    size_t i = first_above(lines, count, address);
    if (i == 0 || ends_sequence(dwarf_onesrcline(lines, i - 1)))
        return false;
    *start = row_address(lines, i - 1);
    return true;
}

/* Reads file and line from two attributes of an entry. */
static bool find_named(Dwarf_Die *unit, Dwarf_Die *die, unsigned of_file, unsigned of_line,
                       struct omptape_rows *strings, const char **file, unsigned *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    Dwarf_Word index;
    Dwarf_Die owner;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr_integrate(die, of_line, &attribute), &value) != 0 || value == 0 ||
        value > INT_MAX)
        return false;
    if (dwarf_formudata(dwarf_attr_integrate(die, of_file, &attribute), &index) != 0 ||
        dwarf_cu_die(attribute.cu, &owner, NULL, NULL, NULL, NULL, NULL, NULL) == NULL)
        return false;
    if (dwarf_getsrcfiles(&owner, &files, &count) != 0) {
        owner = *unit;
        if (dwarf_getsrcfiles(&owner, &files, &count) != 0)
            return false;
    }
    const char *name = index < count ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
    if (name == NULL)
        return false;
    *line = (unsigned)value;
    *file = full_path(unit, name, strings);
    return *file != NULL;
}

bool omptape_lines_declaration(Dwarf_Die *unit, Dwarf_Die *function, struct omptape_rows *strings,
                               const char **file, unsigned *line)
{
    return find_named(unit, function, DW_AT_decl_file, DW_AT_decl_line, strings, file, line);
}

bool omptape_lines_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct omptape_rows *strings, const char **file,
                        unsigned *line)
{
    return find_named(unit, inlined, DW_AT_call_file, DW_AT_call_line, strings, file, line);
}
