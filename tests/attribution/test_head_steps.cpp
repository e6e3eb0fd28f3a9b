// The steps of one head, against what hooks see of them and against numbers worked out by hand.

#include "core/attribution/head_steps.h"
#include "core/attribution/tables.h"
#include "core/engine/engine.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace test_head_steps {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kClose = 1e-5; ///< of the largest number of a vector

/// First, middle and last.
std::set<LayerHead> threeHeads(const ModelSpec& spec) {
    const std::vector<LayerHead> all = spec.allHeads();
    return {all.front(), all[all.size() / 2], all.back()};
}

std::vector<double> numbersOf(std::span<const float> values) {
    return {values.begin(), values.end()};
}

/// The values of a hook point at a position, `count` from `first` on.
std::vector<double> seen(const Run& run, HookPoint point, std::size_t position,
                         std::size_t first = 0, std::size_t count = std::dynamic_extent) {
    const Tensor& value = run.captured.at(point);
    const std::size_t width = value.size() / value.dim(0);
    return numbersOf(value.values().subspan(position * width, width).subspan(first, count));
}

/// One row of a value [head, query, key] of one head.
std::vector<double> seenRow(const Run& run, HookPoint point, std::size_t place, std::size_t query,
                            PositionRange keys) {
    const Tensor& value = run.captured_heads.at({point, place});
    return numbersOf(value.values().subspan(query * value.dim(2) + keys.begin, keys.size()));
}

bool isNear(std::span<const double> found, std::span<const double> expected) {
    double largest = 1.0;
    for (const double value : expected)
        largest = std::max(largest, std::abs(value));
    return std::ranges::equal(
        found, expected, [&](double a, double b) { return std::abs(a - b) <= kClose * largest; });
}

template <class Member>
std::vector<double> ofKeys(const HeadSteps& steps, Member member) {
    std::vector<double> values;
    std::ranges::transform(steps.keys, std::back_inserter(values), member);
    return values;
}

HookSet captures(LayerHead head, std::size_t place) {
    HookSet hooks;
    for (const HookKind kind :
         {HookKind::ResidPre, HookKind::Q, HookKind::V, HookKind::Z, HookKind::AttnOut})
        hooks.capture(HookPoint{kind, head.layer});
    for (const HookKind kind : {HookKind::AttnScores, HookKind::Pattern, HookKind::Result})
        hooks.capture(HookPoint{kind, head.layer}, place);
    return hooks;
}

HeadSteps stepsOf(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                  const StepsQuestion& question, const HeadMask& ablated = {}) {
    return require(
        require(StepsRun::read(model, {ids, ablated}, question.head.layer)).steps(question));
}

double sumOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

} // namespace

class TestHeadSteps : public QObject {
    Q_OBJECT

private slots:
    void areWhatHooksSee_data() {
        QTest::addColumn<std::string>("name");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << name;
    }
    void areWhatHooksSee() {
        QFETCH(std::string, name);
        const auto model = loadFixture(name);
        const ModelSpec& spec = model->spec;
        const TokenIds ids = someIds(spec, 9);
        const std::size_t query = ids.size() - 2;
        for (const LayerHead head : threeHeads(spec)) {
            const std::size_t place = spec.headPlace(head);
            const std::size_t width = spec.valueDim();
            const auto run = require(runModel(model, ids, {}, captures(head, place)));
            const HeadSteps steps = stepsOf(model, ids, {head, query});
            const PositionRange keys = steps.dimensions.positions;
            QCOMPARE(steps.keys.size(), keys.size());
            QVERIFY(isNear(steps.stream, seen(*run, {HookKind::ResidPre, head.layer}, query)));
            QVERIFY(isNear(ofKeys(steps, &KeySteps::score),
                           seenRow(*run, {HookKind::AttnScores, head.layer}, place, query, keys)));
            QVERIFY(isNear(ofKeys(steps, &KeySteps::weight),
                           seenRow(*run, {HookKind::Pattern, head.layer}, place, query, keys)));
            QVERIFY(isNear(steps.z,
                           seen(*run, {HookKind::Z, head.layer}, query, place * width, width)));
            QVERIFY(isNear(steps.layer_output, seen(*run, {HookKind::AttnOut, head.layer}, query)));
            const Tensor& result = run->captured_heads.at({{HookKind::Result, head.layer}, place});
            QVERIFY(isNear(steps.head_output,
                           numbersOf(result.values().subspan(query * spec.d_model, spec.d_model))));
            QCOMPARE(steps.all_z.rows, spec.headsIn(head.layer));
            QVERIFY(std::abs(sumOf(ofKeys(steps, &KeySteps::weight)) +
                             steps.sink_exponential / steps.sum - 1.0) < 1e-12);
            productsAreWrittenOut(*model, steps, *run);
        }
    }

