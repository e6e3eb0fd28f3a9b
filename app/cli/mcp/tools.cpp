#include "app/cli/mcp/tools.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace headscope::cli {

namespace {

/// What people ask for that a tool has no use for: its answers are JSON.
constexpr std::array<std::string_view, 3> kForPeople{"help", "csv", "json"};
/// What names a file or a folder that is written.
constexpr std::array<std::string_view, 3> kWritten{"output", "headvis", "graphml"};
/// Texts that may look like the path of a file and are none. Of all others what names a file that
/// is there, or has a '/', must be below a folder of the server.
constexpr std::array<std::string_view, 13> kTexts{
    "text",  "text_pair", "clean",  "corrupted", "clean_pair", "corrupted_pair", "with",
    "token", "tokens",    "target", "against",   "replace",    "against_token"};
/// More values than any option takes that is no list.
constexpr int kListFrom = 1000;

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

/// "least_effect" of --least-effect, "model" of MODEL.
std::string parameterName(const CLI::Option& option) {
    std::string name =
        option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
    std::ranges::transform(name, name.begin(), [](char letter) {
        if (letter == '-')
            return '_';
        const bool is_capital = letter >= 'A' && letter <= 'Z';
        return is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
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
        if (!isOneOf(name, kForPeople) && (may_write || !isOneOf(name, kWritten)))
            parameters.push_back(option);
    }
    return parameters;
}

/// "TEXT:{zero,mean}" and "UINT:INT in [1 - 100]", as the help shows them.
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
    if (const auto begin = type.find('{'); begin != std::string_view::npos && type.ends_with('}'))
        schema["enum"] = split(type.substr(begin + 1, type.size() - begin - 2), ',');
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
    schema["description"] = aboutParameters(option.get_description());
    if (!isFlag(option) && !isList(option) && !option.get_default_str().empty())
        schema["default"] = defaultOf(option, schema["type"]);
    return schema;
}

Error isWrong(const std::string& name, const std::string& what) {
    return {ErrorCode::InvalidArgument, name + ' ' + what};
}

/// A value as a word of a command.
Result<std::string> wordOf(const JsonValue& value, const std::string& type,
                           const std::string& name) {
    if (type == "string" && value.text() != nullptr)
        return *value.text();
    if ((type == "integer" && value.isInteger()) || (type == "number" && value.number()))
        return value.dump();
    return isWrong(name, "is " + value.shown() + "; it must be of type " + type + '.');
}

/// The same with the path in place of a name, where it is one.
Result<std::string> guardedWord(std::string word, const std::string& name, const Folders& folders) {
    namespace fs = std::filesystem;
    if (word.find('\0') != std::string::npos)
        return isWrong(name, "has a zero byte, which no command can be given.");
    if (isOneOf(name, kTexts))
        return word;
    if (isOneOf(name, kWritten))
        return folders.writable(word);
    std::error_code ignored;
    const bool is_there = std::ranges::any_of(folders.read(), [&](const fs::path& folder) {
        return fs::exists(fs::symlink_status(folder / word, ignored));
    });
    if (name == "model" || is_there || word.find('/') != std::string::npos)
        return folders.readable(word);
    return word;
}

Result<std::vector<std::string>> valuesOf(const CLI::Option& option, const JsonValue& given,
                                          const Folders& folders) {
    const std::string name = parameterName(option);
    const nlohmann::json schema = schemaOf(option.get_type_name());
    std::vector<JsonValue> elements{given};
    if (isList(option) && given.text() == nullptr)
        elements = given.elements();
    if (isList(option) && elements.empty() && given.size() == 0 && !given.json().is_array())
        return isWrong(name, "is " + given.shown() + "; it must be a list.");
    std::vector<std::string> values;
    for (const JsonValue& element : elements) {
        auto word = wordOf(element, schema["type"], name);
        if (word)
            word = guardedWord(*std::move(word), name, folders);
        if (!word)
            return word.error();
        values.push_back(*std::move(word));
    }
    return values;
}

void addOption(std::vector<std::string>& words, const CLI::Option& option,
               std::vector<std::string> values) {
    const std::string name = "--" + option.get_lnames().front();
    // A pair stands after its name; of a list each value has the name before it, so that whatever
    // it begins with is taken for a value.
    const bool is_pair = option.get_items_expected_min() > 1;
    if (is_pair)
        words.push_back(name);
    for (std::string& value : values) {
        if (!is_pair)
            words.push_back(name);
        words.push_back(std::move(value));
    }
}

Result<void> addParameter(std::vector<std::string>& words, const CLI::Option& option,
                          const JsonValue& given, const Folders& folders) {
    const std::string name = parameterName(option);
    if (isFlag(option)) {
        if (!given.boolean())
            return isWrong(name, "is " + given.shown() + "; it must be true or false.");
        if (*given.boolean())
            words.push_back("--" + option.get_lnames().front());
        return {};
    }
    auto values = valuesOf(option, given, folders);
    if (!values)
        return values.error();
    if (!option.get_positional()) {
        addOption(words, option, *std::move(values));
        return {};
    }
    if (values->front().starts_with('-'))
        return isWrong(name, "cannot begin with a hyphen.");
    words.push_back(std::move(values->front()));
    return {};
}

std::string namesOf(const std::vector<const CLI::Option*>& parameters) {
    std::vector<std::string> names;
    for (const CLI::Option* option : parameters)
        names.push_back(parameterName(*option));
    return join(names, ", ");
}

} // namespace

std::vector<const CLI::App*> toolCommands(const CLI::App& program, bool may_write) {
    std::vector<const CLI::App*> commands;
    for (const CLI::App* command : program.get_subcommands({})) {
        const CLI::Option* const output = command->get_option_no_throw("--output");
        const bool only_writes = output != nullptr && output->get_required();
        if (command->get_name() != "mcp" && (may_write || !only_writes))
            commands.push_back(command);
    }
    return commands;
}

std::string aboutParameters(const std::string& sentence) {
    static const std::regex kOption("--[a-z][a-z-]*");
    std::string text;
    auto rest = sentence.begin();
    for (std::sregex_iterator found(sentence.begin(), sentence.end(), kOption), end; found != end;
         ++found) {
        text.append(rest, (*found)[0].first);
        std::string name = found->str().substr(2);
        std::ranges::replace(name, '-', '_');
        text += name;
        rest = (*found)[0].second;
    }
    return text.append(rest, sentence.end());
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
    return {{"name", command.get_name()},
            {"description", command.get_description()},
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
    std::vector<std::string> words{command.get_name()};
    bool writes = false;
    for (const CLI::Option* option : parameters) {
        const std::string name = parameterName(*option);
        const auto given = arguments.find(name);
        if (!given || given->isNull())
            continue;
        if (auto added = addParameter(words, *option, *given, folders); !added)
            return added.error();
        writes = writes || isOneOf(name, kWritten);
    }
    for (const JsonMember& member : arguments.members())
        if (std::ranges::none_of(parameters, [&](const CLI::Option* option) {
                return parameterName(*option) == member.key;
            }))
            return isWrong(command.get_name(), "has no parameter '" + std::string(member.key) +
                                                   "'; it has " + namesOf(parameters) + '.');
    if (!writes && command.get_option_no_throw("--json") != nullptr)
        words.emplace_back("--json");
    return words;
}

} // namespace headscope::cli
