#include "ui/document/label_tester.h"

#include "ui/tables/head_text.h"

#include <QSignalBlocker>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <utility>

namespace headscope::ui {

namespace {

/// What the scores alone say of all labels.
ModelTrust untested(const ShownLabels& shown) {
    if (!shown.scores)
        return {};
    TrustOptions nothing;
    nothing.effects = false;
    nothing.other_input = false;
    auto trust = measureTrust(shown.model, *shown.scores, shown.thresholds, nothing);
    return trust ? *std::move(trust) : ModelTrust();
}

/// How many of the labels that are being tested were.
struct TestCount {
    std::atomic<std::size_t> done = 0;
    std::atomic<std::size_t> all = 0;

    void take(std::span<const LabelTrust> labels) {
        const auto is_asked = [](const LabelTrust& label) { return claimsCause(label.score.type); };
        all = static_cast<std::size_t>(std::ranges::count_if(labels, is_asked));
        done = static_cast<std::size_t>(std::ranges::count_if(labels, [&](const LabelTrust& label) {
            return is_asked(label) && label.effect.has_value();
        }));
    }

    /// "3 of 27 labels"; of labels that claim nothing what is done for them.
    std::string stage(std::string_view doing) const {
        return all == 0 ? std::string(doing)
                        : std::to_string(done) + " of " + std::to_string(all) + " labels";
    }
};

} // namespace

LabelTester::LabelTester(QObject* parent)
    : QObject(parent), writer_(std::make_unique<JobRunner>()) {
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy)
            keep();
        emit trustChanged();
    });
}

/// Writes what is left, after what is being written.
LabelTester::~LabelTester() {
    writer_.reset();
    while (const auto labels = tested_.unkept()) {
        static_cast<void>(keepLabels(*labels));
        tested_.setKept(*labels); // or cannot be
    }
}

void LabelTester::show(ShownLabels shown) {
    const bool same_question = shown.model == shown_.model &&
                               shown.by_definition == shown_.by_definition &&
                               shown.thresholds == shown_.thresholds;
    if (!same_question) {
        const QSignalBlocker quiet(this); // who asks meanwhile would find the labels before
        worker_.cancel();
        error_.clear();
    }
    if (shown.model && (!shown_.model || shown.model->sha256 != shown_.model->sha256))
        takeUp(shown.model->sha256);
    const bool same_labels = same_question && shown.scores == shown_.scores;
    shown_ = std::move(shown);
    if (same_labels)
        return;
    trust_ = untested(shown_);
    putMeasured();
}

/// What is known of the model is shown as soon as its file is read.
void LabelTester::takeUp(const std::string& sha256) {
    reader_.cancel();
    if (!tested_.setModel(sha256))
        return;
    const auto read = [file = tested_.file()](const Progress&, const std::stop_token&) {
        return Result<ReadLabels>(readLabels(file));
    };
    reader_.start(read, [this](Result<ReadLabels> kept) {
        say(kept ? kept->said : toQString(kept.error().message));
        if (!kept)
            return;
        tested_.takeFile(*std::move(kept));
        putMeasured();
        emit trustChanged();
    });
}

void LabelTester::putMeasured() {
    const LabelTests* const known =
        shown_.by_definition ? tested_.find(shown_.square_flipped, shown_.thresholds) : nullptr;
    if (known == nullptr)
        return;
    trust_.notes = known->notes;
    for (LabelTrust& label : trust_.labels) {
        const LabelTrust* const found = findLabel(*known, label.score.head, label.score.type);
        if (found != nullptr && areOfOneScore(*found, label))
            takeFigures(label, *found);
    }
}

std::span<const LabelTrust> LabelTester::labels(LayerHead head) const {
    const auto head_of = [](const LabelTrust& label) { return label.score.head; };
    const auto begin = std::ranges::lower_bound(trust_.labels, head, {}, head_of);
    const auto end = std::ranges::upper_bound(trust_.labels, head, {}, head_of);
    return {begin, end};
}

