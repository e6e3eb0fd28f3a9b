// What stands in for removed heads, against its definition in plain loops.

#include "core/pruning/compensation.h"
#include "core/pruning/measure/judge.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cmath>

namespace test_compensation {

using namespace headscope;
using namespace headscope::test;

namespace {

using Rows = std::vector<std::vector<double>>;

/// X of A X = B by Gaussian elimination with pivots.
Rows eliminated(Rows a, Rows b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < a.size(); ++r)
            if (std::abs(a[r][i]) > std::abs(a[pivot][i]))
                pivot = r;
        std::swap(a[i], a[pivot]);
        std::swap(b[i], b[pivot]);
        for (std::size_t r = 0; r < a.size(); ++r) {
            if (r == i)
                continue;
            const double factor = a[r][i] / a[i][i];
            for (std::size_t c = 0; c < a.size(); ++c)
                a[r][c] -= factor * a[i][c];
            for (std::size_t c = 0; c < b[r].size(); ++c)
                b[r][c] -= factor * b[i][c];
        }
    }
    for (std::size_t i = 0; i < a.size(); ++i)
        for (double& value : b[i])
            value /= a[i][i];
    return b;
}

std::vector<double> meanOf(const Rows& rows) {
    std::vector<double> mean(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += row[i] / static_cast<double>(rows.size());
    return mean;
}

/// Ridge regression of some columns on others, both centred, straight from the rows.
Rows plainRidge(const Rows& rows, const std::vector<std::size_t>& stay,
                const std::vector<std::size_t>& go, double lambda) {
    const auto mean = meanOf(rows);
    const auto count = static_cast<double>(rows.size());
    Rows a(stay.size(), std::vector<double>(stay.size()));
    Rows b(stay.size(), std::vector<double>(go.size()));
    for (const auto& row : rows)
        for (std::size_t r = 0; r < stay.size(); ++r) {
            const double centred = (row[stay[r]] - mean[stay[r]]) / count;
            for (std::size_t c = 0; c < stay.size(); ++c)
                a[r][c] += centred * (row[stay[c]] - mean[stay[c]]);
            for (std::size_t c = 0; c < go.size(); ++c)
                b[r][c] += centred * (row[go[c]] - mean[go[c]]);
        }
    double trace = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        trace += a[i][i];
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i][i] += lambda * trace / static_cast<double>(stay.size());
    return eliminated(a, b);
}

/// Mean square of what is left of the output on other rows, around the mean of the fitted ones.
double leftOn(const Rows& rows, const std::vector<double>& mean, const Rows& A,
              const std::vector<std::size_t>& stay, const std::vector<std::size_t>& go,
              const Tensor& W_O) {
    double sum = 0.0;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < W_O.dim(1); ++i) {
            double left = 0.0;
            for (std::size_t c = 0; c < go.size(); ++c) {
                double z = row[go[c]] - mean[go[c]];
                for (std::size_t r = 0; r < stay.size(); ++r)
                    z -= (row[stay[r]] - mean[stay[r]]) * A[r][c];
                left += z * W_O(go[c], i);
            }
            sum += left * left;
        }
    return sum / static_cast<double>(rows.size());
}

std::shared_ptr<const HeadStatistics> statisticsOf(const std::shared_ptr<const Model>& model,
                                                   const PassageSet& text) {
    return std::make_shared<const HeadStatistics>(require(headStatistics(model, text)));
}

/// The second head of layer 0 reads what the first reads, through values that are turned, and
/// writes elsewhere: z_1 = z_0 Q with an orthogonal Q that mixes all dimensions.
std::shared_ptr<const Model> withTurnedCopy() {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    const ModelSpec& spec = model->spec;
    AttentionWeights& attn = model->weights.layers[0].attn;
    const std::size_t d = spec.d_head;
    const auto copyBlock = [&](std::size_t first, const Rows* turn) {
        for (std::size_t c = 0; c < d; ++c) {
            const auto turned = [&](auto value) {
                double sum = 0.0;
                for (std::size_t i = 0; i < d; ++i)
                    sum += value(i) * (turn ? (*turn)[i][c] : (i == c ? 1.0 : 0.0));
                return static_cast<float>(sum);
            };
            attn.b_QKV(first + d + c) =
                turned([&](std::size_t i) { return double{attn.b_QKV(first + i)}; });
            for (std::size_t r = 0; r < spec.d_model; ++r)
                attn.W_QKV.floats()(r, first + d + c) =
                    turned([&](std::size_t i) { return double{attn.W_QKV(r, first + i)}; });
        }
    };
    Rows householder(d, std::vector<double>(d)); // I − 2 v vᵀ / vᵀ v with v = (1, 2, …)
    double square = 0.0;
    for (std::size_t i = 1; i <= d; ++i)
        square += static_cast<double>(i * i);
    for (std::size_t r = 0; r < d; ++r)
        for (std::size_t c = 0; c < d; ++c)
            householder[r][c] =
                (r == c ? 1.0 : 0.0) - 2.0 * static_cast<double>((r + 1) * (c + 1)) / square;
    copyBlock(0, nullptr);
    copyBlock(spec.queryWidth(), nullptr);
    copyBlock(2 * spec.queryWidth(), &householder);
    return model;
}

} // namespace

