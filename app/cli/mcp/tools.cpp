#include "app/cli/mcp/tools.h"

#include "app/cli/open_work.h"
#include "app/cli/output_options.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

namespace headscope::cli {

namespace {

/// This server itself, and what is about this machine.
constexpr std::array<std::string_view, 2> kNoTools{"mcp", "bench"};
/// What people ask for that a tool has no use for: its answers are JSON.
constexpr std::array<std::string_view, 3> kForPeople{"help", "csv", "json"};
/// Texts, which may look like the path of a file. All else is short words without a '/'.
constexpr std::array<std::string_view, 13> kTexts{
    "text",  "text_pair", "clean",  "corrupted", "clean_pair", "corrupted_pair", "with",
    "token", "tokens",    "target", "against",   "replace",    "against_token"};
/// Orders of heads with commas, which "list:heads.txt" takes from a file.
constexpr std::array<std::string_view, 2> kOrders{"order", "orders"};
constexpr std::string_view kListed = "list:";
/// Bytes of one argument, of which the system takes 128 KiB.
constexpr std::size_t kLongestWord = 100'000;
/// More values than any option takes that is no list.
constexpr int kListFrom = 1000;
constexpr const char* kOneSource = " Give the prompt by exactly one of text, ids and text_file.";

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// "least_effect" of --least-effect, "model" of MODEL.
std::string parameterName(const CLI::Option& option) {
    std::string name =
        option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
    std::ranges::transform(name, name.begin(), [](unsigned char letter) {
        return letter == '-' ? '_' : static_cast<char>(std::tolower(letter));
    });
    return name;
}

bool isFlag(const CLI::Option& option) {
    return option.get_items_expected_max() == 0;
}

bool isList(const CLI::Option& option) {
    return option.get_items_expected_max() > 1;
}

/// The options that are parameters, in their order.
std::vector<const CLI::Option*> parametersOf(const CLI::App& command, bool may_write) {
    std::vector<const CLI::Option*> parameters;
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = parameterName(*option);
        if (!isOneOf(name, kForPeople) && (may_write || !isResult(*option)))
            parameters.push_back(option);
    }
    return parameters;
}

/// "zero" and "mean" of "TEXT:{zero,mean}"; "q" and "k" of "ENUM:value in {q->0,k->1} OR {0,1}".
std::vector<std::string> choicesIn(std::string_view type) {
    const std::size_t begin = type.find('{');
    if (begin == std::string_view::npos)
        return {};
    std::vector<std::string> choices =
        split(type.substr(begin + 1, type.find('}', begin) - begin - 1), ',');
    for (std::string& choice : choices)
        choice.erase(std::min(choice.find("->"), choice.size()));
    return choices;
}

/// Of "UINT:INT in [1 - 100]", "FLOAT:NONNEGATIVE" and "UINT:POSITIVE".
void addBounds(nlohmann::json& schema, std::string_view type) {
    constexpr std::string_view kBefore = " in [";
    constexpr std::string_view kBetween = " - ";
    const bool is_whole = schema["type"] == "integer";
    if (type.ends_with(":NONNEGATIVE"))
        schema["minimum"] = 0;
    if (type.ends_with(":POSITIVE"))
        schema[is_whole ? "minimum" : "exclusiveMinimum"] = is_whole ? 1 : 0;
    const std::size_t begin = type.find(kBefore);
    if (begin == std::string_view::npos)
        return;
    const std::string bounds(type.substr(begin + kBefore.size()));
    const std::size_t most = bounds.find(kBetween) + kBetween.size();
    const auto number = [&](const char* text) -> nlohmann::json {
        if (is_whole)
            return std::strtoll(text, nullptr, 10);
        return std::strtod(text, nullptr);
    };
    schema["minimum"] = number(bounds.c_str());
    schema["maximum"] = number(bounds.c_str() + most);
}

/// Of one value, from what the help shows as its type.
nlohmann::json schemaOf(std::string_view type) {
    nlohmann::json schema;
    if (type.starts_with("UINT") || type.starts_with("INT"))
        schema["type"] = "integer";
    else if (type.starts_with("FLOAT"))
        schema["type"] = "number";
    else
        schema["type"] = "string";
    if (type.starts_with("UINT"))
        schema["minimum"] = 0;
    addBounds(schema, type);
    if (auto choices = choicesIn(type); !choices.empty())
        schema["enum"] = std::move(choices);
    return schema;
}

nlohmann::json defaultOf(const CLI::Option& option, const std::string& type) {
    const std::string text = option.get_default_str();
    if (const auto whole = parseNumber<long>(text); whole && type != "string")
        return *whole;
    if (type == "number")
        return std::strtod(text.c_str(), nullptr);
    return text;
}

/// What help says of options that go together.
std::string relationsOf(const CLI::Option& option) {
    std::string text;
    for (const CLI::Option* other : option.get_needs())
        text += " Needs " + parameterName(*other) + '.';
    for (const CLI::Option* other : option.get_excludes())
        if (!isOneOf(parameterName(*other), kForPeople))
            text += " Not with " + parameterName(*other) + '.';
    return text;
}

nlohmann::json schemaOf(const CLI::Option& option) {
    nlohmann::json schema;
    if (isFlag(option)) {
        schema["type"] = "boolean";
    } else {
        schema = schemaOf(option.get_type_name());
        if (isList(option))
            schema = {{"type", "array"}, {"items", std::move(schema)}};
        if (isList(option) && option.get_items_expected_max() < kListFrom) {
            schema["minItems"] = option.get_items_expected_min();
            schema["maxItems"] = option.get_items_expected_max();
        }
    }
    const std::string relations = relationsOf(option);
    schema["description"] =
        aboutParameters(option.get_description()) + (relations.empty() ? "" : '.' + relations);
    if (!isFlag(option) && !isList(option) && !option.get_default_str().empty())
        schema["default"] = defaultOf(option, schema["type"]);
    return schema;
}

Error isWrong(const std::string& name, const std::string& what) {
    return {ErrorCode::InvalidArgument, name + ' ' + what};
}

/// A number, which must be in the bounds.
Result<std::string> numberWord(const JsonValue& value, const nlohmann::json& schema,
                               const std::string& name) {
    const double number = *value.number();
    if (number < schema.value("minimum", number))
        return isWrong(name, "is " + value.shown() + "; it must be at least " +
                                 schema["minimum"].dump() + '.');
    if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>())
        return isWrong(name, "is " + value.shown() + "; it must be more than " +
                                 schema["exclusiveMinimum"].dump() + '.');
    if (number > schema.value("maximum", number))
        return isWrong(name, "is " + value.shown() + "; it must be at most " +
                                 schema["maximum"].dump() + '.');
    return value.dump();
}

