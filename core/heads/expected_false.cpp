#include "core/heads/expected_false.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {

namespace {

/// What Benjamini and Hochberg make of the p-value `largest`: the least p · tests / rank among
/// those that are no smaller.
double adjusted(std::vector<double> p_values, double largest) {
    std::ranges::sort(p_values);
    const auto tests = static_cast<double>(p_values.size());
    double least = 1.0;
    for (std::size_t rank = p_values.size(); rank > 0 && p_values[rank - 1] >= largest; --rank)
        least = std::min(least, p_values[rank - 1] * tests / static_cast<double>(rank));
    return least;
}

} // namespace

ExpectedFalse expectedFalse(const HeadScores& scores, const Thresholds& thresholds) {
    std::vector<double> p_values;
    for (const HeadScore& score : scores.scores)
        if (!std::isnan(score.p_value))
            p_values.push_back(score.p_value);
    ExpectedFalse expected{.tests = p_values.size()};
    double largest = 0.0;
    for (const LayerHead head : scores.heads)
        for (const HeadTypeId type : labels(scores, head, thresholds)) {
            const double p_value = scores.at(type, head).p_value;
            if (std::isnan(p_value))
                continue;
            ++expected.labels;
            largest = std::max(largest, p_value);
        }
    if (expected.labels > 0)
        expected.count =
            adjusted(std::move(p_values), largest) * static_cast<double>(expected.labels);
    return expected;
}

Record expectedFalseRecord(const ExpectedFalse& expected) {
    return {{"count", expected.count}, {"labels", expected.labels}, {"tests", expected.tests}};
}

std::string expectedFalseText(const ExpectedFalse& expected) {
    constexpr double kLeastShown = 0.05;
    if (expected.labels == 0)
        return "";
    const bool is_small = expected.count < kLeastShown;
    const std::string count = is_small ? "fewer than 0.1" : "about " + fixedText(expected.count, 1);
    return "of the model’s " + counted(expected.labels, "label") + ", " + count +
           " are expected to be chance (Benjamini–Hochberg, " + counted(expected.tests, "test") +
           ")";
}

} // namespace headscope
