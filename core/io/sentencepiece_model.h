#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

struct SentencePiece {
    std::string text;
    float score = 0.0f;
    std::uint64_t type = 1; ///< 1 is a normal one, 4 one that the user defined
};

/// A number or a text, under the number of its field.
struct SentencePieceSetting {
    std::uint32_t field = 0;
    std::variant<std::uint64_t, std::string> value;
};

using SentencePieceSettings = std::vector<SentencePieceSetting>;

/// What sentencepiece_model.proto calls ModelProto, without what only a trainer reads and without
/// the examples for a test of itself. Each setting is there once.
struct SentencePieceModel {
    std::vector<SentencePiece> pieces;
    SentencePieceSettings trainer;
    SentencePieceSettings normalizer;
    SentencePieceSettings denormalizer;
};

/// Has the sealed reader take a model apart. Texts and numbers in it may be any. The message of an
/// error continues a sentence: "is cut off or no sentencepiece model", "cannot be read: …".
Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes);

/// What to say of a piece whose text no trainer writes.
Error pieceWithoutText(std::size_t index);

/// The model as a file.
std::string sentencePieceFile(const SentencePieceModel& model);

} // namespace headscope
