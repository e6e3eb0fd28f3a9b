#include "app/cli/mcp/answers.h"

#include "core/base/text.h"
#include "core/io/sealed_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headscope::cli {

namespace {

/// Of what a model reads at once: some 20,000 tokens.
constexpr std::size_t kMostShown = 60'000;
constexpr std::size_t kMostKept = std::size_t{128} << 20;

std::string dumped(const nlohmann::json& value) {
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
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

} // namespace

void Looks::add(const std::vector<std::string>& question, const JsonValue& answer) {
    const auto found = answer.find("expected_false");
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
            answer->text.clear();
    }
    return answers_.size();
}

Result<std::string> Answers::text(std::size_t number) const {
    if (number < 1 || number > answers_.size() || answers_[number - 1].text.empty())
        return Error{ErrorCode::NotFound,
                     "There is no answer " + std::to_string(number) + "; ask the question again."};
    return answers_[number - 1].text;
}

Result<std::string> Answers::rows(std::size_t number, std::size_t from, std::size_t count) const {
    const auto answer = text(number);
    if (!answer)
        return answer.error();
    const auto parsed = readForeignJson(*answer);
    const std::string key = parsed ? longestList(parsed->root().json()) : "";
    if (key.empty())
        return Error{ErrorCode::InvalidArgument,
                     "Answer " + std::to_string(number) + " has no rows."};
    const nlohmann::json& list = parsed->root().json()[key];
    return dumped({{key, slice(list, from, count)}, {"from", from}, {"of", list.size()}});
}

std::vector<Answers::Kept> Answers::kept() const {
    std::vector<Kept> kept;
    for (std::size_t i = 0; i < answers_.size(); ++i)
        if (!answers_[i].text.empty())
            kept.push_back({i + 1, answers_[i].is_json});
    return kept;
}

Answers::Shown Answers::shown(std::size_t number) const {
    const Answer& answer = answers_[number - 1];
    if (answer.text.size() <= kMostShown)
        return {answer.text, ""};
    const std::string whole =
        "the whole is the resource headscope://answer/" + std::to_string(number);
    const auto parsed = readForeignJson(answer.text);
    const std::string key = parsed ? longestList(parsed->root().json()) : "";
    if (key.empty())
        return {answer.text.substr(0, answer.text.rfind('\n', kMostShown)),
                "This is its beginning; " + whole + '.'};
    nlohmann::json part = parsed->root().json();
    const std::size_t all = part[key].size();
    part[key] = slice(part[key], 0, all);
    const std::string shown = std::to_string(part[key].size());
    return {dumped(part), "Of " + std::to_string(all) + " elements of \"" + key +
                              "\" these are the first " + shown +
                              "; the tool rows reads the others (answer " + std::to_string(number) +
                              ", from " + shown + "), and " + whole + '.'};
}

} // namespace headscope::cli
