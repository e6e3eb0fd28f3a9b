#include "core/io/files/tensor_listing.h"

#include "core/base/checked.h"
#include "core/base/text.h"

#include <string>

namespace headscope {

Error cannotRead(const std::filesystem::path& path, std::string_view tensor, const Error& reason) {
    return {reason.code, "Cannot read tensor '" + std::string(tensor) + "' of '" + path.string() +
                             "': " + reason.message + "."};
}

Result<std::size_t> indexForReading(const TensorSource& source, const TensorInfo& tensor,
                                    const NumberTarget& target) {
    const TensorInfo* const known = source.find(tensor.name);
    if (known == nullptr)
        return cannotRead(source.path(), tensor.name,
                          {ErrorCode::NotFound, "there is no such tensor"});
    if (target.size() != elementCount(known->shape))
        return cannotRead(
            source.path(), tensor.name,
            {ErrorCode::InvalidArgument, "it has shape " + shapeText(known->shape) + ", not " +
                                             std::to_string(target.size()) + " values"});
    if (target.isWords() && formatFor(known->type) == FloatFormat::Float32)
        return cannotRead(source.path(), tensor.name,
                          {ErrorCode::InvalidArgument, "it is not stored in words of 16 bits"});
    return static_cast<std::size_t>(known - source.tensors().data());
}

Result<void> TensorBudget::take(const TensorInfo& tensor) {
    const auto bytes =
        checkedMultiply(elementCount(tensor.shape), bytesPerNumber(formatFor(tensor.type)));
    const auto sum = bytes ? checkedAdd(taken_, *bytes) : std::nullopt;
    if (!sum || *sum > bytes_)
        return Error{ErrorCode::TooLarge, "its tensors need more than the " + byteText(bytes_) +
                                              " of memory there are (tensor '" + tensor.name +
                                              "' of shape " + shapeText(tensor.shape) +
                                              " no longer fits); choose a smaller model"};
    taken_ = *sum;
    return {};
}

} // namespace headscope
