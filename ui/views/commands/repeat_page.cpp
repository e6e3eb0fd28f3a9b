#include "ui/views/commands/repeat_page.h"

#include "core/export/run_calls.h"
#include "ui/views/pattern/pattern_view.h"

#include <QCoreApplication>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

struct RepeatText {
    Q_DECLARE_TR_FUNCTIONS(RepeatText)
};

/// The file that a call writes; empty: none.
std::string outputOf(const Call& call) {
    const auto word = std::ranges::find(call.words, "-o", &CallWord::option);
    return word == call.words.end() ? std::string() : word->value.value_or("");
}

/// What a page shows of one run.
Result<Call> callOf(const Document& document, PatternPage page, const RunResult& result,
                    const HeadMask& mask) {
    const LoadedModel loaded = loadedModel(document, result);
    if (page == PatternPage::AllHeads)
        return patternsCall(loaded, result.prompt, mask);
    const bool shows_chosen = page == PatternPage::Text || page == PatternPage::Lines;
    if (!shows_chosen || document.selection().chosen().size() == 1)
        return patternCall(loaded, result.prompt, mask, document.selection().head());
    std::vector<std::size_t> layers;
    for (const LayerHead head : document.selection().chosen())
        layers.push_back(head.layer);
    return patternsCall(loaded, result.prompt, mask, std::move(layers));
}

/// No file is written over by the next call.
void keepApart(Calls& calls) {
    for (std::size_t i = 1; i < calls.size(); ++i)
        for (std::size_t before = 0; before < i; ++before)
            if (outputOf(calls[i]) == outputOf(calls[before]))
                calls[i] = writingTo(calls[i], std::to_string(i + 1) + '_' + outputOf(calls[i]));
}

Repetition repetitionOfMaps(const Document& document, PatternPage page, PatternMap map) {
    const PatternSource& source = document.shown();
    if (!source.result)
        return notRepeated(RepeatText::tr("The pattern has no numbers until the prompt has run."));
    if (map == PatternMap::ValueWeighted)
        return notRepeated(RepeatText::tr("No command weights patterns by values; show Attention, "
                                          "or export the numbers."));
    Calls calls;
    const auto add = [&](const RunResult& result, const HeadMask& mask) -> Result<void> {
        auto call = callOf(document, page, result, mask);
        if (!call)
            return call.error();
        calls.push_back(*std::move(call));
        return {};
    };
    for (const auto& result : {source.result, source.other}) {
        if (!result)
            continue;
        // A difference is that of two maps, the whole network's first.
        if (map == PatternMap::Difference)
            if (auto added = add(*result, {}); !added)
                return added.error();
        if (map == PatternMap::Attention || !result->mask.empty())
            if (auto added = add(*result, result->mask); !added)
                return added.error();
    }
    keepApart(calls);
    return calls;
}

/// The tab in sight, and the graph.
Repetition repetitionOfWhyPage(const Document& document, const PatternView& pattern) {
    const auto reading = pattern.shownView().why;
    if (!reading)
        return notRepeated(RepeatText::tr("The head is being read; try again in a moment."));
    auto calls = repetitionOfWhy(document, *reading, pattern.whyDetail());
    const auto trace = repetitionOfTrace(document, *reading);
    if (calls && trace)
        calls->insert(calls->end(), trace->begin(), trace->end());
    return calls && !trace ? trace : calls;
}

Repetition repetitionOfInsidePage(const Document& document, const PatternView& pattern) {
    const auto reading = pattern.shownView().inside;
    return reading ? repetitionOfInside(document, *reading)
                   : notRepeated(RepeatText::tr("The head is being read; try again in a moment."));
}

} // namespace

Repetition repetitionOfPage(const Document& document, const PatternView& pattern) {
    if (!document.model())
        return notRepeated(RepeatText::tr("No model is open."));
    const PatternPage page = pattern.page();
    if (page == PatternPage::Inside)
        return repetitionOfInsidePage(document, pattern);
    return page == PatternPage::Why ? repetitionOfWhyPage(document, pattern)
                                    : repetitionOfMaps(document, page, pattern.settings().map);
}

} // namespace headscope::ui
