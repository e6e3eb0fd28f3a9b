#include "ui/views/inside/inside_parts.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>

namespace headscope::ui {
namespace {

using Numbers = std::span<const double>;

Numbers rowOf(const DoubleMatrix& matrix, std::size_t row) {
    return Numbers(matrix.values).subspan(row * matrix.cols, matrix.cols);
}

/// Of parts that are kept as they are drawn; empty for others.
Numbers vectorOf(const HeadSteps& steps, InsidePart part, std::size_t row) {
    const QueryDimensions& dimensions = steps.dimensions;
    switch (part) {
    case InsidePart::Stream:
        return steps.stream;
    case InsidePart::Read:
        return steps.read;
    case InsidePart::OwnQuery:
        return dimensions.turned ? dimensions.query_before : dimensions.query;
    case InsidePart::OwnKey:
        return rowOf(dimensions.turned ? dimensions.keys_before : dimensions.keys, ownRow(steps));
    case InsidePart::OwnValue:
        return rowOf(steps.values, ownRow(steps));
    case InsidePart::TurnedQuery:
    case InsidePart::Query:
        return dimensions.query;
    case InsidePart::TurnedKey:
        return rowOf(dimensions.keys, ownRow(steps));
    case InsidePart::Key:
        return rowOf(dimensions.keys, row);
    case InsidePart::Value:
        return rowOf(steps.values, row);
    case InsidePart::Z:
        return steps.z;
    case InsidePart::HeadZ:
        return rowOf(steps.all_z, row);
    case InsidePart::HeadOutput:
        return steps.head_output;
    case InsidePart::LayerOutput:
        return steps.layer_output;
    default:
        return {};
    }
}

double numberOfKey(const KeySteps& key, InsidePart part) {
    switch (part) {
    case InsidePart::Dot:
        return key.product;
    case InsidePart::Scaled:
        return key.scaled;
    case InsidePart::Capped:
        return key.capped;
    case InsidePart::Distance:
        return key.score - key.capped;
    case InsidePart::Score:
        return key.score;
    case InsidePart::Exponential:
        return key.exponential;
    default:
        return key.weight;
    }
}

double weightSum(const HeadSteps& steps) {
    double sum = 0.0;
    for (const KeySteps& key : steps.keys)
        sum += key.weight;
    return sum;
}

double numberOfRow(const HeadSteps& steps, InsidePart part, std::size_t row) {
    switch (part) {
    case InsidePart::SinkScore:
        return steps.sink.value_or(0.0);
    case InsidePart::SinkExponential:
        return steps.sink_exponential;
    case InsidePart::SinkWeight:
        return steps.sink_exponential / steps.sum;
    case InsidePart::Sum:
        return steps.sum;
    case InsidePart::WeightSum:
        return weightSum(steps);
    case InsidePart::Raised:
        return static_cast<double>(steps.writes->raised[row].change);
    case InsidePart::Lowered:
        return static_cast<double>(steps.writes->lowered[row].change);
    default:
        return numberOfKey(steps.keys[row], part);
    }
}

double largest(Numbers numbers) {
    double most = 0.0;
    for (const double number : numbers)
        most = std::max(most, std::abs(number));
    return most;
}

double largestProduct(const HeadSteps& steps) {
    double most = 0.0;
    for (std::size_t row = 0; row < steps.keys.size(); ++row)
        for (std::size_t index = 0; index < steps.dimensions.query.size(); ++index)
            most = std::max(most, std::abs(insideValue(steps, InsidePart::Product, row, index)));
    return most;
}

double largestWeighted(const HeadSteps& steps) {
    double most = 0.0;
    for (std::size_t row = 0; row < steps.keys.size(); ++row)
        most = std::max(most, steps.keys[row].weight * largest(rowOf(steps.values, row)));
    return most;
}

double largestChange(const HeadSteps& steps) {
    double most = 0.0;
    for (const auto* tokens : {&steps.writes->raised, &steps.writes->lowered})
        for (const WrittenToken& token : *tokens)
            most = std::max(most, std::abs(static_cast<double>(token.change)));
    return most;
}

double largestOfKind(const HeadSteps& steps, InsidePart part) {
    switch (part) {
    case InsidePart::Stream:
        return largest(steps.stream);
    case InsidePart::Read:
        return largest(steps.read);
    case InsidePart::OwnQuery:
    case InsidePart::TurnedQuery:
    case InsidePart::Query:
        return std::max(largest(steps.dimensions.query), largest(steps.dimensions.query_before));
    case InsidePart::OwnKey:
    case InsidePart::TurnedKey:
    case InsidePart::Key:
        return largest(steps.dimensions.keys.values);
    case InsidePart::Product:
        return largestProduct(steps);
    case InsidePart::OwnValue:
    case InsidePart::Value:
        return largest(steps.values.values);
    case InsidePart::WeightedValue:
    case InsidePart::Z:
        return std::max(largest(steps.z), largestWeighted(steps));
    case InsidePart::HeadZ:
        return largest(steps.all_z.values);
    case InsidePart::HeadOutput:
    case InsidePart::LayerOutput:
        return std::max(largest(steps.head_output), largest(steps.layer_output));
    case InsidePart::Raised:
    case InsidePart::Lowered:
        return largestChange(steps);
    default:
        return 1.0;
    }
}

} // namespace

bool isOfKey(InsidePart part) {
    return part >= InsidePart::Key && part <= InsidePart::WeightedValue;
}

bool isVector(InsidePart part) {
    return part <= InsidePart::Product || part == InsidePart::Value ||
           part == InsidePart::WeightedValue ||
           (part >= InsidePart::Z && part <= InsidePart::LayerOutput);
}

double insideValue(const HeadSteps& steps, InsidePart part, std::size_t row, std::size_t index) {
    if (part == InsidePart::Product)
        return steps.dimensions.query[index] * steps.dimensions.keys(row, index);
    if (part == InsidePart::WeightedValue)
        return steps.keys[row].weight * steps.values(row, index);
    return isVector(part) ? vectorOf(steps, part, row)[index] : numberOfRow(steps, part, row);
}

std::size_t insideLength(const HeadSteps& steps, InsidePart part) {
    if (part == InsidePart::Product)
        return steps.dimensions.query.size();
    if (part == InsidePart::WeightedValue)
        return steps.values.cols;
    return isVector(part) ? vectorOf(steps, part, 0).size() : 1;
}

double fullColour(const HeadSteps& steps, InsidePart part) {
    const double most = largestOfKind(steps, part);
    return most > 0.0 ? most : 1.0;
}

std::size_t largestIndex(const HeadSteps& steps, const InsideCell& cell) {
    std::size_t found = cell.index;
    double most = -1.0;
    for (std::size_t index = cell.index; index < cell.index + cell.count; ++index) {
        const double size = std::abs(insideValue(steps, cell.part, cell.row, index));
        if (size > most) {
            most = size;
            found = index;
        }
    }
    return found;
}

std::size_t placeOfHead(const HeadSteps& steps) {
    const auto place = std::ranges::find(steps.heads, steps.question.head.head);
    return static_cast<std::size_t>(place - steps.heads.begin());
}

std::size_t ownRow(const HeadSteps& steps) {
    return steps.question.query - steps.dimensions.positions.begin;
}

} // namespace headscope::ui
