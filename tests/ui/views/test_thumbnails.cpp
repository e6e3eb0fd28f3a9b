#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "ui/views/pattern/all_heads_view.h"
#include "ui/widgets/heatmap_cells.h"

#include <QTest>

namespace test_thumbnails {

using namespace headscope;
using namespace headscope::ui;

namespace {

PatternSource sourceOf(std::shared_ptr<const Run> run) {
    auto result = std::make_shared<RunResult>();
    result->full = run;
    result->masked = std::move(run);
    return {std::move(result), nullptr, nullptr, {}};
}

QVector<QImage> thumbnailsOf(const std::shared_ptr<const Run>& run, ColourMap map) {
    PatternSettings settings;
    settings.colours = map;
    settings.first_key = FirstKey::Shown;
    QVector<QImage> images;
    const auto drawn =
        patternThumbnails(sourceOf(run), settings, Qt::white,
                          [&](const ThumbnailPart& part) { images += part.images; }, {}, {});
    return drawn ? images : QVector<QImage>();
}

} // namespace

class TestThumbnails : public QObject {
    Q_OBJECT

private slots:
    void oneCellIsOnePixel() {
        const auto model = headscope::test::loadSample("microgpt");
        const auto run = headscope::test::require(runModel(model, {26, 4, 12, 12, 0}));
        const auto images = thumbnailsOf(run, ColourMap::Viridis);
        QCOMPARE(images.size(), 4);
        const QImage& image = images.at(2);
        QCOMPARE(image.size(), QSize(5, 5));
        QCOMPARE(image.pixel(0, 0), colourTable(ColourMap::Viridis)[255]);
        QCOMPARE(qAlpha(image.pixel(4, 3)), 0); // ahead of the query
        const float weight = run->weight({0, 2}, 4, 1);
        QCOMPARE(image.pixel(1, 4), cellColour(weight, {ColourMap::Viridis, 0.0, 1.0}));
    }

    void whatTheWindowHidesIsTransparent() {
        const auto model = headscope::test::loadFixture("mistral-window");
        const std::size_t window = model->spec.window(0);
        const TokenIds ids(window + 3, 1);
        const auto run = headscope::test::require(runModel(model, ids));
        const QImage image = thumbnailsOf(run, ColourMap::Viridis).first();
        const auto last = static_cast<int>(ids.size()) - 1;
        const int first_seen = last - static_cast<int>(window) + 1;
        QCOMPARE(qAlpha(image.pixel(first_seen - 1, last)), 0);
        QCOMPARE(qAlpha(image.pixel(first_seen, last)), 255);
    }

    void longPromptsShrinkToTheirLargestWeights() {
        const auto model = headscope::test::loadSample("gpt2-mini-6l");
        TokenIds ids(192);
        for (std::size_t i = 0; i < ids.size(); ++i)
            ids[i] = static_cast<TokenId>(5 + i);
        const auto run = headscope::test::require(runModel(model, ids));
        const QImage image = thumbnailsOf(run, ColourMap::Greys).first();
        QCOMPARE(image.size(), QSize(96, 96));
        const float largest =
            std::max({run->weight({0, 0}, 100, 60), run->weight({0, 0}, 100, 61),
                      run->weight({0, 0}, 101, 60), run->weight({0, 0}, 101, 61)});
        QCOMPARE(image.pixel(30, 50), cellColour(largest, {ColourMap::Greys, 0.0, 1.0}));
    }

    void stopsWhenAsked() {
        const auto model = headscope::test::loadSample("microgpt");
        const auto run = headscope::test::require(runModel(model, {26, 4}));
        std::stop_source stop;
        stop.request_stop();
        bool published = false;
        const auto drawn = patternThumbnails(
            sourceOf(run), {}, Qt::white, [&](const ThumbnailPart&) { published = true; }, {},
            stop.get_token());
        QVERIFY(!drawn && drawn.error().code == ErrorCode::Cancelled);
        QVERIFY(!published);
    }
};

const headscope::test::TestRegistration<TestThumbnails> registration;

} // namespace test_thumbnails

#include "test_thumbnails.moc"
