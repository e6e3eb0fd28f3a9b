#include "core/verify/checks/check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {

namespace {

HookPoint lastResidual(const ModelSpec& spec) {
    return {HookKind::ResidPost, spec.n_layers - 1};
}

} // namespace

const char* outcomeName(Check::Outcome outcome) {
    switch (outcome) {
    case Check::Passed:
        return "passed";
    case Check::Failed:
        return "failed";
    case Check::NotVerified:
        return "not verified";
    case Check::NotApplicable:
        return "not applicable";
    }
    return "";
}

Check checkOf(std::string name, bool passed, std::string expected, std::string measured,
              std::string explanation) {
    return {std::move(name), passed ? Check::Passed : Check::Failed, std::move(expected),
            std::move(measured), std::move(explanation)};
}

Check checkAtMost(std::string name, double measured, double limit, std::string explanation) {
    return checkOf(std::move(name), measured <= limit, "at most " + figureText(limit),
                   figureText(measured), std::move(explanation));
}

Check notApplicable(std::string name, std::string reason) {
    return {std::move(name), Check::NotApplicable, "", "", std::move(reason)};
}

double largestDifference(const Tensor& found, const Tensor& expected) {
    if (found.shape() != expected.shape())
        return std::numeric_limits<double>::quiet_NaN();
    double largest = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double a = found.values()[i];
        const double b = expected.values()[i];
        if (a == b)
            continue;
        if (!std::isfinite(a - b))
            return std::numeric_limits<double>::quiet_NaN();
        largest = std::max(largest, std::abs(a - b));
    }
    return largest;
}

double relativeDifference(const Tensor& found, const Tensor& expected) {
    double scale = 0.0;
    for (const float value : expected.values())
        if (std::isfinite(value))
            scale = std::max(scale, std::abs(double{value}));
    const double difference = largestDifference(found, expected);
    return scale > 0.0 ? difference / scale : difference;
}

std::string figureText(double value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   std::chars_format::general, 2);
    return {digits.data(), end.ptr};
}

void addOutputHooks(HookSet& hooks, const ModelSpec& spec) {
    if (spec.output == OutputHead::None)
        hooks.capture(lastResidual(spec));
}

const Tensor& outputOf(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    return spec.output == OutputHead::None ? run.captured.at(lastResidual(spec)) : run.logits;
}

} // namespace headscope
