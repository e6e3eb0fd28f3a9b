#pragma once

#include "core/tokenizer/normalizer.h"

#include <optional>
#include <string_view>

namespace headscope {

/// Unicode Standard Annex #15.
enum class NormalizationForm { Nfc, Nfd, Nfkc, Nfkd };

/// "NFC", "NFD", "NFKC", "NFKD", or nothing.
std::optional<NormalizationForm> normalizationForm(std::string_view name);

class UnicodeNormalizer : public Normalizer {
public:
    explicit UnicodeNormalizer(NormalizationForm form) : form_(form) {}

    Result<AlignedText> normalize(AlignedText text) const override;

private:
    NormalizationForm form_;
};

} // namespace headscope