    /// The four decimals that the notebook prints, of its first position.
    void aPublishedNotebookComesOutToTheDigit() {
        const auto model = loadFixture("notebook");
        const HeadSteps steps = stepsOf(model, {1, 3, 4, 5, 2}, {{0, 0}, 0});
        const auto begins = [](std::span<const double> values, std::vector<double> printed) {
            return std::ranges::equal(values.first(printed.size()), printed,
                                      [](double a, double b) { return std::abs(a - b) < 5e-5; });
        };
        QVERIFY(begins(steps.all_z.values, {0.0800, 0.0257, -0.0117, -0.1056}));
        QVERIFY(begins(steps.layer_output, {0.0334, 0.0033, -0.0041, -0.0073}));
        QVERIFY(std::abs(steps.scale - 1.0 / std::sqrt(8.0)) < 1e-7);
    }

    void aStepLeadsToTheNext() {
        const auto model = loadFixture("gemma2"); // a soft-cap
        const HeadSteps steps = stepsOf(model, someIds(model->spec, 9), {{1, 1}, 6});
        QVERIFY(steps.softcap > 0.0 && steps.has_norm && !steps.has_distance && !steps.sink);
        for (const KeySteps& key : steps.keys) {
            QVERIFY(std::abs(key.scaled - steps.scale * key.product) < 1e-9);
            QVERIFY(std::abs(key.capped - steps.softcap * std::tanh(key.scaled / steps.softcap)) <
                    1e-9);
            QCOMPARE(key.score, key.capped);
            QVERIFY(std::abs(key.weight - key.exponential / steps.sum) < 1e-12);
        }
        QCOMPARE(steps.heads, (std::vector<std::size_t>{0, 1, 2, 3}));
        QCOMPARE(steps.group, model->spec.groupOf({1, 1}));
    }

    void aBiasByDistanceIsAStep() {
        const auto bloom = loadFixture("bloom");
        const HeadSteps steps = stepsOf(bloom, someIds(bloom->spec, 9), {{0, 1}, 6});
        QVERIFY(steps.has_distance);
        const auto slope = bloom->spec.alibi_slopes[1];
        for (std::size_t key = 0; key < steps.keys.size(); ++key)
            QVERIFY(std::abs(steps.keys[key].score - steps.keys[key].capped -
                             slope * (static_cast<double>(key) - 6.0)) < 1e-6);
    }

    void aTemperatureIsAWhatIf() {
        const auto model = loadFixture("gpt2");
        const TokenIds ids = someIds(model->spec, 9);
        const HeadSteps own = stepsOf(model, ids, {{1, 1}, 6});
        const HeadSteps hot = stepsOf(model, ids, {{1, 1}, 6, 2.0});
        QVERIFY(!own.isWhatIf() && own.writes && !own.layer_output.empty());
        QVERIFY(hot.isWhatIf() && !hot.writes && hot.layer_output.empty());
        QCOMPARE(ofKeys(hot, &KeySteps::score), ofKeys(own, &KeySteps::score));
        std::vector<double> roots; // exp(s / 2) is the root of exp(s)
        for (const KeySteps& key : own.keys)
            roots.push_back(std::sqrt(key.weight));
        const double sum = sumOf(roots);
        for (double& root : roots)
            root /= sum;
        QVERIFY(isNear(ofKeys(hot, &KeySteps::weight), roots));
        const auto row = [](const HeadSteps& steps, std::size_t head) {
            return std::vector<double>(
                steps.all_z.values.begin() + static_cast<std::ptrdiff_t>(head * steps.all_z.cols),
                steps.all_z.values.begin() +
                    static_cast<std::ptrdiff_t>((head + 1) * steps.all_z.cols));
        };
        QCOMPARE(row(hot, 1), hot.z); // of this head alone
        QCOMPARE(row(hot, 0), row(own, 0));
        QVERIFY(!isNear(hot.head_output, own.head_output));
    }

