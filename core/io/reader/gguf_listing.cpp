#include "core/io/reader/gguf_listing.h"

#include "core/io/gguf/gguf_description.h"
#include "core/io/gguf/gguf_header.h"

#include <utility>

namespace headscope {

ReaderAnswer describeGguf(const FilePart& file) {
    auto header =
        readGgufHeader({file.bytes, [&file](std::size_t offset, std::span<std::byte> target) {
                            return readPart(file, offset, target);
                        }});
    if (!header)
        return Refusal{header.error(), ""};
    return describe(*std::move(header));
}

} // namespace headscope
