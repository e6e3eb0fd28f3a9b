#include "core/io/gguf/gguf_header.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/io/gguf/header_values.h"
#include "core/io/sealed/file_description.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kLargestGgufHeader = std::size_t{256} << 20;
constexpr std::size_t kLongestGgufKey = 65'535; ///< by the specification
constexpr std::size_t kUsualAlignment = 32;
constexpr std::size_t kLargestAlignment = std::size_t{1} << 20;

/// A number of the metadata, or `fallback` where there is none.
std::size_t metadataNumber(const nlohmann::json& metadata, const char* key, std::size_t fallback) {
    const auto found = metadata.find(key);
    return found != metadata.end() && found->is_number_unsigned() ? found->get<std::size_t>()
                                                                  : fallback;
}

/// Reads one header in the order of the file.
class GgufHeaderReader {
public:
    explicit GgufHeaderReader(const HeaderFile& file)
        : file_(file), bytes_(file, kLargestGgufHeader) {}

    Result<GgufHeader> read();

private:
    void readStart();
    void readMetadata();
    void readTensors();
    GgufTensor readTensor();
    void checkType(GgufTensor& tensor, std::uint32_t number);
    void checkSize(GgufTensor& tensor);
    void readSplit();
    void placeTensors();
    void checkNames();

    bool good() const { return !bytes_.error(); }
    void fail(const std::string& reason) { bytes_.fail(malformedGguf(reason)); }

    const HeaderFile& file_;
    HeaderBytes bytes_;
    std::size_t n_tensors_ = 0;
    std::size_t n_metadata_ = 0;
    nlohmann::json metadata_ = nlohmann::json::object();
    GgufHeader header_;
};

Result<GgufHeader> GgufHeaderReader::read() {
    for (const auto step : {&GgufHeaderReader::readStart, &GgufHeaderReader::readMetadata,
                            &GgufHeaderReader::readTensors, &GgufHeaderReader::readSplit,
                            &GgufHeaderReader::placeTensors, &GgufHeaderReader::checkNames})
        if (good())
            (this->*step)();
    if (!good())
        return *bytes_.error();
    header_.metadata = metadata_.dump();
    return std::move(header_);
}

void GgufHeaderReader::readStart() {
    bytes_.number<std::uint32_t>(); // "GGUF", by which the file was told
    const auto version = bytes_.number<std::uint32_t>();
    if (good() && version != 2 && version != 3)
        bytes_.fail({ErrorCode::Unsupported,
                     (version & 0xFFFFu) == 0
                         ? "its numbers are big-endian, which is not supported; convert the model "
                           "again on a usual machine"
                         : "it is of version " + std::to_string(version) +
                               " of GGUF, expected 2 or 3; convert the model again"});
    n_tensors_ = bytes_.number<std::uint64_t>();
    n_metadata_ = bytes_.number<std::uint64_t>();
    if (n_tensors_ > kMostGgufTensors)
        fail("it claims " + std::to_string(n_tensors_) + " tensors");
}

void GgufHeaderReader::readMetadata() {
    MetadataReader reader(bytes_);
    for (std::size_t i = 0; i < n_metadata_ && good(); ++i) {
        const std::string key = bytes_.text();
        if (!good())
            return;
        if (key.empty() || key.size() > kLongestGgufKey ||
            firstInvalidUtf8(key) != std::string::npos)
            return fail("a key of its metadata has " + std::to_string(key.size()) +
                        " bytes or is no UTF-8, expected a text of 1 to " +
                        std::to_string(kLongestGgufKey));
        if (metadata_.contains(key))
            return fail("its metadata have the key " + inQuotes(key) + " twice");
        metadata_[key] = reader.value(key);
    }
}

void GgufHeaderReader::readTensors() {
    for (std::size_t i = 0; i < n_tensors_ && good(); ++i)
        header_.tensors.push_back(readTensor());
}

GgufTensor GgufHeaderReader::readTensor() {
    GgufTensor tensor;
    tensor.name = bytes_.text();
    if (good() && (tensor.name.empty() || tensor.name.size() > kMaxTensorNameBytes ||
                   firstInvalidUtf8(tensor.name) != std::string::npos))
        fail("the name of a tensor has " + std::to_string(tensor.name.size()) +
             " bytes or is no UTF-8, expected a text of 1 to " +
             std::to_string(kMaxTensorNameBytes));
    const auto axes = bytes_.number<std::uint32_t>();
    if (good() && axes > kMostGgufAxes)
        fail("tensor '" + tensor.name + "' has " + std::to_string(axes) +
             " dimensions, expected at most " + std::to_string(kMostGgufAxes));
    for (std::uint32_t axis = 0; axis < axes && good(); ++axis)
        tensor.shape.insert(tensor.shape.begin(), bytes_.number<std::uint64_t>());
    const auto number = bytes_.number<std::uint32_t>();
    tensor.offset = bytes_.number<std::uint64_t>();
    if (good())
        checkType(tensor, number);
    if (good())
        checkSize(tensor);
    return tensor;
}

