! SPDX-License-Identifier: BSD-3-Clause
!
! A triangle in Fortran, shared out by rows. Mended: in turns.
!: share 0.33
!: scenario dynamic@HERE
program imbalance_fortran
  implicit none
  integer, parameter :: rows = 400
  character(len=32) :: form, scale
  real(8) :: factor
  integer(8) :: sums(rows)
  integer :: steps, step

  call get_command_argument(1, form)
  call get_command_argument(2, scale)
  factor = 1
  if (len_trim(scale) > 0) read (scale, *) factor
  steps = max(1, int(70 * factor))
  sums = 0
  do step = 1, steps
    if (form == "mended") then
      call mended(sums)
    else
      call bad(sums)
    end if
  end do
  print *, sum(sums)
contains
  integer(8) function work(units, seed)
    integer, intent(in) :: units, seed
    integer(8) :: x
    integer :: i

    x = int(seed, 8) * 2654435761_8 + 88172645463325252_8
    do i = 1, units * 560
      x = ieor(x, shiftl(x, 13))
      x = ieor(x, shiftr(x, 7))
      x = ieor(x, shiftl(x, 17))
    end do
    work = x
  end function

  subroutine bad(sums)
    integer(8), intent(inout) :: sums(rows)
    integer :: row

    !$omp parallel
    !$omp do schedule(static)  ! HERE imbalance
    do row = 1, rows           ! HERE imbalance: flang names the loop itself
      sums(row) = sums(row) + work(row / 2, row)
    end do
    !$omp end do
    !$omp end parallel
  end subroutine

  subroutine mended(sums)
    integer(8), intent(inout) :: sums(rows)
    integer :: row

    !$omp parallel
    !$omp do schedule(static, 1)
    do row = 1, rows
      sums(row) = sums(row) + work(row / 2, row)
    end do
    !$omp end do
    !$omp end parallel
  end subroutine
end program