const LabelTrust* LabelTester::label(LayerHead head, HeadTypeId type) const {
    const auto of_head = labels(head);
    const auto found = std::ranges::find_if(
        of_head, [type](const LabelTrust& label) { return label.score.type == type; });
    return found == of_head.end() ? nullptr : &*found;
}

/// Heads are ablated after everything else was read.
bool LabelTester::isTested(LayerHead head) const {
    const auto of_head = labels(head);
    return std::ranges::any_of(of_head,
                               [](const LabelTrust& label) { return label.effect.has_value(); }) &&
           std::ranges::none_of(of_head, [](const LabelTrust& label) {
               return claimsCause(label.score.type) && !label.effect;
           });
}

bool LabelTester::areAllTested() const {
    return !trust_.labels.empty() &&
           std::ranges::all_of(trust_.labels, [this](const LabelTrust& label) {
               return isTested(label.score.head);
           });
}

QString LabelTester::refusal(LayerHead head) const {
    if (!shown_.scores)
        return tr("The types are not measured yet.");
    if (!shown_.refusal.isEmpty())
        return shown_.refusal;
    return labels(head).empty() ? tr("%1 has no label.").arg(headName(head)) : QString();
}

QString LabelTester::refusalOfAll() const {
    if (!shown_.scores)
        return tr("The types are not measured yet.");
    if (!shown_.refusal.isEmpty())
        return shown_.refusal;
    if (trust_.labels.empty())
        return tr("No head has a label.");
    return areAllTested() ? tr("All labels are tested.") : QString();
}

void LabelTester::test(LayerHead head) {
    if (refusal(head).isEmpty())
        start({head});
}

void LabelTester::testAll() {
    if (!refusalOfAll().isEmpty())
        return;
    std::vector<LayerHead> heads;
    for (const LabelTrust& label : trust_.labels)
        if ((heads.empty() || heads.back() != label.score.head) && !isTested(label.score.head))
            heads.push_back(label.score.head);
    start(std::move(heads));
}

void LabelTester::start(std::vector<LayerHead> heads) {
    error_.clear();
    using Part = std::vector<LabelTrust>;
    worker_.startInParts<Part>(
        [model = shown_.model, scores = shown_.scores, thresholds = shown_.thresholds,
         heads = std::move(heads)](const Progress& progress, const std::stop_token& stop,
                                   const std::function<void(const Part&)>& publish) {
            TestCount count;
            TrustOptions options;
            options.heads = heads;
            return measureTrust(
                model, *scores, thresholds, options,
                [&](double fraction, std::string_view doing) {
                    report(progress, fraction, count.stage(doing));
                },
                stop,
                [&](std::span<const LabelTrust> labels) {
                    count.take(labels);
                    publish({labels.begin(), labels.end()});
                });
        },
        [this](const Part& part) { take({.labels = part}); },
        [this](const Result<ModelTrust>& trust) {
            if (trust)
                take({.labels = trust->labels, .notes = trust->notes});
            else
                error_ = toQString(trust.error().message);
            keep();
            emit trustChanged();
            if (trust)
                emit tested();
        });
}

void LabelTester::take(const LabelTests& tests) {
    tested_.take(shown_.square_flipped, shown_.thresholds, tests);
    putMeasured();
    emit trustChanged();
}

/// One file at a time. What cannot be written is tried again after the next test.
void LabelTester::keep() {
    if (writer_->isBusy())
        return;
    auto unkept = tested_.unkept();
    if (!unkept)
        return;
    const auto labels = std::make_shared<const UnkeptLabels>(*std::move(unkept));
    const auto write = [labels](const Progress&, const std::stop_token&) {
        return Result<KeptLabels>(keepLabels(*labels));
    };
    writer_->start(write, [this, labels](const Result<KeptLabels>& kept) {
        say(kept ? kept->said : toQString(kept.error().message));
        if (!kept || !kept->are_written)
            return;
        tested_.setKept(*labels);
        keep();
    });
}

void LabelTester::say(const QString& message) {
    if (message.isEmpty())
        return;
    // Queued: a window that takes up a model says what it opened first.
    QMetaObject::invokeMethod(
        this, [this, message] { emit problem(message); }, Qt::QueuedConnection);
}

} // namespace headscope::ui
