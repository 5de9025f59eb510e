/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes an SQLite database to an open file, which may not have a name yet. schema.c defines its tables,
 * indices and views (docs/sqlite.md). Used by sqlite.c in the reading child process, on one thread.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Incremented when a change may break existing queries. */
enum { EXPORT_SCHEMA_VERSION = 1 };

enum export_table {
    EXPORT_META,
    EXPORT_PROCESS,
    EXPORT_LOCATION,
    EXPORT_REGION,
    EXPORT_VISIT,
    EXPORT_TASK,
    EXPORT_LOCK,
    EXPORT_MESSAGE,
    EXPORT_COLLECTIVE,
    EXPORT_TRANSFER,
    EXPORT_ARROW,
    EXPORT_CONTEXT,
    EXPORT_SAMPLE,
    EXPORT_METRIC,
    EXPORT_METRIC_VALUE,
    EXPORT_TABLES
};

struct export_table_definition {
    const char *name;
    const char *create;
    unsigned columns;
};

extern const struct export_table_definition export_tables[EXPORT_TABLES];
extern const char export_indices[];
extern const char export_views[];

struct export_database {
    int error; /* negative errno of a file error, or -ENOMEM; 0 if there was none */
    sqlite3 *sqlite;
    sqlite3_stmt *inserts[EXPORT_TABLES];
};

/* Value of one column. */
struct export_value {
    enum { EXPORT_NULL, EXPORT_NUMBER, EXPORT_REAL, EXPORT_TEXT } kind;
    int64_t number;
    double real;
    const char *text;
};

static inline struct export_value export_number(uint64_t number)
{
    return (struct export_value){.kind = EXPORT_NUMBER, .number = (int64_t)number};
}

/* Returns SQL NULL if the number is unknown. */
static inline struct export_value export_number_if(bool is_known, uint64_t number)
{
    return is_known ? export_number(number) : (struct export_value){.kind = EXPORT_NULL};
}

/* Returns SQL NULL if the text is empty. */
static inline struct export_value export_text(const char *text)
{
    return (struct export_value){.kind = text[0] != '\0' ? EXPORT_TEXT : EXPORT_NULL, .text = text};
}

/* Creates the tables in an empty file that is open for reading and writing. `database` must be all zeros.
 * Returns false on an error, which `error` holds. The caller calls export_database_close in any case. */
bool export_database_open(struct export_database *database, int file);

/* Inserts a row; `values` holds one value per column. Does nothing after an error. */
void export_database_insert(struct export_database *database, enum export_table table,
                            const struct export_value *values);

/* Creates indices and views and commits. Returns false on an error, which `error` holds. */
bool export_database_finish(struct export_database *database);
void export_database_close(struct export_database *database);
