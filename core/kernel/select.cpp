// Chooses a kernel among those that were compiled and that this machine can run.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernel/kernel.hpp"

namespace beamtree {

Kernel portable_kernel();
Kernel avx2_kernel();

std::vector<Kernel> available_kernels() {
    std::vector<Kernel> kernels;
#ifdef BEAMTREE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        kernels.push_back(avx2_kernel());
#endif
    kernels.push_back(portable_kernel());
    return kernels;
}

Kernel select_kernel(const std::string& name) {
    const char* forced = std::getenv("BEAMTREE_SIMD");
    const std::string wanted = name != "auto"                 ? name
                               : forced != nullptr && *forced ? forced
                                                              : "auto";
    std::string allowed = "auto";
    for (const Kernel& kernel : available_kernels()) {
        if (wanted == "auto" || wanted == kernel.name) return kernel;
        allowed += std::string(", ") + kernel.name;
    }
    throw std::invalid_argument("kernel (or BEAMTREE_SIMD) must be one of " + allowed +
                                " on this machine, got '" + wanted + "'");
}

std::size_t depth2_scratch(int granules, int planes) {
    constexpr std::size_t kBlockBytes = kBlock * sizeof(std::uint64_t);
    return 4 * kBlockBytes * planes + static_cast<std::size_t>(granules + 8) * 32 + 64;
}

}  // namespace beamtree
