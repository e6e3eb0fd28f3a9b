// On a circuit made by hand, whose patterns are known exactly, and on a trained model.

#include "core/engine/engine.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/examples.h"
#include "core/heads/score_heads.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace test_corpus_scan {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr std::size_t kPeriod = 8;
constexpr LayerHead kInduction{1, 0};
constexpr LayerHead kSink{0, 2};

std::vector<float> descending(std::size_t count) {
    std::vector<float> weights;
    for (std::size_t i = 0; i < count; ++i)
        weights.push_back(1.0f - static_cast<float>(i) / static_cast<float>(count));
    return weights;
}

std::vector<std::size_t> sequencesOf(const std::vector<ChosenExample>& chosen) {
    std::vector<std::size_t> sequences;
    for (const ChosenExample& each : chosen)
        sequences.push_back(each.sequence);
    return sequences;
}

} // namespace

class TestCorpusScan : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = loadSample("induction-circuit");
        sequences_ =
            require(repeatedRandomSequences(*model_, {.sequences = 70, .period = kPeriod}));
        scan_ = require(scanCorpus(model_, sequences_));
    }

    void theStrongestRowOfEachSequenceIsKept() {
        QCOMPARE(scannedSequences(scan_), sequences_.size());
        for (const StrongestRow& row : scan_[kInduction].rows) {
            QVERIFY(std::abs(row.weight - 1.0f) < 1e-4f);
            QCOMPARE(row.keys[0].key + kPeriod, row.query + 1); // behind the token's first copy
            QCOMPARE(row.keys[0].weight, row.weight);
        }
        for (const StrongestRow& row : scan_[kSink].rows) {
            QVERIFY(row.weight < 1e-4f);
            QCOMPARE(row.keys[0].key, 0u);
        }
    }

    // What a run of each sequence alone says, cell by cell.
    void rowsAreThoseOfPatterns() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequences =
            require(textSequences(*model,
                                  "The cat sat on the mat. The cat sat on the mat again, "
                                  "and then the dog came and sat on the cat.",
                                  BosMode::Auto, 9));
        QVERIFY(sequences.size() > 2);
        const CorpusScan scan = require(scanCorpus(model, sequences));
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            const auto run = require(runModel(model, sequences[i].ids));
            for (const LayerHead head : scan.heads()) {
                const StrongestRow& row = scan[head].rows[i];
                const Tensor pattern = run->pattern(head);
                float strongest = 0.0f;
                for (std::size_t query = 1; query < sequences[i].ids.size(); ++query)
                    for (std::size_t key = 1; key < query; ++key)
                        strongest = std::max(strongest, pattern(query, key));
                QVERIFY(std::abs(row.weight - strongest) < 1e-5f);
                for (const StrongestRow::Key& key : row.keys)
                    if (key.weight > 0.0f)
                        QVERIFY(std::abs(pattern(row.query, key.key) - key.weight) < 1e-5f);
            }
        }
    }

    // Sequences of 17 tokens run in groups, and a scan that was stopped goes on behind the last.
    void aScanGoesOnWhereItWasStopped() {
        std::vector<std::size_t> parts;
        CorpusScan begun;
        const auto stopped =
            scanCorpus(model_, sequences_, {}, {}, {}, [&](const CorpusScan& part) -> Result<void> {
                append(begun, part);
                parts.push_back(scannedSequences(part));
                if (parts.size() == 2)
                    return Error{ErrorCode::WriteFailed, "the disk is full"};
                return {};
            });
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().message, std::string("the disk is full"));
        QCOMPARE(parts, (std::vector<std::size_t>{30, 30})); // 512 tokens hold 30 of them
        QCOMPARE(scannedSequences(begun), std::size_t{60});
        QVERIFY(require(scanCorpus(model_, sequences_, begun)) == scan_);
        QVERIFY(require(scanCorpus(model_, sequences_, scan_)) == scan_);
    }

    void stopsAndRefuses() {
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = scanCorpus(model_, sequences_, {}, {}, stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
        QVERIFY(!scanCorpus(model_, {}));
    }

    void kindsChooseByStrength() {
        const std::vector<float> weights = descending(100);
        using Sequences = std::vector<std::size_t>;
        QCOMPARE(sequencesOf(chooseExamples(weights, ExampleKind::Strongest, 3)),
                 (Sequences{0, 1, 2}));
        QCOMPARE(sequencesOf(chooseExamples(weights, ExampleKind::Middle, 4)),
                 (Sequences{48, 49, 50, 51}));
        const auto deciles = chooseExamples(weights, ExampleKind::Deciles, 20);
        QCOMPARE(deciles.size(), std::size_t{20});
        for (std::size_t i = 0; i < deciles.size(); ++i) {
            QCOMPARE(deciles[i].sequence, 10 * (i / 2) + 5 * (i % 2));
            QCOMPARE(deciles[i].interval, 10 - i / 2);
        }
        const auto drawn = chooseExamples(weights, ExampleKind::Random, 20, 1);
        QCOMPARE(drawn, chooseExamples(weights, ExampleKind::Random, 20, 1));
        QVERIFY(drawn != chooseExamples(weights, ExampleKind::Random, 20, 2));
        const Sequences all = sequencesOf(drawn);
        QCOMPARE(std::set(all.begin(), all.end()).size(), std::size_t{20});
        QVERIFY(std::ranges::is_sorted(all)); // strongest first
    }

    void aCorpusSaysHowMuchIsUnknown() {
        const auto model = loadSample("induction-circuit");
        const TokenId unknown = *model->tokenizer->unknownToken();
        std::vector<InputSequence> sequences{{{5, 6, 7}, true}, {{8, 9}, true}};
        QCOMPARE(corpusText(*model, "a text", sequences),
                 std::string("a text, 5 tokens in 2 sequences"));
        sequences[1].ids = {unknown, unknown};
        QCOMPARE(corpusText(*model, "a text", sequences),
                 std::string(
                     "a text, 5 tokens in 2 sequences, of which 2 are unknown to the tokenizer"));
    }

    void fewSequencesAreAllChosen() {
        const std::vector<float> weights = descending(3);
        for (const ExampleKind kind : exampleKinds()) {
            QCOMPARE(chooseExamples(weights, kind, 50).size(), std::size_t{3});
            QVERIFY(chooseExamples({}, kind, 50).empty());
        }
        QCOMPARE(chooseExamples(weights, ExampleKind::Strongest, 1).front().interval,
                 kExampleIntervals);
    }

    void histogramsCount() {
        const std::vector<float> weights{0.0f, 0.04f, 0.05f, 0.5f, 1.0f};
        const auto counts = weightHistogram(weights, 20);
        QCOMPARE(counts.size(), std::size_t{20});
        QCOMPARE(counts[0], std::size_t{2});
        QCOMPARE(counts[1], std::size_t{1});
        QCOMPARE(counts[10], std::size_t{1});
        QCOMPARE(counts[19], std::size_t{1});
    }

    void listsSayWhatPeopleRead() {
        const auto model = loadSample("gpt2-mini-6l");
        const std::string text = "Once upon a time there was a cat.";
        const auto sequences = require(textSequences(*model, text, BosMode::Auto, 64));
        const CorpusScan scan = require(scanCorpus(model, sequences));
        const ExampleList list = exampleList(*model, sequences, scan[{4, 1}]);
        QCOMPARE(list.examples.size(), std::size_t{1});
        const HeadExample& example = list.examples.front();
        QCOMPARE(example.text, text);
        QCOMPARE(example.pieces.size(), sequences.front().ids.size());
        QCOMPARE(example.pieces[0], std::string("<|endoftext|>"));
        QCOMPARE(example.pieces[2], std::string(" upon"));
        QCOMPARE(list.histogram.size(), kWeightBins);
    }

    void textsAreCutByDocuments() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto two = require(
            textSequences(*model, "One cat.\n<|endoftext|>\nTwo dogs.\n", BosMode::Auto, 64));
        QCOMPARE(two.size(), std::size_t{2});
        QCOMPARE(two[1].ids,
                 require(textSequences(*model, "Two dogs.\n", BosMode::Auto, 64))[0].ids);
    }

    void sharesAreEven() {
        const auto share = evenShare(sequences_, 10 * (2 * kPeriod + 1) + 3);
        QCOMPARE(share.size(), std::size_t{10});
        for (std::size_t i = 0; i < share.size(); ++i)
            QCOMPARE(share[i].ids, sequences_[7 * i].ids);
        QCOMPARE(evenShare(sequences_, 1).size(), std::size_t{1});
        QCOMPARE(evenShare(sequences_, 1'000'000).size(), sequences_.size());
    }

private:
    std::shared_ptr<const Model> model_;
    std::vector<InputSequence> sequences_;
    CorpusScan scan_;
};

const headscope::test::TestRegistration<TestCorpusScan> registration;

} // namespace test_corpus_scan

#include "test_corpus_scan.moc"
