! SPDX-License-Identifier: BSD-3-Clause
!
! Fortran constructs whose call sites test_symbols resolves; see constructs.c. The main program, a module's procedure, a
! contained one and an external one.
module grid
contains
    subroutine smooth(a)
        real :: a(:)
        !$omp parallel ! @site parallel grid::smooth
        call clip(a)
        !$omp end parallel
    contains
        subroutine clip(b)
            real :: b(:)
            !$omp critical ! @site critical grid::smooth::clip
            b(1) = b(1) + 1
            !$omp end critical
        end subroutine
    end subroutine
end module

program heat
    use grid
    real :: x(10)
    x = 1
    call smooth(x)
    !$omp parallel ! @site parallel heat
    !$omp task ! @site task heat
    !$omp critical ! @site critical heat
    x(2) = x(2) + 5
    !$omp end critical
    !$omp end task
    !$omp end parallel
    call outside(x)
end program

subroutine outside(a)
    real :: a(10)
    integer :: i
    !$omp parallel do ! @site parallel outside
    do i = 1, 10
        a(i) = a(i) * 0.5
    end do
end subroutine
