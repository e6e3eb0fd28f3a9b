#include "app/cli/mcp/answers.h"

#include "core/base/text.h"
#include "core/io/sealed_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace headscope::cli {

namespace {

/// Of what a model reads at once: some 20,000 tokens.
constexpr std::size_t kMostShown = 60'000;
/// Taking an answer apart holds up all others.
constexpr std::size_t kMostParsed = std::size_t{32} << 20;
constexpr std::size_t kMostKept = std::size_t{128} << 20;

/// What is shortened is no longer the command's own text, and is written without spaces.
std::string dumped(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Null where it is too long to be taken apart, or no JSON.
nlohmann::json parsed(const std::string& text) {
    if (text.size() > kMostParsed)
        return nullptr;
    const auto document = readForeignJson(text);
    return document ? document->root().json() : nlohmann::json();
}

/// The key of the list that takes most room, empty where there is none.
std::string longestList(const nlohmann::json& answer) {
    std::string key;
    std::size_t most = 0;
    if (!answer.is_object())
        return key;
    for (const auto& [name, value] : answer.items()) {
        const std::size_t bytes = value.is_array() ? dumped(value).size() : 0;
        if (bytes > most)
            key = name;
        most = std::max(most, bytes);
    }
    return key;
}

/// Elements of a list from `from` on, as many as fit, and at most `count`.
nlohmann::json slice(const nlohmann::json& list, std::size_t from, std::size_t count) {
    nlohmann::json part = nlohmann::json::array();
    std::size_t bytes = 0;
    for (std::size_t i = from; i < list.size() && part.size() < count; ++i) {
        bytes += dumped(list[i]).size();
        if (bytes > kMostShown && !part.empty())
            break;
        part.push_back(list[i]);
    }
    return part;
}

/// Leaves elements out at the end of the longest lists until the whole fits. False where it cannot.
bool shorten(nlohmann::json& answer) {
    for (std::size_t bytes = dumped(answer).size(); bytes > kMostShown;
         bytes = dumped(answer).size()) {
        const std::string key = longestList(answer);
        if (key.empty() || answer[key].size() < 2)
            return false;
        nlohmann::json& list = answer[key];
        const std::size_t of_list = dumped(list).size();
        const std::size_t room = of_list - std::min(of_list, bytes - kMostShown);
        const std::size_t fitting = list.size() * room / of_list;
        list = slice(list, 0, std::clamp(fitting, std::size_t{1}, list.size() - 1));
    }
    return true;
}

} // namespace

void Looks::add(const std::vector<std::string>& question, const std::string& answer) {
    if (answer.find("\"expected_false\"") == std::string::npos)
        return;
    const auto document = readForeignJson(answer);
    const auto found =
        document ? document->root().find("expected_false") : std::optional<JsonValue>();
    if (!found || !questions_.insert(question).second)
        return;
    tests_ += found->member("tests").whole().value_or(0);
    labels_ += found->member("labels").whole().value_or(0);
    expected_false_ += found->member("count").number().value_or(0.0);
}

std::string Looks::text() const {
    if (tests_ == 0)
        return "Looks so far: no head was tested against a type yet.";
    return "Looks so far: " + counted(tests_, "test") + " of a head against a type, " +
           counted(labels_, "label") + " found, of which " + fixedText(expected_false_, 1) +
           " are expected to be false (Benjamini-Hochberg in each question, added up).";
}

std::size_t Answers::keep(std::string text, bool is_json) {
    answers_.push_back({std::move(text), is_json});
    std::size_t bytes = 0;
    for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
        bytes += answer->text.size();
        if (bytes > kMostKept && answer != answers_.rbegin())
            answer->text = std::string(); // clear() would keep its memory
    }
    return answers_.size();
}

Result<std::string> Answers::text(std::size_t number) const {
    if (number < 1 || number > answers_.size() || answers_[number - 1].text.empty())
        return Error{ErrorCode::NotFound,
                     "There is no answer " + std::to_string(number) + "; ask the question again."};
    return answers_[number - 1].text;
}

Result<std::string> Answers::rows(std::size_t number, std::string key, std::size_t from,
                                  std::size_t count) const {
    const auto answer = text(number);
    if (!answer)
        return answer.error();
    const nlohmann::json whole = parsed(*answer);
    if (key.empty())
        key = longestList(whole);
    if (!whole.is_object() || !whole.contains(key) || !whole[key].is_array())
        return Error{ErrorCode::InvalidArgument,
                     "Answer " + std::to_string(number) + " has no list \"" + key + "\"."};
    const nlohmann::json& list = whole[key];
    return dumped({{key, slice(list, from, count)}, {"from", from}, {"of", list.size()}});
}

std::vector<Answers::Kept> Answers::kept() const {
    std::vector<Kept> kept;
    for (std::size_t i = 0; i < answers_.size(); ++i)
        if (!answers_[i].text.empty())
            kept.push_back({i + 1, answers_[i].is_json});
    return kept;
}

namespace {

/// Where the rest of a list is.
std::string leftOut(const std::string& key, std::size_t shown, std::size_t all,
                    const std::string& answer) {
    const std::string first = std::to_string(shown);
    return "Of " + std::to_string(all) + " elements of \"" + key + "\" these are the first " +
           first + "; the tool rows reads on (answer " + answer + ", list \"" + key + "\", from " +
           first + "). ";
}

} // namespace

Answers::Shown Answers::shown(std::size_t number) const {
    const Answer& answer = answers_[number - 1];
    if (answer.text.size() <= kMostShown)
        return {answer.text, ""};
    const std::string name = std::to_string(number);
    const std::string whole = "The whole is the resource headscope://answer/" + name + '.';
    const nlohmann::json all = answer.is_json ? parsed(answer.text) : nlohmann::json();
    nlohmann::json part = all;
    if (!shorten(part) || !part.is_object())
        return {answer.text.substr(0, answer.text.rfind('\n', kMostShown)),
                "This is only the beginning. " + whole};
    std::string note;
    for (const auto& [key, list] : part.items())
        if (list.is_array() && list.size() < all[key].size())
            note += leftOut(key, list.size(), all[key].size(), name);
    return {dumped(part), note.empty() ? note : note + whole};
}

} // namespace headscope::cli
