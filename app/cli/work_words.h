#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::cli {

/// The options that were given to `app`, without positional ones and those named in `without`, as
/// words that give them again: in the order in which the app has them, whatever order they came in.
std::vector<std::string> wordsOf(const CLI::App& app, const std::vector<std::string>& without);

/// Gives `words` to an app; the reason where it does not take them, empty where it does.
std::string takeWords(CLI::App& app, std::vector<std::string> words);

} // namespace headscope::cli
