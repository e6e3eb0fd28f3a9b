#include "ui/document/prompt_set_run.h"

#include "core/datasets/indirect_object.h"
#include "core/export/analysis_calls.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <QElapsedTimer>

#include <utility>
#include <vector>

namespace headscope::ui {
namespace {

constexpr std::size_t kMadePrompts = 120;
constexpr int kPartsEvery = 300; ///< ms

Result<PromptSet> setOf(const Model& model, const PromptSetText& text, BosMode bos) {
    if (text.lines)
        return readPromptSet(model, *text.lines, text.name, bos);
    const auto made = indirectObjectPrompts(model, kMadePrompts, 0, bos);
    if (!made)
        return made.error();
    std::string lines;
    for (const IndirectObjectPrompt& prompt : *made)
        lines += prompt.text + '\n';
    return readPromptSet(model, lines, text.name, bos);
}

} // namespace

/// The set comes first, and then what came of some prompts after another.
struct PromptSetRun::Part {
    std::shared_ptr<PromptSetResult> begun = {};
    std::vector<PromptOutcome> outcomes = {};
    PromptSetMeans means = {}; ///< of all so far
};

PromptSetRun::PromptSetRun(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::modelChanged, this, &PromptSetRun::forget);
    connect(&document_.ablation(), &Ablation::changed, this, &PromptSetRun::stateChanged);
    connect(&worker_, &JobRunner::busyChanged, this, &PromptSetRun::stateChanged);
}

void PromptSetRun::forget() {
    worker_.cancel();
    so_far_.reset();
    result_.reset();
    error_.clear();
    emit resultChanged();
}

bool PromptSetRun::isStale() const {
    return result() && result()->mask != document_.ablation().mask();
}

Repetition PromptSetRun::repetition(const std::optional<HeadReadingChoice>& choice) const {
    if (!isWhole())
        return notRepeated(tr("The prompts have not run yet."));
    return repetitionOf(
        promptsCall(loadedModel(document_), *result_, file_.toStdString(), bos_, choice));
}

void PromptSetRun::run(PromptSetText text) {
    forget();
    file_ = text.file;
    bos_ = document_.bosMode();
    using Whole = std::shared_ptr<const PromptSetResult>;
    worker_.startInParts<Part>(
        [model = document_.model(), text = std::move(text), bos = document_.bosMode(),
         mask = document_.ablation().mask()](const Progress& progress, const std::stop_token& stop,
                                             const auto& publish) -> Result<Whole> {
            auto set = setOf(*model, text, bos);
            if (!set)
                return set.error();
            publish(Part{.begun = std::make_shared<PromptSetResult>(
                             PromptSetResult{.model = model, .set = *set, .mask = mask})});
            std::ptrdiff_t sent = 0;
            QElapsedTimer since_part;
            since_part.start();
            auto result = runPromptSet(
                model, *std::move(set), mask, progress, stop, [&](const PromptSetResult& so_far) {
                    if (since_part.elapsed() < kPartsEvery)
                        return;
                    publish(
                        Part{.outcomes = {so_far.outcomes.begin() + sent, so_far.outcomes.end()},
                             .means = meansOf(so_far)});
                    sent = std::ssize(so_far.outcomes);
                    since_part.restart();
                });
            if (!result)
                return result.error();
            return Whole(std::make_shared<const PromptSetResult>(*std::move(result)));
        },
        [this](const Part& part) { take(part); },
        [this](const Result<Whole>& result) { finish(result); });
}

void PromptSetRun::take(const Part& part) {
    if (part.begun)
        so_far_ = part.begun;
    so_far_->outcomes.insert(so_far_->outcomes.end(), part.outcomes.begin(), part.outcomes.end());
    so_far_->means = part.means;
    emit resultChanged();
}

void PromptSetRun::finish(const Result<std::shared_ptr<const PromptSetResult>>& result) {
    if (result) {
        so_far_.reset();
        result_ = *result;
        document_.setPromptSet(result_);
        document_.history().add(tr("Ran the prompts of %1").arg(toQString(result_->set.name)),
                                repetition({}));
    } else if (result.error().code != ErrorCode::Cancelled) {
        error_ = toQString(result.error().message);
    }
    emit resultChanged();
}

} // namespace headscope::ui
