#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/views/maps/head_pattern.h"

#include <QTest>

#include <cmath>

namespace test_head_pattern {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr LayerHead kSinkHead{4, 1};

PatternSettings withFirstKey(FirstKey choice) {
    PatternSettings settings;
    settings.first_key = choice;
    return settings;
}

} // namespace

class TestHeadPattern : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = headscope::test::loadSample("gpt2-mini-6l");
        for (std::size_t i = 0; i < 90; ++i)
            ids_.push_back(static_cast<TokenId>(i == 0 ? *model_->spec.bos_token : 5 + i % 40));
        run_ = headscope::test::require(runModel(model_, ids_));
        HeadMask mask;
        mask.set({1, 0}, AblationKind::Zero);
        mask.set({3, 5}, AblationKind::Zero);
        HookSet hooks;
        addAblation(hooks, mask, model_->spec);
        masked_ = headscope::test::require(runModel(model_, ids_, {}, hooks));
    }

    void aDifferenceIsThatOfTheRuns() {
        const HeadPattern pattern = differenceMap(masked_, run_, {4, 1});
        const Tensor with = masked_->pattern({4, 1});
        const Tensor without = run_->pattern({4, 1});
        const Tensor& shown = pattern.cells->overview().values;
        bool differs = false;
        for (std::size_t q = 0; q < ids_.size(); ++q) {
            for (std::size_t k = 0; k <= q; ++k) {
                QVERIFY(std::fabs(shown(q, k) - (with(q, k) - without(q, k))) < 1e-6f);
                differs |= std::fabs(shown(q, k)) > 0.01f;
            }
            if (q + 1 < ids_.size())
                QVERIFY(std::isnan(shown(q, q + 1)));
        }
        QVERIFY(differs);
    }

    void ofDifferencesThatShareAPixelTheStrongestShows() {
        const auto cells = differenceMap(masked_, run_, {4, 1}).cells;
        const Tensor exact = cells->overview().values;
        const Tensor pooled = cells->pooled({{30, 90}, {0, 90}, 10, 15});
        for (std::size_t y = 0; y < 10; ++y)
            for (std::size_t x = 0; x < 15; ++x) {
                float strongest = NAN;
                float nearest = INFINITY; // of two as strong, rounding decides
                for (std::size_t q = 30 + 6 * y; q < 36 + 6 * y; ++q)
                    for (std::size_t k = 6 * x; k < 6 * x + 6; ++k) {
                        if (std::isnan(exact(q, k)))
                            continue;
                        nearest = std::fmin(nearest, std::fabs(pooled(y, x) - exact(q, k)));
                        if (!(std::fabs(exact(q, k)) <= std::fabs(strongest)))
                            strongest = exact(q, k);
                    }
                QCOMPARE(std::isnan(pooled(y, x)), std::isnan(strongest));
                if (std::isnan(strongest))
                    continue;
                // Other rows at once make products that round otherwise.
                QVERIFY(nearest < 2e-5f);
                QVERIFY(std::fabs(std::fabs(pooled(y, x)) - std::fabs(strongest)) < 2e-5f);
            }
    }

    void aHeadBeforeTheAblatedOnesDoesNotDiffer() {
        const HeadPattern pattern = differenceMap(masked_, run_, {0, 3});
        for (const float value : pattern.cells->overview().values.values())
            QVERIFY(std::isnan(value) || value == 0.0f);
    }

    void theShareOfTheFirstKeyIsAMean() {
        const Tensor weights = run_->pattern(kSinkHead);
        double sum = 0.0;
        for (std::size_t q = 1; q < ids_.size(); ++q)
            sum += static_cast<double>(weights(q, 0));
        const double share = firstKeyShare(*attentionMap(run_, kSinkHead).cells);
        QVERIFY(std::abs(share - sum / static_cast<double>(ids_.size() - 1)) < 1e-6);
    }

    void theFirstKeyIsHiddenAndTheOthersStay() {
        HeadPattern pattern = attentionMap(run_, kSinkHead);
        showPastFirstKey(pattern, withFirstKey(FirstKey::Hidden));
        QVERIFY(pattern.hidesFirstKey());
        const Tensor weights = run_->pattern(kSinkHead);
        const Tensor& shown = pattern.shown->overview().values;
        for (std::size_t q = 0; q < ids_.size(); ++q) {
            QVERIFY(std::isnan(shown(q, 0)));
            QVERIFY(std::fabs(pattern.first_key[q] - weights(q, 0)) < 1e-5f);
            for (std::size_t k = 1; k <= q; ++k)
                QVERIFY(std::fabs(shown(q, k) - weights(q, k)) < 1e-6f);
        }
        // Many cells to a pixel: those beside the first key still show.
        const Tensor pooled = pattern.shown->pooled({{0, 90}, {0, 90}, 9, 9});
        float beside = 0.0f;
        for (std::size_t q = 80; q < 90; ++q)
            for (std::size_t k = 1; k < 10; ++k)
                beside = std::max(beside, weights(q, k));
        QVERIFY(std::fabs(pooled(8, 0) - beside) < 1e-6f);
    }

    void rowsAreRescaledToWhatIsLeft() {
        HeadPattern pattern = attentionMap(run_, kSinkHead);
        PatternSettings settings = withFirstKey(FirstKey::Hidden);
        settings.rescale_rows = true;
        showPastFirstKey(pattern, settings);
        const Tensor weights = run_->pattern(kSinkHead);
        const Tensor& shown = pattern.shown->overview().values;
        for (const std::size_t q : {1u, 40u, 89u}) {
            double left = 0.0;
            for (std::size_t k = 1; k <= q; ++k)
                left += static_cast<double>(weights(q, k));
            double sum = 0.0;
            for (std::size_t k = 1; k <= q; ++k) {
                sum += static_cast<double>(shown(q, k));
                QVERIFY(std::abs(static_cast<double>(shown(q, k)) -
                                 static_cast<double>(weights(q, k)) / left) < 1e-5);
            }
            QVERIFY(std::abs(sum - 1.0) < 1e-5);
        }
    }

    void automaticallyItIsHiddenWhereItHoldsMost() {
        int hidden = 0;
        for (const LayerHead head : model_->spec.allHeads()) {
            HeadPattern pattern = attentionMap(run_, head);
            showPastFirstKey(pattern, {});
            QCOMPARE(pattern.hidesFirstKey(), pattern.first_key_share > 0.5);
            hidden += pattern.hidesFirstKey() ? 1 : 0;
            showPastFirstKey(pattern, withFirstKey(FirstKey::Shown));
            QVERIFY(!pattern.hidesFirstKey() && pattern.shown == pattern.cells);
        }
        QVERIFY2(hidden > 0 && hidden < 48, qPrintable(QString::number(hidden)));
    }

private:
    std::shared_ptr<const Model> model_;
    TokenIds ids_;
    std::shared_ptr<const Run> run_;
    std::shared_ptr<const Run> masked_;
};

const headscope::test::TestRegistration<TestHeadPattern> registration;

} // namespace test_head_pattern

#include "test_head_pattern.moc"
