/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every function of MPI that is about files, and counts what it calls and what it reads and writes. With
 * a word, one rank is killed by SIGKILL while a request to write is open. Usage: files [kill]
 */
#include "count.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 4 };

static int out[WORDS], in[WORDS];
static long opened, seeks, deleted, reads, read_bytes, writes, written_bytes;

static void read_of(long words)
{
    reads++;
    read_bytes += 4 * words;
}

static void write_of(long words)
{
    writes++;
    written_bytes += 4 * words;
}

#define READS(name, words, ...) (read_of(words), DO_NAMED(name, __VA_ARGS__))
#define WRITES(name, words, ...) (write_of(words), DO_NAMED(name, __VA_ARGS__))
#define SEEK(name, ...) (seeks++, DO(name, __VA_ARGS__))

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type;
    (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

#define LARGE(name) name
#define NAME(word) word
#include "files.h"
#if MPI_VERSION >= 4
#undef LARGE
#undef NAME
#define LARGE(name) name##_c
#define NAME(word) word##_large
#include "files.h"
#endif

static void ask(MPI_File file)
{
    MPI_Offset offset, place;
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype type, file_type;
    char name[MPI_MAX_DATAREP_STRING];
    int mode, atomic;
    DO(File_get_amode, file, &mode);
    DO(File_get_atomicity, file, &atomic);
    DO(File_set_atomicity, file, 0);
    DO(File_get_group, file, &group);
    DO(Group_free, &group);
    DO(File_get_info, file, &info);
    DO(File_set_info, file, info);
    DO(Info_free, &info);
    DO(File_set_view, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    DO(File_get_view, file, &offset, &type, &file_type, name);
    DO(File_set_size, file, 4096);
    /* No more than there is: Open MPI may hang if a rank first looks when another has made the file longer. */
    DO(File_preallocate, file, 64);
    DO(File_get_size, file, &offset);
    SEEK(File_seek, file, 0, MPI_SEEK_SET);
    SEEK(File_seek_shared, file, 0, MPI_SEEK_SET);
    DO(File_get_position, file, &offset);
    DO(File_get_position_shared, file, &place);
    DO(File_get_byte_offset, file, offset, &place);
    DO(File_sync, file);
}

/* The same file once more, by another communicator, and one of each rank's own that goes when it is closed. */
static void open_more(int rank)
{
    MPI_File file, other;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Status status;
    char name[32];
    int done = 0;
    DO(Comm_dup, MPI_COMM_WORLD, &comm);
    DO(File_open, comm, "file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    snprintf(name, sizeof(name), "own.%d", rank);
    DO(File_open, MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
       MPI_INFO_NULL, &other);
    opened += 2;
    /* So much there is. */
    reads++;
    read_bytes += 3;
    DO(File_read_at, file, 4096 - 3, in, WORDS, MPI_INT, MPI_STATUS_IGNORE);
    WRITES(File_iwrite, 3, other, out, 3, MPI_INT, &request);
    while (!done)
        DO(Test, &request, &done, &status);
    SEEK(File_seek, other, -4, MPI_SEEK_CUR);
    SEEK(File_seek, other, -8, MPI_SEEK_END);
    READS(File_read, 2, other, in, WORDS, MPI_INT, &status);
    DO(File_close, &file);
    DO(File_close, &other);
    deleted++;
    DO(Comm_free, &comm);
    /* That fails. */
    DO(File_open, MPI_COMM_SELF, "not there", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

static void be_killed(MPI_File file)
{
    MPI_Request request;
    WRITES(File_iwrite_at, 2, file, 0, out, 2, MPI_INT, &request);
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;
    char line[160];
    count("MPI_Init");
    MPI_Init(&argc, &argv);
    DO(Comm_rank, MPI_COMM_WORLD, &rank);
    DO(Register_datarep, "own", NULL, NULL, extent_of, NULL);
    DO(File_open, MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    opened++;
    ask(file);
    if (argc > 1 && rank == 1)
        be_killed(file);
    MPI_Aint extent;
    DO(File_get_type_extent, file, MPI_INT, &extent);
    transfer(file, rank);
#if MPI_VERSION >= 4
    MPI_Count large;
    DO(File_get_type_extent_c, file, MPI_INT, &large);
    transfer_large(file, rank);
#endif
    open_more(rank);
    DO(File_close, &file);
    DO(Barrier, MPI_COMM_WORLD);
    if (rank == 0) {
        DO(File_delete, "file", MPI_INFO_NULL);
        deleted++;
    }
    count("MPI_Finalize");
    MPI_Finalize();
    snprintf(line, sizeof(line), "sent 0 0 received 0 0 files %ld seeks %ld deleted %ld reads %ld %ld writes %ld %ld",
             opened, seeks, deleted, reads, read_bytes, writes, written_bytes);
    return tell_counts(rank, line);
}
