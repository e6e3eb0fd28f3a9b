// What of an HDF5 file is read by Headscope itself: chunks and the heap of texts.

#include "core/io/files/open_file.h"
#include "core/io/hdf5/hdf5_chunks.h"
#include "core/io/reader/hdf5/hdf5_text.h"

#include <algorithm>
#include <cstdint>
#include <span>

using namespace headscope;

namespace {

using Input = std::span<const std::byte>;

/// A reference and the file it points into.
void readText(Input input) {
    RawHeapReference reference{};
    if (input.size() < reference.size())
        return;
    std::ranges::copy(input.first(reference.size()), reference.begin());
    const auto file = InputFile::inMemory("model.h5", [&](const InputFile::Append& append) {
        return append(input.subspan(reference.size()));
    });
    if (file)
        static_cast<void>(readHeapText({file->descriptor(), 0, file->size()}, 0, reference));
}

/// Size of an element, size of the chunk / 256, and the chunk as it is stored.
void unpackChunk(Input input) {
    if (input.size() < 2)
        return;
    const Input stored = input.subspan(2);
    static_cast<void>(inflateExactly(stored, 256 * std::to_integer<std::size_t>(input[1])));
    static_cast<void>(unshuffle(stored, 1 + std::to_integer<std::size_t>(input[0]) % 16));
    static_cast<void>(verifyFletcher32({stored.begin(), stored.end()}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Input input = std::as_bytes(std::span(data, size));
    if (input.empty())
        return 0;
    if (input[0] == std::byte{0})
        readText(input.subspan(1));
    else
        unpackChunk(input.subspan(1));
    return 0;
}
