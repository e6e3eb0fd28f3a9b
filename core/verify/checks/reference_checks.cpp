#include "core/verify/checks/reference_checks.h"

#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/io/tensor_source.h"
#include "core/verify/checks/check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

namespace {

struct StoredValue {
    std::optional<HookPoint> point; ///< where it is; nothing for logits and attentions
    Tensor numbers;
};

/// What another program stored of one prompt.
struct StoredPrompt {
    std::string name; ///< "prompt0"; empty for the root of the file
    TokenIds ids;
    std::map<std::string, StoredValue> values; ///< "logits", "attentions" and hook names
};

const std::string kInputIds = "input_ids";
constexpr std::string_view kSegments = "token_type_ids";
constexpr std::string_view kLogits = "logits";
constexpr std::string_view kAttentions = "attentions";

/// The shape of what the network gives under this name, that of `point` if it is a hook, for a
/// prompt of `positions` tokens; nothing for a name that means none of its values.
std::optional<Shape> shapeOf(const ModelSpec& spec, const std::string& name,
                             std::optional<HookPoint> point, std::size_t positions) {
    if (point)
        return hookShape(spec, *point, positions);
    if (name == kLogits && spec.output != OutputHead::None)
        return Shape{positions, spec.outputs()};
    if (name == kAttentions)
        return Shape{spec.n_layers, spec.n_heads, positions, positions};
    return std::nullopt;
}

/// Without the axes of size 1 in front that `rank` has no place for.
Shape withoutBatch(Shape shape, std::size_t rank) {
    while (shape.size() > rank && shape.front() == 1)
        shape.erase(shape.begin());
    return shape;
}

class StoredOutputs {
public:
    StoredOutputs(const TensorSource& source, const ModelSpec& spec, std::stop_token stop)
        : source_(source), spec_(spec), stop_(std::move(stop)) {}

    /// The prompt whose ids are `input_ids`.
    Result<StoredPrompt> read(const TensorInfo& input_ids) const {
        const std::string prefix =
            input_ids.name.substr(0, input_ids.name.size() - kInputIds.size());
        StoredPrompt prompt;
        prompt.name = prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1));
        auto ids = readIds(input_ids);
        if (!ids)
            return ids.error();
        prompt.ids = *std::move(ids);
        if (auto same = checkSegments(prefix + std::string(kSegments), prompt.ids); !same)
            return same.error();
        for (const TensorInfo& info : source_.tensors()) {
            if (!info.name.starts_with(prefix))
                continue;
            const std::string name = info.name.substr(prefix.size());
            const auto point = hookNamed(spec_, name);
            const auto shape = shapeOf(spec_, name, point, prompt.ids.size());
            if (!shape)
                continue;
            auto numbers = readNumbers(info, *shape);
            if (!numbers)
                return numbers.error();
            prompt.values.emplace(name, StoredValue{point, *std::move(numbers)});
        }
        return prompt;
    }

private:
    Error misfit(const std::string& reason) const {
        return {ErrorCode::Mismatch, source_.path().string() + " does not fit this model: " +
                                         reason + "; give the outputs of the same model."};
    }

    Result<TokenIds> readIds(const TensorInfo& info) const {
        const Shape shape = withoutBatch(info.shape, 1);
        if (shape.size() != 1)
            return misfit(info.name + " has shape " + shapeText(info.shape) +
                          " and not one token id per position");
        Tensor numbers(info.shape);
        if (auto read = source_.read(info, numbers.values(), stop_); !read)
            return read.error();
        TokenIds ids;
        ids.reserve(numbers.size());
        for (const float number : numbers.values()) {
            if (!(number >= 0.0f && number < static_cast<float>(spec_.d_vocab)))
                return misfit(info.name + " holds " + numberText(number) +
                              ", and the vocabulary has ids 0 to " +
                              std::to_string(spec_.d_vocab - 1));
            ids.push_back(static_cast<TokenId>(number));
        }
        return ids;
    }

    /// Where segments are stored, they must be those of this model.
    Result<void> checkSegments(const std::string& name, const TokenIds& ids) const {
        const TensorInfo* const info = source_.find(name);
        const std::vector<std::size_t> segments = spec_.segmentsOf(ids);
        if (info == nullptr || segments.empty())
            return {};
        const auto stored = readNumbers(*info, {ids.size()});
        if (!stored)
            return stored.error();
        for (std::size_t position = 0; position < ids.size(); ++position)
            if (stored->values()[position] != static_cast<float>(segments[position]))
                return misfit(name + " is " + numberText(stored->values()[position]) +
                              " at position " + std::to_string(position) +
                              ", where this model reads segment " +
                              std::to_string(segments[position]));
        return {};
    }

    Result<Tensor> readNumbers(const TensorInfo& info, const Shape& shape) const {
        if (withoutBatch(info.shape, shape.size()) != shape)
            return misfit(info.name + " has shape " + shapeText(info.shape) +
                          " where this model gives " + shapeText(shape));
        Tensor value(shape);
        if (auto read = source_.read(info, value.values(), stop_); !read)
            return read.error();
        return value;
    }

    const TensorSource& source_;
    const ModelSpec& spec_;
    std::stop_token stop_;
};

