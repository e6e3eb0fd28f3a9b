#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/architectures/architecture.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// How one file spells the names of an architecture: with or without the base prefix
/// ("transformer."), and inside a wrapper ("state_dict.", "module.") or not.
class TensorNames {
public:
    /// Looks for the first rule that the file has in any spelling.
    TensorNames(const Architecture& architecture, const TensorSource& file);

    /// Name in the file of a rule's tensor, or of that of one expert.
    std::string inFile(const TensorRule& rule, std::size_t layer, std::size_t expert = 0) const;

    /// Whether a name is where the network keeps its own tensors.
    bool belongsToNetwork(std::string_view name) const;

    /// The layer that a name counts itself to, if it does.
    std::optional<std::size_t> layerOf(std::string_view name) const;

private:
    /// Looks in a layer for the first rule that the file has; whether there is one.
    bool findSpelling(const TensorSource& file, std::size_t layer);
    std::size_t firstLayerIn(const TensorSource& file) const;
    bool spelledLike(std::string_view name, const TensorSource& file);
    void findHead(const TensorSource& file);
    std::string pattern(const TensorRule& rule) const;

    const Architecture& architecture_;
    std::string wrapper_;
    /// Before names outside the base model ("lm_head.weight"), where the wrapper replaces its
    /// prefix: "model.language_model." may be inside of the module that also holds the head.
    std::string head_wrapper_;
    bool with_base_ = true;
};

} // namespace headscope
