#include "tests/fuzz/fuzz_file.h"

#include <string_view>

using namespace headscope;

namespace {

/// A shard "a.safetensors" with one tensor "a", for the index to speak of.
void writeShard() {
    using namespace std::string_view_literals;
    constexpr auto bytes = "\x36\0\0\0\0\0\0\0"
                           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"
                           "abcd"sv;
    fuzz::write("a.safetensors",
                {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool ready = (writeShard(), true);
    static_cast<void>(ready);
    fuzz::openAndReadAll(fuzz::write("model.safetensors.index.json", {data, size}));
    return 0;
}
