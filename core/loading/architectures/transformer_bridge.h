#pragma once

#include "core/loading/architectures/architecture.h"
#include "core/loading/architectures/hooked_transformer.h"

#include <string>
#include <vector>

namespace headscope {

/// Whether a file has the names that TransformerLens 4 gives the tensors of any network
/// ("blocks.0.attn.q.weight"): a state_dict of its TransformerBridge.
bool isTransformerBridge(const TensorSource& file);

/// The family of the network inside. A cfg of TransformerLens then also tells the keys that the
/// family has for the same; it fails where the family needs to know more than a cfg says.
std::string bridgedFamily(ConfigReader& config, const TensorSource& file);

/// The tensors of an architecture under the names of the bridge.
void nameAsInBridge(Architecture& architecture, const TensorSource& file);

/// What boot_native of TransformerLens 4 computes in another way than a HookedTransformer of the
/// same cfg.
void readNativeSpec(ConfigReader& config, ModelSpec& spec);

/// The tensors of such a network.
std::vector<TensorRule> nativeTensors(const ModelSpec& spec, const HookedNormParts& parts,
                                      const TensorSource& file);

} // namespace headscope
