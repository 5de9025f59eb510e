! SPDX-License-Identifier: BSD-3-Clause
!
! A taskloop whose step is an argument: each element is counted once.
!: only gcc
!: threads 2
!: enter taskloop 1
subroutine count_all(n, t, c)
  integer, intent(in) :: n, t
  integer, intent(inout) :: c(n)
  integer :: j, jt
  !$omp taskloop firstprivate(n, t) shared(c) private(j)
  do jt = 1, n, t
    do j = jt, min(n, jt + t - 1)
      c(j) = c(j) + 1
    end do
  end do
  !$omp end taskloop
end subroutine
program taskloop_step
  integer :: c(96) = 0
  !$omp parallel num_threads(2)
  !$omp single
  call count_all(96, 16, c)
  !$omp end single
  !$omp end parallel
  print *, 'wrong elements:', count(c /= 1)
  if (count(c /= 1) > 0) stop 1
end program
