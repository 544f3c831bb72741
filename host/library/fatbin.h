// Which GPUs a library holds code for, read from its CUDA fat binaries without loading it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace judge {

// What one image was compiled for.
struct GpuArchitecture {
    // The letter after the number: code without one runs on later GPUs too, with `f` on those of its family only, with
    // `a` on its own only.
    enum class Scope { any_later, family, exact };

    int capability = 0;  // 10 * major + minor, as in sm_90
    Scope scope = Scope::any_later;

    auto operator<=>(const GpuArchitecture&) const = default;
};

struct GpuImages {
    std::set<GpuArchitecture> machine_code;  // cubins: sm_*
    std::set<GpuArchitecture> ptx;           // which the driver compiles for later GPUs: compute_*

    bool empty() const { return machine_code.empty() && ptx.empty(); }
};

// Reads a section `.nv_fatbin`: containers one after the other, each of a header and of images with a header of their
// own. NVIDIA documents only cuobjdump's view of them; the layout is that of CUDA 11 to 13, checked against what nvcc
// was told to compile. What is not understood is left out, so an empty result means unknown.
GpuImages read_fatbin(std::string_view section);

// Empty if some image can run on a GPU of this capability, or if no image is known; else what there is, and the flag of
// nvcc that helps.
std::string missing_image(const GpuImages& images, int capability);

}  // namespace judge
