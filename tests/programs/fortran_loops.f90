! SPDX-License-Identifier: BSD-3-Clause
!
! Every loop schedule in Fortran, in a module's subroutine.
!: threads 2
!: enter parallel@region 2
!: [flang] enter do@static 2
!: [flang] enter do@dynamic 2
!: [flang] enter do_chunk@dynamic 4
module loops
  implicit none
contains
  subroutine fill(cells)
    integer, intent(inout) :: cells(:)
    integer :: i

    !$omp parallel num_threads(2) ! @region
    !$omp do schedule(static) ! @static
    do i = 1, 20
      cells(i) = i
    end do
    !$omp end do
    !$omp do schedule(dynamic, 5) ! @dynamic
    do i = 1, 20
      cells(i) = cells(i) + i
    end do
    !$omp end do
    !$omp do schedule(guided)
    do i = 1, 20
      cells(i) = cells(i) + i
    end do
    !$omp end do
    !$omp end parallel
  end subroutine fill
end module loops

program fortran_loops
  use loops
  implicit none
  integer :: cells(20)

  call fill(cells)
  print *, sum(cells)
end program fortran_loops
