#include "core/loading/plan/tensor_plan.h"

#include "core/base/text.h"
#include "core/loading/plan/tensor_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// "n_heads, d_model, d_head"
std::string perHeadSymbols(const RoleInfo& role, bool transposed, const ModelSpec& spec) {
    const bool of_values = role.cols == Dim::Value || role.rows == Dim::Z;
    const std::string width = of_values && spec.d_head_v != 0 ? "d_head_v" : "d_head";
    const bool grouped =
        role.cols == Dim::Key || role.cols == Dim::Value || role.cols == Dim::KeyNorm;
    const std::string heads =
        grouped && spec.n_kv_heads != spec.n_heads ? "n_kv_heads, " : "n_heads, ";
    if (role.isVector())
        return heads + width;
    const bool head_first = (role.rows == Dim::Z) != transposed;
    return heads + (head_first ? width + ", d_model" : "d_model, " + width);
}

/// "[d_model, d_mlp] = [48, 192]"
std::string expectedShape(WeightRole role, Layout layout, const ModelSpec& spec) {
    const RoleInfo& info = roleInfo(role);
    const std::string rows(dimName(info.rows, spec));
    const std::string cols(dimName(info.cols, spec));
    std::string symbols = rows + ", " + cols;
    if (info.isVector())
        symbols = (layout == Layout::FirstHalf || layout == Layout::SecondHalf ? "2·"
                   : layout == Layout::OneRow                                  ? "1, "
                                                                               : "") +
                  cols;
    else if (layout == Layout::Transposed || layout == Layout::GroupedQkv ||
             layout == Layout::QuarteredQvk || layout == Layout::RotatedLast)
        symbols = cols + ", " + rows;
    else if (layout == Layout::FirstHalf || layout == Layout::SecondHalf)
        symbols = "2·" + cols + ", " + rows;
    if (layout == Layout::PerHead || layout == Layout::PerHeadTransposed)
        symbols = perHeadSymbols(info, layout == Layout::PerHeadTransposed, spec);
    if (layout == Layout::LatentPart || layout == Layout::SharedKeyPart)
        symbols = "d_kv + d_shared" + (info.isVector() ? "" : ", " + rows);
    if (layout == Layout::OwnKeyParts || layout == Layout::ValueParts)
        symbols = "n_heads·(d_head − d_shared + d_head_v), " + rows;
    if (layout == Layout::OneHead)
        symbols = "d_head";
    if (layout == Layout::ExpertsTransposed)
        symbols = "n_experts, " + cols + ", " + rows;
    else if (layout == Layout::ExpertsStacked)
        symbols = "n_experts·" + rows + ", " + cols;
    else if (layout == Layout::ExpertsStackedTransposed)
        symbols = "n_experts·" + cols + ", " + rows;
    else if (layout == Layout::ExpertsFirstHalf || layout == Layout::ExpertsSecondHalf)
        symbols = "n_experts, 2·" + cols + ", " + rows;
    else if (holdsAllExperts(layout))
        symbols = "n_experts, " + (info.isVector() ? "" : rows + ", ") +
                  (layout == Layout::ExpertsAsStored ? "" : "2·") + cols;
    return "[" + symbols + "] = " + shapeText(fileShape(role, layout, spec));
}

/// One pass over an architecture's rules and a file's tensors.
class Planner {
public:
    Planner(const Architecture& architecture, const TensorSource& file, const MatrixChoice& choice)
        : architecture_(architecture), file_(file), names_(architecture, file) {
        plan_.order = findMatrixOrder(architecture, file, names_, choice);
    }

    Result<TensorPlan> plan();

private:
    /// What one tensor can fill by itself: a role of a layer, of an expert if every expert has it.
    struct Place {
        WeightRole role{};
        std::size_t layer = 0;
        std::size_t expert = 0;

        auto operator<=>(const Place&) const = default;
    };

