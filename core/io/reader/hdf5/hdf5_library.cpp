#include "core/io/reader/hdf5/hdf5_library.h"

#include <hdf5.h>

#include <algorithm>

namespace headscope {

namespace {

/// Memory may have run out for a moment.
template <class Call>
void tryAFewTimes(Call call) {
    constexpr int most = 3;
    for (int tries = 0; tries < most && call() < 0; ++tries) {
    }
}

void setUpHdf5() {
    // HDF5 1.10.8 can crash in its exit handler after a failed close.
    H5dont_atexit();
    tryAFewTimes(H5open);
    // Or else an unknown filter makes HDF5 load, and so run, every library on its plugin path.
    H5PLset_loading_state(0);
    // From 1.14 on it still looks through that path when a file does not open.
    unsigned paths = 0;
    H5PLsize(&paths);
    while (paths > 0)
        H5PLremove(--paths);
}

} // namespace

H5FD_class_t driverNamed(const char* name, [[maybe_unused]] int number) {
    H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION // of HDF5 1.14 and later
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(number);
#endif
    driver.name = name;
    driver.maxaddr = static_cast<haddr_t>(1) << 62;
    driver.fc_degree = H5F_CLOSE_STRONG;
    constexpr H5FD_mem_t kinds[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::ranges::copy(kinds, driver.fl_map);
    return driver;
}

std::unique_lock<std::mutex> lockHdf5() {
    static std::mutex mutex;
    std::unique_lock lock(mutex);
    static const bool ready = (setUpHdf5(), true);
    static_cast<void>(ready);
    // Where HDF5 is thread-safe, the printing of errors is switched per thread.
    tryAFewTimes([] { return H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); });
    return lock;
}

} // namespace headscope
