! SPDX-License-Identifier: BSD-3-Clause
!
! What sample.c does, in Fortran: f takes 70 % of the processor time, g 20 % and h 10 %. NAME is the function that
! sample_variants.c calls.
module tree
    use iso_c_binding, only: c_int, c_ptr, c_long
    implicit none
    real(8), volatile :: sink
    integer(8), parameter :: turns = 20000
contains
    subroutine work(count)
        integer(8), value :: count
        integer(8) :: i
        real(8), volatile :: x
        x = 1
        do i = 1, count
            x = x * 1.0000001d0 + 1d-9
        end do
        sink = x
    end subroutine

    function f() result(one)
        integer :: one
        call work(7 * turns)
        one = 1
    end function

    function g() result(one)
        integer :: one
        call work(2 * turns)
        one = 2
    end function

    function h() result(one)
        integer :: one
        call work(turns)
        one = 3
    end function

    function all_of_them() result(sum)
        integer :: sum
        sum = f() + g() + h()
    end function

    function NAME(argc, argv) result(status) bind(c)
        integer(c_int), value :: argc
        type(c_ptr), value :: argv
        integer(c_int) :: status
        integer :: sum, i
        sum = 0
        !$omp parallel do num_threads(2) reduction(+:sum)
        do i = 1, 200
            sum = sum + all_of_them()
        end do
        do i = 1, 50
            sum = sum + all_of_them()
        end do
        status = merge(0, 1, sum == 250 * 6)
    end function
end module