/// A value as a word of a command.
Result<std::string> wordOf(const JsonValue& value, const nlohmann::json& schema,
                           const std::string& name) {
    const std::string type = schema["type"];
    if (type == "integer" && value.isInteger())
        return numberWord(value, schema, name);
    if (type == "number" && value.number())
        return numberWord(value, schema, name);
    if (type != "string" || value.text() == nullptr)
        return isWrong(name, "is " + value.shown() + "; it must be of type " + type + '.');
    const auto choices = schema.value("enum", std::vector<std::string>());
    if (!choices.empty() && std::ranges::find(choices, *value.text()) == choices.end())
        return isWrong(name,
                       "is " + value.shown() + "; it must be one of " + join(choices, ", ") + '.');
    return *value.text();
}

Error hasSlash(const std::string& name) {
    return isWrong(name, "is no path of a file; it may have no '/'.");
}

/// "taylor,list:heads.txt" with the whole path of the file.
Result<std::string> guardedOrders(const std::string& word, const std::string& name,
                                  const Folders& folders) {
    std::vector<std::string> parts = split(word, ',');
    for (std::string& part : parts) {
        if (!part.starts_with(kListed) && part.find('/') != std::string::npos)
            return hasSlash(name);
        if (!part.starts_with(kListed))
            continue;
        const auto path = folders.readable(part.substr(kListed.size()));
        if (!path)
            return path.error();
        part = std::string(kListed) + *path;
    }
    return join(parts, ",");
}

