#include "tests/fuzz/fuzz_file.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::openAndReadAll(fuzz::write("model.h5", {data, size}));
    return 0;
}
