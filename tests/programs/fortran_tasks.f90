! SPDX-License-Identifier: BSD-3-Clause
!
! Tasks, taskwait and locks in Fortran.
!: threads 2
!: events ThreadTaskCreate 10
!: events ThreadTaskComplete 10
!: enter task@item 10
!: enter omp_set_lock 10
program fortran_tasks
  use omp_lib
  implicit none
  integer :: i, total
  integer(kind=omp_lock_kind) :: lock

  total = 0
  call omp_init_lock(lock)
  !$omp parallel num_threads(2)
  !$omp single
  do i = 1, 10
    !$omp task shared(total, lock) ! @item
    call omp_set_lock(lock)
    total = total + 1
    call omp_unset_lock(lock)
    !$omp end task
  end do
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  call omp_destroy_lock(lock)
  print *, total
end program fortran_tasks
