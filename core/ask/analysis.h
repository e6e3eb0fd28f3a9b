#pragma once

#include "core/ask/asked.h"
#include "core/ask/parameter.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/model/model.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// What cannot be asked together.
struct Rule {
    bool (*refuses)(const Asked& asked);
    /// What is said then; "{least_effect}" is the name of a parameter.
    std::string sentence;
};

/// An analysis that is asked.
struct Asking {
    std::shared_ptr<const Model> model;
    const Asked& asked;
    Progress progress;
    std::stop_token stop;
};

struct Answer {
    Table table;
    std::vector<Table> shown = {}; ///< what people see on a screen; empty: the table itself
};

/// Something that is asked of a model, declared once. The command of headscope-cli, its help and
/// its errors, the tool of an agent and the method in Python are made from it by loops.
struct Analysis {
    std::string key;    ///< the command: "tokens"
    std::string method; ///< in Python: "token_dependence"
    std::string title;  ///< one sentence without a full stop
    std::string help;   ///< of the method in Python: what comes out, with an example
    std::vector<AnalysisParameter> parameters;
    std::vector<Rule> rules;
    Result<Answer> (*run)(const Asking& asking);
};

/// In the order of the command line's help.
std::span<const Analysis> analyses();
/// Null where there is none.
const Analysis* analysisNamed(const std::string& key);

/// The sentence of the first rule that refuses this, each "{key}" of it named by `name`; nothing
/// where none does. Of an analysis also that a parameter needs a flag that is not set.
std::optional<std::string> brokenRule(std::span<const Rule> rules, const Asked& asked,
                                      const std::function<std::string(const std::string&)>& name);
std::optional<std::string> brokenRule(const Analysis& analysis, const Asked& asked,
                                      const std::function<std::string(const std::string&)>& name);

/// What the analysis says. Fails also where a parameter that it requires is missing.
Result<Answer> answerOf(const Analysis& analysis, const Asking& asking);

/// The name itself.
inline std::string itself(const std::string& key) {
    return key;
}

} // namespace headscope
