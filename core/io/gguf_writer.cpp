#include "core/io/gguf_writer.h"

#include "core/base/text.h"
#include "core/io/atomic_file.h"
#include "core/io/file_error.h"
#include "core/io/files/open_file.h"
#include "core/io/gguf/blocks.h"

#include <type_traits>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kGgufAlignment = 32; ///< what readers take where the file does not say

std::size_t ggufAligned(std::size_t bytes) {
    return (bytes + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
}

/// The bytes before the data.
class HeaderText {
public:
    template <class Number>
    void number(Number value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    void text(std::string_view value) {
        number(std::uint64_t{value.size()});
        text_.append(value);
    }
    void pair(const GgufEntry& entry) {
        text(entry.key);
        std::visit([this](const auto& value) { typed(value); }, entry.value);
    }
    void tensor(const GgufStreamedTensor& tensor, std::size_t offset) {
        text(tensor.name);
        number(static_cast<std::uint32_t>(tensor.shape.size()));
        for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size)
            number(std::uint64_t{*size});
        number(blockFormatOf(tensor.format).number);
        number(std::uint64_t{offset});
    }
    std::string finish() {
        text_.resize(ggufAligned(text_.size()));
        return std::move(text_);
    }

private:
    // Type numbers of the specification.
    void typed(bool value) {
        number(std::uint32_t{7});
        number(static_cast<std::uint8_t>(value));
    }
    void typed(std::uint32_t value) {
        number(std::uint32_t{4});
        number(value);
    }
    void typed(float value) {
        number(std::uint32_t{6});
        number(value);
    }
    void typed(const std::string& value) {
        number(std::uint32_t{8});
        text(value);
    }
    void typed(const std::vector<std::string>& values) {
        startArray(8, values.size());
        for (const std::string& value : values)
            text(value);
    }
    void typed(const std::vector<std::int32_t>& values) {
        startArray(5, values.size());
        for (const std::int32_t value : values)
            number(value);
    }
    void typed(const std::vector<bool>& values) {
        startArray(7, values.size());
        for (const bool value : values)
            number(static_cast<std::uint8_t>(value));
    }
    void startArray(std::uint32_t type, std::size_t size) {
        number(std::uint32_t{9});
        number(type);
        number(std::uint64_t{size});
    }

    std::string text_;
};

std::string headerOf(std::span<const GgufEntry> metadata,
                     std::span<const GgufStreamedTensor> tensors) {
    HeaderText header;
    for (const char letter : std::string_view("GGUF"))
        header.number(letter);
    header.number(std::uint32_t{3});
    header.number(std::uint64_t{tensors.size()});
    header.number(std::uint64_t{metadata.size()});
    for (const GgufEntry& entry : metadata)
        header.pair(entry);
    std::size_t offset = 0;
    for (const GgufStreamedTensor& tensor : tensors) {
        header.tensor(tensor, offset);
        offset += ggufAligned(ggufBytes(tensor.format, elementCount(tensor.shape)));
    }
    return header.finish();
}

Error cannotNarrow(const std::filesystem::path& shown, const GgufStreamedTensor& tensor,
                   float value) {
    return cannotWrite(shown, "tensor '" + tensor.name + "' holds " + numberText(value) +
                                  ", beyond what " + std::string(ggufFormatName(tensor.format)) +
                                  " can hold; choose another format");
}

/// One tensor and the zeros after it.
Result<void> appendTensor(const GgufStreamedTensor& tensor, std::size_t index,
                          const ProduceTensor& produce, OutputFile& file,
                          const std::filesystem::path& shown) {
    const std::size_t expected = ggufBytes(tensor.format, elementCount(tensor.shape));
    std::size_t written = 0;
    std::vector<std::byte> bytes;
    const auto append = [&](std::span<const float> values) -> Result<void> {
        bytes.clear();
        if (const auto beyond = appendBlocks(tensor.format, values, bytes))
            return cannotNarrow(shown, tensor, *beyond);
        written += bytes.size();
        return file.append(bytes);
    };
    if (auto done = produce(index, append); !done)
        return done;
    if (written != expected)
        return cannotWrite(shown, "tensor '" + tensor.name +
                                      "' has not as many numbers as its shape says");
    return file.append(std::vector<std::byte>(ggufAligned(expected) - expected));
}

Result<void> writeWhole(const std::filesystem::path& path, const std::filesystem::path& shown,
                        const std::string& header, std::span<const GgufStreamedTensor> tensors,
                        const ProduceTensor& produce) {
    auto file = OutputFile::open(path, shown);
    if (!file)
        return file.error();
    if (auto begun = file->append(std::as_bytes(std::span(header))); !begun)
        return begun;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (auto done = appendTensor(tensors[i], i, produce, *file, shown); !done)
            return done;
    return file->close();
}

} // namespace

std::string_view ggufFormatName(GgufFormat format) {
    return blockFormatOf(format).name;
}

std::size_t ggufFileBytes(std::span<const GgufEntry> metadata,
                          std::span<const GgufStreamedTensor> tensors) {
    std::size_t bytes = headerOf(metadata, tensors).size();
    for (const GgufStreamedTensor& tensor : tensors)
        bytes += ggufAligned(ggufBytes(tensor.format, elementCount(tensor.shape)));
    return bytes;
}

Result<void> writeGguf(const std::filesystem::path& path, std::span<const GgufEntry> metadata,
                       std::span<const GgufStreamedTensor> tensors, const ProduceTensor& produce,
                       const InspectFile& inspect) {
    const std::string header = headerOf(metadata, tensors);
    return writeFileAtomically(path, [&](const std::filesystem::path& temporary) -> Result<void> {
        if (auto done = writeWhole(temporary, path, header, tensors, produce); !done)
            return done;
        return inspect ? inspect(temporary) : Result<void>();
    });
}

} // namespace headscope
