#include "app/cli/mcp/own_tools.h"

#include <nettle/base64.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

/// The window's program, beside this one; empty: it is not there.
std::string windowProgram() {
    const fs::path path = fs::path(thisProgram()).parent_path() / "headscope";
    std::error_code ignored;
    return fs::exists(path, ignored) ? path.string() : "";
}

nlohmann::json textParameter(const std::string& description) {
    return {{"type", "string"}, {"description", description}};
}

nlohmann::json countParameter(const std::string& description, int least) {
    return {{"type", "integer"}, {"minimum", least}, {"description", description}};
}

nlohmann::json countParameter(const std::string& description, int least, int by_default) {
    nlohmann::json parameter = countParameter(description, least);
    parameter["default"] = by_default;
    return parameter;
}

nlohmann::json describedOwnTool(const std::string& name, const std::string& description,
                                nlohmann::json properties, nlohmann::json required) {
    return {{"name", name},
            {"description", description},
            {"inputSchema",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}},
            {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

Result<std::string> textArgument(const JsonValue& arguments, const std::string& name) {
    const std::string* const text = arguments.member(name).text();
    if (text == nullptr || text->find('\0') != std::string::npos)
        return Error{ErrorCode::InvalidArgument, name + " is missing; it must be a text."};
    return *text;
}

Result<std::size_t> countArgument(const JsonValue& arguments, const std::string& name,
                                  std::size_t least, std::size_t by_default) {
    const auto given = arguments.find(name);
    if (!given)
        return by_default;
    const auto count = given->whole();
    if (!count || *count < least)
        return Error{ErrorCode::InvalidArgument, name + " is " + given->shown() +
                                                     "; it must be a whole number from " +
                                                     std::to_string(least) + " on."};
    return static_cast<std::size_t>(*count);
}

} // namespace

std::string thisProgram() {
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed).string();
}

nlohmann::json describedOwnTools() {
    const nlohmann::json none = nlohmann::json::object();
    nlohmann::json tools = nlohmann::json::array(
        {describedOwnTool("models",
                          "The models below the folders of this server: weight files, and folders "
                          "that hold a config.json. The other tools take one as `model`.",
                          none, nlohmann::json::array()),
         describedOwnTool("rows", "Further rows of an answer that was too long to be shown whole.",
                          {{"answer", countParameter("The number of the answer", 1)},
                           {"list", textParameter("The list; by default the longest one")},
                           {"from", countParameter("How many rows are passed over", 0, 0)},
                           {"count", countParameter("How many rows at most", 1, 100)}},
                          {"answer"})});
    if (!windowProgram().empty())
        tools.push_back(
            describedOwnTool("figure",
                             "A picture (PNG) of where one head looks in a text: queries are rows, "
                             "keys are columns.",
                             {{"model", textParameter("Weight file, index of shards, or folder")},
                              {"text", textParameter("Prompt as text")},
                              {"head", textParameter("4.1: layer and head, both from 0")}},
                             {"model", "text", "head"}));
    return tools;
}

std::string modelList(const Folders& folders) {
    nlohmann::json models = nlohmann::json::array();
    for (const fs::path& path : folders.models())
        models.push_back(path.string());
    return nlohmann::json{{"models", std::move(models)}}.dump(
        2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<void> checkOwnArguments(const std::string& tool, const JsonValue& arguments) {
    const nlohmann::json tools = describedOwnTools();
    const auto described = std::ranges::find(
        tools, nlohmann::json(tool), [](const nlohmann::json& each) { return each["name"]; });
    if (described == tools.end())
        return {};
    const nlohmann::json& known = (*described)["inputSchema"]["properties"];
    for (const JsonMember& member : arguments.members())
        if (!known.contains(member.key))
            return Error{ErrorCode::InvalidArgument,
                         tool + " has no parameter '" + std::string(member.key) + "'."};
    return {};
}

Result<std::string> readRows(const Answers& answers, const JsonValue& arguments) {
    if (!arguments.find("answer"))
        return Error{ErrorCode::InvalidArgument, "answer is missing; it must be a whole number."};
    const auto answer = countArgument(arguments, "answer", 1, 1);
    const auto from = countArgument(arguments, "from", 0, 0);
    const auto count = countArgument(arguments, "count", 1, 100);
    for (const auto* each : {&answer, &from, &count})
        if (!*each)
            return each->error();
    const std::string* const list = arguments.member("list").text();
    return answers.rows(*answer, list != nullptr ? *list : "", *from, *count);
}

Result<FigureFile> FigureFile::make() {
    std::error_code failed;
    std::string folder = (fs::temp_directory_path(failed) / "headscope-figure-XXXXXX").string();
    if (failed || mkdtemp(folder.data()) == nullptr)
        return Error{ErrorCode::WriteFailed, "Cannot make a folder for temporary files; is the "
                                             "disk full?"};
    return FigureFile(std::move(folder));
}

FigureFile::FigureFile(FigureFile&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

FigureFile& FigureFile::operator=(FigureFile&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
}

FigureFile::~FigureFile() {
    std::error_code ignored;
    if (!folder_.empty())
        fs::remove_all(folder_, ignored);
}

Result<std::string> FigureFile::base64() const {
    std::ifstream file(path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.empty())
        return Error{ErrorCode::NotFound, "No picture was made."};
    std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
    base64_encode_raw(text.data(), bytes.size(),
                      reinterpret_cast<const std::uint8_t*>(bytes.data()));
    return text;
}

Result<AskedProgram> figureProgram(const JsonValue& arguments, const Folders& folders,
                                   const std::string& path) {
    const auto model = textArgument(arguments, "model");
    const auto text = textArgument(arguments, "text");
    const auto head = textArgument(arguments, "head");
    for (const auto* each : {&model, &text, &head})
        if (!*each)
            return each->error();
    const auto file = folders.readableModel(*model);
    if (!file)
        return file.error();
    AskedProgram asked;
    asked.path = windowProgram();
    if (asked.path.empty())
        return Error{ErrorCode::NotFound, "There is no tool figure; the window is not installed."};
    asked.words = folders.words(fs::path(path).parent_path().string());
    asked.words.insert(asked.words.end(),
                       {*file, "--text=" + *text, "--head=" + *head, "--figure=" + path});
    asked.environment = {"QT_QPA_PLATFORM=offscreen"};
    asked.folder = "/"; // all files have their whole paths
    return asked;
}

} // namespace headscope::cli
