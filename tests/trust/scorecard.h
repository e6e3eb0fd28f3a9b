#pragma once

#include "core/heads/head_score.h"
#include "tests/trust/planted_cases.h"
#include "tests/trust/planted_truth.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace headscope::test {

/// Of so many, so many.
struct Counted {
    std::size_t of = 0;
    std::size_t is = 0;

    void add(bool yes) {
        of += 1;
        is += yes ? 1 : 0;
    }
    double share() const {
        return of == 0 ? 1.0 : static_cast<double>(is) / static_cast<double>(of);
    }
};

/// What labels say of planted heads, against what was planted.
struct Scorecard {
    struct OfType {
        Counted found;     ///< of heads that must have the label
        Counted false_one; ///< of heads that must not
    };

    std::size_t models = 0;
    std::size_t heads = 0;
    std::map<HeadTypeId, OfType> types;
    Counted offsets;   ///< of planted distances, those that the label names
    Counted half;      ///< of heads for half of the vocabulary, those with the label of the other
    Counted told;      ///< of those with the label, those whose label is said not to transfer
    Counted not_told;  ///< of like heads for the whole vocabulary, those said so, too
    Counted by_token;  ///< of heads that look at BOS wherever it is, those called sinks
    Counted by_basis;  ///< of labels, those that change with the basis inside a head
    Counted by_period; ///< of heads, those whose labels change with the period
    Counted needed;    ///< of effects below a thousandth of a nat, those that are called needed
    std::map<HeadTypeId, Counted> covered; ///< of intervals, those that hold the mean of many
    std::vector<std::string> wrong;        ///< a line for each head and label

    void addLabels(const PlantedCase& planted, std::size_t place, const HeadScores& scores,
                   const ShownOnBoth& shown);
    /// The mean over types.
    double coverage() const;
    /// The table and what was wrong.
    std::string text() const;
};

/// "3 1.4 (looks at −20, …)"
std::string nameOf(const PlantedCase& planted, std::size_t place, LayerHead head);

} // namespace headscope::test
