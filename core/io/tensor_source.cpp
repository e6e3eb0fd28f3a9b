#include "core/io/tensor_source.h"

#include "core/base/text.h"
#include "core/io/files/sharded_source.h"
#include "core/io/files/weight_file.h"
#include "core/io/model_folder.h"
#include "core/io/sealed_reading.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace headscope {

std::string_view storedTypeName(StoredType type) {
    switch (type) {
    case StoredType::Float64:
        return "float64";
    case StoredType::Float32:
        return "float32";
    case StoredType::Float16:
        return "float16";
    case StoredType::BFloat16:
        return "bfloat16";
    case StoredType::Integer:
        return "integer";
    case StoredType::Quantized:
        return "quantized";
    case StoredType::Other:
        break;
    }
    return "other";
}

std::string storedTypeText(const TensorInfo& tensor) {
    const std::size_t elements = elementCount(tensor.shape);
    if (tensor.type != StoredType::Quantized || elements == 0)
        return std::string(storedTypeName(tensor.type));
    const double bits =
        8.0 * static_cast<double>(tensor.stored_bytes) / static_cast<double>(elements);
    return std::string(tensor.format) + ", " + numberText(bits) + " bits";
}

const TensorInfo* TensorSource::find(std::string_view name) const {
    const std::span<const TensorInfo> all = tensors();
    const auto place = std::lower_bound(
        all.begin(), all.end(), name,
        [](const TensorInfo& info, std::string_view wanted) { return info.name < wanted; });
    return place != all.end() && place->name == name ? &*place : nullptr;
}

Result<void> TensorSource::readNarrowed(const TensorInfo& tensor, std::span<std::uint16_t> words,
                                        const std::stop_token& stop) const {
    std::vector<float> values(words.size());
    if (auto done = read(tensor, values, stop); !done)
        return done;
    narrow(formatFor(tensor.type), values, words);
    return {};
}

bool isFloat(StoredType type) {
    return type != StoredType::Integer && type != StoredType::Other;
}

FloatFormat formatFor(StoredType type) {
    switch (type) {
    case StoredType::Float16:
        return FloatFormat::Float16;
    case StoredType::BFloat16:
        return FloatFormat::BFloat16;
    default:
        return FloatFormat::Float32;
    }
}

std::size_t defaultTensorBudget() {
    return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
}

Result<std::unique_ptr<TensorSource>> openTensorSource(const std::filesystem::path& path,
                                                       std::size_t byte_budget,
                                                       const std::stop_token& stop) {
    const SealedReading reading(stop);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        const auto weights = weightsIn(path);
        if (!weights)
            return weights.error();
        return openTensorSource(*weights, byte_budget, stop);
    }
    if (auto adapter = adapterRefusal(path))
        return *std::move(adapter);
    if (isShardIndex(path))
        return openShardedSource(path, byte_budget, stop);
    const auto index = indexOf(path);
    if (index && std::filesystem::exists(*index, ignored))
        return openShardedSource(*index, byte_budget, stop);
    if (index && isOneOfSeveral(path))
        return openLoneShard(path, *index, byte_budget, stop);
    return openWeightFile(path, byte_budget, stop);
}

} // namespace headscope
