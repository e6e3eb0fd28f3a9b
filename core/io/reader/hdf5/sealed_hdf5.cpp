#include "core/io/reader/hdf5/hdf5_library.h"
#include "core/io/reader/hdf5/hdf5_listing.h"
#include "core/io/reader/hdf5/hdf5_writing.h"
#include "core/io/reader/sealed_service.h"
#include "core/io/sealed_reader.h"

#include <array>
#include <cstddef>
#include <span>

namespace headscope {

int runSealedHdf5(int argc, char** argv) {
    // Whatever HDF5 wants of the system when it starts, it has before the doors close.
    lockHdf5().unlock();
    constexpr std::array services{Service{Parser::Hdf5, &describeHdf5},
                                  Service{Parser::Hdf5Plan, &layOutHdf5}};
    return serveSealed(std::span(argv, static_cast<std::size_t>(argc)), services);
}

} // namespace headscope
