#include "core/pruning/passages.h"

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/token_id.h"
#include "core/datasets/bundled.h"
#include "core/model/prompt.h"
#include "core/pruning/measure/passage_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

namespace headscope {

namespace {

constexpr double kMaskedShare = 0.15;

/// Cuts documents of token ids into passages.
class Cutter {
public:
    Cutter(const Model& model, const PassageOptions& options, std::string name)
        : spec_(model.spec), options_(options), random_(options.seed) {
        set_.name = std::move(name);
        if (bosRule(model).add)
            bos_ = model.spec.bos_token;
    }

    void addDocument(std::span<const TokenId> ids, std::size_t documents) {
        const std::size_t room = options_.length - (bos_ ? 1 : 0);
        const std::size_t before = set_.passages.size();
        const std::size_t share = std::max(room, options_.most_tokens / documents);
        ids = ids.first(std::min(ids.size(), share));
        while (!ids.empty() && set_.tokens < options_.most_tokens) {
            const std::size_t count =
                std::min({room, ids.size(), options_.most_tokens - set_.tokens});
            if (count < std::max<std::size_t>(2, room / 4))
                break;
            addPassage(ids.first(count));
            ids = ids.subspan(count);
        }
        set_.documents += set_.passages.size() > before ? 1 : 0;
    }

    Result<PassageSet> take() && {
        if (set_.passages.empty())
            return Error{ErrorCode::InvalidArgument,
                         set_.name + " is shorter than one passage of " +
                             std::to_string(options_.length) +
                             " tokens; give more text or shorter passages."};
        IdHash hash;
        for (const TokenIds& content : set_.content)
            hash.add(content);
        set_.hash = hash.text();
        return std::move(set_);
    }

private:
    void addPassage(std::span<const TokenId> content) {
        Passage passage;
        passage.document = set_.documents;
        if (bos_)
            passage.ids.push_back(*bos_);
        passage.ids.insert(passage.ids.end(), content.begin(), content.end());
        if (spec_.causal)
            for (std::size_t position = 0; position + 1 < passage.ids.size(); ++position)
                passage.targets.push_back({position, passage.ids[position + 1]});
        else
            mask(passage);
        set_.tokens += content.size();
        set_.targets += passage.targets.size();
        set_.content.emplace_back(content.begin(), content.end());
        set_.passages.push_back(std::move(passage));
    }

    void mask(Passage& passage) {
        const std::size_t first = bos_ ? 1 : 0;
        const std::size_t count = passage.ids.size() - first;
        const auto share = static_cast<std::size_t>(kMaskedShare * static_cast<double>(count));
        std::set<std::size_t> chosen;
        while (chosen.size() < std::max<std::size_t>(1, share))
            chosen.insert(first + random_.below(count));
        for (const std::size_t position : chosen) {
            passage.targets.push_back({position, passage.ids[position]});
            passage.ids[position] = *spec_.mask_token;
        }
    }

