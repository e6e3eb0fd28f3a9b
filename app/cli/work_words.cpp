#include "app/cli/work_words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace headscope::cli {

namespace {

void addWords(std::vector<std::string>& words, const CLI::Option& option) {
    const std::string name = "--" + option.get_lnames().front();
    if (option.get_items_expected_max() == 0)
        return words.push_back(name);
    // A word of its own, which begins with whatever it likes.
    for (const std::string& value : option.results())
        words.insert(words.end(), {name, value});
}

} // namespace

std::vector<std::string> wordsOf(const CLI::App& app, const std::vector<std::string>& without) {
    std::vector<std::string> words;
    for (const CLI::Option* const option : app.get_options()) {
        if (option->count() == 0 || option->get_lnames().empty() ||
            std::ranges::find(without, option->get_lnames().front()) != without.end())
            continue;
        addWords(words, *option);
    }
    return words;
}

std::string takeWords(CLI::App& app, std::vector<std::string> words) {
    std::ranges::reverse(words); // as CLI11 takes them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return error.get_exit_code() == 0 ? "it asks for help" : error.what();
    }
    return {};
}

} // namespace headscope::cli
