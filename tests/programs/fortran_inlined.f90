! SPDX-License-Identifier: BSD-3-Clause
!
! Constructs behind procedures that are inlined: each still stands where the user wrote it.
!: cflags -O2
!: threads 2
!: enter parallel@region 2
!: enter parallel@loop 2
!: [flang] enter do@loop 2
!: enter task@left 3
!: enter task@right 3
module fields
  implicit none
  real :: u(100)
contains
  subroutine scale(factor)
    real, intent(in) :: factor
    u = u * factor
  end subroutine
  subroutine relax(n)
    integer, intent(in) :: n
    integer :: i
    call scale(0.5)
    !$omp parallel do num_threads(2) ! @loop
    do i = 1, n
      u(i) = u(i) + real(i)
    end do
  end subroutine
  recursive function total(first, last) result(sum)
    integer, intent(in) :: first, last
    real :: sum, left, right
    if (last - first < 30) then
      sum = u(first)
      return
    end if
    !$omp task shared(left) ! @left
    left = total(first, (first + last) / 2)
    !$omp end task
    !$omp task shared(right) ! @right
    right = total((first + last) / 2 + 1, last)
    !$omp end task
    !$omp taskwait
    sum = left + right
  end function
end module

program fortran_inlined
  use fields
  implicit none
  real :: sum
  u = 1
  call relax(100)
  call scale(2.0)
  !$omp parallel num_threads(2) ! @region
  !$omp single
  sum = total(1, 100)
  !$omp end single
  !$omp end parallel
  print *, sum > 0
end program
