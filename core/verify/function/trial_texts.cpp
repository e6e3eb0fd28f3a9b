#include "core/verify/function/trial_texts.h"

#include "core/base/text.h"
#include "core/datasets/bundled.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kMostTokens = 128; ///< of a passage

/// Two operations for each parameter and token. About half of the alterations are tried on the
/// second text, too, and one in six on the last.
double operations(const TrialSizes& sizes, std::size_t parameters, std::size_t alterations) {
    double tokens = 0.0;
    double tried = static_cast<double>(alterations);
    for (const TextSize& text : sizes.texts) {
        tokens += (tried + 1.0) * static_cast<double>(text.passages * text.tokens);
        tried = &text == &sizes.texts.front() ? tried / 2.0 : tried / 3.0;
    }
    return 2.0 * static_cast<double>(parameters) * tokens;
}

double unknownShare(const Model& model, const PassageSet& text) {
    const auto unknown = model.tokenizer->unknownToken();
    if (!unknown)
        return 0.0;
    std::size_t count = 0;
    for (const TokenIds& content : text.content)
        count += static_cast<std::size_t>(std::ranges::count(content, *unknown));
    return static_cast<double>(count) / static_cast<double>(text.tokens);
}

} // namespace

TrialSizes trialSizes(const Model& model, std::size_t alterations) {
    constexpr double kSeconds = 4e12; ///< operations that take seconds
    constexpr double kMinutes = 4e13;
    const std::size_t parameters = modelCard(model).total_parameters;
    // A bidirectional model predicts 15 % of the tokens only, and reads more of them.
    const bool causal = model.spec.causal;
    TrialSizes sizes;
    sizes.texts = causal ? std::vector<TextSize>{{12, 10}, {12, 24}, {24, 96}}
                         : std::vector<TextSize>{{12, 24}, {12, 64}, {24, 112}};
    if (operations(sizes, parameters, alterations) <= kSeconds)
        return sizes;
    sizes.texts = causal ? std::vector<TextSize>{{8, 8}, {8, 16}, {12, 64}}
                         : std::vector<TextSize>{{8, 24}, {8, 48}, {12, 112}};
    sizes.alterations = operations(sizes, parameters, alterations) <= kMinutes;
    return sizes;
}

Result<PassageSet> bundledPassages(const Model& model) {
    constexpr double kMostUnknown = 0.1;
    constexpr std::size_t kShortestContext = 16;
    if (model.spec.output == OutputHead::None)
        return Error{ErrorCode::Unsupported, "This network has no vocabulary, so that it predicts "
                                             "nothing of a text."};
    if (model.spec.n_ctx < kShortestContext)
        return Error{ErrorCode::Unsupported,
                     "Its context of " + counted(model.spec.n_ctx, "token") + " is too short."};
    const std::size_t documents = documentsOf(bundledStylesText()).size();
    PassageOptions options;
    options.length = std::min(kMostTokens, model.spec.n_ctx);
    options.most_tokens = documents * options.length; // a passage of each
    auto text = readPassages(model, bundledStylesText(), "the bundled texts", options);
    if (!text)
        return text.error();
    if (const double unknown = unknownShare(model, *text); unknown > kMostUnknown)
        return Error{ErrorCode::Unsupported, "Its tokenizer does not know " +
                                                 fixedText(100.0 * unknown, 0) +
                                                 " % of the tokens of the bundled texts."};
    return text;
}

std::vector<Passage> somePassages(std::span<const Passage> passages, std::size_t count,
                                  std::size_t tokens) {
    std::vector<Passage> some;
    const std::size_t most = std::min(count, passages.size());
    for (std::size_t i = 0; i < most; ++i) {
        Passage passage = passages[i * passages.size() / most];
        if (passage.ids.size() > tokens)
            passage.ids.resize(tokens);
        // A causal model's last token predicts one that is cut off.
        std::erase_if(passage.targets,
                      [&](const Target& target) { return target.position >= passage.ids.size(); });
        if (!passage.targets.empty())
            some.push_back(std::move(passage));
    }
    return some;
}

} // namespace headscope
