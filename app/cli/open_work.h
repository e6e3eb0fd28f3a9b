#pragma once

#include "app/cli/common_options.h"
#include "app/cli/work.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace headscope::cli {

/// Whether an option takes a fixed number of values, all after one name.
bool isPair(const CLI::Option& option);

/// An option and its values, of a flag none, as words that are taken for nothing else, whatever the
/// values begin with: each value of a list has the name before it.
void addWords(std::vector<std::string>& words, const CLI::Option& option,
              const std::vector<std::string>& values);

/// The options that were given to `app`, without positional ones and those named in `without`, as
/// words that give them again: in the order in which the app has them, whatever order they came in.
std::vector<std::string> wordsOf(const CLI::App& app, const std::vector<std::string>& without);

/// Gives `words` to an app; the reason where it does not take them, empty where it does.
std::string takeWords(CLI::App& app, std::vector<std::string> words);

/// Reads a plan of this command. Fails for one of another.
Result<WorkPlan> readPlan(const std::string& path, const std::string& command);

/// Asks `work`, whose options were read, and writes down what its question comes to.
Result<WorkPlan> makePlan(Work& work, const std::string& command, const ModelChoice& model,
                          std::vector<std::string> words);

/// Asks `work` the question of a plan again: its model and its files must be what they were, and
/// the units must come out as the plan lists them. `model_path` is where the model is on this
/// machine; empty: where the plan says.
Result<void> openWork(Work& work, const WorkPlan& plan, const std::string& plan_path,
                      const std::string& model_path);

} // namespace headscope::cli
