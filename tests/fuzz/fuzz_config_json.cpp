#include "core/loading/architectures/architecture.h"
#include "core/loading/config/config_reader.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

using namespace headscope;

namespace {

/// A weight file that holds nothing.
class EmptySource final : public TensorSource {
public:
    const std::filesystem::path& path() const override { return path_; }
    std::span<const TensorInfo> tensors() const override { return {}; }
    std::optional<std::string> text(std::string_view) const override { return std::nullopt; }
    Result<void> read(const TensorInfo&, NumberTarget, std::stop_token) const override {
        return Error{ErrorCode::NotFound, "there is no such tensor"};
    }

private:
    std::filesystem::path path_ = "model.h5";
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto config = ConfigReader::parse({reinterpret_cast<const char*>(data), size}, "config.json");
    if (!config)
        return 0;
    const auto architecture = describeArchitecture(*config, EmptySource());
    if (architecture)
        static_cast<void>(checkSpec(architecture->spec, config->source()));
    static_cast<void>(config->unusedKeys());
    return 0;
}
