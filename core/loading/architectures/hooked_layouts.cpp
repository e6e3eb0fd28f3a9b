// How TransformerLens and the programs before it (Nanda et al. 2022 and 2023) store their matrices.

#include "core/loading/architectures/hooked_layouts.h"

#include "core/base/text.h"
#include "core/loading/plan/tensor_plan.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

namespace {

/// One that a released program had.
struct Custom {
    const char* who;
    HookedLayouts layouts;
};

constexpr Custom kToday{"TransformerLens", {}};
/// All that came before; in the first W_O joins the heads.
constexpr std::array kCustoms{
    Custom{"the networks of modular addition",
           {Layout::Transposed, Layout::AsStored, Layout::Transposed, Layout::PerHeadTransposed,
            Layout::Transposed, Layout::Transposed}},
    Custom{"the first EasyTransformer",
           {Layout::Transposed, Layout::Transposed, Layout::AsStored, Layout::PerHeadTransposed,
            Layout::PerHeadTransposed, Layout::Transposed}},
    Custom{"later EasyTransformers",
           {.heads = Layout::PerHeadTransposed, .W_O = Layout::PerHeadTransposed}},
};
/// Networks with SoLU whose norms are called norm1, norm2 and norm: that of 8 layers has only its
/// positions the other way, which no shape tells, and smaller ones have everything.
constexpr std::size_t kMostLayersOfOldSolu = 6;
constexpr Custom kOldSolu = kCustoms[1];
constexpr Custom kOldSoluOf8Layers{"the old SoLU network of 8 layers",
                                   {.W_pos = Layout::Transposed}};

/// One kind of matrix: what its name ends with, and where its layout is kept.
struct MatrixKind {
    WeightRole role;
    const char* ending;
    Layout HookedLayouts::*layout;
};
constexpr std::array kMatrixKinds{
    MatrixKind{WeightRole::W_E, "embed.W_E", &HookedLayouts::W_E},
    MatrixKind{WeightRole::W_pos, "pos_embed.W_pos", &HookedLayouts::W_pos},
    MatrixKind{WeightRole::W_U, "unembed.W_U", &HookedLayouts::W_U},
    MatrixKind{WeightRole::W_Q, ".attn.W_Q", &HookedLayouts::heads},
    MatrixKind{WeightRole::W_O, ".attn.W_O", &HookedLayouts::W_O},
    MatrixKind{WeightRole::W_in, ".mlp.W_in", &HookedLayouts::mlp},
    MatrixKind{WeightRole::W_out, ".mlp.W_out", &HookedLayouts::mlp},
};

const TensorInfo* tensorOfKind(const MatrixKind& kind, const TensorSource& file) {
    const auto found = std::ranges::find_if(file.tensors(), [&](const TensorInfo& tensor) {
        return tensor.name.ends_with(kind.ending);
    });
    return found == file.tensors().end() ? nullptr : &*found;
}

/// What the file has of each kind, and which shapes the network asks for.
class Matrices {
public:
    Matrices(const TensorSource& file, const ModelSpec& spec) : spec_(spec) {
        for (const MatrixKind& kind : kMatrixKinds)
            tensors_.push_back(tensorOfKind(kind, file));
        old_names_ = std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
            return tensor.nameInFile().find(".norm1.") != std::string::npos;
        });
    }

    bool hasOldNames() const { return old_names_; }

    bool fit(const HookedLayouts& layouts) const {
        return std::ranges::all_of(kMatrixKinds, [&](const MatrixKind& kind) {
            const TensorInfo* const tensor = of(kind);
            return tensor == nullptr || tensor->shape == shape(kind, layouts);
        });
    }

    /// The first matrix that two customs read differently although its shape fits both; null if
    /// there is none.
    const TensorInfo* readOtherwise(const HookedLayouts& a, const HookedLayouts& b) const {
        for (const MatrixKind& kind : kMatrixKinds)
            if (of(kind) != nullptr && a.*kind.layout != b.*kind.layout)
                return of(kind);
        return nullptr;
    }

    const TensorInfo* of(const MatrixKind& kind) const {
        return tensors_[static_cast<std::size_t>(&kind - kMatrixKinds.data())];
    }

private:
    Shape shape(const MatrixKind& kind, const HookedLayouts& layouts) const {
        return fileShape(kind.role, layouts.*kind.layout, spec_);
    }

    const ModelSpec& spec_;
    std::vector<const TensorInfo*> tensors_; ///< by kind; null: the file has none
    bool old_names_ = false;
};

/// "W_E [12, 61], W_pos [12, 40]": what is not stored as today.
std::string turnedText(const Matrices& matrices, const HookedLayouts& layouts) {
    std::vector<std::string> turned;
    for (const MatrixKind& kind : kMatrixKinds)
        if (const TensorInfo* const tensor = matrices.of(kind);
            tensor != nullptr && layouts.*kind.layout != kToday.layouts.*kind.layout) {
            const std::string_view ending = kind.ending;
            turned.push_back(std::string(ending.substr(ending.rfind('.') + 1)) + " " +
                             shapeText(tensor->shape));
        }
    return join(turned, ", ");
}

/// The customs that all shapes fit; only one if the names tell which, or today's custom.
std::vector<Custom> fittingCustoms(const Matrices& matrices, const ModelSpec& spec) {
    const Custom& by_name = spec.n_layers <= kMostLayersOfOldSolu ? kOldSolu : kOldSoluOf8Layers;
    if (matrices.hasOldNames() && spec.n_layers <= 8 && matrices.fit(by_name.layouts))
        return {by_name};
    if (matrices.fit(kToday.layouts))
        return {kToday};
    std::vector<Custom> fitting;
    std::ranges::copy_if(kCustoms, std::back_inserter(fitting),
                         [&](const Custom& custom) { return matrices.fit(custom.layouts); });
    return fitting;
}

} // namespace

HookedLayouts hookedLayouts(ConfigReader& config, const TensorSource& file, const ModelSpec& spec) {
    const Matrices matrices(file, spec);
    const std::vector<Custom> fitting = fittingCustoms(matrices, spec);
    if (fitting.empty())
        return {}; // and the plan names what does not fit
    HookedLayouts layouts = fitting.front().layouts;
    for (const Custom& other : std::span(fitting).subspan(1))
        if (const TensorInfo* const open = matrices.readOtherwise(layouts, other.layouts))
            config.fail(ErrorCode::Mismatch,
                        "belongs to matrices in an old layout, and the shape " +
                            shapeText(open->shape) + " of '" + open->nameInFile() +
                            "' does not tell whether it is stored as in " + fitting.front().who +
                            " or as in " + other.who +
                            "; store all matrices as TransformerLens does today.");
    if (spec.d_head != spec.d_model) { // the plan finds out how heads are stored
        layouts.heads = Layout::PerHead;
        if (layouts.W_O == Layout::PerHeadTransposed)
            layouts.W_O = Layout::PerHead;
    }
    if (const std::string turned = turnedText(matrices, layouts); !turned.empty())
        config.note("The matrices are stored as in " + std::string(fitting.front().who) +
                    ", not as in TransformerLens today: " + turned + ".");
    return layouts;
}

} // namespace headscope