/// What a value is looked at with.
struct Asked {
    const Folders& folders;
    bool goes_on = false; ///< with the parts of a run that was stopped
};

/// A text as it may be given to a command: names of files are below the folders.
Result<std::string> guardedText(const std::string& text, const CLI::Option& option,
                                const Asked& asked) {
    const std::string name = parameterName(option);
    if (text.size() > kLongestWord)
        return isWrong(name, "has " + byteText(text.size()) + "; an argument may have " +
                                 byteText(kLongestWord) + ". Put a longer text into a file.");
    if (text.find('\0') != std::string::npos)
        return isWrong(name, "has a zero byte, which no command can be given.");
    if (isResult(option))
        return asked.folders.writable(text, asked.goes_on);
    if (name == "model")
        return asked.folders.readableModel(text);
    if (namesFile(option))
        return asked.folders.readable(text);
    if (isOneOf(name, kTexts))
        return text;
    if (isOneOf(name, kOrders))
        return guardedOrders(text, name, asked.folders);
    if (text.find('/') != std::string::npos)
        return hasSlash(name);
    return text;
}

/// The elements of a list, of which a single text is one; where the option has a delimiter, several
/// in one text.
Result<nlohmann::json> elementsOf(const CLI::Option& option, const JsonValue& given) {
    if (!isList(option))
        return nlohmann::json::array({given.json()});
    const nlohmann::json list =
        given.text() != nullptr ? nlohmann::json::array({*given.text()}) : given.json();
    if (!list.is_array())
        return isWrong(parameterName(option), "is " + given.shown() + "; it must be a list.");
    if (option.get_delimiter() == '\0')
        return list;
    nlohmann::json elements = nlohmann::json::array();
    for (const nlohmann::json& element : list)
        if (element.is_string())
            for (std::string& part : split(element.get<std::string>(), option.get_delimiter()))
                elements.push_back(std::move(part));
        else
            elements.push_back(element);
    return elements;
}

Result<std::vector<std::string>> valuesOf(const CLI::Option& option, const JsonValue& given,
                                          const Asked& asked) {
    const std::string name = parameterName(option);
    const nlohmann::json schema = schemaOf(option.get_type_name());
    const auto elements = elementsOf(option, given);
    if (!elements)
        return elements.error();
    // What comes after the last of a pair would be an option.
    if (isPair(option) && static_cast<int>(elements->size()) != option.get_items_expected_max())
        return isWrong(name, "has " + counted(elements->size(), "element") + "; it must have " +
                                 std::to_string(option.get_items_expected_max()) + '.');
    std::vector<std::string> values;
    for (const nlohmann::json& element : *elements) {
        auto word = wordOf(JsonValue(element), schema, name);
        if (word && element.is_string() && !schema.contains("enum"))
            word = guardedText(*word, option, asked);
        // CLI11 makes a list of it, of which any element may be an option.
        if (word && option.get_allow_extra_args() && word->starts_with('['))
            return isWrong(name, "may not begin with '['.");
        if (!word)
            return word.error();
        values.push_back(*std::move(word));
    }
    return values;
}

Result<void> addParameter(std::vector<std::string>& words, const CLI::Option& option,
                          const JsonValue& given, const Asked& asked) {
    const std::string name = parameterName(option);
    if (isFlag(option)) {
        if (!given.boolean())
            return isWrong(name, "is " + given.shown() + "; it must be true or false.");
        if (*given.boolean())
            addWords(words, option, {});
        return {};
    }
    auto values = valuesOf(option, given, asked);
    if (!values)
        return values.error();
    if (!option.get_positional()) {
        addWords(words, option, *values);
        return {};
    }
    if (values->size() != 1 || values->front().starts_with('-'))
        return isWrong(name, "cannot begin with a hyphen.");
    words.push_back(std::move(values->front()));
    return {};
}

