! An Ising ring from Fortran:
!   cc -O3 -march=native -c -I../.. ../bridge/qubo.c -o qubo.o
!   gfortran -O2 lbp.f90 ring.f90 qubo.o -o ring -lm -pthread && ./ring
program ring
  use lbp
  implicit none
  integer, parameter :: n = 50
  real(c_double), parameter :: coupling = 0.4_c_double
  ! log pi = J * (the sum of s_i s_i+1), s = 2 x - 1, up to a constant: each pair has 4 x_i x_j - 2 x_i - 2 x_j
  integer(c_int32_t), target :: sites = n, ends(2, 2 * n)
  real(c_double), target :: value(2 * n)
  ! names that C reads need an address that lasts
  character(6), target :: name(4) = [character(6) :: 'n' // c_null_char, 'ends' // c_null_char, &
                                     'value' // c_null_char, 'start' // c_null_char]
  character(kind=c_char), target :: why(1024)
  integer(c_int8_t), target :: state(n)
  integer(c_int8_t), pointer :: x(:, :, :)
  real(c_double), pointer :: lp(:, :)
  real(c_double) :: t, info(0:lbp_info - 1), logp
  integer(c_int64_t) :: hash
  integer(c_int) :: status
  type(lbp_array) :: draws
  type(c_ptr) :: model, sampler, steps
  integer :: i, j, k, version

  if (lbp_bridge_abi() /= lbp_abi) error stop 'lbp.f90 is for another interface than the model'
  do i = 1, n ! the library's sites begin with 0
    ends(:, 2 * i - 1) = [i - 1, mod(i, n)]
    ends(:, 2 * i) = i - 1
    value(2 * i - 1:2 * i) = [-4 * coupling, 4 * coupling] ! of the energy, which is -log pi
  end do
  status = lbp_bridge_model_make([lbp_array_of(name(1), lbp_uint32, [integer ::], c_loc(sites)), &
                                  lbp_array_of(name(2), lbp_uint32, [2, 2 * n], c_loc(ends)), &
                                  lbp_array_of(name(3), lbp_double, [2 * n], c_loc(value))], &
                                 3, model, why)
  if (status /= 0) error stop 'lbp: ' // lbp_text(c_loc(why))
  version = lbp_bridge_version()
  print '(a, i0, a, i0, a, i0, 3a, i0, a)', 'lbp ', version / 10000, '.', mod(version / 100, 100), '.', &
    mod(version, 100), ', ', lbp_text(lbp_bridge_name()), ', ', lbp_bridge_sites(model), ' sites'

  call lbp_judge(lbp_bridge_sampler_make(model, sampler), c_null_ptr)
  call lbp_set(sampler, 'seed', '7')
  call lbp_set(sampler, 'sampler', 'gibbs')
  call lbp_set(sampler, 'chains', '4')
  call lbp_set(sampler, 'draws', '1000')
  call lbp_set(sampler, 'thin', '5')
  state = 0
  call lbp_judge(lbp_bridge_give(sampler, lbp_array_of(name(4), lbp_uint8, [n], c_loc(state))), sampler)
  call lbp_judge(lbp_bridge_run(sampler, 'run' // c_null_char), sampler)
  k = 0
  do while (c_associated(lbp_bridge_warning(sampler, k)))
    print '(3a)', lbp_text(lbp_bridge_warning_name(sampler, k)), ': ', lbp_text(lbp_bridge_warning(sampler, k))
    k = k + 1
  end do
  draws = lbp_get(sampler, 'x', lbp_uint8)
  call c_f_pointer(draws%data, x, draws%shape(3:1:-1))
  print '(i0, a, i0, a, i0, a)', size(x, 3), ' chains, ', size(x, 2), ' draws, ', size(x, 1), ' sites'
  draws = lbp_get(sampler, 'lp', lbp_double)
  call c_f_pointer(draws%data, lp, draws%shape(2:1:-1))
  print '(2a)', 'mean log pi ', number(mean(lp))
  t = tanh(coupling)
  print '(3a, f0.6)', 'mean of s_i s_i+1 ', number(bond(x)), ', exact 0', (t + t**(n - 1)) / (1 + t**n)
  hash = 0
  do k = 1, size(x, 3)
    do j = 1, size(x, 2)
      do i = 1, n
        hash = mod(hash * 31 + x(i, j, k), 1000000007_c_int64_t)
      end do
    end do
  end do
  print '(a, i0)', 'draws ', hash

  call lbp_judge(lbp_bridge_sampler_make(model, steps), c_null_ptr)
  call lbp_set(steps, 'sampler', 'gibbs')
  call lbp_judge(lbp_bridge_step(steps, 3_c_int64_t, 0_c_int64_t, 20, c_loc(state), info), steps)
  call lbp_judge(lbp_bridge_logp(steps, c_loc(state), logp), steps)
  print '(a, i0, 2a)', '20 sweeps flip ', nint(info(lbp_jump)), ' sites; log pi ', number(logp)
  print '(*(i1))', state

  status = lbp_bridge_set(steps, 'chain' // c_null_char, '4' // c_null_char)
  if (status /= 0) print '(2a)', 'refused: ', lbp_text(lbp_bridge_message(steps))
  call lbp_bridge_sampler_free(steps)
  call lbp_bridge_sampler_free(sampler) ! x and lp were its
  call lbp_bridge_model_free(model)

contains

  !> The mean of s_i s_i+1 over all draws.
  function bond(x)
    integer(c_int8_t), intent(in) :: x(:, :, :)
    real(c_double) :: bond
    bond = 2 * real(count(x == cshift(x, 1, 1)), c_double) / size(x) - 1
  end function

  function mean(v)
    real(c_double), intent(in) :: v(:, :)
    real(c_double) :: mean
    integer :: i, j
    mean = 0
    do j = 1, size(v, 2)
      do i = 1, size(v, 1)
        mean = mean + v(i, j)
      end do
    end do
    mean = mean / size(v)
  end function

  !> As C's %.12f.
  function number(v) result(text)
    real(c_double), intent(in) :: v
    character(:), allocatable :: text
    character(40) :: wide
    write (wide, '(f40.12)') v
    text = trim(adjustl(wide))
  end function
end program
