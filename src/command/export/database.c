/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives SQLite a duplicate of an open descriptor for its database, and inserts rows with prepared statements
 * (database.h). There is no journal, because the file gets its name only when it is complete.
 */
#include "src/command/export/database.h"

#include "src/core/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* Name of a database by its descriptor. No such path exists. */
#define NAME_OF_FILE "/omptape-export/%d"
static const char SETTINGS[] = "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                               "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768;";

/* Opens a file for SQLite: the database by its descriptor, all others, which are for sorting, by name. */
static int open_for_sqlite(const char *path, int flags, int mode)
{
    int file;
    char more;
    return sscanf(path, NAME_OF_FILE "%c", &file, &more) == 1 ? fcntl(file, F_DUPFD_CLOEXEC, 0)
                                                              : open(path, flags, mode);
}

/* Returns true if SQLite succeeded. Otherwise stores the first error. */
static bool check(struct export_database *database, int status)
{
    if (status == SQLITE_OK || status == SQLITE_DONE)
        return true;
    const int cause = sqlite3_system_errno(database->sqlite);
    if (database->error == 0)
        database->error = status == SQLITE_NOMEM  ? -ENOMEM
                          : status == SQLITE_FULL ? -ENOSPC
                          : cause > 0             ? -cause
                                                  : -EIO;
    return false;
}

static bool run(struct export_database *database, const char *sql)
{
    return database->error == 0 && check(database, sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL));
}

static bool prepare_insert(struct export_database *database, enum export_table table)
{
    enum { BYTES = 256 };
    char sql[BYTES];
    (void)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", export_tables[table].name);
    for (unsigned i = 1; i < export_tables[table].columns; i++)
        omptape_append(sql, sizeof(sql), ",?");
    omptape_append(sql, sizeof(sql), ")");
    return check(database, sqlite3_prepare_v2(database->sqlite, sql, -1, &database->inserts[table], NULL));
}

bool export_database_open(struct export_database *database, int file)
{
    enum { NAME_BYTES = 64 };
    char name[NAME_BYTES];
    sqlite3_vfs *files = sqlite3_vfs_find("unix-none");
    if (files == NULL ||
        files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_for_sqlite) != SQLITE_OK)
        return check(database, SQLITE_ERROR);
    snprintf(name, sizeof(name), NAME_OF_FILE, file);
    if (!check(database,
               sqlite3_open_v2(name, &database->sqlite,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE,
                               files->zName)) ||
        !run(database, SETTINGS) || !run(database, "BEGIN"))
        return false;
    for (enum export_table table = 0; table < EXPORT_TABLES; table++)
        if (!run(database, export_tables[table].create) || !prepare_insert(database, table))
            return false;
    return true;
}

static int bind(sqlite3_stmt *insert, int column, const struct export_value *value)
{
    switch (value->kind) {
    case EXPORT_NUMBER:
        return sqlite3_bind_int64(insert, column, value->number);
    case EXPORT_REAL:
        return sqlite3_bind_double(insert, column, value->real);
    case EXPORT_TEXT:
        return sqlite3_bind_text(insert, column, value->text, -1, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(insert, column);
    }
}

void export_database_insert(struct export_database *database, enum export_table table,
                            const struct export_value *values)
{
    sqlite3_stmt *insert = database->inserts[table];
    if (database->error != 0)
        return;
    for (unsigned i = 0; i < export_tables[table].columns; i++)
        (void)check(database, bind(insert, (int)i + 1, &values[i]));
    (void)check(database, sqlite3_step(insert));
    (void)check(database, sqlite3_reset(insert));
}

bool export_database_finish(struct export_database *database)
{
    return run(database, export_indices) && run(database, export_views) && run(database, "COMMIT");
}

void export_database_close(struct export_database *database)
{
    for (enum export_table table = 0; table < EXPORT_TABLES; table++)
        sqlite3_finalize(database->inserts[table]);
    sqlite3_close(database->sqlite);
}
