#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"
#include "core/pruning/pruning_curve.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// What the text is called that a model writes itself.
inline constexpr std::string_view kOwnText = "own";

/// A kind of text: a part that heads are chosen by, and one that they are judged on.
struct PruningDomain {
    std::string name; ///< "stories", kOwnText; of a user's text its name
    PassageSet calibration;
    PassageSet test;
    PassageOptions calibration_options; ///< what a recipe says of the calibration text

    bool isOwn() const { return name == kOwnText; }
};

struct PruningTexts {
    std::vector<PruningDomain> domains; ///< at least one
    /// Mean loss of the model on text that it writes itself, nats: what its loss is on what it has
    /// learnt to expect. Nothing for a model that cannot write.
    std::optional<double> own_loss;
};

/// Text that a model wrote.
struct OwnText {
    std::vector<TokenIds> documents; ///< without BOS
    double loss = 0.0;               ///< mean −ln p of its tokens as they were drawn, nats
};

/// Drawn from BOS on at temperature 1, token by token, in documents of at most one passage, until
/// there are `options.most_tokens`, or kMostOwnTokens. `stream` tells texts of the same seed apart.
/// Documents that share a run of kSharedRun tokens with `apart` are left out. Nothing for a model
/// that cannot write: one that does not predict the next token, has no BOS, or writes nothing.
Result<std::optional<OwnText>> writeOwnText(const std::shared_ptr<const Model>& model,
                                            const PassageOptions& options, std::uint64_t stream,
                                            const PassageSet* apart = nullptr,
                                            const Progress& progress = {},
                                            const std::stop_token& stop = {});
inline constexpr std::size_t kMostOwnTokens = 4096;

/// Which text is asked for, and how its two parts are cut.
struct DomainOptions {
    std::vector<std::string> names; ///< some of domainNames(); empty: all that the model can read
    PassageOptions calibration;
    PassageOptions test;
    bool own_loss = true; ///< PruningTexts::own_loss is read, also where kOwnText is not among them
};

/// kOwnText, and those of bundledDomains().
std::vector<std::string> domainNames();

/// Where nobody gives a text: what the model writes itself, and the bundled texts. Fails for a name
/// that there is not, for one asked for by name that the model cannot give, and as readPassages().
Result<PruningTexts> pruningDomains(const std::shared_ptr<const Model>& model,
                                    const DomainOptions& options, const Progress& progress = {},
                                    const std::stop_token& stop = {});

/// A user's two texts, with the loss on text of the model's own beside them. Fails as checkApart().
Result<PruningTexts> pruningTextsOf(const std::shared_ptr<const Model>& model,
                                    PassageSet calibration, PassageSet test,
                                    const PassageOptions& calibration_options,
                                    const Progress& progress = {},
                                    const std::stop_token& stop = {});

/// The calibration text of a domain, by the name that it has in results: what a recipe was made
/// with. Nothing for a name that no domain gives.
Result<std::optional<PassageSet>> calibrationNamed(const std::shared_ptr<const Model>& model,
                                                   const std::string& name,
                                                   const PassageOptions& options,
                                                   const std::stop_token& stop = {});

/// The same question asked on several texts.
struct DomainResults {
    std::vector<PruningResult> domains; ///< as PruningTexts::domains, whose names they have
    std::optional<double> own_loss;

    /// The natural text of least loss, as near to what the model was trained on as there is. Where
    /// even that is outside of the model's domain (isOutside()), the text that it writes itself.
    std::size_t nearest() const;
    /// The loss on a text is above kOutside times that on text of the model's own. Of the trained
    /// samples, held-out text of their training has 1.1 times that, the bundled texts 1.3 to 2.6.
    bool isOutside(const PruningResult& result) const;
};
inline constexpr double kOutside = 1.5;

/// pruneAndMeasure() on each text. `parts` are what earlier runs finished and functions to call, by
/// the domain's name.
Result<DomainResults> pruneDomains(const std::shared_ptr<const Model>& model,
                                   const PruningTexts& texts, const PruningQuestion& question,
                                   const std::map<std::string, PruningParts>& parts = {},
                                   const Progress& progress = {}, const std::stop_token& stop = {});

} // namespace headscope