class TestCompensation : public QObject {
    Q_OBJECT

private slots:
    void biasIsWhatHeadsAddOnAverage();
    void ridgeIsThePlainSolve();
    void rotationTakesOverATurnedCopy();
    void onlyCompensationReplacesATurnedCopy();
    void layersWithoutHeadsKeepTheirMean();
    void roundingTakesNothingOver();
    void sameHeadsGiveTheSameRepair();
    void meanReplacementIsTheBias();
};

void TestCompensation::biasIsWhatHeadsAddOnAverage() {
    for (const char* name : {"gpt2", "llama-gqa"}) { // with b_O and without
        const auto model = loadFixture(name);
        const PassageSet text = randomPassages(*model, 6, 12, 1);
        Compensator compensator(model, statisticsOf(model, text), Compensation::Bias);
        const Cut cut = compensator.cut({{1, 0}, {1, 2}});
        QCOMPARE(cut.repairs.size(), 1u);
        const auto mean = meanOf(rowsOfZ(model, text, 1));
        const AttentionWeights& attn = model->weights.layers[1].attn;
        const std::size_t d_head = model->spec.d_head;
        for (std::size_t i = 0; i < model->spec.d_model; ++i) {
            double expected = attn.b_O.empty() ? 0.0 : attn.b_O(i);
            for (const std::size_t head : {0u, 2u})
                for (std::size_t d = head * d_head; d < (head + 1) * d_head; ++d)
                    expected += mean[d] * attn.W_O(d, i);
            QVERIFY(std::abs(cut.repairs.at(1)->b_O(i) - expected) < 1e-5);
        }
        QCOMPARE(cut.repairs.at(1)->W_O(0, 0), attn.W_O(d_head, 0)); // as it was
    }
}

void TestCompensation::ridgeIsThePlainSolve() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet text = randomPassages(*model, 60, 20, 1);
    Compensator compensator(model, statisticsOf(model, text), Compensation::Ridge);
    const Cut cut = compensator.cut({{1, 1}, {1, 2}});
    const std::size_t d_head = model->spec.d_head;
    const auto stay = columnsOf(placesLeft(model->spec, cut.removed, 1), d_head);
    const auto go = columnsOf({1, 2}, d_head);
    const Tensor W_O = model->weights.layers[1].attn.W_O.widened();

    PassageSet fitted = text;
    PassageSet held_out = text;
    fitted.passages.clear();
    held_out.passages.clear();
    for (std::size_t i = 0; i < text.passages.size(); ++i)
        (i % 4 == 3 ? held_out : fitted).passages.push_back(text.passages[i]);
    const Rows fitted_rows = rowsOfZ(model, fitted, 1);
    const Rows held_out_rows = rowsOfZ(model, held_out, 1);
    double best = 0.0;
    const Rows nothing(stay.size(), std::vector<double>(go.size()));
    double least = leftOn(held_out_rows, meanOf(fitted_rows), nothing, stay, go, W_O);
    for (const double lambda : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
        const Rows A = plainRidge(fitted_rows, stay, go, lambda);
        const double left = leftOn(held_out_rows, meanOf(fitted_rows), A, stay, go, W_O);
        if (left < least) {
            least = left;
            best = lambda;
        }
    }
    QVERIFY(best > 0.0); // something was learnt
    const Rows all = rowsOfZ(model, text, 1);
    const Rows A = plainRidge(all, stay, go, best);
    const auto mean = meanOf(all);
    const OutputRepair& repair = *cut.repairs.at(1);
    double furthest = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < model->spec.d_model; ++i) {
        double bias = 0.0;
        for (std::size_t c = 0; c < go.size(); ++c)
            bias += mean[go[c]] * W_O(go[c], i);
        for (std::size_t r = 0; r < stay.size(); ++r) {
            double added = 0.0;
            for (std::size_t c = 0; c < go.size(); ++c)
                added += A[r][c] * W_O(go[c], i);
            bias -= mean[stay[r]] * added;
            largest = std::max(largest, std::abs(added));
            furthest = std::max(furthest, std::abs(W_O(stay[r], i) + added - repair.W_O(r, i)));
        }
        furthest = std::max(furthest, std::abs(bias - repair.b_O(i)));
    }
    QVERIFY2(furthest < 1e-4 * largest,
             qPrintable(QStringLiteral("%1 of %2").arg(furthest).arg(largest)));
}

