#pragma once

#include "core/tokenizer/tokenizer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// What is done to the tokens of a whole text: special tokens around it, offsets trimmed.
class PostProcessor {
public:
    virtual ~PostProcessor() = default;

    virtual void process(Encoding& encoding, bool add_special_tokens) const = 0;

    /// As Tokenizer::pairTemplate() has it.
    virtual std::vector<PairPlace> pairTemplate() const { return {}; }
};

/// One post-processor after the other.
class PostProcessorSequence : public PostProcessor {
public:
    explicit PostProcessorSequence(std::vector<std::unique_ptr<const PostProcessor>> steps)
        : steps_(std::move(steps)) {}

    void process(Encoding& encoding, bool add_special_tokens) const override;
    /// That of the one step that has one.
    std::vector<PairPlace> pairTemplate() const override;

private:
    std::vector<std::unique_ptr<const PostProcessor>> steps_;
};

/// Takes the spaces at the ends of tokens out of their offsets.
class OffsetTrimming : public PostProcessor {
public:
    OffsetTrimming(bool trim, bool add_prefix_space)
        : trim_(trim), add_prefix_space_(add_prefix_space) {}

    void process(Encoding& encoding, bool add_special_tokens) const override;

private:
    bool trim_;
    bool add_prefix_space_; ///< one space before the first token stays
};

/// Puts special tokens around a text, such as [CLS] text [SEP].
class TemplateProcessing : public PostProcessor {
public:
    /// The text itself, or special tokens.
    struct Piece {
        bool is_text = true;
        TokenIds ids;
        std::vector<std::string> tokens;
    };

    TemplateProcessing(std::vector<Piece> pieces, std::vector<PairPlace> pair)
        : pieces_(std::move(pieces)), pair_(std::move(pair)) {}

    void process(Encoding& encoding, bool add_special_tokens) const override;
    std::vector<PairPlace> pairTemplate() const override { return pair_; }

private:
    std::vector<Piece> pieces_;
    std::vector<PairPlace> pair_; ///< empty: none that puts tokens between two texts
};

} // namespace headscope
