#include "core/engine/generate.h"

#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/engine/run_item.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// The logits after a text that grows.
class NextLogits {
public:
    NextLogits(const std::shared_ptr<const Model>& model, const HeadMask& mask, std::size_t longest)
        : model_(model), mask_(mask), longest_(longest), keeps_keys_(!mask.hangsOnWholeText()) {}

    /// [d_vocab], of the token after `text`, which begins with the text of the call before.
    Result<std::span<const float>> after(const TokenIds& text, const std::stop_token& stop) {
        RunItem item;
        addAblation(item.hooks, mask_, model_->spec);
        item.read_logits = [this](std::size_t, std::span<const float> logits) {
            logits_.assign(logits.begin(), logits.end());
        };
        item.earlier = earlierOf(text);
        const auto read = static_cast<std::ptrdiff_t>(item.earlier ? item.earlier->ids.size() : 0);
        item.ids.assign(text.begin() + read, text.end());
        Request request;
        request.logits = false;
        request.keep_attention = false;
        request.logit_positions = {item.ids.size() - 1};
        if (const auto runs = runBatch(model_, {&item, 1}, request, stop); !runs)
            return runs.error();
        return std::span<const float>(logits_);
    }

private:
    /// Null where the whole text is to be run.
    std::shared_ptr<KeyValues> earlierOf(const TokenIds& text) {
        if (!keeps_keys_)
            return nullptr;
        if (!earlier_ || !keepsKeys(model_->spec, earlier_->ids.size(), text.size()))
            earlier_ = std::make_shared<KeyValues>(model_, longest_);
        return earlier_;
    }

    std::shared_ptr<const Model> model_;
    const HeadMask& mask_;
    std::size_t longest_; ///< text
    bool keeps_keys_;
    std::shared_ptr<KeyValues> earlier_;
    std::vector<float> logits_;
};

/// A token drawn from softmax(logits / temperature).
TokenId draw(std::span<const float> logits, double temperature, Random& random) {
    // The largest is 0, so that none becomes infinite, however small the temperature is.
    const double largest = *std::ranges::max_element(logits);
    std::vector<float> scaled(logits.size());
    std::ranges::transform(logits, scaled.begin(), [&](float logit) {
        return static_cast<float>((static_cast<double>(logit) - largest) / temperature);
    });
    const double normaliser = logSumExp(scaled);
    constexpr std::size_t kSteps = std::size_t{1} << 53;
    double left = static_cast<double>(random.below(kSteps)) / static_cast<double>(kSteps);
    std::size_t last = 0; // that can be drawn at all, should rounding leave something over
    for (std::size_t id = 0; id < scaled.size(); ++id) {
        const double probability = std::exp(static_cast<double>(scaled[id]) - normaliser);
        if (left < probability)
            return static_cast<TokenId>(id);
        left -= probability;
        last = probability > 0.0 ? id : last;
    }
    return static_cast<TokenId>(last);
}

GeneratedToken choose(std::span<const float> logits, double temperature, Random& random) {
    if (temperature == 0.0) {
        const Prediction best = topPredictions(logits, 1).front();
        return {best.id, best.probability};
    }
    const TokenId id = draw(logits, temperature, random);
    return {id, std::exp(-tokenLoss(logits, id))};
}

Result<void> checkOptions(const Model& model, const GenerateOptions& options) {
    if (!model.spec.predictsNextToken())
        return Error{ErrorCode::Unsupported,
                     model.name + " does not predict the next token, so it cannot write on."};
    if (!(options.temperature >= 0.0) || !std::isfinite(options.temperature))
        return Error{ErrorCode::InvalidArgument,
                     "A temperature is 0 (the most probable token) or more."};
    return checkWithoutStandIns(options.mask);
}

} // namespace

Result<std::vector<GeneratedToken>> generate(const std::shared_ptr<const Model>& model,
                                             const TokenIds& prompt, const GenerateOptions& options,
                                             const Progress& progress, const std::stop_token& stop,
                                             const PublishToken& publish) {
    if (auto possible = checkOptions(*model, options); !possible)
        return possible.error();
    const std::size_t context = model->spec.n_ctx;
    if (prompt.size() >= context)
        return Error{ErrorCode::TooLarge, "The prompt fills the context of " + model->name + ", " +
                                              std::to_string(context) +
                                              " tokens; shorten it to write on."};
    const std::size_t count = std::min(options.tokens, context - prompt.size());
    NextLogits next(model, options.mask, prompt.size() + count);
    Random random(options.seed);
    TokenIds text = prompt;
    std::vector<GeneratedToken> generated;
    while (generated.size() < count) {
        report(progress, static_cast<double>(generated.size()) / static_cast<double>(count),
               "token " + std::to_string(generated.size() + 1) + " of " + std::to_string(count));
        const auto logits = next.after(text, stop);
        if (!logits)
            return logits.error();
        const GeneratedToken token = choose(*logits, options.temperature, random);
        if (model->tokenizer && model->tokenizer->isSpecial(token.id))
            break;
        text.push_back(token.id);
        generated.push_back(token);
        if (publish)
            publish(token);
    }
    return generated;
}

Table generatedTable(const Model& model, const Prompt& prompt,
                     std::span<const GeneratedToken> tokens, const GenerateOptions& options,
                     const Provenance& provenance) {
    Table table;
    table.key = "tokens";
    table.columns = {
        {.key = "position", .title = "position"},
        {.key = "id", .title = "id"},
        {.key = "piece"},
        {.key = "piece text", .title = "token", .files = Files::None},
        {.key = "probability",
         .title = "p",
         .decimals = 3,
         .meaning = "Probability that the network gives the token, whatever the temperature"}};
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string piece = tokenPiece(model, tokens[i].id);
        table.rows.push_back({prompt.ids.size() + i, tokens[i].id, piece, displayPiece(piece),
                              tokens[i].probability});
        text += typedPiece(model, tokens[i].id);
    }
    table.caption = promptText(prompt) + text;
    table.fields = {{"text", text},
                    {"temperature", options.temperature},
                    {"seed", static_cast<std::size_t>(options.seed)}};
    table.provenance = provenance;
    return table;
}

} // namespace headscope