    Result<void> planLayer(std::size_t layer, bool per_layer);
    Result<void> fillAll(const TensorRule& rule, std::size_t layer);
    Result<void> fill(const TensorRule& rule, std::size_t layer, std::size_t expert);
    void noteMissing(const TensorRule& rule, std::size_t layer);
    Layout layoutOf(const TensorRule& rule, const TensorInfo& tensor, std::size_t layer) const;
    Result<void> checkFound(const PlannedTensor& planned) const;
    Result<void> checkRest();
    MissingTensor missing(const TensorRule& rule, std::size_t layer, std::size_t expert) const;
    Error foreign(const TensorInfo& tensor, std::string_view reason) const;
    std::string named(const TensorInfo& tensor) const;

    const Architecture& architecture_;
    const TensorSource& file_;
    TensorNames names_;
    TensorPlan plan_;
    std::map<Place, const TensorInfo*> filled_;
    std::set<const TensorInfo*> used_;
};

Result<TensorPlan> Planner::plan() {
    if (plan_.order.refusal)
        return *plan_.order.refusal;
    if (auto done = planLayer(0, false); !done)
        return done.error();
    for (std::size_t layer = 0; layer < architecture_.spec.n_layers; ++layer)
        if (auto done = planLayer(layer, true); !done)
            return done.error();
    if (auto done = checkRest(); !done)
        return done.error();
    return std::move(plan_);
}

Result<void> Planner::planLayer(std::size_t layer, bool per_layer) {
    const ModelSpec spec = specInFile(architecture_.spec, layer);
    const auto concerned = [&](const TensorRule& rule) {
        return roleInfo(rule.role).isPerLayer() == per_layer &&
               !std::ranges::count(roleInfo(rule.role).shape(spec), 0u); // no heads, no tensor
    };
    for (const TensorRule& rule : architecture_.tensors)
        if (concerned(rule))
            if (auto done = fillAll(rule, layer); !done)
                return done.error();
    for (const TensorRule& rule : architecture_.tensors)
        if (concerned(rule))
            noteMissing(rule, layer);
    return {};
}

Result<void> Planner::fillAll(const TensorRule& rule, std::size_t layer) {
    for (std::size_t expert = 0; expert < rule.tensorsIn(architecture_.spec, layer); ++expert)
        if (auto done = fill(rule, layer, expert); !done)
            return done.error();
    return {};
}

/// A tensor of all experts fills the place of each; it is a copy where one is already filled.
Result<void> Planner::fill(const TensorRule& rule, std::size_t layer, std::size_t expert) {
    const TensorInfo* tensor = file_.find(names_.inFile(rule, layer, expert));
    if (tensor == nullptr)
        return {};
    PlannedTensor planned{tensor, rule.role, layer, layoutOf(rule, *tensor, layer)};
    planned.factor = rule.factor;
    if (holdsOneOfSeveral(rule))
        planned.expert = expert;
    const std::size_t places = planned.copies(architecture_.spec);
    for (std::size_t place = 0; place < places; ++place) {
        const auto [filled, first] =
            filled_.try_emplace({rule.role, layer, expert + place}, tensor);
        if (!first)
            planned.copy_of = filled->second;
    }
    if (auto good = checkFound(planned); !good)
        return good.error();
    used_.insert(tensor);
    plan_.tensors.push_back(planned);
    return {};
}

Layout Planner::layoutOf(const TensorRule& rule, const TensorInfo& tensor,
                         std::size_t layer) const {
    const Layout named = layoutInFile(rule, tensor);
    if (isHeadMatrix(rule))
        return plan_.order.heads_swapped ? Layout::PerHeadTransposed : Layout::PerHead;
    if (!isProjection(rule))
        return named;
    const ModelSpec spec = specInFile(architecture_.spec, layer);
    const bool square =
        fileShape(rule.role, named, spec) == fileShape(rule.role, swapped(named), spec);
    return (square ? plan_.order.square_swapped : plan_.order.swapped) ? swapped(named) : named;
}

