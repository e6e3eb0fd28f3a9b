#pragma once

#include "core/tokenizer/normalizers/aligned_text.h"
#include "core/tokenizer/pre_tokenizers/regex.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// Unicode Standard Annex #15.
enum class NormalizationForm { Nfc, Nfd, Nfkc, Nfkd };

class UnicodeNormalizer : public Normalizer {
public:
    explicit UnicodeNormalizer(NormalizationForm form) : form_(form) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    NormalizationForm form_;
};

/// One normalizer after the other.
class NormalizerSequence : public Normalizer {
public:
    explicit NormalizerSequence(std::vector<std::unique_ptr<const Normalizer>> steps)
        : steps_(std::move(steps)) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    std::vector<std::unique_ptr<const Normalizer>> steps_;
};

/// The mapping of Unicode that does not depend on context: Σ is always σ.
class Lowercase : public Normalizer {
public:
    Result<AlignedText> normalize(AlignedText text) const override;
};

/// Leaves out combining marks (general category M).
class StripAccents : public Normalizer {
public:
    Result<AlignedText> normalize(AlignedText text) const override;
};

/// The text cleaning of machine translation in sentencepiece: no control characters, and a space
/// for what is used as one.
class NmtNormalizer : public Normalizer {
public:
    Result<AlignedText> normalize(AlignedText text) const override;
};

/// Takes white space off the ends of a text.
class StripNormalizer : public Normalizer {
public:
    StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    bool left_;
    bool right_;
};

/// The text cleaning of BERT (Devlin et al. 2019).
class BertNormalizer : public Normalizer {
public:
    struct Options {
        bool clean_text = true;           ///< no control characters, every space is ' '
        bool handle_chinese_chars = true; ///< a space on both sides of an ideograph
        bool strip_accents = true;
        bool lowercase = true;
    };

    explicit BertNormalizer(Options options) : options_(options) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    Options options_;
};

/// Puts a prefix before every text that is not empty.
class PrependNormalizer : public Normalizer {
public:
    explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    std::string prefix_;
};

/// Replaces every match of a pattern. Fails when the replacements make far more text than there
/// was.
class ReplaceNormalizer : public Normalizer {
public:
    ReplaceNormalizer(Regex pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    Regex pattern_;
    std::string content_;
};

} // namespace headscope
