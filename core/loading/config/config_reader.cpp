#include "core/loading/config/config_reader.h"

#include "core/base/text.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace headscope {

namespace {

/// What Hugging Face writes into configs and what no forward pass reads, or says twice:
/// attention_types is attention_layers in short.
constexpr std::array<std::string_view, 32> kUnimportantKeys{"_*",
                                                            "architectures",
                                                            "attention_types",
                                                            "auto_map",
                                                            "chunk_size_feed_forward",
                                                            "*dropout*",
                                                            "dtype",
                                                            "eos_token_id",
                                                            "finetuning_task",
                                                            "gradient_checkpointing",
                                                            "id2label",
                                                            "init_std",
                                                            "initializer_range",
                                                            "is_decoder",
                                                            "label2id",
                                                            "layerdrop",
                                                            "max_length",
                                                            "output_attentions",
                                                            "output_hidden_states",
                                                            "pad_token_id",
                                                            "*_pdrop",
                                                            "pretraining_tp",
                                                            "problem_type",
                                                            "reorder_and_upcast_attn",
                                                            "return_dict",
                                                            "sep_token_id",
                                                            "slow_but_exact",
                                                            "summary_*",
                                                            "task_specific_params",
                                                            "torch_dtype",
                                                            "transformers_version",
                                                            "use_cache"};

bool isUnimportant(std::string_view key) {
    return std::ranges::any_of(kUnimportantKeys,
                               [key](std::string_view glob) { return globMatches(glob, key); });
}

std::string quotedKey(std::string_view key) {
    return "'" + std::string(key) + "'";
}

} // namespace

struct ConfigReader::State {
    JsonDocument document;
    std::string source;
    std::set<std::string, std::less<>> read_keys; ///< full paths, "rope_scaling.factor"
    std::optional<Error> error;
    std::vector<std::string> notes;
    std::multimap<std::string, JsonDocument> assumed; ///< by the path of the object
};

ConfigReader::ConfigReader(std::shared_ptr<State> state, JsonValue object, std::string prefix)
    : state_(std::move(state)), object_(object), prefix_(std::move(prefix)) {}

Result<ConfigReader> ConfigReader::parse(std::string_view text, std::string source) {
    auto document = readForeignJson(text);
    if (!document)
        return aboutText(document.error(), source, "export the config again");
    return of(*std::move(document), std::move(source));
}

Result<ConfigReader> ConfigReader::of(JsonDocument document, std::string source) {
    const JsonValue root = document.root();
    if (!root.isObject())
        return Error{ErrorCode::Malformed, source + " is " + root.shown() +
                                               ", expected a JSON object with the key "
                                               "'model_type' and the sizes of the network."};
    return ConfigReader(
        std::make_shared<State>(State{std::move(document), std::move(source), {}, {}, {}, {}}),
        root, "");
}

bool ConfigReader::has(std::string_view key) const {
    return !object_.member(key).isNull();
}

bool ConfigReader::isNull(std::string_view key) const {
    return object_.find(key).has_value() && !has(key);
}

std::optional<JsonValue> ConfigReader::find(Keys keys) {
    std::optional<JsonValue> first;
    for (const std::string_view key : keys) {
        state_->read_keys.insert(prefix_ + std::string(key));
        if (!first && has(key))
            first = object_.member(key);
    }
    const auto [begin, end] = state_->assumed.equal_range(prefix_);
    for (auto assumed = begin; assumed != end; ++assumed)
        for (const std::string_view key : keys)
            if (!first && !object_.find(key))
                first = assumed->second.root().find(key);
    return first;
}

std::size_t ConfigReader::size(Keys keys) {
    if (!find(keys)) {
        failMissing(keys);
        return 1;
    }
    return sizeOr(keys, 1);
}

std::size_t ConfigReader::sizeOr(Keys keys, std::size_t fallback, std::size_t minimum) {
    const auto value = find(keys);
    if (!value)
        return fallback;
    if (const auto number = value->whole(); number && *number >= minimum && *number <= kLargestSize)
        return *number;
    failValue(keys, *value,
              "a whole number from " + std::to_string(minimum) + " to " +
                  std::to_string(kLargestSize));
    return 1;
}

double ConfigReader::positiveOr(Keys keys, double fallback) {
    const auto value = find(keys);
    if (!value)
        return fallback;
    if (const auto number = value->number(); number && *number > 0.0)
        return *number;
    failValue(keys, *value, "a number above 0");
    return 1.0;
}

std::optional<double> ConfigReader::number(std::string_view key) {
    const auto value = find({key});
    if (!value)
        return std::nullopt;
    if (const auto number = value->number())
        return number;
    failValue({key}, *value, "a number");
    return std::nullopt;
}

bool ConfigReader::flagOr(Keys keys, bool fallback) {
    const auto value = find(keys);
    if (!value)
        return fallback;
    if (const auto flag = value->boolean())
        return *flag;
    failValue(keys, *value, "true or false");
    return fallback;
}

std::string ConfigReader::text(Keys keys) {
    if (!find(keys))
        failMissing(keys);
    return textOr(keys, "");
}

std::string ConfigReader::textOr(Keys keys, std::string_view fallback) {
    const auto value = find(keys);
    if (!value)
        return std::string(fallback);
    if (const std::string* const text = value->text())
        return *text;
    failValue(keys, *value, "a text");
    return std::string(fallback);
}