Result<void> Planner::checkFound(const PlannedTensor& planned) const {
    const TensorInfo& tensor = *planned.tensor;
    const ModelSpec spec = specInFile(architecture_.spec, planned.layer);
    const Shape expected = fileShape(planned.role, planned.layout, spec);
    const bool fits =
        tensor.shape == expected || (tensor.isTranslated() && joinsTo(tensor.shape, expected));
    if (!fits) {
        const bool transposed =
            tensor.shape.size() == 2 &&
            std::ranges::equal(tensor.shape, Shape(expected.rbegin(), expected.rend()));
        return Error{
            ErrorCode::Mismatch,
            named(tensor) + " is " + shapeText(tensor.shape) + ", " +
                (transposed ? "the transpose of what is expected: " : "expected ") +
                expectedShape(planned.role, planned.layout, spec) + " by the config; " +
                (transposed ? "store it transposed." : "correct the config or the tensor.")};
    }
    if (!isFloat(tensor.type) && !tensor.format.empty())
        return Error{ErrorCode::Unsupported,
                     named(tensor) + " is quantised as " + std::string(tensor.format) +
                         ", which is not supported; " +
                         (file_.text(kGgufMetadata)
                              ? "choose another quantisation of the model, such as Q4_K, Q8_0 or "
                                "F16."
                              : "export it as float32, float16 or bfloat16.")};
    if (!isFloat(tensor.type))
        return Error{ErrorCode::Mismatch, named(tensor) + " holds " +
                                              std::string(storedTypeName(tensor.type)) +
                                              " values, expected floating-point numbers; export "
                                              "it as float32 or float16."};
    return {};
}

Result<void> Planner::checkRest() {
    for (const TensorInfo& tensor : file_.tensors()) {
        if (used_.contains(&tensor))
            continue;
        const auto rule = std::ranges::find_if(architecture_.extras, [&](const ExtraRule& extra) {
            return globMatches(extra.glob, tensor.name);
        });
        if (rule != architecture_.extras.end() && !rule->refused)
            plan_.ignored.push_back({tensor.nameInFile(), rule->reason});
        else if (rule != architecture_.extras.end())
            return foreign(tensor, rule->reason);
        else if (names_.belongsToNetwork(tensor.name))
            return foreign(tensor, "");
        else
            plan_.ignored.push_back({tensor.nameInFile(), "no part of this network"});
    }
    return {};
}

/// By the name that the first rule of a role has for it; of experts or heads the first that is
/// missing.
void Planner::noteMissing(const TensorRule& rule, std::size_t layer) {
    const std::size_t places = std::max(roleInfo(rule.role).copies(architecture_.spec, layer),
                                        rule.tensorsIn(architecture_.spec, layer));
    for (std::size_t expert = 0; expert < places; ++expert)
        if (filled_.try_emplace({rule.role, layer, expert}, nullptr).second) {
            plan_.missing.push_back(missing(rule, layer, expert));
            return;
        }
}

MissingTensor Planner::missing(const TensorRule& rule, std::size_t layer,
                               std::size_t expert) const {
    std::string name = names_.inFile(rule, layer, expert);
    std::string expected =
        expectedShape(rule.role, rule.layout, specInFile(architecture_.spec, layer));
    std::string message = file_.path().filename().string() + " lacks the tensor '" + name +
                          "', expected " + expected + " by the config";
    return {rule.role, layer, std::move(name), std::move(expected), std::move(message)};
}

Error Planner::foreign(const TensorInfo& tensor, std::string_view reason) const {
    std::string why(reason);
    const auto layer = names_.layerOf(tensor.name);
    const std::size_t n_layers = architecture_.spec.n_layers;
    if (layer && *layer >= n_layers)
        why = "the config has " + std::to_string(n_layers) + " layers, counted from 0";
    else if (why.empty())
        why = "the network that the config describes has no such tensor";
    return {ErrorCode::Mismatch,
            named(tensor) + " has no place: " + why + "; correct the config or remove the tensor."};
}

std::string Planner::named(const TensorInfo& tensor) const {
    return file_.path().filename().string() + ": the tensor '" + tensor.nameInFile() + "'";
}

} // namespace

std::string PlannedTensor::roleName() const {
    const std::string name = atLayer(roleInfo(role).name, layer);
    return layout == Layout::OneHead ? name + ", head " + std::to_string(expert.value_or(0))
                                     : atExpert(name, expert);
}

std::size_t PlannedTensor::copies(const ModelSpec& spec) const {
    return expert ? 1 : roleInfo(role).copies(spec, layer);
}

