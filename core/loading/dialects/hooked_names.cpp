#include "core/loading/dialects/hooked_names.h"

#include "core/base/text.h"
#include "core/loading/config/config_reader.h"
#include "core/loading/dialects/translated_source.h"
#include "core/loading/model_texts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::array<std::string_view, 14> kOfAttention{"W_Q",  "W_K",  "W_V",  "W_O",   "b_Q",
                                                        "b_K",  "b_V",  "b_O",  "_W_K",  "_W_V",
                                                        "_b_K", "_b_V", "mask", "IGNORE"};
constexpr std::array<std::string_view, 5> kOfMlp{"W_in", "W_out", "W_gate", "b_in", "b_out"};

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

bool isNumber(std::string_view part) {
    return parseNumber<std::size_t>(part).has_value();
}

/// What the oldest networks with SoLU call "norm1" is "ln1" today.
std::string normName(const std::string& part) {
    return part == "norm" || part == "norm1" || part == "norm2" ? "ln" + part.substr(4) : part;
}

/// The name of a tensor outside the layers: "ln_final.w" for "norm.w".
std::string nameOutside(const std::vector<std::string>& parts) {
    static const std::map<std::string, std::string, std::less<>> kTables{
        {"W_E", "embed.W_E"},
        {"W_pos", "pos_embed.W_pos"},
        {"W_U", "unembed.W_U"},
        {"b_U", "unembed.b_U"}};
    if (const auto table = kTables.find(parts.back()); table != kTables.end())
        return table->second;
    const bool of_norm = parts.size() > 1 && (parts.back() == "w" || parts.back() == "b") &&
                         parts[parts.size() - 2] == "norm";
    return of_norm ? "ln_final." + parts.back() : "";
}

/// What TransformerLens calls the tensor, outside of wrappers; empty where it has none like it.
std::string plainHookedName(const std::string& name) {
    const std::vector<std::string> parts = split(name, '.');
    const auto last_number = std::find_if(parts.rbegin(), parts.rend(), isNumber);
    if (last_number == parts.rend())
        return nameOutside(parts);
    const std::string block = "blocks." + *last_number + ".";
    const std::vector<std::string> rest(last_number.base(), parts.end());
    if (rest.empty())
        return {};
    if (isOneOf(rest.back(), kOfAttention))
        return block + "attn." + rest.back();
    if (isOneOf(rest.back(), kOfMlp))
        return block + "mlp." + rest.back();
    if (rest.size() < 2 || (rest.back() != "w" && rest.back() != "b"))
        return {};
    std::vector<std::string> renamed_parts = rest;
    std::ranges::transform(renamed_parts, renamed_parts.begin(), normName);
    return block + join(renamed_parts, ".");
}

/// Without a prefix. A name that TransformerLens has none for stays.
std::string hookedName(const std::string& name) {
    const std::string hooked = plainHookedName(name);
    return hooked.empty() ? name : hooked;
}

/// Whether that changes more than a prefix.
bool isForeign(const TensorInfo& tensor) {
    const std::string hooked = hookedName(tensor.name);
    return tensor.name != hooked && !tensor.name.ends_with("." + hooked);
}

/// Configs of TransformerLens and its forerunners have no model_type.
bool hasHookedConfig(const TensorSource& file) {
    const auto text = findConfig(file);
    if (!text || !*text)
        return false;
    const auto config = ConfigReader::parse((*text)->content, (*text)->source);
    return config && !config->has("model_type") && config->has("d_model");
}

} // namespace

bool hasForeignHookedNames(const TensorSource& file) {
    const auto has = [&](std::string_view end) {
        return std::ranges::any_of(
            file.tensors(), [end](const TensorInfo& tensor) { return tensor.name.ends_with(end); });
    };
    return has("W_Q") && has("W_E") && std::ranges::any_of(file.tensors(), isForeign) &&
           changesNames(file, hookedName) && hasHookedConfig(file);
}

Result<std::unique_ptr<TensorSource>> withHookedNames(std::unique_ptr<TensorSource> file) {
    return renamedSource(std::move(file), hookedName);
}

} // namespace headscope
