// Of CUB what a kernel commonly takes: reductions over a warp and a block. The result is the first thread's.
#pragma once

#include "../cuda_runtime.h"

namespace cub {

struct Sum {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a + b;
    }
};
struct Max {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <class T, int kThreadsX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kThreadsY = 1,
          int kThreadsZ = 1>
class BlockReduce {
  public:
    struct TempStorage {
        T values[kThreadsX * kThreadsY * kThreadsZ];
    };
    explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

    template <class Operation>
    T Reduce(T value, Operation operation, int valid, EMULATOR_HERE) {
        const ::emulator::Place place{"cub::BlockReduce", file, line};
        const unsigned own = ::emulator::current()->linear;
        storage_.values[own] = value;
        ::emulator::block_barrier(place, false);
        if (own == 0) {
            for (int i = 1; i < valid; ++i) value = operation(value, storage_.values[i]);
        }
        ::emulator::block_barrier(place, false);
        return value;
    }
    template <class Operation>
    T Reduce(T value, Operation operation, EMULATOR_HERE) {
        return Reduce(value, operation, kThreadsX * kThreadsY * kThreadsZ, file, line);
    }
    T Sum(T value, EMULATOR_HERE) { return Reduce(value, cub::Sum(), file, line); }
    T Sum(T value, int valid, EMULATOR_HERE) { return Reduce(value, cub::Sum(), valid, file, line); }

  private:
    TempStorage& storage_;
};

template <class T, int kLanes = 32>
class WarpReduce {
  public:
    struct TempStorage {};
    explicit WarpReduce(TempStorage&) {}

    template <class Operation>
    T Reduce(T value, Operation operation, EMULATOR_HERE) {
        const unsigned own = ::emulator::lane(), first = own / kLanes * kLanes;
        const unsigned mask = (kLanes == 32 ? ~0u : (1u << kLanes % 32) - 1) << first;
        T result = value;
        for (unsigned i = 0; i < kLanes; ++i) {
            const T other = ::emulator::shuffle(mask, value, first + i, {"cub::WarpReduce", file, line});
            if (own == first && i > 0) result = operation(result, other);
        }
        return result;
    }
    T Sum(T value, EMULATOR_HERE) { return Reduce(value, cub::Sum(), file, line); }
};

#undef EMULATOR_HERE

}  // namespace cub
