/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is written and read with one kind of counts, for files.c: LARGE(name) is a function's name, NAME(word) what the function here is called. WRITES and READS count so many words.
 */
static void NAME(transfer)(MPI_File file, int rank)
{
    const MPI_Offset place = (MPI_Offset)rank * WORDS;
    MPI_Status status;
    MPI_Request request;
    /* At once: by one rank, by all, by all in turn; where the file stands, where it is told, where all stand.
     */
    WRITES(LARGE(File_write), 2, file, out, 2, MPI_INT, &status);
    WRITES(LARGE(File_write_all), 3, file, out, 3, MPI_INT, &status);
    WRITES(LARGE(File_write_at), 4, file, place, out, 4, MPI_INT, &status);
    WRITES(LARGE(File_write_at_all), 1, file, place, out, 1, MPI_INT, &status);
    WRITES(LARGE(File_write_shared), 2, file, out, 2, MPI_INT, &status);
    WRITES(LARGE(File_write_ordered), 3, file, out, 3, MPI_INT, &status);
    SEEK(File_seek, file, 0, MPI_SEEK_SET);
    SEEK(File_seek_shared, file, 0, MPI_SEEK_SET);
    READS(LARGE(File_read), 4, file, in, 4, MPI_INT, &status);
    READS(LARGE(File_read_all), 1, file, in, 1, MPI_INT, &status);
    READS(LARGE(File_read_at), 2, file, place, in, 2, MPI_INT, &status);
    READS(LARGE(File_read_at_all), 3, file, place, in, 3, MPI_INT, &status);
    READS(LARGE(File_read_shared), 4, file, in, 4, MPI_INT, &status);
    READS(LARGE(File_read_ordered), 1, file, in, 1, MPI_INT, &status);
    /* In two steps. */
    WRITES(LARGE(File_write_all_begin), 2, file, out, 2, MPI_INT);
    DO(File_write_all_end, file, out, &status);
    WRITES(LARGE(File_write_at_all_begin), 3, file, place, out, 3, MPI_INT);
    DO(File_write_at_all_end, file, out, &status);
    WRITES(LARGE(File_write_ordered_begin), 4, file, out, 4, MPI_INT);
    DO(File_write_ordered_end, file, out, &status);
    READS(LARGE(File_read_all_begin), 1, file, in, 1, MPI_INT);
    DO(File_read_all_end, file, in, &status);
    READS(LARGE(File_read_at_all_begin), 2, file, place, in, 2, MPI_INT);
    DO(File_read_at_all_end, file, in, &status);
    READS(LARGE(File_read_ordered_begin), 3, file, in, 3, MPI_INT);
    DO(File_read_ordered_end, file, in, &status);
    /* With requests. */
    WRITES(LARGE(File_iwrite), 4, file, out, 4, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    WRITES(LARGE(File_iwrite_all), 1, file, out, 1, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    WRITES(LARGE(File_iwrite_at), 2, file, place, out, 2, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    WRITES(LARGE(File_iwrite_at_all), 3, file, place, out, 3, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    WRITES(LARGE(File_iwrite_shared), 4, file, out, 4, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    READS(LARGE(File_iread), 1, file, in, 1, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    READS(LARGE(File_iread_all), 2, file, in, 2, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    READS(LARGE(File_iread_at), 3, file, place, in, 3, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    READS(LARGE(File_iread_at_all), 4, file, place, in, 4, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    READS(LARGE(File_iread_shared), 1, file, in, 1, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
}
