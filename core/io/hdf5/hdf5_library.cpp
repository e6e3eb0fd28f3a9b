#include "core/io/hdf5/hdf5_library.h"

#include <hdf5.h>

#include <vector>

namespace headscope {

namespace {

void setUpHdf5() {
    // HDF5 1.10.8 can crash in its exit handler after a failed close.
    H5dont_atexit();
    H5open();
    // Or else an unknown filter makes HDF5 load, and so run, every library on its plugin path.
    H5PLset_loading_state(0);
    // From 1.14 on it still looks through that path when a file does not open.
    unsigned paths = 0;
    H5PLsize(&paths);
    while (paths > 0)
        H5PLremove(--paths);
}

} // namespace

std::unique_lock<std::mutex> lockHdf5() {
    static std::mutex mutex;
    std::unique_lock lock(mutex);
    static const bool ready = (setUpHdf5(), true);
    static_cast<void>(ready);
    // Where HDF5 is thread-safe, the printing of errors is switched per thread.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return lock;
}

Hdf5Handle dataspaceOf(const Shape& shape) {
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    return {dims.empty() ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
            H5Sclose};
}

bool makeGroups(hid_t file, const std::string& path) {
    const Hdf5Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.id(), false);
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
        const std::string name = path.substr(0, end);
        if (H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0)
            continue;
        const Hdf5Handle group(
            H5Gcreate2(file, name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose);
        if (!group)
            return false;
    }
    return true;
}

bool writeTextAttribute(hid_t file, const std::string& name, const std::string& text) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    if (H5Tset_size(type.id(), H5T_VARIABLE) < 0 || H5Tset_cset(type.id(), H5T_CSET_UTF8) < 0)
        return false;
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle created(
        H5Acreate2(file, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const char* const characters = text.c_str();
    return created && H5Awrite(created.id(), type.id(), &characters) >= 0;
}

} // namespace headscope
