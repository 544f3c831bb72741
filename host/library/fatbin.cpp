#include "library/fatbin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace judge {

namespace {

struct ContainerHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t header_size;
    uint64_t size;  // of the images that follow
};
constexpr uint32_t kMagic = 0xba55ed50;

struct ImageHeader {
    uint16_t kind;
    uint16_t version;
    uint32_t header_size;
    uint64_t size;  // of the payload that follows, compressed or not
    uint32_t unused[3];
    uint32_t capability;
    uint64_t unused_too;
    uint64_t flags;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(ImageHeader) == 48, "as in the file");
constexpr uint16_t kPtx = 1, kMachineCode = 2;
constexpr uint64_t kExact = 1 << 20, kFamily = 1 << 21;

template <class T>
bool get(std::string_view bytes, size_t offset, T& value) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return true;
}

void read_images(std::string_view container, GpuImages& images) {
    ImageHeader image;
    while (get(container, 0, image) && image.header_size >= sizeof(image)) {
        const GpuArchitecture architecture{static_cast<int>(image.capability),
                                           image.flags & kExact    ? GpuArchitecture::Scope::exact
                                           : image.flags & kFamily ? GpuArchitecture::Scope::family
                                                                   : GpuArchitecture::Scope::any_later};
        if (image.kind == kPtx) images.ptx.insert(architecture);
        if (image.kind == kMachineCode) images.machine_code.insert(architecture);
        if (image.header_size > container.size() || image.size > container.size() - image.header_size) return;
        container.remove_prefix(image.header_size + image.size);
    }
}

bool runs(const GpuArchitecture& architecture, bool ptx, int capability) {
    if (architecture.scope == GpuArchitecture::Scope::exact) return architecture.capability == capability;
    const bool same_major = architecture.capability / 10 == capability / 10;
    const bool any_major = ptx && architecture.scope == GpuArchitecture::Scope::any_later;
    return architecture.capability <= capability && (same_major || any_major);
}

bool any_runs(const std::set<GpuArchitecture>& architectures, bool ptx, int capability) {
    return std::any_of(architectures.begin(), architectures.end(),
                       [=](const GpuArchitecture& architecture) { return runs(architecture, ptx, capability); });
}

std::string list(const std::set<GpuArchitecture>& architectures, const char* prefix) {
    std::string text;
    for (const auto& [capability, scope] : architectures) {
        const char* const letter = scope == GpuArchitecture::Scope::exact    ? "a"
                                   : scope == GpuArchitecture::Scope::family ? "f"
                                                                             : "";
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", prefix, capability, letter);
    }
    return text;
}

}  // namespace

GpuImages read_fatbin(std::string_view section) {
    GpuImages images;
    ContainerHeader container;
    while (get(section, 0, container)) {
        const bool understood = container.magic == kMagic && container.header_size >= sizeof(container) &&
                                container.header_size <= section.size();
        if (!understood) {
            section.remove_prefix(std::min<size_t>(section.size(), 8));  // padding: containers are aligned to 8 bytes
            continue;
        }
        section.remove_prefix(container.header_size);
        const size_t size = std::min<uint64_t>(container.size, section.size());
        read_images(section.substr(0, size), images);
        section.remove_prefix(size);
    }
    return images;
}

std::string missing_image(const GpuImages& images, int capability) {
    if (images.empty() || any_runs(images.machine_code, false, capability) || any_runs(images.ptx, true, capability)) {
        return {};
    }
    std::string built_for = list(images.machine_code, "sm_");
    if (!images.ptx.empty()) built_for += (built_for.empty() ? "" : ", ") + list(images.ptx, "compute_");
    return fmt::format("no image for sm_{0}: built for {1} only{2} (nvcc -gencode arch=compute_{0},code=sm_{0})",
                       capability, built_for, images.ptx.empty() ? ", no PTX" : "");
}

}  // namespace judge
