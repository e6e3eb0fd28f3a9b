#include "core/attribution/first_key.h"

#include <numeric>

namespace headscope {

namespace {

constexpr double kMostOfTheAttention = 0.5;
constexpr double kNearlyAllAttention = 0.9;

} // namespace

double shareOfFirstKey(std::span<const float> column) {
    if (column.size() < 2)
        return 0.0;
    return std::accumulate(column.begin() + 1, column.end(), 0.0) /
           static_cast<double>(column.size() - 1);
}

bool hidesFirstKey(FirstKey choice, double share) {
    return choice == FirstKey::Hidden ||
           (choice == FirstKey::Automatic && share > kMostOfTheAttention);
}

ValueScale fittingScale(bool is_hidden, bool rows_are_rescaled, double share) {
    if (!is_hidden || rows_are_rescaled)
        return ValueScale::Linear;
    return share > kNearlyAllAttention ? ValueScale::Logarithmic : ValueScale::SquareRoot;
}

} // namespace headscope
