#include <cstdint>

#include "bindings.hpp"

#if defined(__linux__)
#include <unistd.h>

#include <fstream>
#elif defined(__APPLE__)
#include <mach/mach.h>
#endif

namespace beamtree::python {

namespace {

std::int64_t resident_bytes() {
#if defined(__linux__)
    // The first two numbers are the total and the resident size, in pages.
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0, resident = 0;
    if (!(file >> size >> resident)) return 0;
    return resident * sysconf(_SC_PAGESIZE);
#elif defined(__APPLE__)
    mach_task_basic_info info{};
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
    const auto failed = task_info(mach_task_self(), MACH_TASK_BASIC_INFO,
                                  reinterpret_cast<task_info_t>(&info), &count);
    return failed == KERN_SUCCESS ? static_cast<std::int64_t>(info.resident_size) : 0;
#else
    return 0;
#endif
}

}  // namespace

void bind_memory(nb::module_& module) {
    module.def("resident_bytes", &resident_bytes,
               "Return the resident memory of this process in bytes; 0 if it is not known.");
}

}  // namespace beamtree::python
