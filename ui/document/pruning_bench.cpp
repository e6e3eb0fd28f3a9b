#include "ui/document/pruning_bench.h"

#include "core/base/progress.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {

Result<PruningTexts> readPruningTexts(const Model& model, const PruningTextQuestion& question) {
    PassageOptions options =
        withinContext({question.length, question.calibration_tokens, question.seed}, model);
    auto calibration = readPassages(model, question.calibration, options);
    if (!calibration)
        return calibration.error();
    PruningTexts texts{*std::move(calibration), {}, options};
    options.most_tokens = question.test_tokens;
    auto test = readPassages(model, question.test, options);
    if (!test)
        return test.error();
    texts.test = *std::move(test);
    if (auto apart = checkApart(texts.calibration, texts.test); !apart)
        return apart.error();
    return texts;
}

namespace {

/// Whether points of one can be taken for points of the other.
bool sameWay(const PruningQuestion& a, const PruningQuestion& b) {
    return a.unit == b.unit && a.limits.least_per_layer == b.limits.least_per_layer &&
           a.limits.protected_heads == b.limits.protected_heads && a.replacement == b.replacement &&
           a.compensation == b.compensation && a.tasks == b.tasks;
}

PruningCurve* curveOf(PruningResult& result, const OrderSpec& order) {
    const auto found = std::ranges::find(
        result.curves, order, [](const PruningCurve& curve) { return curve.order.spec; });
    return found == result.curves.end() ? nullptr : &*found;
}

/// Without the curves that are not measured to their end.
PruningResult wholeCurves(const PruningResult& result) {
    PruningResult whole = result;
    std::erase_if(whole.curves, [&](const PruningCurve& curve) {
        return curve.points.size() < curveCuts(result, curve.order).size();
    });
    return whole;
}

} // namespace

/// What a measurement hands over while it runs; one of the three.
struct PruningBench::Part {
    std::optional<PruningResult> whole = {};
    std::optional<PruningOrder> order = {};
    std::optional<std::pair<OrderSpec, CurvePoint>> point = {};
};

PruningBench::PruningBench(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&document_, &Document::modelChanged, this, [this] {
        forget();
        readTexts();
    });
    connect(&worker_, &JobRunner::busyChanged, this, [this](bool busy) {
        if (!busy && state_ == State::Measuring)
            setState(State::Stopped);
    });
    readTexts();
}

std::shared_ptr<const Model> PruningBench::model() const {
    return document_.model();
}

void PruningBench::dropTexts() {
    reader_.cancel();
    texts_.reset();
    texts_error_.clear();
    emit textsChanged();
}

void PruningBench::setTexts(PruningTextQuestion question) {
    text_question_ = std::move(question);
    readTexts();
}

void PruningBench::readTexts() {
    texts_.reset();
    texts_error_.clear();
    if (!document_.model())
        return emit textsChanged();
    reader_.start(
        [model = document_.model(), question = text_question_](
            const Progress&, const std::stop_token&) { return readPruningTexts(*model, question); },
        [this](Result<PruningTexts> texts) {
            if (texts)
                texts_ = std::make_shared<const PruningTexts>(*std::move(texts));
            else
                texts_error_ = toQString(texts.error().message);
            emit textsChanged();
        });
    emit textsChanged();
}

void PruningBench::forget() {
    state_ = State::Empty; // before the worker says that it stopped
    worker_.cancel();
    error_.clear();
    result_.reset();
    measured_texts_.reset();
    verdict_.reset();
    by_verdict_.reset();
    by_user_.reset();
    emit resultChanged();
    emit chosenChanged();
}

PruningParts PruningBench::knownParts(const PruningQuestion& question) const {
    PruningParts parts;
    if (!result_ || measured_texts_ != texts_ || !sameWay(result_->question, question))
        return parts;
    for (const OrderSpec& order : question.orders)
        if (const PruningCurve* known = curveOf(*result_, order)) {
            parts.orders.push_back(known->order);
            for (const CurvePoint& point : known->points)
                parts.points.push_back({order.name(), point});
        }
    return parts;
}

