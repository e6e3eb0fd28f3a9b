#include "core/loading/plan/tensor_names.h"

#include "core/base/text.h"

#include <algorithm>

namespace headscope {

namespace {

/// The part of a name before its last dot; empty at the root.
std::string_view parentOf(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

} // namespace

TensorNames::TensorNames(const Architecture& architecture, const TensorSource& file)
    : architecture_(architecture) {
    if (!findSpelling(file, 0))
        findSpelling(file, firstLayerIn(file));
    findHead(file);
}

/// By the ends of names.
std::size_t TensorNames::firstLayerIn(const TensorSource& file) const {
    std::size_t first = architecture_.spec.n_layers;
    for (const TensorRule& rule : architecture_.tensors) {
        if (!roleInfo(rule.role).isPerLayer())
            continue;
        const std::string name = atExpert(atLayer(rule.name, 0), 0);
        const std::string tail = name.substr(rule.name.find("{}") + 1); // after the 0
        for (const TensorInfo& tensor : file.tensors()) {
            std::string_view before = tensor.name;
            if (!before.ends_with(tail))
                continue;
            before.remove_suffix(tail.size());
            before.remove_prefix(before.find_last_not_of("0123456789") + 1);
            first = std::min(first, parseNumber<std::size_t>(before).value_or(first));
        }
    }
    return first;
}

bool TensorNames::findSpelling(const TensorSource& file, std::size_t layer) {
    const std::string& base = architecture_.base_prefix;
    for (const TensorRule& rule : architecture_.tensors) {
        if (layer != 0 && !roleInfo(rule.role).isPerLayer())
            continue;
        const std::string name = atExpert(atLayer(rule.name, layer), 0);
        if (spelledLike(name, file))
            return true;
        if (!base.empty() && name.starts_with(base) &&
            spelledLike(name.substr(base.size()), file)) {
            // A wrapper that ends with the base prefix is the base prefix.
            with_base_ = false;
            return true;
        }
    }
    return false;
}

void TensorNames::findHead(const TensorSource& file) {
    head_wrapper_ = wrapper_;
    for (std::string outside = wrapper_; !with_base_ && !outside.empty();) {
        outside.erase(parentOf(std::string_view(outside).substr(0, outside.size() - 1)).size());
        if (!outside.empty())
            outside += '.';
        for (const TensorRule& rule : architecture_.tensors)
            if (!rule.name.starts_with(architecture_.base_prefix) &&
                file.find(outside + atExpert(atLayer(rule.name, 0), 0)) != nullptr) {
                head_wrapper_ = outside;
                return;
            }
    }
}

bool TensorNames::spelledLike(std::string_view name, const TensorSource& file) {
    if (file.find(name) != nullptr)
        return true;
    const std::string tail = "." + std::string(name);
    const auto wrapped = std::ranges::find_if(
        file.tensors(), [&](const TensorInfo& tensor) { return tensor.name.ends_with(tail); });
    if (wrapped == file.tensors().end())
        return false;
    wrapper_ = wrapped->name.substr(0, wrapped->name.size() - name.size());
    return true;
}

std::string TensorNames::pattern(const TensorRule& rule) const {
    std::string_view name = rule.name;
    const bool in_base = name.starts_with(architecture_.base_prefix);
    if (!with_base_ && in_base)
        name.remove_prefix(architecture_.base_prefix.size());
    return (in_base ? wrapper_ : head_wrapper_) + std::string(name);
}

std::string TensorNames::inFile(const TensorRule& rule, std::size_t layer,
                                std::size_t expert) const {
    return atExpert(atLayer(pattern(rule), layer), expert);
}

std::optional<std::size_t> TensorNames::layerOf(std::string_view name) const {
    for (const TensorRule& rule : architecture_.tensors) {
        const std::string text = pattern(rule);
        const std::size_t mark = text.find("{}");
        if (mark == std::string::npos || !name.starts_with(text.substr(0, mark)))
            continue;
        const std::string_view rest = name.substr(mark);
        const std::size_t dot = rest.find('.');
        if (dot == std::string_view::npos)
            continue;
        if (const auto layer = parseNumber<std::size_t>(rest.substr(0, dot)))
            return layer;
    }
    return std::nullopt;
}

bool TensorNames::belongsToNetwork(std::string_view name) const {
    const std::string base = wrapper_ + architecture_.base_prefix;
    if (with_base_ && !architecture_.base_prefix.empty() && name.starts_with(base))
        return true;
    if (layerOf(name))
        return true;
    const std::string_view parent = parentOf(name);
    return !parent.empty() &&
           std::ranges::any_of(architecture_.tensors, [&](const TensorRule& rule) {
               return parentOf(pattern(rule)) == parent;
           });
}

} // namespace headscope
