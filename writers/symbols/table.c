/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts a module's symbols once, because libdwfl searches all of them for each address. Called by module.c.
 */
#include "writers/symbols/table.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include "src/core/array.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct code_symbol {
    uint64_t low, high;
    uint64_t reach; /* Greatest `high` up to this entry of the sorted list. */
    const char *name;
    int rank; /* Among several names of the same code the highest rank is shown. */
};

struct omptape_symbol_table {
    struct code_symbol *list;
    size_t count;
    const struct code_symbol **exports; /* Sorted by name; NULL: not sorted yet. */
    size_t export_count;
};

static int rank_of(const GElf_Sym *symbol)
{
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        return 2;
    case STB_WEAK:
        return 1;
    default:
        return 0;
    }
}

static bool is_wanted(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_size > 0 &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE ||
            (type == STT_OBJECT && omptape_starts_with(name, OMPTAPE_SYMBOL_OF_LOCK)));
}

/* Of names of one rank the users' comes last: without underscores, short ("free", not "__libc_free",
 * "cfree"). */
static int compare_aliases(const char *left, const char *right)
{
    const size_t left_length = strlen(left);
    const size_t right_length = strlen(right);
    if ((left[0] == '_') != (right[0] == '_'))
        return left[0] == '_' ? -1 : 1;
    return (left_length < right_length) - (left_length > right_length);
}

static int compare_by_address(const void *a, const void *b)
{
    const struct code_symbol *left = a;
    const struct code_symbol *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank - right->rank;
    return compare_aliases(left->name, right->name);
}

static void read_symbols(struct omptape_symbol_table *table, Dwfl_Module *module, int count)
{
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name == NULL || !name[0] || !is_wanted(&symbol, name) || symbol.st_size > UINT64_MAX - address)
            continue;
        table->list[table->count++] = (struct code_symbol){
            .low = address, .high = address + symbol.st_size, .name = name, .rank = rank_of(&symbol)};
    }
}

struct omptape_symbol_table *omptape_symbol_table_create(Dwfl_Module *module)
{
    struct omptape_symbol_table *table = calloc(1, sizeof(*table));
    int count = table != NULL ? dwfl_module_getsymtab(module) : 0;
    if (count <= 0)
        return table;
    table->list = calloc((size_t)count, sizeof(*table->list));
    if (table->list == NULL)
        return table;
    read_symbols(table, module, count);
    omptape_sort(table->list, table->count, sizeof(*table->list), compare_by_address);
    uint64_t reach = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->list[i].high > reach)
            reach = table->list[i].high;
        table->list[i].reach = reach;
    }
    return table;
}

void omptape_symbol_table_free(struct omptape_symbol_table *table)
{
    if (table == NULL)
        return;
    free(table->exports);
    free(table->list);
    free(table);
}

bool omptape_symbol_table_find(const struct omptape_symbol_table *table, uint64_t address,
                               struct omptape_symbol *symbol)
{
    size_t i = omptape_first_above(table->list, table->count, sizeof(*table->list),
                                   offsetof(struct code_symbol, low), address);
    for (; i > 0 && table->list[i - 1].reach > address; i--) {
        const struct code_symbol *found = &table->list[i - 1];
        if (found->high > address) {
            *symbol = (struct omptape_symbol){found->low, found->high, found->name};
            return true;
        }
    }
    return false;
}

/* Compares names without their versions ("GOMP_parallel@@GOMP_4.0"). */
static int compare_names(const char *a, const char *b)
{
    size_t left = strcspn(a, "@");
    size_t right = strcspn(b, "@");
    int order = memcmp(a, b, left < right ? left : right);
    return order != 0 ? order : (left > right) - (left < right);
}

static int compare_exports(const void *a, const void *b)
{
    const struct code_symbol *const *left = a;
    const struct code_symbol *const *right = b;
    return compare_names((*left)->name, (*right)->name);
}

static bool sort_exports(struct omptape_symbol_table *table)
{
    if (table->exports != NULL || table->count == 0)
        return table->exports != NULL;
    table->exports = calloc(table->count, sizeof(const struct code_symbol *));
    if (table->exports == NULL)
        return false;
    for (size_t i = 0; i < table->count; i++)
        if (table->list[i].rank > 0)
            table->exports[table->export_count++] = &table->list[i];
    omptape_sort(table->exports, table->export_count, sizeof(const struct code_symbol *), compare_exports);
    return true;
}

bool omptape_symbol_table_find_export(struct omptape_symbol_table *table, const char *name, uint64_t *address)
{
    if (!sort_exports(table))
        return false;
    size_t low = 0;
    size_t high = table->export_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_names(table->exports[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->export_count || compare_names(table->exports[low]->name, name) != 0)
        return false;
    *address = table->exports[low]->low;
    return true;
}
