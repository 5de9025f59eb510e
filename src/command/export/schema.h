/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables, indices and views of a database (docs/sqlite.md). For database.c and sqlite.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_SCHEMA_H
#define OMPTAPE_COMMAND_EXPORT_SCHEMA_H

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

#endif
