#pragma once

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"
#include "core/loading/plan/matrix_order.h"
#include "core/model/model.h"
#include "core/model/weight_role.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// One tensor of the file with the role it fills. Points into the source.
struct PlannedTensor {
    const TensorInfo* tensor = nullptr;
    WeightRole role{};
    std::size_t layer = 0;
    Layout layout = Layout::AsStored;
    /// Set when another tensor already fills the role: the values must be the same.
    const TensorInfo* copy_of = nullptr;
    double factor = 1.0; ///< on every value, by the rule
    /// The expert of a role that every expert has, or the head of Layout::OneHead; nothing: all of
    /// them.
    std::optional<std::size_t> expert = {};

    /// "blocks.0.mlp.experts.3.W_in"
    std::string roleName() const;
    /// How often it holds the role: once for each expert that it fills.
    std::size_t copies(const ModelSpec& spec) const;
};

/// A role that the architecture needs and the file does not fill.
struct MissingTensor {
    WeightRole role{};
    std::size_t layer = 0;
    std::string name;     ///< in the file
    std::string expected; ///< "[d_model, d_mlp] = [48, 192]"
    std::string message; ///< "X.h5 lacks the tensor 'W', expected [d_model, d_mlp] = [48, 192] by…"
};

/// What the loader will read, and what it leaves.
struct TensorPlan {
    std::vector<PlannedTensor> tensors;
    std::vector<MissingTensor> missing;
    std::vector<LoadReport::Ignored> ignored;
    MatrixOrder order;
};

/// Matches the file's tensors against what the architecture needs, by name, shape and type, without
/// reading a value. Fails on the first that is wrong or belongs to another network, and lists
/// what is missing, which is for withoutMissing() to judge.
Result<TensorPlan> planTensors(const Architecture& architecture, const TensorSource& file,
                               const MatrixChoice& choice = {});

/// What the file's tensors of one layer follow, as if all layers were like it: fewer heads where
/// some were cut out.
ModelSpec specInFile(const ModelSpec& spec, std::size_t layer);

/// The width of one head in a role whose rows or columns are those of heads.
std::size_t headWidth(const RoleInfo& role, const ModelSpec& spec);

/// The shape a role has in a file that lays it out like this.
Shape fileShape(WeightRole role, Layout layout, const ModelSpec& spec);

} // namespace headscope
