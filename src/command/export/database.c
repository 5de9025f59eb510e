/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lets SQLite write through an open file descriptor, and inserts rows with prepared statements (database.h).
 * There is no journal, because the file gets its name only when it is complete.
 */
#include "src/command/export/database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char NAME[] = "omptape-export";
static const char SETTINGS[] = "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                               "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768;";

/* An open file of the VFS; SQLite requires its own struct first. */
struct opened {
    sqlite3_file base;
    struct export_database *database;
};

static int on_read(sqlite3_file *file, void *data, int bytes, sqlite3_int64 offset)
{
    const struct opened *opened = (const struct opened *)file;
    int done = 0;
    while (done < bytes) {
        const ssize_t got =
            pread(opened->database->file, (char *)data + done, (size_t)(bytes - done), offset + done);
        if (got < 0 && errno != EINTR) {
            opened->database->error = -errno;
            return SQLITE_IOERR_READ;
        }
        if (got == 0) {
            memset((char *)data + done, 0, (size_t)(bytes - done));
            return SQLITE_IOERR_SHORT_READ;
        }
        done += got > 0 ? (int)got : 0;
    }
    return SQLITE_OK;
}

static int on_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
    const struct opened *opened = (const struct opened *)file;
    for (int done = 0; done < bytes;) {
        const ssize_t written =
            pwrite(opened->database->file, (const char *)data + done, (size_t)(bytes - done), offset + done);
        if (written < 0 && errno != EINTR) {
            opened->database->error = -errno;
            return SQLITE_FULL;
        }
        done += written > 0 ? (int)written : 0;
    }
    return SQLITE_OK;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return ftruncate(((const struct opened *)file)->database->file, size) == 0 ? SQLITE_OK
                                                                               : SQLITE_IOERR_TRUNCATE;
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
    struct stat status;
    if (fstat(((const struct opened *)file)->database->file, &status) != 0)
        return SQLITE_IOERR_FSTAT;
    *size = status.st_size;
    return SQLITE_OK;
}

static int on_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

static int on_number(sqlite3_file *file, int number)
{
    (void)file;
    (void)number;
    return SQLITE_OK;
}

static int on_lock_asked(sqlite3_file *file, int *is_locked)
{
    (void)file;
    *is_locked = 0;
    return SQLITE_OK;
}

static int on_control(sqlite3_file *file, int operation, void *argument)
{
    (void)file;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int on_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = on_close,
                                           .xRead = on_read,
                                           .xWrite = on_write,
                                           .xTruncate = on_truncate,
                                           .xSync = on_number,
                                           .xFileSize = on_size,
                                           .xLock = on_number,
                                           .xUnlock = on_number,
                                           .xCheckReservedLock = on_lock_asked,
                                           .xFileControl = on_control,
                                           .xDeviceCharacteristics = on_characteristics};

/* Opens the database. Temporary files without names, for SQLite's sorting, are opened by the default VFS. */
static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    struct opened *opened = (struct opened *)file;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
        sqlite3_vfs *usual = sqlite3_vfs_find("unix");
        return usual != NULL ? usual->xOpen(usual, name, file, flags, out_flags) : SQLITE_CANTOPEN;
    }
    *opened = (struct opened){.base.pMethods = &methods, .database = (struct export_database *)vfs};
    if (out_flags != NULL)
        *out_flags = flags;
    return SQLITE_OK;
}

static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs;
    (void)name;
    (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int on_full_path(sqlite3_vfs *vfs, const char *name, int bytes, char *path)
{
    (void)vfs;
    snprintf(path, (size_t)bytes, "%s", name);
    return SQLITE_OK;
}

/* Registers a copy of the default VFS with our own file functions. */
static int register_files(sqlite3_vfs *files)
{
    const sqlite3_vfs *usual = sqlite3_vfs_find("unix");
    if (usual == NULL)
        return SQLITE_ERROR;
    *files = *usual;
    files->zName = NAME;
    files->szOsFile =
        usual->szOsFile > (int)sizeof(struct opened) ? usual->szOsFile : (int)sizeof(struct opened);
    files->xOpen = on_open;
    files->xAccess = on_access;
    files->xFullPathname = on_full_path;
    return sqlite3_vfs_register(files, 0);
}

/* Returns true if SQLite succeeded. Otherwise stores an error, unless a file function has already stored
 * one. */
static bool check(struct export_database *database, int status)
{
    if (status == SQLITE_OK || status == SQLITE_DONE)
        return true;
    if (database->error == 0)
        database->error = status == SQLITE_NOMEM ? -ENOMEM : status == SQLITE_FULL ? -ENOSPC : -EIO;
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
    size_t used = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", export_tables[table].name);
    for (unsigned i = 1; i < export_tables[table].columns; i++)
        used += (size_t)snprintf(sql + used, sizeof(sql) - used, ",?");
    snprintf(sql + used, sizeof(sql) - used, ")");
    return check(database, sqlite3_prepare_v2(database->sqlite, sql, -1, &database->inserts[table], NULL));
}

bool export_database_open(struct export_database *database, int file)
{
    database->file = file;
    if (!check(database, register_files(&database->files)) ||
        !check(database, sqlite3_open_v2(
                             NAME, &database->sqlite,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE, NAME)) ||
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
    sqlite3_vfs_unregister(&database->files);
}
