# Loads a plugin by its path and multiplies two small matrices in ordinary memory, which is what a CPU plugin takes.
#
# Julia stores columns where a plugin expects rows: what is C = A * B there is, in the same memory, C' = B' * A' here.
# So Julia's A goes as the plugin's B and the other way round, and the sizes of C change places: nothing is copied.
using Libdl

function multiply(library, a::Matrix{Float32}, b::Matrix{Float32})
    size(a, 2) == size(b, 1) || throw(DimensionMismatch("$(size(a)) times $(size(b))"))
    c = Matrix{Float32}(undef, size(a, 1), size(b, 2))
    ccall(dlsym(library, :solve), Cvoid, (Ptr{Float32}, Ptr{Float32}, Ptr{Float32}, Cint, Cint, Cint),
          b, a, c, size(b, 2), size(a, 2), size(a, 1))
    last_error = dlsym(library, :solve_last_error; throw_error = false)  # another maker's library may lack it
    text = last_error === nothing ? C_NULL : ccall(last_error, Cstring, ())
    text == C_NULL || error(unsafe_string(text))
    return c
end

length(ARGS) == 1 || error("usage: multiply.jl LIBRARY")
c = multiply(dlopen(abspath(ARGS[1])), Float32[1 2 3; 4 5 6], Float32[1 0; 0 1; 1 1])
println(Int(c[1, 1]), " ", Int(c[1, 2]), "\n", Int(c[2, 1]), " ", Int(c[2, 2]))
