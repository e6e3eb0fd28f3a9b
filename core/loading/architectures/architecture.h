#pragma once

#include "core/io/tensor_source.h"
#include "core/loading/config/config_reader.h"
#include "core/model/model_spec.h"
#include "core/model/weight_role.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The layout of a tensor in the file, seen from the role it fills.
enum class Layout {
    AsStored,   ///< the role's own shape
    Transposed, ///< [cols, rows]: the weight of a torch Linear
    /// Heads on an axis of their own: [head, rows, d_head], of W_O [head, d_head, cols], of a
    /// vector [head, d_head]
    PerHead,
    PerHeadTransposed, ///< the same with each head's matrix transposed
    OneHead,           ///< [d_head], one head's part of a vector [head · d_head]
    GroupedQkv, ///< [cols, rows], the cols sorted by KV head: its queries, its key, its value
    /// [cols, rows], of four parts with a quarter of the heads each: its queries, values, keys
    QuarteredQvk,
    /// The first half of [2·cols, rows], of a vector [2·cols]: a gate fused with what it gates
    FirstHalf,
    SecondHalf,   ///< the second half of it
    GainMinusOne, ///< the role's own shape; stored are the gains minus 1
    OneRow,       ///< [1, cols] of a vector
    /// A role of every expert in one tensor: [expert, cols, rows]
    ExpertsTransposed,
    ExpertsFirstHalf,         ///< the first half of [expert, 2·cols, rows]
    ExpertsSecondHalf,        ///< the second half of it
    ExpertsAsStored,          ///< [expert, rows, cols], of vectors [expert, cols]
    ExpertsStacked,           ///< [expert·rows, cols]
    ExpertsStackedTransposed, ///< [expert·cols, rows], each one transposed
    ExpertsFirstCols,         ///< the first half of the columns of [expert, rows, 2·cols]
    ExpertsSecondCols,        ///< the second half of them
    ExpertsEven, ///< every other column of [expert, rows, 2·cols], of [expert, 2·cols]
    ExpertsOdd,  ///< the columns between them
    // Of networks with ModelSpec::latent.
    RotatedLast, ///< [cols, rows] of queries, of each head the rotated dimensions last
    /// The first part of [d_kv + d_shared, rows], of a vector [d_kv + d_shared]: the latent, fused
    /// with the part of keys that heads share
    LatentPart,
    SharedKeyPart, ///< the second part of it
    /// Of each head the first part of [n_heads·(d_head − d_shared + d_head_v), rows]: what it has
    /// of keys for itself, and its values
    OwnKeyParts,
    ValueParts, ///< the second parts of it
};

/// "as stored", "transposed", "heads joined", …
std::string_view layoutName(Layout layout);

/// Whether a tensor of this layout holds a role of every expert.
bool holdsAllExperts(Layout layout);

/// "This tensor of the file fills that role"; the first "{}" in the name is the layer, a second one
/// the expert, or the head where each has a tensor of its own. Several rules of one role are
/// alternatives: the first that the file has fills it, further ones are copies and must hold the
/// same values (tied matrices, old and new names).
struct TensorRule {
    WeightRole role;
    std::string name;
    Layout layout = Layout::AsStored;
    double factor = 1.0; ///< on every value

    /// How many tensors of a layer it names: one for each expert or head, or one.
    std::size_t tensorsIn(const ModelSpec& spec, std::size_t layer) const {
        if (layout == Layout::OneHead)
            return dimSize(roleInfo(role).cols, spec, layer) / spec.d_head;
        return name.find("{}") != name.rfind("{}") ? dimSize(Dim::Experts, spec, layer) : 1;
    }
};

/// Whether each of its tensors fills the role for one expert or one head only.
bool holdsOneOfSeveral(const TensorRule& rule);

/// What tensors outside the rules mean. Without such a rule a tensor inside the network's own
/// names is refused, and any other is ignored.
struct ExtraRule {
    std::string glob;
    std::string reason; ///< continues "ignored: …" or "refused: …"
    bool refused = false;
};

/// What a config describes: the network, and how a file names its tensors.
struct Architecture {
    ModelSpec spec;
    std::string base_prefix; ///< of the names below; files of the bare network leave it out
    std::vector<TensorRule> tensors;
    std::vector<ExtraRule> extras;
};

/// One `model_type`. `describe` only translates: it leaves failures in the reader, and looks at
/// the names in the file where a config does not say what is in it.
struct Family {
    std::string_view model_type;
    Architecture (*describe)(ConfigReader& config, const TensorSource& file);
    bool prunable = false; ///< transformers could cut heads out of it: config key pruned_heads
    bool internal = false; ///< a name that only Headscope writes
};

std::span<const Family> families();

/// Picks the family by `model_type` and reads the whole config, which `config` then knows.
Result<Architecture> describeArchitecture(ConfigReader& config, const TensorSource& file);

/// Whether the sizes go together: KV heads share the query heads evenly, rotated pairs are whole
/// and inside a head, the number of layers is one a file can hold. `source` begins the message.
Result<void> checkSpec(const ModelSpec& spec, std::string_view source);

} // namespace headscope
