! SPDX-License-Identifier: BSD-3-Clause
! Messages and files of Fortran's, by use mpi_f08 (-DBINDING_f08), use mpi (-DBINDING_use) or mpif.h
! (-DBINDING_mpif); with -DBY_SESSION by a session, and with a partitioned message. Prints as calls.c does.
program messages
#if defined(BINDING_f08)
  use mpi_f08
#elif defined(BINDING_use)
  use mpi
#endif
  implicit none
#if defined(BINDING_mpif)
  include 'mpif.h'
#endif
  integer :: i, rank, size, next, before, ierror
  integer :: x(8), y(8), found, places(2)
  integer(kind=MPI_ADDRESS_KIND) :: largest_tag
  logical :: flag
  integer(kind=MPI_OFFSET_KIND) :: place
#if defined(BINDING_f08)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: half, world
  type(MPI_File) :: file
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), half, world, file
#endif
#if defined(BY_SESSION) && defined(BINDING_f08)
  type(MPI_Session) :: session
  type(MPI_Group) :: group
#elif defined(BY_SESSION)
  integer :: session, group
#endif
#if defined(BY_SESSION)
  integer(kind=MPI_COUNT_KIND) :: words
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierror)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, ierror)
  call MPI_Comm_create_from_group(group, 'fortran', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, world, ierror)
  call MPI_Group_free(group, ierror)
#else
  call MPI_Init(ierror)
  world = MPI_COMM_WORLD
#endif
  call MPI_Comm_rank(world, rank, ierror)
  call MPI_Comm_size(world, size, ierror)
  call MPI_Comm_get_attr(world, MPI_TAG_UB, largest_tag, flag, ierror)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  x = rank
  do i = 1, 3
    call MPI_Isend(x, 2, MPI_INTEGER, next, 3, world, requests(1), ierror)
    call MPI_Irecv(y, 8, MPI_INTEGER, before, 3, world, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    ! Without a request Open MPI's binding calls nothing of C's.
    call MPI_Waitall(0, requests, MPI_STATUSES_IGNORE, ierror)
    call MPI_Waitany(0, requests, found, MPI_STATUS_IGNORE, ierror)
    call MPI_Waitsome(0, requests, found, places, MPI_STATUSES_IGNORE, ierror)
    call MPI_Testall(0, requests, flag, MPI_STATUSES_IGNORE, ierror)
    call MPI_Testany(0, requests, found, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Testsome(0, requests, found, places, MPI_STATUSES_IGNORE, ierror)
    call MPI_Sendrecv(x, 1, MPI_INTEGER, next, 4, y, 8, MPI_INTEGER, before, 4, world, status, ierror)
    call MPI_Irecv(y, 8, MPI_INTEGER, MPI_ANY_SOURCE, 5, world, requests(1), ierror)
    call MPI_Send(x, 4, MPI_INTEGER, next, 5, world, ierror)
    call MPI_Wait(requests(1), status, ierror)
    call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_INTEGER, MPI_SUM, world, ierror)
    call MPI_Bcast(x, 2, MPI_INTEGER, 0, world, ierror)
  end do
  call MPI_Comm_split(world, mod(rank, 2), rank, half, ierror)
  call MPI_Barrier(half, ierror)
  call MPI_Comm_free(half, ierror)
#if defined(BY_SESSION)
  words = 3
  call MPI_Psend_init(x, 2, words, MPI_INTEGER, next, 6, world, MPI_INFO_NULL, requests(1), ierror)
  call MPI_Precv_init(y, 2, words, MPI_INTEGER, before, 6, world, MPI_INFO_NULL, requests(2), ierror)
  call MPI_Startall(2, requests, ierror)
  call MPI_Pready(1, requests(1), ierror)
  call MPI_Pready_range(0, 0, requests(1), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
  call MPI_Comm_free(world, ierror)
  call MPI_Session_finalize(session, ierror)
#else
  call MPI_File_open(world, 'of.fortran', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
    MPI_INFO_NULL, file, ierror)
  place = 32 * rank
  call MPI_File_write_at_all(file, place, x, 3, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  call MPI_File_iread_at(file, place, y, 3, MPI_INTEGER, requests(1), ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  call MPI_File_seek(file, place, MPI_SEEK_SET, ierror)
  call MPI_File_close(file, ierror)
  call MPI_Finalize(ierror)
#endif
  ! 2, 1 and 4 integers each time
#if defined(BY_SESSION)
  write (*, '(a,i0,a)') 'rank ', rank, ': sent 10 108 received 10 108 MPI_Session_init 1 MPI_Session_finalize 1 &
    &MPI_Comm_create_from_group 1 MPI_Isend 3 MPI_Irecv 6 MPI_Waitall 7 MPI_Waitany 3 MPI_Waitsome 3 MPI_Testall 3 MPI_Testany 3 &
    &MPI_Testsome 3 MPI_Sendrecv 3 MPI_Send 3 MPI_Wait 3 &
    &MPI_Psend_init 1 MPI_Precv_init 1 MPI_Startall 1 MPI_Pready 1 MPI_Pready_range 1 MPI_Request_free 2 &
    &MPI_Allreduce 3 MPI_Bcast 3 MPI_Comm_split 1 MPI_Barrier 1 MPI_Comm_free 2'
#else
  write (*, '(a,i0,a)') 'rank ', rank, ': sent 9 84 received 9 84 files 1 seeks 1 deleted 1 reads 1 12 &
    &writes 1 12 MPI_Init 1 MPI_Finalize 1 MPI_Isend 3 MPI_Irecv 6 MPI_Waitall 6 MPI_Waitany 3 &
    &MPI_Waitsome 3 MPI_Testall 3 MPI_Testany 3 MPI_Testsome 3 MPI_Comm_rank 1 MPI_Comm_size 1 MPI_Comm_get_attr 1 &
    &MPI_Sendrecv 3 MPI_Send 3 MPI_Wait 4 MPI_Allreduce 3 MPI_Bcast 3 MPI_Comm_split 1 MPI_Barrier 1 &
    &MPI_Comm_free 1 MPI_File_open 1 MPI_File_write_at_all 1 MPI_File_iread_at 1 MPI_File_seek 1 MPI_File_close 1'
#endif
end program