    void anAblatedHeadAddsWhatIsPutInItsPlace() {
        const auto model = loadFixture("gpt2");
        const TokenIds ids = someIds(model->spec, 9);
        HeadMask ablated;
        ablated.set({1, 1}, AblationKind::Zero);
        for (const double temperature : {1.0, 2.0}) {
            const HeadSteps steps = stepsOf(model, ids, {{1, 1}, 6, temperature}, ablated);
            QVERIFY(steps.is_ablated);
            QVERIFY(sumOf(ofKeys(steps, &KeySteps::weight)) > 0.99);
            QVERIFY(
                std::ranges::all_of(steps.head_output, [](double value) { return value == 0.0; }));
        }
        QVERIFY(!stepsOf(model, ids, {{1, 0}, 6}, ablated).is_ablated);
    }

    void whatIsNotThereIsRefused() {
        const auto model = loadFixture("gpt2");
        const TokenIds ids = someIds(model->spec, 9);
        QVERIFY(!StepsRun::read(model, {ids}, model->spec.n_layers));
        const StepsRun run = require(StepsRun::read(model, {ids}, 1));
        QVERIFY(run.steps({{1, 0}, 8}));
        QVERIFY(!run.steps({{1, 0}, 9}));
        QVERIFY(!run.steps({{0, 0}, 8})); // of another layer
        QVERIFY(!run.steps({{1, 99}, 8}));
        for (const double temperature : {0.0, -1.0, std::nan("")})
            QVERIFY(!run.steps({{1, 0}, 8, temperature}));
    }

    /// What people see leaves out what the network does not do.
    void tablesShowTheStepsThatThereAre() {
        const auto shownColumns = [](const char* name) {
            const auto model = loadFixture(name);
            const TokenIds ids = someIds(model->spec, 9);
            const HeadSteps steps = stepsOf(model, ids, {{0, 1}, 6});
            const std::vector<Table> shown =
                stepsShown(steps, *model, stepsTable(steps, *model, {}));
            std::set<std::string> titles;
            for (const Column& column : shown.front().columns)
                if (!column.title.empty())
                    titles.insert(column.key);
            return titles;
        };
        const auto has = [](const std::set<std::string>& titles, const char* key) {
            return titles.contains(key);
        };
        QVERIFY(has(shownColumns("gemma2"), "capped") && !has(shownColumns("gpt2"), "capped"));
        QVERIFY(has(shownColumns("bloom"), "score") && !has(shownColumns("gpt2"), "score"));
    }

private:
    static void productsAreWrittenOut(const Model& model, const HeadSteps& steps, const Run& run) {
        const LayerHead head = steps.question.head;
        const std::size_t d_head = model.spec.d_head;
        const auto query = seen(run, {HookKind::Q, head.layer}, steps.question.query,
                                model.spec.headPlace(head) * d_head, d_head);
        std::vector<double> found;
        for (std::size_t i = 0; i < d_head; ++i)
            found.push_back(writtenQuery(model, steps, i).value);
        QVERIFY(model.spec.qkv_clip != 0.0 || isNear(found, query));
        const WrittenProduct output = writtenOutput(model, steps, 1);
        QVERIFY(std::abs(output.value - steps.head_output[1]) < 1e-9);
        QVERIFY(
            std::ranges::is_sorted(output.terms, std::ranges::greater(),
                                   [](const ProductTerm& term) { return std::abs(term.term()); }));
        QCOMPARE(output.terms.size(), model.spec.valueDim());
    }
};

const headscope::test::TestRegistration<TestHeadSteps> registration;

} // namespace test_head_steps

#include "test_head_steps.moc"
