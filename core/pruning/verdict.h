#pragma once

#include "core/pruning/domains.h"
#include "core/pruning/pruning_curve.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// What of a curve is stated: the share of all heads that can go before the loss is first above
/// (1 + tolerance) times that of PruningResult::standard(): that of the last measured cut within.
struct ShareVerdict {
    std::string order;
    double share = 0.0;
    /// 95 %, over documents or passages of this text (TextVerdict::by_documents), by the resamples
    /// of lossIncrease(), which all cuts share: of the least, the last measured cut within; of the
    /// largest, one unit less than the first above. Between two cuts nothing is interpolated: where
    /// they are far apart, the interval is wider.
    Interval interval;
    bool whole_curve = false; ///< the loss stays below to the end of the curve
    bool narrowed = true;     ///< one unit more was measured, and is above
};

/// The verdict on all random orders.
struct RandomVerdict {
    ShareVerdict mean;    ///< of their shares
    double lowest = 0.0;  ///< of a single order
    double highest = 0.0; ///< likewise
    std::size_t orders = 0;
};

/// A cut that lowers the loss.
struct LoweringCut {
    std::string order;
    std::size_t heads = 0;
    Interval increase; ///< below 0, nats
};

/// What is stated on one text.
struct TextVerdict {
    std::string text;                 ///< PruningDomain::name
    std::vector<ShareVerdict> orders; ///< all but random ones, as in the result
    std::optional<RandomVerdict> random;
    bool by_documents = false;
    double loss = 0.0;                 ///< of the whole network, nats
    std::optional<double> fitted_loss; ///< of PruningResult::control
    /// Over that on text of the model's own, where the model can write.
    std::optional<double> times_own = {};
    /// The one that lowers it most, if one does by its whole interval and by kLeastLowering. Heads
    /// that a model has learnt to need help on text of the kind that it has learnt.
    std::optional<LoweringCut> lowering = {};

    /// The order by which most can go; random where there is no other.
    const ShareVerdict& best() const;
    /// The text is not of the kind that the model was trained on: its loss is kOutside times that
    /// on text of the model's own, or a cut lowers it.
    bool isOutside() const;
};
/// Share of the loss.
inline constexpr double kLeastLowering = 0.005;

TextVerdict textVerdict(const PruningResult& result, std::optional<double> own_loss,
                        double tolerance);

struct Verdict {
    double tolerance = 0.01;
    std::optional<double> own_loss; ///< DomainResults::own_loss
    std::vector<TextVerdict> texts;
    std::size_t nearest = 0; ///< DomainResults::nearest()

    const TextVerdict& headline() const { return texts[nearest]; }
};

Verdict verdictOf(const DomainResults& results, double tolerance);

/// "21 % of the heads [4–29 %, over documents of this text] can go at no more than 1 % more loss
/// (order: gradient; text: stories, the text with the lowest loss); over 6 texts: 1 to
/// 78 %; random orders: 1.5 to 9.5 %, mean 5 %.", and sentences of what must be known besides: that
/// the text is outside of the model's domain, and that cuts are judged against the control.
std::string verdictText(const Verdict& verdict);

/// The last cut of the best order within its share: the one to look at closely. Nothing where not
/// even the first cut is, and where there are only random orders.
std::optional<CurvePlace> placeOfVerdict(const PruningResult& result, const TextVerdict& verdict);

/// The 95 % interval of the loss with a cut minus that of the whole model.
Interval lossIncrease(const PruningResult& result, const PassageSums& sums);

/// A target whose loss grew, which averages hide.
struct WorseToken {
    std::size_t passage = 0;
    std::size_t position = 0; ///< of the token itself
    TokenId token = 0;
    TokenIds before_it; ///< up to eight tokens in front of it, as the model read them
    double whole = 0.0; ///< −ln p by the whole network, nats
    double cut = 0.0;   ///< without the heads
};

/// The `count` targets of the test text whose loss grows most, largest first, when heads are
/// removed in the way of the question.
Result<std::vector<WorseToken>> worstTokens(const std::shared_ptr<const Model>& model,
                                            const PassageSet& calibration, const PassageSet& test,
                                            const PruningQuestion& question, const HeadSet& removed,
                                            std::size_t count, const std::stop_token& stop = {});

} // namespace headscope