/// The name of the first argument that is no parameter; empty: all are.
std::string unknownArgument(const JsonValue& arguments,
                            std::span<const CLI::Option* const> parameters) {
    for (const JsonMember& member : arguments.members())
        if (std::ranges::none_of(parameters, [&](const CLI::Option* option) {
                return parameterName(*option) == member.key;
            }))
            return std::string(member.key);
    return {};
}

std::string namesOf(std::span<const CLI::Option* const> parameters) {
    std::vector<std::string> names;
    std::ranges::transform(parameters, std::back_inserter(names),
                           [](const CLI::Option* option) { return parameterName(*option); });
    return join(names, ", ");
}

} // namespace

std::string aboutParameters(const std::string& sentence) {
    const auto isLetter = [&](std::size_t at) {
        return at < sentence.size() && std::islower(static_cast<unsigned char>(sentence[at])) != 0;
    };
    std::string text;
    std::size_t at = 0;
    while (at < sentence.size()) {
        const bool is_option = sentence.compare(at, 2, "--") == 0 && isLetter(at + 2);
        if (!is_option) {
            text += sentence[at++];
            continue;
        }
        for (at += 2; isLetter(at) || (at < sentence.size() && sentence[at] == '-'); ++at)
            text += sentence[at] == '-' ? '_' : sentence[at];
    }
    return text;
}

std::vector<const CLI::App*> toolCommands(const CLI::App& program, bool may_write) {
    std::vector<const CLI::App*> commands;
    for (const CLI::App* command : program.get_subcommands({})) {
        const CLI::Option* const output = command->get_option_no_throw("--output");
        const bool only_writes = output != nullptr && output->get_required();
        if (!isOneOf(command->get_name(), kNoTools) && (may_write || !only_writes))
            commands.push_back(command);
    }
    return commands;
}

nlohmann::json describedTool(const CLI::App& command, bool may_write) {
    nlohmann::json properties = nlohmann::json::object();
    nlohmann::json required = nlohmann::json::array();
    for (const CLI::Option* option : parametersOf(command, may_write)) {
        const std::string name = parameterName(*option);
        properties[name] = schemaOf(*option);
        if (option->get_required() || (name == "model" && command.get_name() != "verify"))
            required.push_back(name);
    }
    const bool reads_prompt = properties.contains("text_file");
    return {{"name", command.get_name()},
            {"description", command.get_description() + '.' + (reads_prompt ? kOneSource : "")},
            {"inputSchema",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}},
            {"annotations", {{"readOnlyHint", !may_write}, {"openWorldHint", false}}}};
}

Result<std::vector<std::string>> commandWords(const CLI::App& command, const JsonValue& arguments,
                                              const Folders& folders) {
    const auto parameters = parametersOf(command, folders.mayWrite());
    if (const std::string unknown = unknownArgument(arguments, parameters); !unknown.empty())
        return isWrong(command.get_name(),
                       "has no parameter '" + unknown + "'; it has " + namesOf(parameters) + '.');
    std::vector<std::string> words = folders.words();
    words.push_back(command.get_name());
    const Asked asked{folders, arguments.member("resume").boolean().value_or(false)};
    bool writes = false;
    for (const CLI::Option* option : parameters) {
        const std::string name = parameterName(*option);
        const auto given = arguments.find(name);
        if (!given || given->isNull())
            continue;
        if (auto added = addParameter(words, *option, *given, asked); !added)
            return added.error();
        writes = writes ||
                 (isResult(*option) && name != "graphml"); // which is written beside the answer
    }
    if (!writes && command.get_option_no_throw("--json") != nullptr)
        words.emplace_back("--json");
    return words;
}

} // namespace headscope::cli