template <class T, class Take>
std::vector<T> ConfigReader::list(std::string_view key, std::string_view expected, Take take) {
    const auto value = find({key});
    if (!value)
        return {};
    std::vector<T> list;
    for (const JsonValue element : value->elements())
        if (const auto taken = take(element))
            list.push_back(*taken);
    if (value->isArray() && list.size() == value->size())
        return list;
    failValue({key}, *value, expected);
    return {};
}

std::vector<std::string> ConfigReader::texts(std::string_view key) {
    return list<std::string>(key, "an array of texts",
                             [](JsonValue element) { return element.text(); });
}

std::vector<double> ConfigReader::numbers(std::string_view key) {
    return list<double>(key, "an array of numbers",
                        [](JsonValue element) { return element.number(); });
}

std::vector<double> ConfigReader::numbersOrOne(std::string_view key) {
    const auto value = find({key});
    const auto one = value ? value->number() : std::nullopt;
    return one ? std::vector{*one} : numbers(key);
}

std::vector<bool> ConfigReader::flags(std::string_view key) {
    return list<bool>(key, "an array of true and false",
                      [](JsonValue element) { return element.boolean(); });
}

std::map<std::size_t, std::vector<std::size_t>> ConfigReader::numberLists(std::string_view key) {
    const auto value = find({key});
    if (!value)
        return {};
    std::map<std::size_t, std::vector<std::size_t>> lists;
    bool good = value->isObject();
    for (const auto& [name, list] : value->members()) {
        const auto number = parseNumber<std::size_t>(name);
        state_->read_keys.insert(prefix_ + std::string(key) + "." + std::string(name));
        good = good && number && list.isArray();
        if (good)
            lists[*number];
        for (const JsonValue element : list.elements()) {
            const auto entry = element.whole();
            good = good && entry;
            if (good)
                lists[*number].push_back(*entry);
        }
    }
    if (good)
        return lists;
    failValue({key}, *value, "arrays of whole numbers by layer, such as {\"0\": [1, 3]}");
    return {};
}

std::optional<TokenId> ConfigReader::token(std::string_view key, std::size_t d_vocab) {
    const auto value = find({key});
    if (!value)
        return std::nullopt;
    if (!value->isInteger()) {
        failValue({key}, *value, "a token id");
        return std::nullopt;
    }
    if (const auto id = value->whole(); id && *id < d_vocab)
        return static_cast<TokenId>(*id);
    note(std::string(key) + " " + value->shown() + " is outside the vocabulary of " +
         std::to_string(d_vocab) + " tokens and is not used.");
    return std::nullopt;
}

std::optional<ConfigReader> ConfigReader::object(std::string_view key) {
    const auto value = find({key});
    if (!value)
        return std::nullopt;
    if (!value->isObject()) {
        failValue({key}, *value, "an object");
        return std::nullopt;
    }
    return ConfigReader(state_, *value, prefix_ + std::string(key) + ".");
}

void ConfigReader::assume(std::string_view json) {
    if (auto document = JsonDocument::parse(json))
        state_->assumed.emplace(prefix_, *std::move(document));
}

void ConfigReader::refuse(std::string_view key, std::string_view why) {
    const auto value = find({key});
    const bool off = !value || value->boolean() == false ||
                     ((value->isObject() || value->isArray()) && value->size() == 0);
    if (!off)
        fail(ErrorCode::Unsupported, "has " + quotedKey(prefix_ + std::string(key)) + " = " +
                                         value->shown() + ", and " + std::string(why) + ".");
}

void ConfigReader::passOver(Keys globs) {
    for (const auto& [key, value] : object_.members())
        for (const std::string_view glob : globs)
            if (globMatches(glob, key))
                state_->read_keys.insert(prefix_ + std::string(key));
}

void ConfigReader::fail(ErrorCode code, const std::string& message) {
    if (!state_->error)
        state_->error = Error{code, state_->source + " " + message};
}

void ConfigReader::failValue(Keys keys, JsonValue found, std::string_view expected) {
    const auto key = std::ranges::find_if(keys, [this](std::string_view k) { return has(k); });
    fail(ErrorCode::Malformed, "has " + quotedKey(prefix_ + std::string(*key)) + " = " +
                                   found.shown() + ", expected " + std::string(expected) +
                                   "; correct the config.");
}

void ConfigReader::failMissing(Keys keys) {
    std::string names;
    for (const std::string_view key : keys)
        names += (names.empty() ? "" : " or ") + quotedKey(prefix_ + std::string(key));
    fail(ErrorCode::Malformed, "lacks the key " + names + "; add it to the config.");
}

void ConfigReader::note(const std::string& message) {
    state_->notes.push_back(message);
}

const std::optional<Error>& ConfigReader::error() const {
    return state_->error;
}
const std::vector<std::string>& ConfigReader::notes() const {
    return state_->notes;
}
const std::string& ConfigReader::source() const {
    return state_->source;
}

std::vector<std::string> ConfigReader::unusedKeys() const {
    std::vector<std::string> unused;
    for (const auto& [key, value] : object_.members()) {
        const std::string path = prefix_ + std::string(key);
        const bool read = state_->read_keys.contains(path);
        if (read && value.isObject()) {
            const auto nested = ConfigReader(state_, value, path + ".").unusedKeys();
            unused.insert(unused.end(), nested.begin(), nested.end());
        } else if (!read && !value.isNull() && !isUnimportant(key)) {
            unused.push_back(path);
        }
    }
    return unused;
}

} // namespace headscope
