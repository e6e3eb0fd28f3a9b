#include "core/loading/architectures/nearest_family.h"

#include "core/loading/architectures/architecture.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace headscope {

namespace {

/// How many letters have to be put in, taken out or replaced (Levenshtein 1966).
std::size_t editDistance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1); // of the letters of `from` so far
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::optional<std::string_view> nearestFamily(std::string_view model_type) {
    std::optional<std::string_view> nearest;
    std::size_t least = model_type.size() / 2 + 1; // of a name that shares nothing: its length
    for (const Family& family : families()) {
        const std::size_t distance = editDistance(model_type, family.model_type);
        if (family.internal || distance >= least)
            continue;
        nearest = family.model_type;
        least = distance;
    }
    return nearest;
}

} // namespace headscope
