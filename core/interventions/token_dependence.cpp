#include "core/interventions/token_dependence.h"

#include "core/interventions/statistics/rank_correlation.h"
#include "core/interventions/tokens/reading.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

namespace {

bool isExact(TokenMethod method) {
    return method == TokenMethod::Hide || method == TokenMethod::Replace;
}

bool isKl(const TokenReading& reading) {
    const auto* metric = std::get_if<Metric>(&reading);
    return metric && metric->kind == MetricKind::Kl;
}

/// Every query but the token's own loses its key, before the softmax.
HookSet hiding(std::size_t token) {
    HookSet hooks;
    hooks.edit(HookKind::AttnScores, [token](HookPoint, const MutableTensorView& scores) {
        for (std::size_t head = 0; head < scores.shape[0]; ++head)
            for (std::size_t query = 0; query < scores.shape[1]; ++query)
                if (query != token)
                    scores(head, query, token) = -std::numeric_limits<float>::infinity();
    });
    return hooks;
}

/// `baseline` [1, d_model] in place of some tokens. It must outlive the hooks.
HookSet replacing(const Tensor& baseline, PositionRange tokens) {
    HookSet hooks;
    hooks.edit(HookKind::Embed, [&baseline, tokens](HookPoint, const MutableTensorView& embed) {
        for (std::size_t t = tokens.begin; t < tokens.end; ++t)
            std::ranges::copy(baseline.values(), &embed(t, 0U));
    });
    return hooks;
}

/// The methods and the baseline that the question leaves open.
void completeQuestion(TokenQuestion& question, const ModelSpec& spec) {
    if (!question.baseline)
        question.baseline = defaultBaseline(spec);
    if (!question.methods.empty())
        return;
    question.methods = tokenMethods();
    if (isKl(question.reading))
        std::erase_if(question.methods, [](TokenMethod method) { return !isExact(method); });
}

Result<void> checkTokenQuestion(const TokenQuestion& question, const Model& model) {
    std::vector<TokenMethod> methods = question.methods;
    std::ranges::sort(methods);
    if (std::ranges::adjacent_find(methods) != methods.end())
        return Error{ErrorCode::InvalidArgument,
                     "A method is named twice; name each of hide, replace, gradient and "
                     "integrated once."};
    if (isKl(question.reading) && !std::ranges::all_of(methods, isExact))
        return Error{ErrorCode::InvalidArgument,
                     "The slope of KL is 0 at the prompt itself, so there is nothing to estimate "
                     "by; hide and replace tokens, or choose another metric."};
    if (question.steps == 0)
        return Error{ErrorCode::InvalidArgument,
                     "Integrated gradients need at least one step; give a number above 0."};
    const std::optional<TokenId> token = question.baseline->token;
    if (token && (*token < 0 || static_cast<std::size_t>(*token) >= model.spec.d_vocab))
        return Error{ErrorCode::InvalidArgument,
                     "There is no token " + std::to_string(*token) +
                         " to replace others by: the vocabulary has ids 0 to " +
                         std::to_string(model.spec.d_vocab - 1) + "."};
    return {};
}

/// The methods of one question, one after another.
class TokenKnockOut {
public:
    TokenKnockOut(const Model& model, BoundReading reading, TokenDependence& result,
                  const Progress& progress, std::stop_token stop)
        : model_(model), reading_(std::move(reading)), result_(result), progress_(progress),
          stop_(std::move(stop)) {
        for (const TokenMethod method : result_.question.methods)
            total_ += runsOf(method);
    }

    Result<void> operator()() {
        const auto value = reading_.ofPrompt(stop_);
        if (!value)
            return value.error();
        result_.value = *value;
        result_.seen = reading_.seen();
        embed_ = tokenEmbeddings(model_, result_.question.ids);
        baseline_ = baselineEmbedding(model_, *result_.question.baseline);
        for (const TokenMethod method : result_.question.methods) {
            auto changes = changesBy(method);
            if (!changes)
                return changes.error();
            result_.methods.push_back({method, *std::move(changes)});
        }
        return {};
    }

private:
    using Changes = Result<std::vector<double>>;

    std::size_t tokens() const { return result_.question.ids.size(); }

    std::size_t runsOf(TokenMethod method) const {
        if (isExact(method))
            return tokens();
        return method == TokenMethod::Gradient ? 1 : result_.question.steps + 1;
    }

    Changes changesBy(TokenMethod method) {
        if (isExact(method))
            return exactly(method);
        return method == TokenMethod::Gradient ? throughSlopes({0.0}) : integrated();
    }