    const ModelSpec& spec_;
    const PassageOptions& options_;
    Random random_;
    std::optional<TokenId> bos_;
    PassageSet set_;
};

Result<void> checkPassages(const Model& model, const PassageOptions& options) {
    if (model.spec.predictsClasses())
        return Error{ErrorCode::Unsupported,
                     model.name + " predicts classes and not the tokens of a text, so there is no "
                                  "loss on a text to choose or judge heads by."};
    if (!model.spec.causal && !model.spec.mask_token)
        return Error{ErrorCode::Unsupported,
                     model.name + " reads to both sides and has no mask token, so there is nothing "
                                  "it could predict."};
    constexpr std::size_t kShortest = 4;
    if (options.length < kShortest)
        return Error{ErrorCode::InvalidArgument, "Passages have at least " +
                                                     std::to_string(kShortest) +
                                                     " tokens; give a greater length."};
    if (options.length > model.spec.n_ctx)
        return Error{ErrorCode::InvalidArgument,
                     "Passages of " + std::to_string(options.length) +
                         " tokens do not fit the context of " + model.name + ", which is " +
                         std::to_string(model.spec.n_ctx) + "; give a shorter length."};
    return {};
}

} // namespace

PassageOptions withinContext(PassageOptions options, const Model& model) {
    options.length = std::min(options.length, model.spec.n_ctx);
    return options;
}

NamedText bundledCalibration() {
    return {"the bundled calibration text", std::string(bundledCalibrationText())};
}

NamedText bundledTest() {
    return {"the bundled test text", std::string(bundledTestText())};
}

Result<PassageSet> readPassages(const Model& model, std::string_view text, const std::string& name,
                                const PassageOptions& options) {
    if (auto good = checkPassages(model, options); !good)
        return good.error();
    if (!model.tokenizer)
        return noTokenizer(ErrorCode::Unsupported, model, ", so it cannot read " + name + ".");
    Cutter cutter(model, options, name);
    const std::vector<std::string_view> documents = documentsOf(text);
    for (const std::string_view document : documents) {
        const auto encoding = model.tokenizer->encode(document, false);
        if (!encoding)
            return encoding.error();
        cutter.addDocument(encoding->ids, documents.size());
    }
    return std::move(cutter).take();
}

Result<PassageSet> readPassages(const Model& model, const NamedText& text,
                                const PassageOptions& options) {
    return readPassages(model, text.text, text.name, options);
}

Result<PassageSet> passagesFromIds(const Model& model, std::span<const TokenIds> prompts,
                                   const std::string& name, const PassageOptions& options) {
    if (auto good = checkPassages(model, options); !good)
        return good.error();
    Cutter cutter(model, options, name);
    for (const TokenIds& ids : prompts)
        cutter.addDocument(ids, prompts.size());
    return std::move(cutter).take();
}

std::vector<std::uint64_t> runsOf(const TokenIds& content) {
    std::vector<std::uint64_t> runs;
    for (std::size_t begin = 0; begin + kSharedRun <= content.size(); ++begin) {
        IdHash hash;
        for (std::size_t i = begin; i < begin + kSharedRun; ++i)
            hash.add(content[i]);
        runs.push_back(hash.value());
    }
    return runs;
}

Result<void> checkApart(const PassageSet& calibration, const PassageSet& test) {
    std::unordered_set<std::uint64_t> seen;
    for (const TokenIds& content : calibration.content)
        for (const std::uint64_t run : runsOf(content))
            seen.insert(run);
    for (std::size_t i = 0; i < test.content.size(); ++i)
        for (const std::uint64_t run : runsOf(test.content[i]))
            if (seen.contains(run))
                return Error{ErrorCode::InvalidArgument,
                             "Passage " + std::to_string(i + 1) + " of " + test.name +
                                 " stands in " + calibration.name +
                                 ", too: heads must be judged on other text than they are chosen "
                                 "by; give two different texts."};
    return {};
}

PassageLayout layoutOf(const PassageSet& text) {
    PassageLayout layout;
    for (const Passage& passage : text.passages) {
        layout.targets.push_back(static_cast<double>(passage.targets.size()));
        layout.document.push_back(passage.document);
    }
    return layout;
}

MeanReading meanOf(const PassageLayout& layout, const PassageSums& sums) {
    const auto total = [](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    const double targets = total(layout.targets);
    return {total(sums.loss) / targets, total(sums.divergence) / targets,
            total(sums.agreement) / targets};
}

Interval lossIncrease(const PassageLayout& layout, const PassageSums& whole,
                      const PassageSums& sums) {
    const PassageSamples samples(layout);
    const auto before = samples.summed(whole.loss);
    const auto after = samples.summed(sums.loss);
    const auto targets = samples.summed(layout.targets);
    return samples.bootstrap().intervalOf([&](std::span<const std::size_t> drawn) {
        return (sumOver(after, drawn) - sumOver(before, drawn)) / sumOver(targets, drawn);
    });
}

void addLossColumns(std::vector<Column>& columns) {
    const std::vector<Column> shared{
        {.key = "loss",
         .title = "loss",
         .unit = "nats",
         .meaning = "Mean −ln p over the predicted tokens"},
        {.key = "low",
         .title = "+low",
         .unit = "nats",
         .meaning = "Lower end of the 95 % interval of the loss minus that of the whole model"},
        {.key = "high",
         .title = "+high",
         .unit = "nats",
         .meaning = "Upper end of the 95 % interval of the loss minus that of the whole model"},
        {.key = "perplexity", .title = "perplexity", .decimals = 2, .meaning = "exp(loss)"},
        {.key = "kl",
         .title = "KL",
         .unit = "nats",
         .meaning = "From the whole model, mean over the predicted tokens"},
        {.key = "agreement",
         .title = "agreement",
         .decimals = 3,
         .meaning = "Share of predicted tokens whose most probable candidate is the whole "
                    "model's"}};
    columns.insert(columns.end(), shared.begin(), shared.end());
}

void addLossCells(TableRow& row, const PassageLayout& layout, const PassageSums& whole,
                  const PassageSums& sums) {
    const MeanReading mean = meanOf(layout, sums);
    const Interval increase = lossIncrease(layout, whole, sums);
    for (const double value : {mean.loss, increase.low, increase.high, std::exp(mean.loss),
                               mean.divergence, mean.agreement})
        row.emplace_back(value);
}

} // namespace headscope