ModelSpec specInFile(const ModelSpec& spec, std::size_t layer) {
    ModelSpec narrow = spec;
    if (!spec.kept_heads.empty()) {
        narrow.n_heads = spec.headsIn(layer);
        narrow.n_kv_heads = spec.kvHeadsIn(layer);
        narrow.kept_heads.clear();
    }
    if (!spec.pruned_heads.empty()) {
        narrow.n_heads -= spec.pruned_heads[layer].size();
        narrow.n_kv_heads = narrow.n_heads;
    }
    narrow.unnormed_layers.clear();
    if (!spec.hasLn1(layer))
        narrow.unnormed_layers = {0}; // as the only layer that is asked for
    if (spec.experts && !spec.hasExperts(layer))
        narrow.experts.reset();
    else if (spec.experts)
        narrow.experts->dense_layers.clear();
    return narrow;
}

std::size_t headWidth(const RoleInfo& role, const ModelSpec& spec) {
    return role.cols == Dim::Value || role.rows == Dim::Z ? spec.valueDim() : spec.d_head;
}

namespace {

Shape perHeadShape(const RoleInfo& role, bool transposed, const ModelSpec& spec) {
    const std::size_t d_head = headWidth(role, spec);
    const std::size_t cols = dimSize(role.cols, spec);
    if (role.isVector())
        return {cols / d_head, d_head};
    const std::size_t rows = dimSize(role.rows, spec);
    Shape shape = role.rows == Dim::Z ? Shape{rows / d_head, d_head, cols}
                                      : Shape{cols / d_head, rows, d_head};
    if (transposed)
        std::swap(shape[1], shape[2]);
    return shape;
}

} // namespace

Shape fileShape(WeightRole role, Layout layout, const ModelSpec& spec) {
    Shape shape = roleInfo(role).shape(spec);
    switch (layout) {
    case Layout::AsStored:
    case Layout::GainMinusOne:
        break;
    case Layout::Transposed:
    case Layout::GroupedQkv:
    case Layout::QuarteredQvk:
    case Layout::RotatedLast:
        std::ranges::reverse(shape);
        break;
    case Layout::LatentPart:
    case Layout::SharedKeyPart:
        std::ranges::reverse(shape);
        shape.front() = spec.latent->d_kv + spec.latent->d_shared;
        break;
    case Layout::OwnKeyParts:
    case Layout::ValueParts:
        shape = {spec.n_heads * (spec.ownKeyDim() + spec.valueDim()), shape[0]};
        break;
    case Layout::PerHead:
    case Layout::PerHeadTransposed:
        shape = perHeadShape(roleInfo(role), layout == Layout::PerHeadTransposed, spec);
        break;
    case Layout::OneRow:
        shape.insert(shape.begin(), 1);
        break;
    case Layout::OneHead:
        shape = {spec.d_head};
        break;
    case Layout::FirstHalf:
    case Layout::SecondHalf:
        std::ranges::reverse(shape);
        shape.front() *= 2;
        break;
    case Layout::ExpertsTransposed:
        shape = {spec.experts->n_experts, shape[1], shape[0]};
        break;
    case Layout::ExpertsStackedTransposed:
        std::ranges::reverse(shape);
        [[fallthrough]];
    case Layout::ExpertsStacked:
        shape.front() *= spec.experts->n_experts;
        break;
    case Layout::ExpertsFirstHalf:
    case Layout::ExpertsSecondHalf:
        shape = {spec.experts->n_experts, 2 * shape[1], shape[0]};
        break;
    case Layout::ExpertsFirstCols:
    case Layout::ExpertsSecondCols:
    case Layout::ExpertsEven:
    case Layout::ExpertsOdd:
        shape.back() *= 2;
        [[fallthrough]];
    case Layout::ExpertsAsStored:
        shape.insert(shape.begin(), spec.experts->n_experts);
        break;
    }
    return shape;
}

Result<TensorPlan> planTensors(const Architecture& architecture, const TensorSource& file,
                               const MatrixChoice& choice) {
    return Planner(architecture, file, choice).plan();
}

} // namespace headscope
