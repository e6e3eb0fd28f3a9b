// Walks back from scores and logits: what heads moved, and the circuit made by hand.

#include "core/attribution/logit_attribution.h"
#include "core/attribution/score_trace.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_score_trace {

using namespace headscope;
using namespace headscope::test;

namespace {

bool agree(double found, double expected, double size) {
    return std::abs(found - expected) <= 1e-4 * std::max(1e-3, size);
}
double largestOf(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    return largest;
}

/// "head 0.0@4 -key-> head 1.0@7"
std::string edgeText(const Trace& trace, const TraceEdge& edge) {
    const auto node = [&](std::size_t index) {
        const auto& place = trace.nodes[index].place;
        return place ? writerText(place->writer) + "@" + std::to_string(place->position) : "logit";
    };
    return node(edge.from) + " -" + std::string(traceSideName(edge.side)) + "-> " + node(edge.to);
}

double shareOf(const Trace& trace, const std::string& text) {
    for (const TraceEdge& edge : trace.edges)
        if (edgeText(trace, edge) == text)
            return edge.share;
    return std::nan("");
}

StreamRun inductionRun() {
    const auto model = loadSample("induction-circuit");
    return require(StreamRun::read(
        model, {require(promptFromText(*model, "a b c d a b c", BosMode::Auto)).ids}));
}

/// The induction head, at the last ·c, on the ·d behind the first.
TraceQuestion inductionCell() {
    return {ScoreQuestion{{1, 0}, 7, 4}, 0.1, 20, {}};
}

} // namespace

