! lbp from Fortran: the functions of lbp_bridge.h, by iso_c_binding, and helpers for texts and arrays. Link it with one
! model in C that ends with #include "lbp_bridge.h". Fortran has the first index last: x[chain][draw][site] of C is
! x(site, draw, chain).
module lbp
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int32_t), parameter :: lbp_abi = 4

  enum, bind(c) ! types of items
    enumerator :: lbp_uint8, lbp_uint16, lbp_uint32, lbp_uint64, lbp_int32, lbp_int64, lbp_float, lbp_double
  end enum

  enum, bind(c) ! figures of lbp_bridge_step, from 0 as in C
    enumerator :: lbp_accept, lbp_parameter, lbp_jump, lbp_proposed, lbp_evaluations, lbp_log_ratio, lbp_info
  end enum

  type, bind(c) :: lbp_array
    type(c_ptr) :: name = c_null_ptr, length = c_null_ptr
    integer(c_int32_t) :: kind = 0, dims = 0
    integer(c_int64_t) :: shape(3) = 0
    type(c_ptr) :: data = c_null_ptr
  end type

  interface
    function lbp_bridge_abi() bind(c)
      import c_int32_t
      integer(c_int32_t) :: lbp_bridge_abi
    end function
    function lbp_bridge_version() bind(c)
      import c_int32_t
      integer(c_int32_t) :: lbp_bridge_version
    end function
    function lbp_bridge_name() bind(c)
      import c_ptr
      type(c_ptr) :: lbp_bridge_name
    end function
    function lbp_bridge_error(status) bind(c)
      import c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: lbp_bridge_error
    end function
    function lbp_bridge_wants(k, array) bind(c)
      import c_int, c_int32_t, lbp_array
      integer(c_int32_t), value :: k
      type(lbp_array), intent(out) :: array
      integer(c_int) :: lbp_bridge_wants
    end function
    function lbp_bridge_model_array(model, k, array) bind(c)
      import c_int, c_int32_t, c_ptr, lbp_array
      type(c_ptr), value :: model
      integer(c_int32_t), value :: k
      type(lbp_array), intent(out) :: array
      integer(c_int) :: lbp_bridge_model_array
    end function
    function lbp_bridge_model_make(arrays, count, model, why) bind(c)
      import c_char, c_int, c_int32_t, c_ptr, lbp_array
      type(lbp_array), intent(in) :: arrays(*)
      integer(c_int32_t), value :: count
      type(c_ptr), intent(out) :: model
      character(kind=c_char), intent(out) :: why(1024)
      integer(c_int) :: lbp_bridge_model_make
    end function
    subroutine lbp_bridge_model_free(model) bind(c)
      import c_ptr
      type(c_ptr), value :: model
    end subroutine
    function lbp_bridge_sites(model) bind(c)
      import c_int32_t, c_ptr
      type(c_ptr), value :: model
      integer(c_int32_t) :: lbp_bridge_sites
    end function
    function lbp_bridge_item_bytes(model) bind(c)
      import c_int32_t, c_ptr
      type(c_ptr), value :: model
      integer(c_int32_t) :: lbp_bridge_item_bytes
    end function
    function lbp_bridge_sampler_make(model, sampler) bind(c)
      import c_int, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), intent(out) :: sampler
      integer(c_int) :: lbp_bridge_sampler_make
    end function
    subroutine lbp_bridge_sampler_free(sampler) bind(c)
      import c_ptr
      type(c_ptr), value :: sampler
    end subroutine
    function lbp_bridge_message(sampler) bind(c)
      import c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr) :: lbp_bridge_message
    end function
    function lbp_bridge_set(sampler, name, value) bind(c)
      import c_char, c_int, c_ptr
      type(c_ptr), value :: sampler
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int) :: lbp_bridge_set
    end function
    function lbp_bridge_option(sampler, k, value) bind(c)
      import c_char, c_int32_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int32_t), value :: k
      character(kind=c_char), intent(out) :: value(1024)
      type(c_ptr) :: lbp_bridge_option
    end function
    function lbp_bridge_give(sampler, array) bind(c)
      import c_int, c_ptr, lbp_array
      type(c_ptr), value :: sampler
      type(lbp_array), intent(in) :: array
      integer(c_int) :: lbp_bridge_give
    end function
    subroutine lbp_bridge_listen(sampler, tell, data) bind(c) ! tell: c_funloc of a subroutine, or c_null_funptr
      import c_funptr, c_ptr
      type(c_ptr), value :: sampler, data
      type(c_funptr), value :: tell
    end subroutine
    function lbp_bridge_run(sampler, driver) bind(c)
      import c_char, c_int, c_ptr
      type(c_ptr), value :: sampler
      character(kind=c_char), intent(in) :: driver(*)
      integer(c_int) :: lbp_bridge_run
    end function
    subroutine lbp_bridge_interrupt(sampler) bind(c)
      import c_ptr
      type(c_ptr), value :: sampler
    end subroutine
    function lbp_bridge_get(sampler, name, array) bind(c)
      import c_char, c_int, c_ptr, lbp_array
      type(c_ptr), value :: sampler
      character(kind=c_char), intent(in) :: name(*)
      type(lbp_array), intent(out) :: array
      integer(c_int) :: lbp_bridge_get
    end function
    function lbp_bridge_result(sampler, k) bind(c)
      import c_int32_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int32_t), value :: k
      type(c_ptr) :: lbp_bridge_result
    end function
    function lbp_bridge_sampler_name(sampler) bind(c)
      import c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr) :: lbp_bridge_sampler_name
    end function
    function lbp_bridge_warning(sampler, k) bind(c)
      import c_int32_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int32_t), value :: k
      type(c_ptr) :: lbp_bridge_warning
    end function
    function lbp_bridge_warning_name(sampler, k) bind(c)
      import c_int32_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int32_t), value :: k
      type(c_ptr) :: lbp_bridge_warning_name
    end function
    function lbp_bridge_step(sampler, seed, stream, steps, x, info) bind(c) ! x: c_loc of a state
      import c_double, c_int, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: sampler, x
      integer(c_int64_t), value :: seed, stream
      integer(c_int32_t), value :: steps
      real(c_double), intent(out) :: info(0:5)
      integer(c_int) :: lbp_bridge_step
    end function
    function lbp_bridge_logp(sampler, x, logp) bind(c)
      import c_double, c_int, c_ptr
      type(c_ptr), value :: sampler, x
      real(c_double), intent(out) :: logp
      integer(c_int) :: lbp_bridge_logp
    end function
  end interface

