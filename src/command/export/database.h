/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An SQLite database that is made in a file which is open, and may have no name yet. Its tables,
 * indices and views are schema.c's (docs/sqlite.md). For sqlite.c, in the child that reads; one thread.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Counted up when a query that ran before may not run any more. */
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

struct export_table_facts {
    const char *name;
    const char *create;
    unsigned columns;
};

extern const struct export_table_facts export_tables[EXPORT_TABLES];
extern const char export_indices[];
extern const char export_views[];

struct export_database {
    sqlite3_vfs files; /* how SQLite gets at the file; comes first */
    int file;
    int error; /* negative errno: the file could not be written or read, or there was no memory */
    sqlite3 *sqlite;
    sqlite3_stmt *inserts[EXPORT_TABLES];
};

/* A column's value: a number, or a text. */
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

/* Null where the number is not known. */
static inline struct export_value export_number_if(bool is_known, uint64_t number)
{
    return is_known ? export_number(number) : (struct export_value){.kind = EXPORT_NULL};
}

/* Null where the text is empty. */
static inline struct export_value export_text(const char *text)
{
    return (struct export_value){.kind = text[0] != '\0' ? EXPORT_TEXT : EXPORT_NULL, .text = text};
}

/* Makes the tables in the empty file, which can be read and written. All zeros at first. False: see `error`.
 * export_database_close in any case. */
bool export_database_open(struct export_database *database, int file);

/* Adds a row: a value for each column of the table. Nothing happens once there was an error. */
void export_database_insert(struct export_database *database, enum export_table table,
                            const struct export_value *values);

/* Makes indices and views, and writes all that is left. False: see `error`. */
bool export_database_finish(struct export_database *database);
void export_database_close(struct export_database *database);
