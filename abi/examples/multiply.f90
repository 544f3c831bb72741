! Loads a plugin by its path and multiplies two small matrices in ordinary memory, which is what a CPU plugin takes.
!
! Fortran stores columns where a plugin expects rows: what is C = A * B there is, in the same memory, C' = B' * A' here.
! So Fortran's A goes as the plugin's B and the other way round, and the sizes of C change places: nothing is copied.
program multiply
    use, intrinsic :: iso_c_binding
    implicit none

    abstract interface
        subroutine solve_t(A, B, C, M, N, K) bind(c)
            import :: c_float, c_int
            real(c_float), intent(in) :: A(*), B(*)
            real(c_float), intent(out) :: C(*)
            integer(c_int), value :: M, N, K
        end subroutine
    end interface

    interface
        type(c_ptr) function dlopen(path, flags) bind(c)
            import :: c_ptr, c_char, c_int
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: flags
        end function
        type(c_funptr) function dlsym(library, name) bind(c)
            import :: c_ptr, c_funptr, c_char
            type(c_ptr), value :: library
            character(kind=c_char), intent(in) :: name(*)
        end function
    end interface

    integer(c_int), parameter :: rtld_now = 2
    character(len=4096) :: path
    type(c_ptr) :: library
    type(c_funptr) :: address
    procedure(solve_t), pointer :: solve
    real(c_float) :: a(2, 3) = reshape([1., 4., 2., 5., 3., 6.], [2, 3])
    real(c_float) :: b(3, 2) = reshape([1., 0., 1., 0., 1., 1.], [3, 2])
    real(c_float) :: c(2, 2)

    call get_command_argument(1, path)
    if (path == '') error stop 'usage: multiply LIBRARY'
    library = dlopen(trim(path) // c_null_char, rtld_now)
    if (.not. c_associated(library)) error stop 'the library cannot be loaded'
    address = dlsym(library, 'solve' // c_null_char)
    if (.not. c_associated(address)) error stop 'the library exports no solve'
    call c_f_procpointer(address, solve)

    call solve(b, a, c, 2, 3, 2)  ! columns of b, contraction, rows of a
    print '(2(i0, 1x))', transpose(int(c))
end program
