#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// A sentencepiece model that was read. libsentencepiece trusts its files, so it never gets a file
/// from elsewhere. It gets one that is written anew from the values that the sealed reader took out
/// and that were checked here: a broken normalization table would lead it astray.
struct SentencePieceFile {
    enum class Kind { Unigram = 1, Bpe = 2, Word = 3, Character = 4 };

    Kind kind = Kind::Unigram;
    std::string model; ///< for libsentencepiece

    /// Fails on what is no sentencepiece model, is cut off, or has pieces (empty, not UTF-8,
    /// without a finite score) or normalization tables that no trainer writes. `source` names the
    /// file.
    static Result<SentencePieceFile> parse(std::string_view bytes, std::string_view source);
};

} // namespace headscope