    /// One run without each token.
    Changes exactly(TokenMethod method) {
        std::vector<HookSet> edits;
        edits.reserve(tokens());
        for (std::size_t token = 0; token < tokens(); ++token)
            edits.push_back(method == TokenMethod::Hide ? hiding(token)
                                                        : replacing(baseline_, {token, token + 1}));
        auto values = measured(std::move(edits));
        if (!values)
            return values.error();
        for (double& value : *values)
            value -= result_.value;
        return values;
    }

    /// The middles of equal steps.
    Changes integrated() {
        const auto without_all = measured({replacing(baseline_, {0, tokens()})});
        if (!without_all)
            return without_all.error();
        result_.without_all = without_all->front();
        std::vector<double> shares(result_.question.steps);
        for (std::size_t step = 0; step < shares.size(); ++step)
            shares[step] = (static_cast<double>(step) + 0.5) / static_cast<double>(shares.size());
        return throughSlopes(shares);
    }

    /// Σ over d_model of (baseline − embed) · the mean slope at these shares of the way between.
    Changes throughSlopes(const std::vector<double>& shares) {
        std::vector<double> changes(tokens());
        for (const double share : shares) {
            const auto slope = reading_.slope(onTheWay(embed_, baseline_, share), stop_);
            if (!slope)
                return slope.error();
            for (std::size_t token = 0; token < tokens(); ++token)
                changes[token] += alongTheWay(*slope, token) / static_cast<double>(shares.size());
            reportFinished(1);
        }
        return changes;
    }

    double alongTheWay(const Tensor& slope, std::size_t token) const {
        double sum = 0.0;
        for (std::size_t d = 0; d < baseline_.size(); ++d)
            sum +=
                static_cast<double>(slope(token, d)) * (static_cast<double>(baseline_.values()[d]) -
                                                        static_cast<double>(embed_(token, d)));
        return sum;
    }

    Changes measured(std::vector<HookSet> edits) {
        return reading_.measure(
            std::move(edits), [this](std::size_t count) { reportFinished(count); }, stop_);
    }

    void reportFinished(std::size_t count) {
        finished_ += count;
        report(progress_, static_cast<double>(finished_) / static_cast<double>(total_),
               std::to_string(finished_) + " of " + std::to_string(total_) + " runs");
    }

    const Model& model_;
    BoundReading reading_;
    TokenDependence& result_;
    const Progress& progress_;
    std::stop_token stop_;
    Tensor embed_;    ///< [position, d_model]
    Tensor baseline_; ///< [1, d_model]
    std::size_t total_ = 0;
    std::size_t finished_ = 0;
};

} // namespace

std::string_view tokenMethodName(TokenMethod method) {
    switch (method) {
    case TokenMethod::Hide:
        return "hide";
    case TokenMethod::Replace:
        return "replace";
    case TokenMethod::Gradient:
        return "gradient";
    case TokenMethod::Integrated:
        return "integrated";
    }
    return {};
}

std::vector<TokenMethod> tokenMethods() {
    return {TokenMethod::Hide, TokenMethod::Replace, TokenMethod::Gradient,
            TokenMethod::Integrated};
}

TokenBaseline defaultBaseline(const ModelSpec& spec) {
    return {spec.mask_token};
}

double TokenDependence::correlation(std::size_t a, std::size_t b) const {
    const auto ofSeen = [&](std::size_t method) {
        return std::span(methods[method].changes).first(seen);
    };
    return rankCorrelation(ofSeen(a), ofSeen(b));
}

double TokenDependence::completenessGap() const {
    const auto found = std::ranges::find(methods, TokenMethod::Integrated, &TokenChanges::method);
    if (found == methods.end())
        return std::numeric_limits<double>::quiet_NaN();
    return std::accumulate(found->changes.begin(), found->changes.end(), 0.0) -
           (without_all - value);
}

std::string TokenDependence::note() const {
    constexpr double kLargestGap = 0.05;
    const double change = without_all - value;
    const double gap = completenessGap(); // NaN: nothing to note
    if (areDifferent(change + gap, change) && std::abs(gap) > kLargestGap * std::abs(change))
        return "Integrated gradients do not yet add up to what all tokens change; take more steps.";
    return {};
}

Result<TokenDependence> tokenDependence(const std::shared_ptr<const Model>& model,
                                        const TokenQuestion& question, const Progress& progress,
                                        std::stop_token stop) {
    TokenDependence result;
    result.question = question;
    completeQuestion(result.question, model->spec);
    if (auto valid = checkTokenQuestion(result.question, *model); !valid)
        return valid.error();
    auto reading = BoundReading::make(model, result.question);
    if (!reading)
        return reading.error();
    TokenKnockOut knock_out(*model, *std::move(reading), result, progress, std::move(stop));
    if (auto done = knock_out(); !done)
        return done.error();
    return result;
}

} // namespace headscope
