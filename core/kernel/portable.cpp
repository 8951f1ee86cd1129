#include "kernel/blocks_portable.hpp"
#include "kernel/kernel_of.hpp"

namespace beamtree {

Kernel portable_kernel() {
    return make_kernel<PortableBlocks>();
}

}  // namespace beamtree
