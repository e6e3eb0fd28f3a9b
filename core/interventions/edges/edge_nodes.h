#pragma once

#include "core/engine/hook_point.h"
#include "core/interventions/edge_attribution.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <set>

namespace headscope {

/// The nodes of the network in the order in which they read and write.
void findNodes(const ModelSpec& spec, EdgeResult& result);

/// Where hooks see what writers make: of heads their z, of others what they add to the residual
/// stream.
std::set<HookPoint> writerPoints(const EdgeResult& result);

/// Where hooks see the residual stream as a receiver reads it.
HookPoint receiverPoint(const EdgeReceiver& receiver, const ModelSpec& spec);

/// One head's [position, width] of [position, head, width], or all of [position, width].
template <class T>
BasicMatrixView<T> nodeRows(const BasicTensorView<T>& value, std::size_t place) {
    T* const first = value.data + (value.rank() == 3 ? place * value.strides[1] : 0);
    return {first, value.shape.front(), value.shape.back(), value.strides.front()};
}

/// u_to − u_from of all writers, to be filled point by point: [writer, position · d_model].
Tensor emptyDifferences(const EdgeResult& result, const ModelSpec& spec);

/// Fills the rows of the writers at one of writerPoints(), of heads with (z_to − z_from) W_O, from
/// the values of two runs there.
void fillDifferences(const Model& model, const EdgeResult& result, HookPoint at,
                     const TensorView& from, const TensorView& to, Tensor& differences);

} // namespace headscope
