! SPDX-License-Identifier: BSD-3-Clause
!
! Names what it does by include/omptape/omptape.f90.
program user
   use omptape
   implicit none
   integer :: i
   call omptape_begin("solver ")
   do i = 1, 3
      call omptape_step("time step", i)
      !$omp parallel num_threads(2)
      call omptape_mark("point")
      !$omp end parallel
      call omptape_value("residual", 1.0 / i)
   end do
   call omptape_end()
   call omptape_end()
   print *, omptape_is_recording()
end program