void GgufHeaderReader::checkType(GgufTensor& tensor, std::uint32_t number) {
    tensor.format = blockFormat(number);
    if (tensor.format == nullptr)
        bytes_.fail({ErrorCode::Unsupported,
                     "tensor '" + tensor.name + "' has the type number " + std::to_string(number) +
                         ", which is unknown or was withdrawn, expected one of " +
                         readableBlockFormats() + "; choose another quantisation of the model"});
}

void GgufHeaderReader::checkSize(GgufTensor& tensor) {
    const BlockFormat& format = *tensor.format;
    const std::string what = "tensor '" + tensor.name + "' of shape " + shapeText(tensor.shape) +
                             " and type " + std::string(format.name);
    const std::size_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % format.elements != 0)
        return fail(what + " has rows that are no whole number of blocks of " +
                    std::to_string(format.elements));
    const auto elements = checkedProduct(tensor.shape);
    const auto bytes =
        elements ? checkedMultiply(*elements / format.elements, format.bytes) : std::nullopt;
    if (!bytes)
        return fail(what + " gives no number of bytes");
    tensor.bytes = *bytes;
}

void GgufHeaderReader::readSplit() {
    header_.split_number = metadataNumber(metadata_, "split.no", 0);
    header_.split_count = metadataNumber(metadata_, "split.count", 1);
    const auto total = metadata_.find("split.tensors.count"); // an int32
    header_.split_tensors =
        total != metadata_.end() && total->is_number_integer()
            ? static_cast<std::size_t>(std::max<std::int64_t>(0, total->get<std::int64_t>()))
            : 0;
    if (header_.split_count == 0)
        header_.split_count = 1;
    if (header_.split_number >= header_.split_count)
        fail("it says that it is part " + std::to_string(header_.split_number + 1) + " of " +
             std::to_string(header_.split_count));
}

/// Makes offsets those in the file, after checking that the tensors cover the data.
void GgufHeaderReader::placeTensors() {
    const std::size_t alignment = metadataNumber(metadata_, "general.alignment", kUsualAlignment);
    if (alignment == 0 || alignment > kLargestAlignment || (alignment & (alignment - 1)) != 0)
        return fail("its general.alignment is " + std::to_string(alignment) +
                    ", expected a power of two up to " + std::to_string(kLargestAlignment));
    const auto aligned = [alignment](std::size_t bytes) -> std::optional<std::size_t> {
        const auto over = checkedAdd(bytes, alignment - 1);
        return over ? std::optional(*over & ~(alignment - 1)) : std::nullopt;
    };
    std::ranges::sort(header_.tensors, {}, [](const GgufTensor& tensor) {
        return std::pair(tensor.offset, tensor.bytes);
    });
    const std::size_t start = *aligned(bytes_.position());
    std::size_t next = 0; // of the data
    for (GgufTensor& tensor : header_.tensors) {
        if (tensor.offset != next)
            return fail("tensor '" + tensor.name + "' begins at byte " +
                        std::to_string(tensor.offset) + " of the data, where " +
                        (tensor.offset > next ? "a hole" : "another tensor") +
                        " lies before it, expected " + std::to_string(next));
        const auto place = checkedAdd(start, tensor.offset);
        const auto end = place ? checkedAdd(*place, tensor.bytes) : std::nullopt;
        if (!end || *end > file_.bytes)
            return fail("tensor '" + tensor.name + "' needs " + byteText(tensor.bytes) +
                        " from byte " + std::to_string(tensor.offset) +
                        " of the data on, more than the file of " + byteText(file_.bytes) +
                        " has; it may be cut short");
        next = *aligned(*end - start);
        tensor.offset = *place;
    }
}

void GgufHeaderReader::checkNames() {
    std::ranges::sort(header_.tensors, {}, &GgufTensor::name);
    const auto twin = std::ranges::adjacent_find(header_.tensors, {}, &GgufTensor::name);
    if (twin != header_.tensors.end())
        fail("it holds the tensor '" + twin->name + "' twice");
}

} // namespace

Result<GgufHeader> readGgufHeader(const HeaderFile& file) {
    return GgufHeaderReader(file).read();
}

} // namespace headscope
