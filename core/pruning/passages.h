#pragma once

#include "core/base/result.h"
#include "core/base/table.h"
#include "core/base/token_id.h"
#include "core/heads/bootstrap.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A piece of text as a model reads it, with what it shall predict.
struct Passage {
    TokenIds ids;                ///< BOS included; of a bidirectional model with masks in places
    std::vector<Target> targets; ///< by position, at least one; a position may have several
    std::size_t document = 0;
};

/// A text in passages.
struct PassageSet {
    std::string name; ///< "calibration.txt"
    std::vector<Passage> passages;
    std::size_t documents = 0;
    std::size_t tokens = 0;        ///< content, without BOS
    std::size_t targets = 0;       ///< of all passages
    std::string hash;              ///< FNV-1a over all ids before masking, 16 hexadecimal digits
    std::vector<TokenIds> content; ///< of each passage before masking, without BOS
};

struct PassageOptions {
    std::size_t length = 128; ///< tokens of a passage, BOS included
    /// Content of all passages; of several documents each has an even share, and what comes later
    /// in it is not read.
    std::size_t most_tokens = 8192;
    std::uint64_t seed = 0; ///< of the masks
};

/// The same with no more tokens in a passage than the model's context has.
PassageOptions withinContext(PassageOptions options, const Model& model);

/// A text and what it is called in results.
struct NamedText {
    std::string name;
    std::string text;
};
/// What is read where nobody gives a text, of core/datasets/bundled.h.
NamedText bundledCalibration();
NamedText bundledTest();

/// Cuts a text into passages: documents are parted by lines of kDocumentBreak, each is encoded as
/// a whole and cut every `length` tokens, and a rest shorter than a quarter of that is left out. A
/// causal model predicts every token from those before it. Of a bidirectional one 15 % of the
/// tokens (Devlin et al. 2019) are replaced by its mask token, drawn from the seed, and predicted.
/// Fails for a model without a tokenizer or mask token, for a length beyond its context, and for
/// a text without one whole passage.
Result<PassageSet> readPassages(const Model& model, std::string_view text, const std::string& name,
                                const PassageOptions& options = {});
Result<PassageSet> readPassages(const Model& model, const NamedText& text,
                                const PassageOptions& options = {});

/// The same for token ids; every prompt is a document.
Result<PassageSet> passagesFromIds(const Model& model, std::span<const TokenIds> prompts,
                                   const std::string& name, const PassageOptions& options = {});

/// Fails when both share a run of kSharedRun tokens: a loss on the text by which heads were chosen
/// says nothing.
Result<void> checkApart(const PassageSet& calibration, const PassageSet& test);
inline constexpr std::size_t kSharedRun = 32;

/// Hashes of all runs of kSharedRun tokens.
std::vector<std::uint64_t> runsOf(const TokenIds& content);

/// Sums over the targets of each passage.
struct PassageSums {
    std::vector<double> loss;       ///< [passage], nats
    std::vector<double> divergence; ///< [passage], KL from the whole network, nats
    std::vector<double> agreement;  ///< [passage], targets with the whole network's prediction
};

/// What means and intervals over a text ask of its passages.
struct PassageLayout {
    std::vector<double> targets;       ///< [passage], how many
    std::vector<std::size_t> document; ///< [passage]
};
PassageLayout layoutOf(const PassageSet& text);

/// Means over all targets.
struct MeanReading {
    double loss = 0.0;       ///< nats
    double divergence = 0.0; ///< nats
    double agreement = 0.0;  ///< 0..1
};
MeanReading meanOf(const PassageLayout& layout, const PassageSums& sums);

/// 95 % of the mean loss less that of the whole network, nats: a bootstrap over documents, or over
/// passages where the text has fewer than ten documents; paired, since both share the resamples.
Interval lossIncrease(const PassageLayout& layout, const PassageSums& whole,
                      const PassageSums& sums);

// What every table of losses shows: loss, its 95 % interval as a difference from the whole network
// (low, high), perplexity, kl, agreement.
void addLossColumns(std::vector<Column>& columns);
void addLossCells(TableRow& row, const PassageLayout& layout, const PassageSums& whole,
                  const PassageSums& sums);

} // namespace headscope
