#include "core/loading/plan/weight_reader.h"

#include "core/base/text.h"
#include "core/loading/plan/file_view.h"
#include "core/model/weight_role.h"
#include "core/tensor/half.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <variant>

namespace headscope {

namespace {

/// Visits every element in square tiles, which suit both orders, on all threads. False when stopped
/// by the token.
template <class Number, class Visit>
bool forEachElement(const FileView& view, const Number* data, const std::stop_token& stop,
                    Visit visit) {
    constexpr std::size_t tile = 32;
    parallelFor((view.rows.size() + tile - 1) / tile, [&](std::size_t part, std::size_t) {
        if (stop.stop_requested())
            return;
        const std::size_t row = part * tile;
        const std::size_t last_row = std::min(row + tile, view.rows.size());
        for (std::size_t col = 0; col < view.cols.size(); col += tile) {
            const std::size_t last_col = std::min(col + tile, view.cols.size());
            for (std::size_t r = row; r < last_row; ++r)
                for (std::size_t c = col; c < last_col; ++c)
                    visit(view.rows[r].index, view.cols[c].index,
                          data[view.rows[r].offset + view.cols[c].offset]);
        }
    });
    return !stop.stop_requested();
}

bool isFinite(FloatFormat, float number) {
    return std::isfinite(number);
}
bool isFinite(FloatFormat format, std::uint16_t word) {
    const std::uint16_t exponent = format == FloatFormat::Float16 ? 0x7C00 : 0x7F80;
    return (word & exponent) != exponent;
}

float asFloat(FloatFormat, float number) {
    return number;
}
float asFloat(FloatFormat format, std::uint16_t word) {
    return widen(format, word);
}

/// As it is kept. Narrow numbers are those of matrices that are read as they are.
float kept(const FileView& view, float number) {
    return view.factor * number + view.addend;
}
std::uint16_t kept(const FileView&, std::uint16_t word) {
    return word;
}

/// Those of one expert or one head, or all.
template <class Matrix>
Matrix partOf(const PlannedTensor& planned, const ModelSpec& spec, Matrix whole) {
    if (planned.layout == Layout::OneHead)
        return whole.colRange(planned.expert.value_or(0) * spec.d_head, spec.d_head);
    const RoleInfo& role = roleInfo(planned.role);
    const std::size_t rows = dimSize(role.rows, spec, planned.layer);
    return (planned.expert ? whole.rowRange(*planned.expert * rows, rows) : whole)
        .colRange(dimSize(role.first_col, spec, planned.layer),
                  dimSize(role.cols, spec, planned.layer));
}

/// "[3, 17]"
std::string indexText(std::size_t offset, const Shape& shape) {
    Shape index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = offset % shape[axis];
        offset /= shape[axis];
    }
    return shapeText(index);
}

} // namespace

Result<void> WeightReader::read(const PlannedTensor& planned, Weights& weights) {
    if (stop_.stop_requested())
        return cancelled();
    floats_.keepOnly(planned.tensor);
    words_.keepOnly(planned.tensor);
    const RoleInfo& role = roleInfo(planned.role);
    const EditedParameter place = role.tensor.edit(weights, planned.layer);
    if (planned.copy_of != nullptr) {
        const WeightMatrix original =
            matrixOf(role.tensor.read(std::as_const(weights), planned.layer));
        return original.isNarrow() && formatFor(planned.tensor->type) == original.format()
                   ? compare(planned, original, words_)
                   : compare(planned, original, floats_);
    }
    const Shape shape = role.tensorShape(spec_, planned.layer);
    if (Tensor* const* const vector = std::get_if<Tensor*>(&place))
        return readNumbers(planned, shape, **vector, floats_);
    WeightTensor& matrix = *std::get<WeightTensor*>(place);
    if (matrix.empty())
        matrix = WeightTensor(formats_.of(planned), Shape{0});
    return matrix.isNarrow() ? readNumbers(planned, shape, matrix.words(), words_)
                             : readNumbers(planned, shape, matrix.floats(), floats_);
}

