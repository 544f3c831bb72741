// What kernel<<<grid, block, shared, stream>>>(arguments) is rewritten to.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../vector_types.h"
#include "thread.h"

struct CUstream_st;

namespace emulator {

struct Launch {
    const char* name;  // the kernel as the source writes it
    dim3 grid, block;
    size_t dynamic_shared;
    const void* function;  // null where only overload resolution knows which function is called
    void (*run_thread)(const void* arguments);
    const void* arguments;
    const void* const* pointers = nullptr;  // those of the arguments that are pointers
    size_t pointer_count = 0;
    size_t numbers = 0;  // a hash of the others
    CUstream_st* stream = nullptr;
    std::shared_ptr<const void> (*keep)(const void* arguments) = nullptr;  // a copy of them that outlives the launch
};

// Whether it is a CUDA thread that asks.
bool is_device_code();

// Executes the grid and returns when it is done, or records why not.
void launch(const Launch& launch);

// The same with what is known of the arguments.
template <class... Arguments>
void launch_with(Launch what, const std::tuple<Arguments...>& arguments) {
    const void* pointers[sizeof...(Arguments) + 1];
    const auto collect = [&]<class T>(const T& argument) {
        if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
            pointers[what.pointer_count++] = const_cast<const void*>(static_cast<const volatile void*>(argument));
        } else {
            const auto* bytes = reinterpret_cast<const unsigned char*>(&argument);
            for (size_t i = 0; i < sizeof(T); ++i) what.numbers = (what.numbers ^ bytes[i]) * 0x100000001b3;
        }
    };
    std::apply([&](const auto&... each) { (collect(each), ...); }, arguments);
    what.pointers = pointers;
    launch(what);
}

// What __launch_bounds__ becomes, at the beginning of a kernel.
void refuse_block(size_t most_threads);
template <class... Others>
void launch_bounds(size_t most_threads, Others...) {
    const dim3 size = current()->block->size;
    if (size_t{size.x} * size.y * size.z > most_threads) refuse_block(most_threads);
}

// Counts the library's __constant__ variables when it is loaded. Returns true.
bool constant_variable(size_t bytes);

struct Query {};
struct Execute {};
template <class Use>
inline constexpr bool is_query = std::is_same_v<Use, Query>;

// The answer to a Query where the callee's name does not settle which function is meant.
struct Deduced {};

template <class... Parameters>
struct Address {
    void (*function)(Parameters...);
};
template <class... Parameters>
Address<Parameters...> address(Query, void (*function)(Parameters...)) {
    return {function};
}

template <class Use, class Kernel>
class Configured;

// The kernel's address is known: the arguments convert to the types of its parameters.
template <class... Parameters, class Kernel>
class Configured<Address<Parameters...>, Kernel> {
  public:
    Configured(Launch launch, const Kernel& kernel)
        : launch_(launch), kernel_(kernel), function_(kernel(Query{}).function) {}

    void operator()(Parameters... arguments) {
        struct Bound {
            void (*function)(Parameters...);
            std::tuple<Parameters...> arguments;
        } bound{function_, {std::move(arguments)...}};
        launch_.function = reinterpret_cast<const void*>(function_);
        launch_.arguments = &bound;
        launch_.run_thread = [](const void* opaque) {
            const Bound& bound = *static_cast<const Bound*>(opaque);
            std::apply(bound.function, bound.arguments);
        };
        launch_.keep = [](const void* opaque) -> std::shared_ptr<const void> {
            return std::make_shared<const Bound>(*static_cast<const Bound*>(opaque));
        };
        launch_with(launch_, bound.arguments);
    }

    // The parameters that are missing have default arguments, which a function pointer does not know.
    template <class... Arguments>
    requires(sizeof...(Arguments) < sizeof...(Parameters)) void operator()(Arguments... arguments) {
        launch_.function = reinterpret_cast<const void*>(function_);
        Configured<Deduced, Kernel>(launch_, kernel_)(std::move(arguments)...);
    }

  private:
    Launch launch_;
    const Kernel& kernel_;
    void (*function_)(Parameters...);
};

// Template arguments are deduced from the launch's arguments.
template <class Kernel>
class Configured<Deduced, Kernel> {
  public:
    Configured(Launch launch, const Kernel& kernel) : launch_(launch), kernel_(kernel) {}

    template <class... Arguments>
    void operator()(Arguments... arguments) {
        struct Bound {
            const Kernel& kernel;
            std::tuple<Arguments...> arguments;
        } bound{kernel_, {std::move(arguments)...}};
        launch_.arguments = &bound;
        launch_.run_thread = [](const void* opaque) {
            const Bound& bound = *static_cast<const Bound*>(opaque);
            std::apply([&](const Arguments&... each) { bound.kernel(Execute{}, each...); }, bound.arguments);
        };
        launch_.keep = [](const void* opaque) -> std::shared_ptr<const void> {
            struct Kept {
                Kernel kernel;
                Bound bound;
                explicit Kept(const Bound& from) : kernel(from.kernel), bound{kernel, from.arguments} {}
            };
            const auto kept = std::make_shared<const Kept>(*static_cast<const Bound*>(opaque));
            return {kept, &kept->bound};
        };
        launch_with(launch_, bound.arguments);
    }

  private:
    Launch launch_;
    const Kernel& kernel_;
};

template <class Call>
class Kernel {
  public:
    Kernel(const char* name, Call call) : name_(name), call_(call) {}

    auto configure(dim3 grid, dim3 block, size_t shared = 0, CUstream_st* stream = nullptr) const {
        Launch launch{name_, grid, block, shared, nullptr, nullptr, nullptr};
        launch.stream = stream;
        return Configured<decltype(call_(Query{})), Call>(launch, call_);
    }

  private:
    const char* name_;
    Call call_;
};

template <class Call>
Kernel<Call> kernel(const char* name, Call call) {
    return {name, call};
}

}  // namespace emulator
