#include "core/loading/dialects/keras_hub.h"

#include "core/base/text.h"
#include "core/loading/dialects/keras_backbones.h"
#include "core/loading/dialects/translated_source.h"
#include "core/model/weight_role.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace headscope {

namespace {

/// Keras numbers the layers of one class from "", "_1", "_2" on.
std::optional<std::size_t> layerNumber(std::string_view suffix) {
    if (suffix.empty())
        return 0;
    if (suffix[0] != '_' || suffix.substr(1).starts_with('0'))
        return std::nullopt;
    return parseNumber<std::size_t>(suffix.substr(1));
}

/// The torch name, if `variable` is one that `rule` is about.
std::optional<std::string> torchNameBy(const KerasName& rule, std::string_view variable) {
    const std::string_view pattern = rule.keras;
    const std::size_t mark = pattern.find("{}");
    if (mark == std::string_view::npos)
        return variable == pattern ? std::optional(rule.torch) : std::nullopt;
    const std::string_view head = pattern.substr(0, mark);
    const std::string_view tail = pattern.substr(mark + 2);
    if (variable.size() < head.size() + tail.size() || !variable.starts_with(head) ||
        !variable.ends_with(tail))
        return std::nullopt;
    const auto layer =
        layerNumber(variable.substr(head.size(), variable.size() - head.size() - tail.size()));
    return layer ? std::optional(atLayer(rule.torch, *layer)) : std::nullopt;
}

/// The prefix of the names of the backbone's own layers: "layers.", in a task
/// "layers.gpt2_backbone.layers.", and "_layer_checkpoint_dependencies." in files of Keras 2.13.
std::string backbonePrefix(const TensorSource& file) {
    constexpr std::string_view embedding = "reversible_embedding.vars.0";
    for (const TensorInfo& tensor : file.tensors())
        if (tensor.name.ends_with(embedding))
            return tensor.name.substr(0, tensor.name.size() - embedding.size());
    return "layers.";
}

/// A variable and the rule that places it.
struct Part {
    const TensorInfo* variable;
    const KerasName* rule;
};

/// The variables of every torch tensor.
using Parts = std::map<std::string, std::vector<Part>>;

TranslatedTensor translated(const Part& part, const std::string& torch_name) {
    const TensorInfo& variable = *part.variable;
    TranslatedTensor tensor = renamed(variable, torch_name, part.rule->form != KerasForm::AsStored);
    tensor.heads_first =
        part.rule->form == KerasForm::HeadsFirstKernel && variable.shape.size() == 3;
    if (tensor.heads_first)
        tensor.info.shape = {variable.shape[1], variable.shape[0] * variable.shape[2]};
    return tensor;
}

/// How many rows a variable has as a matrix [rows, columns]; a bias is one row of its tensor.
std::size_t rowsOf(const Part& part, bool is_vector) {
    const Shape& shape = part.variable->shape;
    if (is_vector)
        return 1;
    return shape.empty() ? 0 : shape.front();
}

Error cannotJoin(std::span<const Part> parts, const std::string& torch_name,
                 const std::string& file_name) {
    std::vector<std::string> found;
    found.reserve(parts.size());
    for (const Part& part : parts)
        found.push_back("'" + part.variable->nameInFile() + "' " + shapeText(part.variable->shape));
    return {ErrorCode::Mismatch,
            file_name + ": queries, keys and values are expected side by side in '" + torch_name +
                "', found " + join(found, ", ") + "; export the whole model."};
}

/// The matrix or bias vector that has these variables as its columns, one for each rule.
Result<TranslatedTensor> joined(std::vector<Part> parts, std::span<const KerasName* const> columns,
                                const std::string& torch_name, const std::string& file_name) {
    std::ranges::sort(parts, {}, &Part::rule);
    const bool is_vector = torch_name.ends_with(".bias");
    const std::size_t rows = rowsOf(parts.front(), is_vector);
    const bool fit = rows > 0 && std::ranges::all_of(parts, [&](const Part& part) {
                         return rowsOf(part, is_vector) == rows;
                     });
    if (!fit || !std::ranges::equal(parts, columns, {}, &Part::rule))
        return cannotJoin(parts, torch_name, file_name);
    TranslatedTensor tensor;
    tensor.info.name = torch_name;
    tensor.info.type = parts.front().variable->type;
    std::size_t n_values = 0;
    for (const auto& [variable, rule] : parts) {
        tensor.parts.push_back(variable->name);
        tensor.info.stored_bytes += variable->stored_bytes;
        n_values += elementCount(variable->shape);
        mixTypes(tensor.info, *variable);
    }
    tensor.info.stored_name = join(tensor.parts, " + ");
    tensor.info.shape = is_vector ? Shape{n_values} : Shape{rows, n_values / rows};
    return tensor;
}

Result<std::vector<TranslatedTensor>> translateVariables(const TensorSource& file,
                                                         std::span<const KerasName> rules) {
    const std::string prefix = backbonePrefix(file);
    std::vector<TranslatedTensor> tensors;
    Parts parts_of;
    for (const TensorInfo& tensor : file.tensors()) {
        const std::string_view name = tensor.name;
        const std::string_view variable =
            name.starts_with(prefix) ? name.substr(prefix.size()) : name;
        const auto rule = std::ranges::find_if(
            rules, [&](const KerasName& r) { return torchNameBy(r, variable).has_value(); });
        if (rule == rules.end())
            tensors.push_back(renamed(tensor, tensor.name));
        else
            parts_of[*torchNameBy(*rule, variable)].push_back({&tensor, &*rule});
    }
    for (const auto& [torch_name, parts] : parts_of) {
        std::vector<const KerasName*> columns;
        for (const KerasName& rule : rules)
            if (rule.torch == parts.front().rule->torch)
                columns.push_back(&rule);
        if (columns.size() == 1) {
            for (const Part& part : parts)
                tensors.push_back(translated(part, torch_name));
            continue;
        }
        auto tensor = joined(parts, columns, torch_name, file.path().filename().string());
        if (!tensor)
            return tensor.error();
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

/// The backbone that a config is about, and its keys.
struct Described {
    const KerasBackbone* backbone;
    ConfigReader keys;
};

Result<Described> describe(ConfigReader& config) {
    auto own = config.object("config");
    // The config of a task holds that of its backbone.
    std::optional<ConfigReader> whole = config;
    if (own && own->has("backbone")) {
        whole = own->object("backbone");
        own = whole ? whole->object("config") : std::nullopt;
    }
    const std::string class_name = whole ? whole->text({"class_name"}) : std::string();
    if (!own)
        config.fail(ErrorCode::Malformed,
                    "lacks the object 'config' with the sizes of the network; export it again.");
    if (config.error())
        return *config.error();
    const KerasBackbone* const backbone = kerasBackbone(class_name);
    if (backbone == nullptr)
        return Error{ErrorCode::Unsupported, config.source() + " describes the Keras class '" +
                                                 class_name + "', expected one of " +
                                                 supportedBackbones() +
                                                 "; open a model of one of these classes."};
    return Described{backbone, *own};
}

} // namespace

bool hasKeras3Names(const TensorSource& file) {
    return std::ranges::any_of(file.tensors(), [](const TensorInfo& tensor) {
        const std::size_t mark = tensor.name.rfind("vars.");
        return mark != std::string::npos && (mark == 0 || tensor.name[mark - 1] == '.') &&
               tensor.name.find_first_not_of("0123456789", mark + 5) == std::string::npos;
    });
}

Result<Translation> translateKerasHub(std::unique_ptr<TensorSource> file, ConfigReader config) {
    auto described = describe(config);
    if (!described)
        return described.error();
    TranslatedConfig translated_config = described->backbone->config(described->keys, *file);
    if (config.error())
        return *config.error();
    const std::string& model_type = translated_config.model_type;
    const std::vector<KerasName> rules = described->backbone->names(model_type);
    auto tensors = translateVariables(*file, rules);
    if (!tensors)
        return tensors.error();
    auto source = translatedSource(std::move(file), std::move(*tensors),
                                   {{"config", translated_config.json}});
    if (!source)
        return source.error();
    Translation translation{std::move(*source), config.notes()};
    translation.notes.push_back("A KerasHub " + std::string(described->backbone->class_name) +
                                ", read as the " + model_type + " of Hugging Face.");
    return translation;
}

} // namespace headscope
