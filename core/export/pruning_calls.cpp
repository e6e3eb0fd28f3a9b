#include "core/export/pruning_calls.h"

#include "core/base/text.h"
#include "core/export/calls/call_draft.h"
#include "core/export/calls/python_text.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// "gradient,random:10"
std::string ordersWord(const PruningQuestion& question, const std::filesystem::path& list) {
    std::vector<std::string> orders;
    std::size_t random = 0;
    for (const OrderSpec& order : question.orders) {
        if (order.kind == OrderKind::Random)
            ++random;
        else if (order.kind == OrderKind::OwnList)
            orders.push_back("list:" + list.string());
        else
            orders.push_back(order.name());
    }
    if (random > 0)
        orders.push_back("random:" + std::to_string(random));
    return join(orders, ",");
}

void addTexts(CallDraft& draft, const PruningTextFiles& texts) {
    const auto file = [&](const char* option, const char* keyword,
                          const std::filesystem::path& path) {
        if (path.empty())
            return;
        draft.option(option, path.string());
        draft.keyword(keyword, pythonText(path.string()));
    };
    file("--calibrate", "calibrate", texts.calibration);
    file("--test", "test", texts.test);
    if (!texts.domains.empty()) {
        std::vector<std::string> quoted;
        for (const std::string& domain : texts.domains)
            quoted.push_back(pythonText(domain));
        draft.option("--domains", join(texts.domains, ","));
        draft.keyword("domains", "[" + join(quoted, ", ") + "]");
    }
    draft.keyword("calibrate_tokens", std::to_string(texts.calibration_tokens));
    draft.keyword("test_tokens", std::to_string(texts.test_tokens));
    draft.keyword("length", std::to_string(texts.length));
    draft.keyword("seed", std::to_string(texts.seed));
    draft.option("--calibrate-tokens", texts.calibration_tokens);
    draft.option("--test-tokens", texts.test_tokens);
    draft.option("--length", texts.length);
    draft.option("--seed", std::to_string(texts.seed));
}

/// What replaces heads that go.
void addWay(CallDraft& draft, const PruningQuestion& question) {
    const std::string replacement(replacementName(question.replacement));
    const std::string compensation(compensationName(question.compensation));
    draft.option("--ablation", replacement);
    draft.keyword("ablation", pythonText(replacement));
    draft.option("--compensate", compensation);
    draft.keyword("compensate", pythonText(compensation));
}

} // namespace

Result<Call> pruningCall(const LoadedModel& loaded, const PruningTextFiles& texts,
                         const PruningQuestion& question, const std::filesystem::path& list,
                         double tolerance) {
    if (list.string().find(',') != std::string::npos)
        return Error{ErrorCode::Unsupported, "The path " + list.string() +
                                                 " has a comma, which parts orders in a command; "
                                                 "rename the file."};
    CallDraft draft("prune", loaded);
    addTexts(draft, texts);
    draft.option("--orders", ordersWord(question, list));
    draft.argument(pythonText(ordersWord(question, list)));
    draft.option("--points", question.points);
    draft.keyword("points", std::to_string(question.points));
    const std::string unit(pruningUnitName(question.unit));
    draft.option("--unit", unit);
    draft.keyword("unit", pythonText(unit));
    draft.option("--least", question.limits.least_per_layer);
    draft.keyword("least", std::to_string(question.limits.least_per_layer));
    if (const HeadSet& kept = question.limits.protected_heads; !kept.empty()) {
        draft.option("--protect", headsWord(kept));
        draft.keyword("protect", pythonHeads(kept));
    }
    addWay(draft, question);
    draft.option("--tolerance", numberText(tolerance));
    draft.keyword("tolerance", numberText(tolerance));
    return std::move(draft).withPython("curves", "prune");
}

Call groupingCall(const LoadedModel& loaded, const PruningTextFiles& texts) {
    CallDraft draft("prune", loaded);
    draft.flag("--group-queries");
    addTexts(draft, texts);
    return std::move(draft).withPython("groupings", "group_queries");
}

} // namespace headscope