void PruningBench::measure(const PruningQuestion& question) {
    const PruningParts known = knownParts(question);
    begin(question, known);
    worker_.startInParts<Part>(
        [model = document_.model(), texts = texts_, question,
         known](const Progress& progress, const std::stop_token& stop, const auto& publish) {
            PruningParts parts = known;
            parts.on_whole = [&](const PruningResult& whole) { publish(Part{.whole = whole}); };
            parts.on_order = [&](const PruningOrder& order) { publish(Part{.order = order}); };
            parts.on_point = [&](const OrderSpec& order, const CurvePoint& point) {
                publish(Part{.point = std::pair(order, point)});
            };
            return pruneAndMeasure(model, texts->calibration, texts->test, question, parts,
                                   withTimeLeft(progress), stop);
        },
        [this](const Part& part) { take(part); },
        [this](Result<PruningResult> result) { finish(std::move(result)); });
}

void PruningBench::begin(const PruningQuestion& question, const PruningParts& known) {
    measured_texts_ = texts_;
    error_.clear();
    verdict_.reset();
    std::vector<PruningCurve> curves;
    for (const PruningOrder& order : known.orders)
        if (PruningCurve* curve = curveOf(*result_, order.spec))
            curves.push_back(std::move(*curve));
    if (curves.empty()) {
        result_.reset();
    } else {
        result_->question = question;
        result_->curves = std::move(curves);
    }
    by_verdict_.reset();
    if (!chosenCut())
        by_user_.reset();
    state_ = State::Measuring;
    emit resultChanged();
    emit chosenChanged();
}

void PruningBench::take(const Part& part) {
    if (part.whole) {
        auto curves = result_ ? std::move(result_->curves) : std::vector<PruningCurve>();
        result_ = std::make_shared<PruningResult>(*part.whole);
        result_->curves = std::move(curves);
    }
    if (part.order)
        result_->curves.push_back({*part.order, {}});
    if (part.point) {
        auto& points = curveOf(*result_, part.point->first)->points;
        const auto later =
            std::ranges::upper_bound(points, part.point->second.units, {}, &CurvePoint::units);
        points.insert(later, part.point->second);
    }
    emit resultChanged();
}

void PruningBench::finish(Result<PruningResult> result) {
    if (result) {
        result_ = std::make_shared<PruningResult>(*std::move(result));
        return setState(State::Whole);
    }
    error_ = toQString(result.error().message);
    setState(State::Failed);
}

void PruningBench::setState(State state) {
    state_ = state;
    judge();
    emit resultChanged();
    emit chosenChanged();
}

void PruningBench::setTolerance(double tolerance) {
    if (tolerance == tolerance_)
        return;
    tolerance_ = tolerance;
    if (state_ != State::Measuring)
        judge();
    emit resultChanged();
    emit chosenChanged();
}

void PruningBench::judge() {
    verdict_.reset();
    by_verdict_.reset();
    if (!result_)
        return;
    const PruningResult whole = wholeCurves(*result_);
    if (whole.curves.empty())
        return;
    verdict_ = verdictOf(whole, tolerance_);
    if (const auto place = placeOfVerdict(whole, *verdict_)) {
        const PruningCurve& curve = whole.curves[place->curve];
        by_verdict_ = {curve.order.spec, curve.points[place->point].units};
    }
}

std::optional<ChosenPoint> PruningBench::chosen() const {
    return by_user_ ? by_user_ : by_verdict_;
}

void PruningBench::choose(const ChosenPoint& point) {
    if (by_user_ == point)
        return;
    by_user_ = point;
    emit chosenChanged();
}

const PruningCurve* PruningBench::chosenCurve() const {
    const auto point = chosen();
    return point && result_ ? curveOf(*result_, point->order) : nullptr;
}

const CurvePoint* PruningBench::chosenCut() const {
    const PruningCurve* curve = chosenCurve();
    if (!curve)
        return nullptr;
    const auto found = std::ranges::find(curve->points, chosen()->units, &CurvePoint::units);
    return found == curve->points.end() ? nullptr : &*found;
}

HeadSet PruningBench::removed() const {
    const CurvePoint* point = chosenCut();
    return point ? PruningResult::removedAt(*chosenCurve(), point->units) : HeadSet();
}

} // namespace headscope::ui
