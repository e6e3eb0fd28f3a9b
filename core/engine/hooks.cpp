#include "core/engine/hooks.h"

#include "core/base/text.h"
#include "core/engine/block_plan.h"
#include "core/engine/hooks/hook_table.h"

#include <cstddef>
#include <map>
#include <utility>

namespace headscope {

namespace {

bool isBeforeBlocks(HookStep step) {
    return step == HookStep::Embedding || step == HookStep::EmbeddingDone;
}

std::string nameAt(const ModelSpec& spec, HookKind kind, const std::string& layer) {
    const HookRow& row = hookRow(kind);
    std::string name(row.name);
    if (row.step == HookStep::Embedding)
        return spec.embedding_hook_prefix + name;
    if (isBeforeBlocks(row.step) || isAfterBlocks(kind))
        return name;
    return "blocks." + layer + "." + name;
}

/// The shape of a value at the norm of queries or keys: heads are one axis or one vector.
Shape headNormShape(const ModelSpec& spec, std::size_t positions, std::size_t heads,
                    std::size_t width) {
    if (spec.qk_norm == QkNorm::PerHead)
        return {positions, heads, width};
    return {positions, width == 1 ? 1 : heads * width};
}

/// Keys and values, which the heads of a group share.
bool isOfKvHeads(HookForm form) {
    return form == HookForm::Key || form == HookForm::Value || form == HookForm::KeyNorm ||
           form == HookForm::KeyNormScale || form == HookForm::KeyValueResidual;
}

/// "hook_q" of "attn.hook_q"
std::string_view lastPart(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
}

/// The same in all layers: "attn.hook_z".
std::string nameInBlock(const ModelSpec& spec, HookPoint point) {
    std::string name = hookName(spec, point);
    const std::string block = "blocks." + std::to_string(point.layer) + ".";
    if (name.starts_with(block))
        name.erase(0, block.size());
    return name;
}

/// "attn.hook_z" may also be written "hook_z" or "z".
bool isShortFor(std::string_view given, std::string_view name) {
    const std::string_view last = lastPart(name);
    return given == name || given == last || "hook_" + std::string(given) == last;
}

} // namespace

std::string hookName(const ModelSpec& spec, HookPoint point) {
    return nameAt(spec, point.kind, std::to_string(point.layer));
}

std::string hookGlob(const ModelSpec& spec, HookKind kind) {
    return nameAt(spec, kind, "*");
}

std::optional<HookPoint> hookNamed(const ModelSpec& spec, std::string_view name) {
    for (const HookPoint point : hookPoints(spec))
        if (hookName(spec, point) == name)
            return point;
    return std::nullopt;
}

Result<HookKind> parseHookKind(std::string_view name, const ModelSpec& spec) {
    std::map<HookKind, std::string> meant;
    for (const HookPoint point : hookPoints(spec)) {
        const std::string in_block = nameInBlock(spec, point);
        if (isShortFor(name, in_block))
            meant.emplace(point.kind, in_block);
    }
    if (meant.size() == 1)
        return meant.begin()->first;
    const std::string quoted = "\"" + std::string(name) + "\"";
    if (meant.empty())
        return Error{ErrorCode::NotFound,
                     "This " + spec.family + " model has no hook point " + quoted +
                         "; there are resid_pre, q, k, v, pattern, z, attn_out and more."};
    std::vector<std::string> names;
    names.reserve(meant.size());
    for (const auto& [kind, in_block] : meant)
        names.push_back(in_block);
    return Error{ErrorCode::InvalidArgument,
                 quoted + " could be " + join(names, " or ") + "; write one of these."};
}

std::vector<HookPoint> hookPoints(const ModelSpec& spec) {
    std::vector<HookPoint> points;
    const auto add = [&points](const std::vector<HookKind>& kinds, std::size_t layer) {
        for (const HookKind kind : kinds)
            points.push_back({kind, layer});
    };
    add(hooksAt(HookStep::Embedding, spec), 0);
    add(hooksAt(HookStep::EmbeddingDone, spec), 0);
    const BlockPlans plans(spec);
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        add(plans[layer].hooks(), layer);
    add(hooksAt(HookStep::Unembedding, spec), 0);
    return points;
}

bool hookMatches(const ModelSpec& spec, std::string_view glob, HookPoint point) {
    const HookRow& row = hookRow(point.kind);
    if (row.on_request && glob.find(lastPart(row.name)) == std::string_view::npos)
        return false;
    return globMatches(glob, hookName(spec, point));
}

bool isAfterBlocks(HookKind kind) {
    return hookRow(kind).step == HookStep::Unembedding;
}

std::optional<std::size_t> headAxis(const ModelSpec& spec, HookKind kind) {
    switch (hookRow(kind).form) {
    case HookForm::Square:
        return 0;
    case HookForm::Query:
    case HookForm::Key:
    case HookForm::Value:
    case HookForm::Z:
    case HookForm::HeadResidual:
    case HookForm::KeyValueResidual:
        return 1;
    case HookForm::QueryNorm:
    case HookForm::QueryNormScale:
    case HookForm::KeyNorm:
    case HookForm::KeyNormScale:
        return spec.qk_norm == QkNorm::PerHead ? std::optional<std::size_t>(1) : std::nullopt;
    case HookForm::Residual:
    case HookForm::EmbeddingSum:
    case HookForm::Unembedded:
    case HookForm::Scale:
    case HookForm::QueryLatent:
    case HookForm::KvLatent:
    case HookForm::Mlp:
    case HookForm::Router:
    case HookForm::Choices:
        return std::nullopt;
    }
    return std::nullopt;
}

std::vector<std::size_t> headsAt(const ModelSpec& spec, HookPoint point) {
    std::vector<std::size_t> numbers;
    if (!headAxis(spec, point.kind))
        return numbers;
    if (isOfKvHeads(hookRow(point.kind).form))
        for (const std::size_t place : spec.firstReaders(point.layer))
            numbers.push_back(spec.kvHeadOf(spec.headAt(point.layer, place)));
    else
        for (std::size_t place = 0; place < spec.headsIn(point.layer); ++place)
            numbers.push_back(spec.headAt(point.layer, place).head);
    return numbers;
}

Shape hookShape(const ModelSpec& spec, HookPoint point, std::size_t positions) {
    const HookForm form = hookRow(point.kind).form;
    const std::size_t heads =
        isOfKvHeads(form) ? spec.kvHeadsIn(point.layer) : spec.headsIn(point.layer);
    switch (form) {
    case HookForm::Residual:
        return {positions, spec.d_model};
    case HookForm::EmbeddingSum:
        return {positions, spec.embeddingSumWidth()};
    case HookForm::Unembedded:
        return {positions, spec.embeddingWidth()};
    case HookForm::Scale:
        return {positions, 1};
    case HookForm::Query:
    case HookForm::Key:
        return {positions, heads, spec.d_head};
    case HookForm::Value:
    case HookForm::Z:
        return {positions, heads, spec.valueDim()};
    case HookForm::QueryLatent:
        return {positions, spec.latent->d_queries};
    case HookForm::KvLatent:
        return {positions, spec.latent->d_kv};
    case HookForm::QueryNorm:
    case HookForm::KeyNorm:
        return headNormShape(spec, positions, heads, spec.d_head);
    case HookForm::QueryNormScale:
    case HookForm::KeyNormScale:
        return headNormShape(spec, positions, heads, 1);
    case HookForm::HeadResidual:
    case HookForm::KeyValueResidual:
        return {positions, heads, spec.d_model};
    case HookForm::Square:
        return {heads, positions, positions};
    case HookForm::Mlp:
        return {positions, spec.d_mlp};
    case HookForm::Router:
        return {positions, spec.experts->n_experts};
    case HookForm::Choices:
        return {positions, spec.experts->n_chosen};
    }
    return {};
}

bool HookSelector::matches(const ModelSpec& spec, HookPoint point) const {
    if (const auto* one = std::get_if<HookPoint>(&selected_))
        return *one == point;
    if (const auto* kind = std::get_if<HookKind>(&selected_))
        return *kind == point.kind;
    return hookMatches(spec, std::get<std::string>(selected_), point);
}

bool HookSelector::spellsOut(const ModelSpec& spec, HookPoint point) const {
    const auto* glob = std::get_if<std::string>(&selected_);
    if (!glob)
        return true;
    const std::string name = hookName(spec, point);
    return glob->find(name.substr(name.rfind('.') + 1)) != std::string::npos;
}

std::string HookSelector::text(const ModelSpec& spec) const {
    if (const auto* one = std::get_if<HookPoint>(&selected_))
        return hookName(spec, *one);
    if (const auto* kind = std::get_if<HookKind>(&selected_))
        return hookGlob(spec, *kind);
    return std::get<std::string>(selected_);
}

void HookSet::observe(HookSelector where, Observer observer, Head head) {
    hooks_.push_back({std::move(where), std::move(observer), {}, head});
}

void HookSet::edit(HookSelector where, Editor editor, Head head) {
    hooks_.push_back({std::move(where), {}, std::move(editor), head});
}

void HookSet::capture(HookSelector where, Head head) {
    hooks_.push_back({std::move(where), {}, {}, head});
}

void HookSet::add(const HookSet& others) {
    hooks_.insert(hooks_.end(), others.hooks_.begin(), others.hooks_.end());
}

} // namespace headscope
