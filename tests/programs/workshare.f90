! SPDX-License-Identifier: BSD-3-Clause
!
! workshare, single, sections, do and critical in Fortran.
!: threads 2
!: enter parallel@region 2
!: enter critical@count 2
program workshare
  use omp_lib
  implicit none
  integer :: i, total
  integer :: cells(10), squares(10)

  total = 0
  !$omp parallel num_threads(2) ! @region
  !$omp do
  do i = 1, 10
    cells(i) = i
  end do
  !$omp end do
  !$omp workshare
  squares = cells * cells
  !$omp end workshare
  !$omp single
  total = total + sum(squares)
  !$omp end single
  !$omp critical ! @count
  total = total + 1000
  !$omp end critical
  !$omp end parallel
  print *, total
end program workshare