void TestCompensation::rotationTakesOverATurnedCopy() {
    const auto model = withTurnedCopy();
    const PassageSet text = randomPassages(*model, 8, 20, 1);
    Compensator compensator(model, statisticsOf(model, text), Compensation::Rotation);
    const Cut cut = compensator.cut({{0, 1}});
    const Tensor found = outputs(require(smallerModel(*model, cut)));
    QVERIFY(difference(found.view(), outputs(model).view()).relative < 1e-4);
}

void TestCompensation::onlyCompensationReplacesATurnedCopy() {
    const auto model = withTurnedCopy();
    const PassageSet text = randomPassages(*model, 24, 30, 1);
    const PassageSet test = randomPassages(*model, 8, 30, 2);
    const auto statistics = statisticsOf(model, text);
    const auto lossWith = [&](Compensation compensation) {
        auto judge = require(RemovalJudge::make(
            model, test, Compare::Nothing, {Replacement::Zero, compensation, statistics, &text}));
        return meanLoss(require(judge.without({{0, 1}}, false))) - meanLoss(judge.whole());
    };
    QVERIFY(std::abs(lossWith(Compensation::Ridge)) < 1e-4);
    QVERIFY(std::abs(lossWith(Compensation::Rotation)) < 1e-4);
    QVERIFY(std::abs(lossWith(Compensation::None)) > 1e-2);
    QVERIFY(std::abs(lossWith(Compensation::Bias)) > 1e-3);
}

void TestCompensation::layersWithoutHeadsKeepTheirMean() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    HeadSet layer;
    for (std::size_t head = 0; head < model->spec.n_heads; ++head)
        layer.push_back({1, head});
    const auto statistics = statisticsOf(model, text);
    const Cut bias = Compensator(model, statistics, Compensation::Bias).cut(layer);
    for (const Compensation compensation : {Compensation::Ridge, Compensation::Rotation}) {
        const Cut cut = Compensator(model, statistics, compensation).cut(layer);
        QVERIFY(
            std::ranges::equal(cut.repairs.at(1)->b_O.values(), bias.repairs.at(1)->b_O.values()));
    }
}

/// What varies by rounding only can stand in for nothing: magnified to the size of a head it would
/// be another number on another processor.
void TestCompensation::roundingTakesNothingOver() {
    const auto model = withConstantHeads({{1, 2}});
    const PassageSet text = randomPassages(*model, 12, 30, 1);
    const auto statistics = statisticsOf(model, text);
    const HeadSet others{{1, 0}, {1, 1}, {1, 3}};
    QCOMPARE(placesLeft(model->spec, others, 1), std::vector<std::size_t>{2});
    const Cut bias = Compensator(model, statistics, Compensation::Bias).cut(others);
    for (const Compensation compensation : {Compensation::Ridge, Compensation::Rotation}) {
        const Cut cut = Compensator(model, statistics, compensation).cut(others);
        const OutputRepair& found = *cut.repairs.at(1);
        const OutputRepair& expected = *bias.repairs.at(1);
        QVERIFY(std::ranges::equal(found.W_O.values(), expected.W_O.values()));
        QVERIFY(std::ranges::equal(found.b_O.values(), expected.b_O.values()));
    }
}

void TestCompensation::sameHeadsGiveTheSameRepair() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    Compensator compensator(model, statisticsOf(model, text), Compensation::Ridge);
    const Cut one = compensator.cut({{0, 1}, {1, 0}});
    const Cut other = compensator.cut({{1, 0}, {0, 2}});
    QCOMPARE(one.repairs.at(1), other.repairs.at(1));
    QVERIFY(one.repairs.at(0) != other.repairs.at(0));
    QVERIFY(Compensator(model, nullptr, Compensation::None).cut({{0, 1}}).repairs.empty());
}

void TestCompensation::meanReplacementIsTheBias() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    const PassageSet test = randomPassages(*model, 3, 12, 2);
    const auto statistics = statisticsOf(model, text);
    const HeadSet removed{{0, 1}, {1, 0}};
    std::vector<double> losses;
    for (const RemovalWay& way :
         {RemovalWay{Replacement::Mean, Compensation::None, statistics, &text},
          RemovalWay{Replacement::Zero, Compensation::Bias, statistics, &text},
          RemovalWay{Replacement::Zero, Compensation::None, statistics, &text}}) {
        auto judge = require(RemovalJudge::make(model, test, Compare::Nothing, way));
        losses.push_back(meanLoss(require(judge.without(removed, false))));
    }
    QCOMPARE(losses[0], losses[1]);
    QVERIFY(std::abs(losses[2] - losses[0]) > 1e-4);
}

const headscope::test::TestRegistration<TestCompensation> registration;

} // namespace test_compensation

#include "test_compensation.moc"
