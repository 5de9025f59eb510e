! SPDX-License-Identifier: BSD-3-Clause
!
! For Fortran programs that want to tell the tool what they do, as include/omptape/omptape.h is for C. Compile
! this file with the program; no library has to be linked.
!
!     use omptape
!     call omptape_begin("solver")
!     do i = 1, steps
!        call omptape_step("time step", i)
!        call omptape_value("residual", residual)
!     end do
!     call omptape_end()    ! the last step
!     call omptape_end()    ! the solver
!
! The functions are looked up at the first call. Without the tool a call costs one test. Blanks at the end of a
! name are no part of it.
module omptape
   use, intrinsic :: iso_c_binding
   implicit none
   private
   public :: omptape_begin, omptape_step, omptape_end, omptape_mark, omptape_value, omptape_is_recording

   interface
      subroutine take_name(name) bind(c)
         import :: c_char
         character(kind=c_char), intent(in) :: name(*)
      end subroutine
      subroutine take_number(name, number) bind(c)
         import :: c_char, c_int64_t
         character(kind=c_char), intent(in) :: name(*)
         integer(c_int64_t), value :: number
      end subroutine
      subroutine take_value(name, number) bind(c)
         import :: c_char, c_double
         character(kind=c_char), intent(in) :: name(*)
         real(c_double), value :: number
      end subroutine
      subroutine take_nothing() bind(c)
      end subroutine
      function ask() bind(c) result(answer)
         import :: c_int
         integer(c_int) :: answer
      end function
      function dlsym(handle, symbol) bind(c, name="dlsym") result(found)
         import :: c_ptr, c_funptr, c_char
         type(c_ptr), value :: handle
         character(kind=c_char), intent(in) :: symbol(*)
         type(c_funptr) :: found
      end function
   end interface

   interface omptape_step
      module procedure step_of_int, step_of_long
   end interface
   interface omptape_value
      module procedure value_of_real, value_of_double
   end interface

   integer, parameter :: unknown = 0, there = 1, missing = 2
   integer, volatile :: state = unknown
   procedure(take_name), pointer :: begin_region => null(), put_mark => null()
   procedure(take_number), pointer :: begin_step => null()
   procedure(take_value), pointer :: put_value => null()
   procedure(take_nothing), pointer :: end_region => null()
   procedure(ask), pointer :: ask_recording => null()

contains

   function find(name) result(found)
      character(*), intent(in) :: name
      type(c_funptr) :: found
      found = dlsym(c_null_ptr, name//c_null_char)
   end function

   ! Threads that come here at one time find the same.
   subroutine find_all()
      type(c_funptr) :: found(6)
      integer :: i
      found(1) = find("omptape_user_begin")
      found(2) = find("omptape_user_step")
      found(3) = find("omptape_user_end")
      found(4) = find("omptape_user_mark")
      found(5) = find("omptape_user_put_value")
      found(6) = find("omptape_is_recording")
      do i = 1, 6
         if (.not. c_associated(found(i))) then
            state = missing
            return
         end if
      end do
      call c_f_procpointer(found(1), begin_region)
      call c_f_procpointer(found(2), begin_step)
      call c_f_procpointer(found(3), end_region)
      call c_f_procpointer(found(4), put_mark)
      call c_f_procpointer(found(5), put_value)
      call c_f_procpointer(found(6), ask_recording)
      state = there
   end subroutine

   logical function is_there()
      if (state == unknown) call find_all()
      is_there = state == there
   end function

   subroutine omptape_begin(name)
      character(*), intent(in) :: name
      if (is_there()) call begin_region(trim(name)//c_null_char)
   end subroutine

   subroutine step_of_int(name, number)
      character(*), intent(in) :: name
      integer(c_int), intent(in) :: number
      if (is_there()) call begin_step(trim(name)//c_null_char, int(number, c_int64_t))
   end subroutine

   subroutine step_of_long(name, number)
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: number
      if (is_there()) call begin_step(trim(name)//c_null_char, number)
   end subroutine

   subroutine omptape_end()
      if (is_there()) call end_region()
   end subroutine

   subroutine omptape_mark(name)
      character(*), intent(in) :: name
      if (is_there()) call put_mark(trim(name)//c_null_char)
   end subroutine

   subroutine value_of_double(name, number)
      character(*), intent(in) :: name
      real(c_double), intent(in) :: number
      if (is_there()) call put_value(trim(name)//c_null_char, number)
   end subroutine

   subroutine value_of_real(name, number)
      character(*), intent(in) :: name
      real(c_float), intent(in) :: number
      call value_of_double(name, real(number, c_double))
   end subroutine

   logical function omptape_is_recording()
      omptape_is_recording = .false.
      if (is_there()) omptape_is_recording = ask_recording() /= 0
   end function
end module