/// A tensor with another layout than its place is read before the place is allocated, because the
/// source may need memory to unpack it.
template <class Number>
Result<void> WeightReader::readNumbers(const PlannedTensor& planned, const Shape& shape,
                                       BasicTensor<Number>& tensor, Staged<Number>& staged) {
    const bool as_stored =
        planned.layout == Layout::AsStored || planned.layout == Layout::ExpertsAsStored;
    const bool in_place = as_stored && planned.factor == 1.0 &&
                          elementCount(planned.tensor->shape) == elementCount(shape);
    if (!in_place)
        if (auto done = stage(planned, staged); !done)
            return done.error();
    if (tensor.empty())
        tensor = in_place ? BasicTensor<Number>::uninitialised(shape) : BasicTensor<Number>(shape);
    if (in_place)
        return readInto(planned, tensor.values());
    const FileView view = fileView(planned, spec_);
    const BasicMatrixView<Number> target = partOf(planned, spec_, tensor.matrix());
    const auto copy = [&](std::size_t r, std::size_t c, Number value) {
        target(r, c) = kept(view, value);
    };
    if (!forEachElement(view, staged.numbers.data(), stop_, copy))
        return cancelled();
    return {};
}

/// A tensor of which two roles have a half each is read once.
template <class Number>
Result<void> WeightReader::stage(const PlannedTensor& planned, Staged<Number>& staged) const {
    if (staged.tensor == planned.tensor)
        return {};
    staged.numbers.resize(elementCount(planned.tensor->shape));
    if (auto done = readInto(planned, std::span(staged.numbers)); !done)
        return done.error();
    staged.tensor = planned.tensor;
    return {};
}

template <class Number>
Result<void> WeightReader::readInto(const PlannedTensor& planned, std::span<Number> values) const {
    if (auto done = file_.read(*planned.tensor, values, stop_); !done)
        return done.error();
    constexpr std::size_t chunk = std::size_t{1} << 20;
    const FloatFormat format = formatFor(planned.tensor->type);
    for (std::size_t begin = 0; begin < values.size(); begin += chunk) {
        if (stop_.stop_requested())
            return cancelled();
        const auto part = values.subspan(begin, std::min(chunk, values.size() - begin));
        const auto bad = std::ranges::find_if_not(
            part, [format](Number number) { return isFinite(format, number); });
        if (bad != part.end())
            return notFinite(planned, begin + static_cast<std::size_t>(bad - part.begin()),
                             asFloat(format, *bad));
    }
    return {};
}

Error WeightReader::notFinite(const PlannedTensor& planned, std::size_t offset,
                              float number) const {
    return {ErrorCode::Malformed,
            named(planned) + " has " + (std::isnan(number) ? "NaN" : "infinity") + " at " +
                indexText(offset, planned.tensor->shape) +
                ", expected finite numbers; the file is damaged or its training diverged."};
}

template <class Number>
Result<void> WeightReader::compare(const PlannedTensor& planned, WeightMatrix original,
                                   Staged<Number>& staged) {
    if (auto done = stage(planned, staged); !done)
        return done.error();
    const FileView view = fileView(planned, spec_);
    const FloatFormat format = formatFor(planned.tensor->type);
    const WeightMatrix part = partOf(planned, spec_, original);
    std::atomic<bool> same = true;
    const auto check = [&](std::size_t r, std::size_t c, Number value) {
        if (part(r, c) != kept(view, asFloat(format, value)))
            same.store(false, std::memory_order_relaxed);
    };
    if (!forEachElement(view, staged.numbers.data(), stop_, check))
        return cancelled();
    if (!same)
        return Error{ErrorCode::Mismatch,
                     named(planned) + " differs from '" + planned.copy_of->nameInFile() +
                         "', expected the same values because both are the same weight of the "
                         "network; remove one of them."};
    return {};
}

Error WeightReader::cancelled() const {
    return {ErrorCode::Cancelled,
            "Loading " + file_.path().filename().string() + " was cancelled."};
}

std::string WeightReader::named(const PlannedTensor& planned) const {
    return file_.path().filename().string() + ": the tensor '" + planned.tensor->nameInFile() + "'";
}

} // namespace headscope
