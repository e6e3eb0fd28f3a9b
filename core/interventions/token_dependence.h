#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/backward.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// How a token is taken away.
enum class TokenMethod {
    /// Exact: no other position sees its key, in any layer and head, and the weights on the keys
    /// that are left sum to 1 again, with a learned sink. It still sees itself, so that every row
    /// keeps a key, and so
    /// that what its own position computes of it stays: of the token at which the prediction is
    /// read, hiding shows nothing. All other tokens keep their positions.
    Hide,
    /// Exact: the baseline takes its place at hook_embed; its position stays.
    Replace,
    /// Gradient × input (Shrikumar et al. 2016), to first order what Replace changes: Σ over
    /// d_model
    /// of d value / d embed · (baseline − embed).
    Gradient,
    /// Integrated gradients (Sundararajan et al. 2017): the same with the gradient's mean on the
    /// straight line on which all tokens go to the baseline together, by the midpoint rule.
    /// Summed over the tokens it is what all of them change together.
    Integrated,
};

/// "hide", "replace", "gradient", "integrated"
std::string_view tokenMethodName(TokenMethod method);

/// All of them, in this order.
std::vector<TokenMethod> tokenMethods();

/// What takes a token's place: another token or, if none is given, the mean of all rows of W_E.
struct TokenBaseline {
    std::optional<TokenId> token;
};

/// The mask token of a network that has one, else the mean embedding: the beginning-of-sequence
/// token in the middle of a text draws attention to itself, and adds as much as it takes away.
TokenBaseline defaultBaseline(const ModelSpec& spec);

/// What depends on the tokens: a metric of the logits, or one number of a head's attention.
using TokenReading = std::variant<Metric, AttentionEntry>;

struct TokenQuestion {
    TokenIds ids;
    /// Targets and the reference of Kl are those of the whole prompt. A score whose key is hidden
    /// is read as it is before that.
    TokenReading reading;
    std::vector<TokenMethod> methods = {};      ///< each once; empty: all, of Kl the exact ones
    std::optional<TokenBaseline> baseline = {}; ///< none: defaultBaseline()
    std::size_t steps = 64;                     ///< of Integrated, at least 1
};

/// One method's answer: the value without each token − the value of the prompt, exactly or as it
/// estimates it. Below 0 the token raises the value.
struct TokenChanges {
    TokenMethod method = TokenMethod::Hide;
    std::vector<double> changes; ///< [position]
};

struct TokenDependence {
    TokenQuestion question; ///< with the methods and the baseline that were used
    double value = 0.0;     ///< of the prompt
    /// With the baseline in place of every token; NaN without Integrated.
    double without_all = std::numeric_limits<double>::quiet_NaN();
    /// How many tokens the value can depend on: in causal networks those up to the last position
    /// that is read.
    std::size_t seen = 0;
    std::vector<TokenChanges> methods;

    /// Spearman's ρ between the changes that two of the methods find, over the tokens that are
    /// seen. NaN when one of them finds no differences.
    double correlation(std::size_t a, std::size_t b) const;
    /// Σ of Integrated − (without_all − value), which goes to 0 as the steps grow (completeness);
    /// NaN without it.
    double completenessGap() const;
    /// What to do about a gap of more than 5 % of without_all − value, one sentence; empty where
    /// there is none.
    std::string note() const;
};

/// Which tokens a value depends on, by one or more methods with one sign: exact ones run the prompt
/// once for each token, many as one batch; Gradient takes one reverse pass, Integrated one for each
/// step. Experts that a position chooses are held in slopes.
/// Fails as PromptMetric::make(), checkAttentionEntry() and runModel() do, for a baseline outside
/// the vocabulary, without steps, for the gradient methods of Kl, whose slope is 0, and with
/// ErrorCode::Cancelled on a stop request.
Result<TokenDependence> tokenDependence(const std::shared_ptr<const Model>& model,
                                        const TokenQuestion& question,
                                        const Progress& progress = {}, std::stop_token stop = {});

} // namespace headscope
