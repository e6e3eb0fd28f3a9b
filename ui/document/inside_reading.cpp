#include "ui/document/inside_reading.h"

#include "ui/tables/head_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope::ui {
namespace {

struct InsideReadingText {
    Q_DECLARE_TR_FUNCTIONS(InsideReadingText)
};

Result<std::shared_ptr<const StepsRun>> runOf(const InsideQuestion& question,
                                              const std::stop_token& stop) {
    auto run = StepsRun::read(question.result->full->model,
                              {question.result->prompt.ids, question.result->mask},
                              question.head.layer, stop);
    if (!run)
        return run.error();
    return std::make_shared<const StepsRun>(*std::move(run));
}

} // namespace

Result<std::shared_ptr<const InsideReading>>
readInside(const InsideQuestion& question, const std::shared_ptr<const InsideReading>& known,
           const std::stop_token& stop) {
    InsideReading reading;
    reading.result = question.result;
    if (known && known->result == question.result && known->run->layer() == question.head.layer) {
        reading.run = known->run;
    } else {
        auto run = runOf(question, stop);
        if (!run)
            return run.error();
        reading.run = *std::move(run);
    }
    auto steps = reading.run->steps({question.head, question.query, question.temperature});
    if (!steps)
        return steps.error();
    reading.steps = *std::move(steps);
    return std::make_shared<const InsideReading>(std::move(reading));
}

std::size_t strongestRow(const HeadSteps& steps) {
    const auto strongest = std::ranges::max_element(steps.keys, {}, &KeySteps::weight);
    return static_cast<std::size_t>(strongest - steps.keys.begin());
}

std::vector<std::size_t> strongestRows(const HeadSteps& steps, std::size_t count) {
    std::vector<std::size_t> rows(steps.keys.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (rows.size() <= count)
        return rows;
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
        return steps.keys[a].weight > steps.keys[b].weight;
    });
    rows.resize(count);
    std::ranges::sort(rows);
    return rows;
}

QString insideSentence(const InsideReading& reading) {
    const HeadSteps& steps = reading.steps;
    const std::size_t row = strongestRow(steps);
    return InsideReadingText::tr("%1 gives %2 of its attention at %3 to %4.")
        .arg(headName(steps.question.head), percentText(steps.keys[row].weight),
             positionName(*reading.result, steps.question.query),
             positionName(*reading.result, reading.positionOf(row)));
}

} // namespace headscope::ui