contains

  !> A text of C; "" for NULL.
  function lbp_text(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: c(:)
    integer :: n
    text = ''
    if (.not. c_associated(from)) return
    call c_f_pointer(from, c, [huge(0)])
    n = 0
    do while (c(n + 1) /= c_null_char)
      n = n + 1
      text = text // c(n)
    end do
  end function

  !> An array for the library. name: a variable with the attribute target that ends with c_null_char; type: lbp_double
  !> and so on; extents as in Fortran, none for one number; data: c_loc of the first number. C reads the variables.
  function lbp_array_of(name, type, extents, data) result(array)
    character(kind=c_char, len=*), intent(in), target :: name
    integer, intent(in) :: type, extents(:)
    type(c_ptr), intent(in) :: data
    type(lbp_array) :: array
    if (size(extents) > size(array%shape)) error stop 'lbp: an array has up to 3 extents'
    array%name = c_loc(name)
    array%kind = type
    array%dims = size(extents)
    array%shape(1:size(extents)) = extents(size(extents):1:-1)
    array%data = data
  end function

  !> Ends the program with the sampler's sentence, or the text of the status, on standard error, unless the status is
  !> LBP_OK. The library itself prints nothing: programs that go on look at the status themselves.
  subroutine lbp_judge(status, sampler)
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: sampler
    character(:), allocatable :: sentence
    if (status == 0) return
    sentence = lbp_text(lbp_bridge_message(sampler))
    if (sentence == '') sentence = lbp_text(lbp_bridge_error(status))
    error stop 'lbp: ' // sentence
  end subroutine

  !> Sets an option of lbp_run; ends the program if there is no such option or value.
  subroutine lbp_set(sampler, name, value)
    type(c_ptr), intent(in) :: sampler
    character(*), intent(in) :: name, value
    call lbp_judge(lbp_bridge_set(sampler, name // c_null_char, value // c_null_char), sampler)
  end subroutine

  !> A result of the last run; ends the program unless there is one of this type.
  function lbp_get(sampler, name, type) result(array)
    type(c_ptr), intent(in) :: sampler
    character(*), intent(in) :: name
    integer, intent(in) :: type
    type(lbp_array) :: array
    character(40) :: types
    call lbp_judge(lbp_bridge_get(sampler, name // c_null_char, array), sampler)
    if (array%kind == type) return
    write (types, '(i0, a, i0)') array%kind, ', not ', type
    error stop 'lbp: ' // name // ': its numbers are of type ' // trim(types)
  end function
end module
