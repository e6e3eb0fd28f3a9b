#include "core/export/pruning_calls.h"

#include "core/base/text.h"
#include "core/export/calls/call_draft.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr const char* kNoPruningInPython = "The Python module does not prune.";

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
    if (!texts.calibration.empty())
        draft.option("--calibrate", texts.calibration.string());
    if (!texts.test.empty())
        draft.option("--test", texts.test.string());
    draft.option("--calibrate-tokens", texts.calibration_tokens);
    draft.option("--test-tokens", texts.test_tokens);
    draft.option("--length", texts.length);
    draft.option("--seed", std::to_string(texts.seed));
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
    draft.option("--points", question.points);
    draft.option("--unit", std::string(pruningUnitName(question.unit)));
    draft.option("--least", question.limits.least_per_layer);
    const HeadSet& kept = question.limits.protected_heads;
    if (!kept.empty())
        draft.option("--protect", headsWord(kept));
    draft.option("--replace", std::string(replacementName(question.replacement)));
    draft.option("--compensate", std::string(compensationName(question.compensation)));
    draft.option("--tolerance", numberText(tolerance));
    return std::move(draft).withoutPython(kNoPruningInPython);
}

Call groupingCall(const LoadedModel& loaded, const PruningTextFiles& texts) {
    CallDraft draft("prune", loaded);
    draft.flag("--group-queries");
    addTexts(draft, texts);
    return std::move(draft).withoutPython(kNoPruningInPython);
}

} // namespace headscope
