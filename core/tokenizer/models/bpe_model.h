#pragma once

#include "core/tokenizer/models/token_model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headscope {

/// The learned merges of a byte pair encoding.
class BpeMerges {
public:
    /// `left` and `right` make `merged`; a lower rank goes first. The last entry for a pair holds.
    void add(TokenId left, TokenId right, TokenId merged, std::size_t rank);

    /// Joins the symbols of one word until no learned pair is left. Of pairs with one rank the
    /// leftmost goes first. n symbols take O(n log n) steps.
    void apply(std::vector<WordToken>& symbols) const;

private:
    struct Merge {
        std::uint32_t rank = 0;
        TokenId merged = 0;
    };

    static std::uint64_t key(TokenId left, TokenId right) {
        return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
    }
    /// Null when the pair was not learned.
    const Merge* find(TokenId left, TokenId right) const;

    /// std::hash of an integer is the integer, whose low bits alone would choose the bucket.
    struct KeyHash {
        std::size_t operator()(std::uint64_t key) const noexcept {
            key *= 0x9E3779B97F4A7C15u; // 2^64 / golden ratio
            return key ^ key >> 32;
        }
    };

    class Word;
    std::unordered_map<std::uint64_t, Merge, KeyHash> merges_;
};

/// Byte pair encoding: a word starts as its characters, and the pair whose merge was learned first
/// is joined until no pair is left that was learned (Sennrich et al. 2016, arXiv:1508.07909).
class BpeModel : public TokenModel {
public:
    struct Options {
        std::optional<std::string> unknown_token;
        std::string continuing_prefix; ///< before every character but the first of a word
        std::string end_suffix;        ///< after the last character of a word
        bool fuse_unknown = false;     ///< neighbouring unknown characters are one token
        bool ignore_merges = false;    ///< a word that is in the vocabulary is one token
        bool dropout = false;          ///< merges left out at random in training, never here
        /// The tokens of all bytes, which replace an unknown character; empty without them.
        std::vector<TokenId> byte_ids;
    };

    BpeModel(Vocabulary vocabulary, BpeMerges merges, Options options);

    std::optional<ByteRange> tokenize(std::string_view word,
                                      std::vector<WordToken>& tokens) const override;
    std::optional<TokenId> unknownToken() const override { return unknown_id_; }
    std::string_view kind() const override { return "BPE"; }
    std::optional<std::string> note() const override;

private:
    std::optional<TokenId> characterId(std::string_view word, ByteRange character) const;
    bool appendUnknown(std::string_view word, ByteRange character,
                       std::vector<WordToken>& symbols) const;

    Options options_;
    std::optional<TokenId> unknown_id_;
    BpeMerges merges_;
};

} // namespace headscope
