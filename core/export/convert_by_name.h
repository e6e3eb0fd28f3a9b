#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/convert_model.h"
#include "core/io/gguf_writer.h"
#include "core/loading/load_model.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>

namespace headscope {

/// "f32", "f16", "bf16", "q8_0"; nothing for others.
std::optional<GgufFormat> ggufFormatNamed(std::string_view name);

/// Writes a model in the form that the name of `output` says: convertModel(), convertToGguf() or
/// convertToFolder(). Fails as they do, for a name of no form, and for q8_0 outside GGUF.
Result<ConvertedModel> convertByName(const std::filesystem::path& input,
                                     const std::filesystem::path& output, GgufFormat format,
                                     const LoadOptions& options = {}, const Progress& progress = {},
                                     const std::stop_token& stop = {});

} // namespace headscope
