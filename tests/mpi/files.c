/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every function of MPI that is about files, and counts what it calls (count.h).
 */
#include "count.h"

#include <stdlib.h>

enum { WORDS = 4 };

static int out[WORDS], in[WORDS];

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type;
    (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

#define COUNT int
#define LARGE(name) name
#define NAME(word) word
#include "files.h"
#if MPI_VERSION >= 4
#undef COUNT
#undef LARGE
#undef NAME
#define COUNT MPI_Count
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
    DO(File_preallocate, file, 64);
    DO(File_set_size, file, 4096);
    DO(File_get_size, file, &offset);
    DO(File_seek, file, 0, MPI_SEEK_SET);
    DO(File_seek_shared, file, 0, MPI_SEEK_SET);
    DO(File_get_position, file, &offset);
    DO(File_get_position_shared, file, &place);
    DO(File_get_byte_offset, file, offset, &place);
    DO(File_sync, file);
}

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;
    count("MPI_Init");
    MPI_Init(&argc, &argv);
    DO(Comm_rank, MPI_COMM_WORLD, &rank);
    DO(Register_datarep, "own", NULL, NULL, extent_of, NULL);
    DO(File_open, MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    ask(file);
    MPI_Aint extent;
    DO(File_get_type_extent, file, MPI_INT, &extent);
    transfer(file, rank);
#if MPI_VERSION >= 4
    MPI_Count large;
    DO(File_get_type_extent_c, file, MPI_INT, &large);
    transfer_large(file, rank);
#endif
    DO(File_close, &file);
    DO(Barrier, MPI_COMM_WORLD);
    if (rank == 0)
        DO(File_delete, "file", MPI_INFO_NULL);
    count("MPI_Finalize");
    MPI_Finalize();
    return tell_counts(rank, "sent 0 0 received 0 0");
}
