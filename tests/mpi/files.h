/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is written and read with one kind of counts, for files.c: COUNT is their type, LARGE(name) is a
 * function's name, NAME(word) what the function here is called.
 */
static void NAME(transfer)(MPI_File file, int rank)
{
    const COUNT words = WORDS;
    const MPI_Offset place = (MPI_Offset)rank * WORDS;
    MPI_Status status;
    MPI_Request request;
    /* At once: by one rank, by all, by all in turn; where the file stands, where it is told, where all stand.
     */
    DO_NAMED(LARGE(File_write), file, out, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_write_all), file, out, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_write_at), file, place, out, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_write_at_all), file, place, out, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_write_shared), file, out, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_write_ordered), file, out, words, MPI_INT, &status);
    DO(File_seek, file, 0, MPI_SEEK_SET);
    DO(File_seek_shared, file, 0, MPI_SEEK_SET);
    DO_NAMED(LARGE(File_read), file, in, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_read_all), file, in, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_read_at), file, place, in, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_read_at_all), file, place, in, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_read_shared), file, in, words, MPI_INT, &status);
    DO_NAMED(LARGE(File_read_ordered), file, in, words, MPI_INT, &status);
    /* In two steps. */
    DO_NAMED(LARGE(File_write_all_begin), file, out, words, MPI_INT);
    DO(File_write_all_end, file, out, &status);
    DO_NAMED(LARGE(File_write_at_all_begin), file, place, out, words, MPI_INT);
    DO(File_write_at_all_end, file, out, &status);
    DO_NAMED(LARGE(File_write_ordered_begin), file, out, words, MPI_INT);
    DO(File_write_ordered_end, file, out, &status);
    DO_NAMED(LARGE(File_read_all_begin), file, in, words, MPI_INT);
    DO(File_read_all_end, file, in, &status);
    DO_NAMED(LARGE(File_read_at_all_begin), file, place, in, words, MPI_INT);
    DO(File_read_at_all_end, file, in, &status);
    DO_NAMED(LARGE(File_read_ordered_begin), file, in, words, MPI_INT);
    DO(File_read_ordered_end, file, in, &status);
    /* With requests. */
    DO_NAMED(LARGE(File_iwrite), file, out, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iwrite_all), file, out, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iwrite_at), file, place, out, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iwrite_at_all), file, place, out, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iwrite_shared), file, out, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iread), file, in, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iread_all), file, in, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iread_at), file, place, in, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iread_at_all), file, place, in, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
    DO_NAMED(LARGE(File_iread_shared), file, in, words, MPI_INT, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
}
