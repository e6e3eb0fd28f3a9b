#include "ui/document/pruning_bench.h"

#include "core/base/progress.h"
#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <algorithm>
#include <utility>

namespace headscope::ui {

bool PruningTextQuestion::isBundled() const {
    return calibration.name == bundledCalibration().name && test.name == bundledTest().name;
}

Result<PruningTexts> readPruningTexts(const std::shared_ptr<const Model>& model,
                                      const PruningTextQuestion& question, const Progress& progress,
                                      const std::stop_token& stop) {
    const PassageOptions options =
        withinContext({question.length, question.calibration_tokens, question.seed}, *model);
    PassageOptions test_options = options;
    test_options.most_tokens = question.test_tokens;
    if (question.isBundled())
        return pruningDomains(model, {question.domains, options, test_options}, progress, stop);
    auto calibration = readPassages(*model, question.calibration, options);
    if (!calibration)
        return calibration.error();
    auto test = readPassages(*model, question.test, test_options);
    if (!test)
        return test.error();
    return pruningTextsOf(model, *std::move(calibration), *std::move(test), options, progress,
                          stop);
}

namespace {

/// Whether points of one can be taken for points of the other.
bool sameWay(const PruningQuestion& a, const PruningQuestion& b) {
    return a.unit == b.unit && a.limits.least_per_layer == b.limits.least_per_layer &&
           a.limits.protected_heads == b.limits.protected_heads && a.replacement == b.replacement &&
           a.compensation == b.compensation && a.tasks == b.tasks;
}

template <class PruningResultOrConst>
auto* curveOf(PruningResultOrConst& result, const OrderSpec& order) {
    const auto found = std::ranges::find(
        result.curves, order, [](const PruningCurve& curve) { return curve.order.spec; });
    return found == result.curves.end() ? nullptr : &*found;
}

/// Without the curves that are not measured to their end.
PruningResult wholeCurves(const PruningResult& result) {
    PruningResult whole = result;
    std::erase_if(whole.curves, [&](const PruningCurve& curve) {
        return !std::ranges::all_of(curveCuts(result, curve.order), [&](std::size_t units) {
            return std::ranges::find(curve.points, units, &CurvePoint::units) != curve.points.end();
        });
    });
    return whole;
}

} // namespace

/// What a measurement on one of the texts hands over while it runs; one of the three.
struct PruningBench::Part {
    std::size_t text = 0;
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
        [model = document_.model(), question = text_question_](const Progress& progress,
                                                               const std::stop_token& stop) {
            return readPruningTexts(model, question, progress, stop);
        },
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
    results_.reset();
    shown_by_user_.reset();
    measured_texts_.reset();
    verdict_.reset();
    by_verdict_.reset();
    by_user_.reset();
    emit resultChanged();
    emit chosenChanged();
}

std::size_t PruningBench::shown() const {
    if (shown_by_user_)
        return *shown_by_user_;
    if (state_ == State::Measuring)
        return measuring_;
    return verdict_ ? verdict_->nearest : 0;
}

void PruningBench::show(std::size_t text) {
    if (shown_by_user_ == text)
        return;
    shown_by_user_ = text;
    by_user_.reset();
    judge();
    emit resultChanged();
    emit chosenChanged();
}

std::shared_ptr<const PruningDomain> PruningBench::texts() const {
    if (!texts_)
        return nullptr;
    return {texts_, &texts_->domains[std::min(shown(), texts_->domains.size() - 1)]};
}

std::shared_ptr<const PruningDomain> PruningBench::measuredTexts() const {
    if (!measured_texts_)
        return nullptr;
    return {measured_texts_, &measured_texts_->domains[shown()]};
}

std::shared_ptr<const PruningResult> PruningBench::result() const {
    if (!results_ || shown() >= results_->domains.size())
        return nullptr;
    return {results_, &results_->domains[shown()]};
}

/// Whether what was measured belongs to this question; orders, points and tolerance may differ.
bool PruningBench::isKnown(const PruningQuestion& question) const {
    return results_ && measured_texts_ == texts_ && !results_->domains.empty() &&
           sameWay(results_->domains.front().question, question);
}

std::map<std::string, PruningParts> PruningBench::knownParts() const {
    std::map<std::string, PruningParts> parts;
    for (const PruningResult& result : results_->domains)
        for (const PruningCurve& curve : result.curves) {
            parts[result.text].orders.push_back(curve.order);
            for (const CurvePoint& point : curve.points)
                parts[result.text].points.push_back({curve.order.spec.name(), point});
        }
    return parts;
}

void PruningBench::measure(const PruningQuestion& question) {
    begin(question);
    worker_.startInParts<Part>(
        [model = document_.model(), texts = texts_, question, known = knownParts()](
            const Progress& progress, const std::stop_token& stop, const auto& publish) {
            auto parts = known;
            for (std::size_t i = 0; i < texts->domains.size(); ++i) {
                PruningParts& of = parts[texts->domains[i].name];
                of.on_whole = [&publish, i](const PruningResult& whole) {
                    publish(Part{.text = i, .whole = whole});
                };
                of.on_order = [&publish, i](const PruningOrder& order) {
                    publish(Part{.text = i, .order = order});
                };
                of.on_point = [&publish, i](const OrderSpec& order, const CurvePoint& point) {
                    publish(Part{.text = i, .point = std::pair(order, point)});
                };
            }
            return pruneDomains(model, *texts, question, parts, withTimeLeft(progress), stop);
        },
        [this](const Part& part) { take(part); },
        [this](Result<DomainResults> results) { finish(std::move(results)); });
}

/// Keeps the curves that the question asks for again.
void PruningBench::begin(const PruningQuestion& question) {
    const bool known = isKnown(question);
    if (measured_texts_ != texts_)
        shown_by_user_.reset();
    measured_texts_ = texts_;
    measuring_ = 0;
    error_.clear();
    verdict_.reset();
    if (!known)
        results_ = std::make_shared<DomainResults>(DomainResults{{}, texts_->own_loss});
    for (PruningResult& result : results_->domains) {
        result.question = question;
        std::erase_if(result.curves, [&](const PruningCurve& curve) {
            return std::ranges::find(question.orders, curve.order.spec) == question.orders.end();
        });
    }
    by_verdict_.reset();
    state_ = State::Measuring;
    if (!chosenCut())
        by_user_.reset();
    emit resultChanged();
    emit chosenChanged();
}

void PruningBench::take(const Part& part) {
    measuring_ = part.text;
    if (part.whole) {
        if (part.text == results_->domains.size())
            results_->domains.emplace_back();
        PruningResult& result = results_->domains[part.text];
        auto curves = std::move(result.curves);
        result = *part.whole;
        result.text = measured_texts_->domains[part.text].name;
        result.curves = std::move(curves);
    }
    PruningResult& result = results_->domains[part.text];
    if (part.order)
        result.curves.push_back({*part.order, {}});
    if (part.point) {
        auto& points = curveOf(result, part.point->first)->points;
        const auto later =
            std::ranges::upper_bound(points, part.point->second.units, {}, &CurvePoint::units);
        points.insert(later, part.point->second);
    }
    emit resultChanged();
}

void PruningBench::finish(Result<DomainResults> results) {
    if (results) {
        results_ = std::make_shared<DomainResults>(*std::move(results));
        return setState(State::Whole);
    }
    error_ = toQString(results.error().message);
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

/// By the texts whose curves are whole, as far as they follow one another.
void PruningBench::judge() {
    verdict_.reset();
    by_verdict_.reset();
    judged_ = {};
    if (!results_ || state_ == State::Measuring)
        return;
    judged_.own_loss = results_->own_loss;
    for (const PruningResult& result : results_->domains) {
        PruningResult whole = wholeCurves(result);
        if (whole.curves.empty())
            break;
        judged_.domains.push_back(std::move(whole));
    }
    if (judged_.domains.empty())
        return;
    verdict_ = verdictOf(judged_, tolerance_);
    if (shown() >= judged_.domains.size())
        return;
    const PruningResult& result = judged_.domains[shown()];
    if (const auto place = placeOfVerdict(result, verdict_->texts[shown()])) {
        const PruningCurve& curve = result.curves[place->curve];
        by_verdict_ = {curve.order.spec, curve.points[place->point].units};
    }
}

std::optional<ChosenPoint> PruningBench::chosen() const {
    return by_user_ ? by_user_ : by_verdict_;
}

void PruningBench::choose(const ChosenPoint& point) {
    if (by_user_ == point)
        return;
    shown_by_user_ = shown(); // the point is of this text
    by_user_ = point;
    emit chosenChanged();
}

const PruningCurve* PruningBench::chosenCurve() const {
    const auto point = chosen();
    const auto result = this->result();
    return point && result ? curveOf(*result, point->order) : nullptr;
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