/// Reads a file of stored outputs. Values that this network does not have are left out, and prompts
/// without any other. Fails for a file without a prompt, for ids outside the vocabulary, and for
/// values of another shape than this network gives.
Result<std::vector<StoredPrompt>> readStoredOutputs(const std::filesystem::path& path,
                                                    const ModelSpec& spec,
                                                    const std::stop_token& stop) {
    const auto source = openTensorSource(path, defaultTensorBudget(), stop);
    if (!source)
        return source.error();
    const StoredOutputs outputs(**source, spec, stop);
    std::vector<StoredPrompt> prompts;
    for (const TensorInfo& info : (*source)->tensors()) {
        if (info.name != kInputIds && !info.name.ends_with("." + kInputIds))
            continue;
        auto prompt = outputs.read(info);
        if (!prompt)
            return prompt.error();
        if (!prompt->values.empty())
            prompts.push_back(*std::move(prompt));
    }
    if (prompts.empty())
        return Error{ErrorCode::Mismatch,
                     path.string() + " holds no prompt with outputs to compare: a dataset "
                                     "input_ids with logits, attentions or hook values beside it."};
    return prompts;
}

/// Two float32 programs are up to 1.7e-5 apart where scores are not scaled by 1/√d_head (GPT-Neo).
constexpr double kPatternTolerance = 2e-5;
constexpr double kValueTolerance = 1e-4;

/// All patterns of a run, [layer, head, query, key]; 0 for heads that were removed.
Tensor allPatterns(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    Tensor all({spec.n_layers, spec.n_heads, run.positions(), run.positions()});
    for (const LayerHead head : spec.allHeads())
        std::ranges::copy(run.pattern(head).values(), &all(head.layer, head.head, 0u, 0u));
    return all;
}

/// What the run has in place of a stored value.
Tensor valueOf(const Run& run, const std::string& name, std::optional<HookPoint> point) {
    if (point)
        return run.captured.at(*point);
    return name == kLogits ? run.logits : allPatterns(run);
}

Check valueCheck(const StoredPrompt& prompt, const Run& run, const std::string& name,
                 const StoredValue& expected) {
    const Tensor found = valueOf(run, name, expected.point);
    const std::string title = prompt.name.empty() ? name : prompt.name + ": " + name;
    const std::string tokens = std::to_string(prompt.ids.size()) + " tokens. ";
    if (name == kAttentions || (expected.point && expected.point->kind == HookKind::Pattern))
        return checkAtMost(title, largestDifference(found, expected.numbers), kPatternTolerance,
                           tokens + "Largest difference of a weight.");
    return checkAtMost(title, relativeDifference(found, expected.numbers), kValueTolerance,
                       tokens + "Largest difference over the largest stored value.");
}

Result<std::vector<Check>> promptChecks(const std::shared_ptr<const Model>& model,
                                        const StoredPrompt& prompt, const std::stop_token& stop) {
    HookSet hooks;
    for (const auto& [name, value] : prompt.values)
        if (value.point)
            hooks.capture(*value.point);
    const auto run = runModel(model, prompt.ids, {}, hooks, stop);
    if (!run)
        return run.error();
    std::vector<Check> checks;
    checks.reserve(prompt.values.size());
    for (const auto& [name, expected] : prompt.values)
        checks.push_back(valueCheck(prompt, **run, name, expected));
    return checks;
}

} // namespace

Result<std::vector<Check>> referenceChecks(const std::shared_ptr<const Model>& model,
                                           const std::filesystem::path& path,
                                           const std::stop_token& stop) {
    const auto prompts = readStoredOutputs(path, model->spec, stop);
    if (!prompts)
        return prompts.error();
    std::vector<Check> checks;
    for (const StoredPrompt& prompt : *prompts) {
        const auto of_prompt = promptChecks(model, prompt, stop);
        if (!of_prompt)
            return of_prompt.error();
        checks.insert(checks.end(), of_prompt->begin(), of_prompt->end());
    }
    return checks;
}

} // namespace headscope
