#pragma once

#include "core/base/result.h"
#include "core/io/sentencepiece_model.h"

#include <string_view>

namespace headscope {

/// Takes a model apart, in the sealed reader.
Result<SentencePieceModel> parseSentencePieceModel(std::string_view bytes);

/// Whether all settings are such as a model is read for.
bool hasOnlyKnownSettings(const SentencePieceModel& model);

} // namespace headscope
