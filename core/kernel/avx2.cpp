#include "kernel/blocks_avx2.hpp"
#include "kernel/kernel_of.hpp"

namespace beamtree {

Kernel avx2_kernel() {
    return make_kernel<Avx2Blocks>();
}

}  // namespace beamtree
