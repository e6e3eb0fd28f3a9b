#include "core/loading/plan/weight_reader.h"

#include "core/base/text.h"
#include "core/loading/plan/file_view.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

/// Visits every element in square tiles, which suit both orders. False when stopped by the token.
template <class Visit>
bool forEachElement(const FileView& view, const float* data, const std::stop_token& stop,
                    Visit visit) {
    constexpr std::size_t tile = 32;
    for (std::size_t row = 0; row < view.rows.size(); row += tile) {
        if (stop.stop_requested())
            return false;
        const std::size_t last_row = std::min(row + tile, view.rows.size());
        for (std::size_t col = 0; col < view.cols.size(); col += tile) {
            const std::size_t last_col = std::min(col + tile, view.cols.size());
            for (std::size_t r = row; r < last_row; ++r)
                for (std::size_t c = col; c < last_col; ++c)
                    visit(view.rows[r].index, view.cols[c].index,
                          view.factor * data[view.rows[r].offset + view.cols[c].offset] +
                              view.addend);
        }
    }
    return true;
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
    const RoleInfo& role = roleInfo(planned.role);
    Tensor& tensor = role.tensor.edit(weights, planned.layer);
    if (tensor.empty())
        tensor = Tensor(role.tensorShape(spec_, planned.layer));

    const bool in_place = planned.layout == Layout::AsStored && planned.factor == 1.0 &&
                          planned.copy_of == nullptr &&
                          elementCount(planned.tensor->shape) == tensor.size();
    if (in_place)
        return readInto(planned, tensor.values());
    if (auto done = stage(planned); !done)
        return done.error();
    const MutableMatrixView target = rowsOf(planned, tensor.matrix())
                                         .colRange(dimSize(role.first_col, spec_, planned.layer),
                                                   dimSize(role.cols, spec_, planned.layer));
    return planned.copy_of != nullptr ? compare(planned, target) : place(planned, target);
}

/// A tensor of which two roles have a half each is read once.
Result<void> WeightReader::stage(const PlannedTensor& planned) {
    if (staged_tensor_ == planned.tensor)
        return {};
    staged_tensor_ = nullptr;
    staged_.resize(elementCount(planned.tensor->shape));
    if (auto done = readInto(planned, staged_); !done)
        return done.error();
    staged_tensor_ = planned.tensor;
    return {};
}

Result<void> WeightReader::readInto(const PlannedTensor& planned, std::span<float> values) const {
    if (auto done = file_.read(*planned.tensor, values, stop_); !done)
        return done.error();
    return checkFinite(planned, values);
}

/// Those of one expert, or all.
MutableMatrixView WeightReader::rowsOf(const PlannedTensor& planned,
                                       MutableMatrixView whole) const {
    if (!planned.expert)
        return whole;
    const std::size_t rows = dimSize(roleInfo(planned.role).rows, spec_, planned.layer);
    return whole.rowRange(*planned.expert * rows, rows);
}

Result<void> WeightReader::checkFinite(const PlannedTensor& planned,
                                       std::span<const float> values) const {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    for (std::size_t begin = 0; begin < values.size(); begin += chunk) {
        if (stop_.stop_requested())
            return cancelled();
        const auto part = values.subspan(begin, std::min(chunk, values.size() - begin));
        const auto bad = std::ranges::find_if_not(part, [](float x) { return std::isfinite(x); });
        if (bad != part.end())
            return Error{ErrorCode::Malformed,
                         named(planned) + " has " + (std::isnan(*bad) ? "NaN" : "infinity") +
                             " at " +
                             indexText(begin + static_cast<std::size_t>(bad - part.begin()),
                                       planned.tensor->shape) +
                             ", expected finite numbers; the file is damaged or its training "
                             "diverged."};
    }
    return {};
}

Result<void> WeightReader::place(const PlannedTensor& planned, MutableMatrixView target) const {
    const FileView view = fileView(planned, spec_);
    const auto copy = [target](std::size_t r, std::size_t c, float value) { target(r, c) = value; };
    if (!forEachElement(view, staged_.data(), stop_, copy))
        return cancelled();
    return {};
}

Result<void> WeightReader::compare(const PlannedTensor& planned, MatrixView original) const {
    const FileView view = fileView(planned, spec_);
    bool same = true;
    const auto check = [&](std::size_t r, std::size_t c, float value) {
        same = same && original(r, c) == value;
    };
    if (!forEachElement(view, staged_.data(), stop_, check))
        return cancelled();
    if (!same)
        return Error{ErrorCode::Mismatch,
                     named(planned) + " differs from '" + planned.copy_of->nameInFile() +
                         "', expected the same values because the config ties the two; correct "
                         "tie_word_embeddings in the config or remove one of them."};
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