class TestScoreTrace : public QObject {
    Q_OBJECT

private slots:
    void readingsOfLogitsAreTheirAttribution_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                if (const auto model = loadFixture(name); model->spec.output == OutputHead::Unembed)
                    QTest::newRow(name.c_str()) << model;
    }
    /// The same parts as attributeLogit(), which goes its own way through the network.
    void readingsOfLogitsAreTheirAttribution() {
        QFETCH(std::shared_ptr<const Model>, model);
        const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 10)}));
        const std::size_t position = run.positions() - 1;
        const auto expected =
            require(attributeLogit(model, {run.question().ids, position, TokenId{1}, TokenId{0}}));
        const auto reading = require(logitReading(run, {position, TokenId{1}, TokenId{0}}));
        const std::vector<double> found = writersOf(run, reading);
        const auto writers = streamWriters(model->spec, model->spec.n_layers);
        const double size = largestOf(found);
        QVERIFY(agree(std::accumulate(found.begin(), found.end(), 0.0), expected.logit, size));
        for (std::size_t i = 0; i < writers.size(); ++i)
            if (writers[i].kind == WriterKind::Head)
                QVERIFY2(agree(found[i], expected.of(writers[i].of), size),
                         writerText(writers[i]).c_str());
    }

    void movesAddUpToWhatTheHeadWrites_data() { readingsOfLogitsAreTheirAttribution_data(); }
    /// z is the sum over keys of weight times value, and a value is the sum of its writers: read in
    /// a logit, and in the queries and keys of a later head.
    void movesAddUpToWhatTheHeadWrites() {
        QFETCH(std::shared_ptr<const Model>, model);
        const ModelSpec& spec = model->spec;
        const StreamRun run = require(StreamRun::read(model, {someIds(spec, 10)}));
        const std::size_t position = run.positions() - 1;
        std::vector<double> along(spec.d_head);
        for (std::size_t i = 0; i < along.size(); ++i)
            along[i] = std::cos(static_cast<double>(i));
        const LayerHead last = spec.allHeads().back();
        for (const StreamReading& reading :
             {require(logitReading(run, {position, TokenId{1}, {}})),
              headReading(run, last, HeadSide::Query, position, along),
              headReading(run, last, HeadSide::Key, position, along)}) {
            const std::vector<double> values = writersOf(run, reading);
            const auto writers = streamWriters(spec, reading.depth);
            const double size = largestOf(values);
            for (std::size_t i = 0; i < writers.size(); ++i) {
                if (writers[i].kind != WriterKind::Head)
                    continue;
                const HeadMoves moves = movesOf(run, writers[i].of, reading);
                QVERIFY2(
                    agree(moves.sum(), values[i], std::max(size, largestOf(moves.values.values))),
                    writerText(writers[i]).c_str());
            }
        }
    }

    /// Readings of queries and keys along their unit vectors are headInputParts() without biases.
    void readingsOfHeadsAreTheirInputs() {
        for (const char* name : {"llama-mini-gqa-4l", "gpt2-mini-6l"}) {
            const auto model = loadSample(name);
            const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 10)}));
            for (const HeadSide side : {HeadSide::Query, HeadSide::Key, HeadSide::Value}) {
                const StreamParts parts = headInputParts(run, {2, 1}, side, {6, 7});
                for (const std::size_t dimension : {std::size_t{0}, model->spec.d_head - 1}) {
                    std::vector<double> unit(model->spec.d_head, 0.0);
                    unit[dimension] = 1.0;
                    const std::vector<double> found =
                        writersOf(run, headReading(run, {2, 1}, side, 6, unit));
                    for (std::size_t writer = 0; writer + 1 < found.size(); ++writer)
                        QVERIFY(agree(found[writer],
                                      static_cast<double>(parts.at(writer, 6)[dimension]), 1.0));
                }
            }
        }
    }

    /// The induction head's key is what the previous token head wrote, of the ·c before it; of
    /// heads nothing else. By core/verify/checks/induction_circuit.cpp the other key is <BOS>, on
    /// which the head rests: a match adds 56 · 8 = 448 above its empty block, and the preference
    /// for <BOS>, which every query reads by a bias, takes 42 · 8 = 336 back.
    void findsTheInductionCircuit() {
        const Trace trace = require(traceBack(inductionRun(), inductionCell()));
        QVERIFY(agree(trace.root, 112.0, 112.0));
        std::vector<std::string> edges;
        for (const TraceEdge& edge : trace.edges)
            edges.push_back(edgeText(trace, edge));
        const std::vector<std::string> expected{
            "embedding@7 -query-> head 1.0@7", "biases@7 -query-> head 1.0@7",
            "head 0.0@4 -key-> head 1.0@7",    "embedding@4 -key-> head 1.0@7",
            "embedding@3 -value-> head 0.0@4", "positions@4 -query-> head 0.0@4",
            "positions@3 -key-> head 0.0@4"};
        QVERIFY2(edges == expected, edges.empty() ? "none" : edges.back().c_str());
        QVERIFY(agree(shareOf(trace, "head 0.0@4 -key-> head 1.0@7"), 4.0, 4.0));
        QVERIFY(agree(shareOf(trace, "embedding@4 -key-> head 1.0@7"), -3.0, 4.0));
        QVERIFY(agree(shareOf(trace, "embedding@3 -value-> head 0.0@4"), 1.0, 1.0));
        for (const TraceRest& rest : trace.rests)
            QVERIFY2(agree(rest.share, 0.0, 4.0), traceSideName(rest.side).data());
        const auto previous = std::ranges::find_if(trace.nodes, [](const TraceNode& node) {
            return node.place && node.place->writer == StreamWriter{WriterKind::Head, {0, 0}};
        });
        QVERIFY(previous->followed);
        QVERIFY(previous->key == std::optional<std::size_t>(3));
        QVERIFY(previous->weight > 0.99);
    }

    void whatAHeadMovedIsItsPartOfTheKey_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gemma2", "gpt2", "llama-gqa"}) // the first has a soft-cap
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    /// What a head of the first layer moved to the key adds up to its part of the score alone.
    void whatAHeadMovedIsItsPartOfTheKey() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 10)}));
        ScoreQuestion cell{{1, 0}, run.positions() - 1, run.positions() - 3};
        const Trace trace = require(traceBack(run, {cell, 0.0, 100000, {}}));
        cell.contrast = ScoreContrast::Nothing;
        const ScoreParts alone = require(takeScoreApart(run, cell));
        const std::vector<double> parts = alone.of(HeadSide::Key);
        for (std::size_t node = 0; node < trace.nodes.size(); ++node) {
            const TracePlace& place = *trace.nodes[node].place;
            if (place.writer.kind != WriterKind::Head || place.writer.of.layer != 0 ||
                place.position != cell.key)
                continue;
            double moved = 0.0;
            for (const TraceEdge& edge : trace.edges)
                moved += edge.to == node && edge.side == TraceSide::Value ? edge.value : 0.0;
            const auto index =
                std::ranges::find(alone.writers, place.writer) - alone.writers.begin();
            QVERIFY2(agree(moved, parts[static_cast<std::size_t>(index)], largestOf(parts)),
                     writerText(place.writer).c_str());
        }
    }

    /// A head below the least share is a node, but goes no further unless it is asked for.
    void followsWhatIsAskedFor() {
        const StreamRun run = require(StreamRun::read(
            loadSample("gpt2-mini-6l"), {someIds(loadSample("gpt2-mini-6l")->spec, 10)}));
        TraceQuestion question{ScoreQuestion{{4, 1}, 9, 2}, 0.05, 40, {}};
        const Trace wide = require(traceBack(run, question));
        const auto followed = [](const Trace& trace) {
            return std::ranges::count_if(
                trace.nodes, [](const TraceNode& node) { return node.followed && node.place; });
        };
        QVERIFY(followed(wide) > 2);
        question.least_followed = 0.99; // shown as before, but nothing behind them
        const Trace short_one = require(traceBack(run, question));
        const auto waiting = std::ranges::find_if(short_one.nodes, [](const TraceNode& node) {
            return !node.followed && node.place->writer.kind == WriterKind::Head;
        });
        QVERIFY(waiting != short_one.nodes.end());
        QVERIFY(followed(short_one) < followed(wide));
        question.followed = {*waiting->place};
        const Trace grown = require(traceBack(run, question));
        QCOMPARE(followed(grown), followed(short_one) + 1);
        QVERIFY(grown.edges.size() > short_one.edges.size());
        question.followed.clear();
        question.least_followed = 0.0;
        question.least_share = 0.99;
        const Trace narrow = require(traceBack(run, question));
        QVERIFY(narrow.nodes.size() < wide.nodes.size());
        question.least_share = 0.05;
        question.most_nodes = 5;
        const Trace small = require(traceBack(run, question));
        QCOMPARE(small.nodes.size(), std::size_t{5});
        double shown = 0.0; // what found no place counts to the rest
        for (const TraceEdge& edge : small.edges)
            shown += edge.to == 0 && edge.side == TraceSide::Key ? edge.share : 0.0;
        for (const TraceRest& rest : small.rests)
            if (rest.to == 0 && rest.side == TraceSide::Key)
                QVERIFY(agree(shown + rest.share, 1.0, 1.0));
    }

    void stopsAndRefuses() {
        const StreamRun run = inductionRun();
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = traceBack(run, inductionCell(), stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        QCOMPARE(traceBack(run, {LogitTarget{9, 1, {}}, 0.1, 20, {}}).error().message,
                 std::string("There is no position 9: the prompt has 8 tokens."));
        QVERIFY(!traceBack(run, {LogitTarget{3, 100000, {}}, 0.1, 20, {}}));
        const auto bert = loadSample("bert-mini-4l");
        const StreamRun masked = require(StreamRun::read(bert, {{1, 2, 3}}));
        QVERIFY(!traceBack(masked, {LogitTarget{1, 5, {}}, 0.1, 20, {}}));
        QVERIFY(bool(traceBack(masked, {ScoreQuestion{{3, 1}, 1, 2}, 0.1, 20, {}})));
    }
};

const headscope::test::TestRegistration<TestScoreTrace> registration;

} // namespace test_score_trace

#include "test_score_trace.moc"
