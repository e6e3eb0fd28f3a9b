// What the docstrings of HeadVis's data_pipeline.py promise its viewer.

#include "core/export/headvis.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

namespace test_headvis {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json readJson(const fs::path& path) {
    std::ifstream file(path);
    return json::parse(file);
}

/// {"bin_edges", "bin_values"}: one edge more than values, ascending.
bool isHistogram(const json& histogram) {
    const auto edges = histogram.at("bin_edges").get<std::vector<double>>();
    return edges.size() == histogram.at("bin_values").size() + 1 && std::ranges::is_sorted(edges);
}

/// [{"token", "weight"}], the heaviest first.
bool isTokenTable(const json& table) {
    double last = 1e9;
    for (const json& row : table) {
        if (!row.at("token").is_string() || row.at("weight").get<double>() > last)
            return false;
        last = row.at("weight").get<double>();
    }
    return table.is_array();
}

} // namespace

class TestHeadvis : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = loadSample("induction-circuit");
        sequences_ = require(repeatedRandomSequences(*model_, {.sequences = 12, .period = 6}));
        scores_ = require(scoreSequences(model_, sequences_, "twelve sequences"));
        heads_ = require(attentionExamples(model_, sequences_));
        QVERIFY(writeHeadvis(out(), content()));
    }

    void configSaysWhatThereIs() {
        const json config = readJson(out() / "config.json");
        QVERIFY(config["model_name"] == "induction-circuit");
        QCOMPARE(config["heads"].size(), 8u);
        QVERIFY(config["heads"][5] == json::array({1, 1}));
        QVERIFY(config["n_layers"] == 2 && config["n_heads"] == 4 && config["n_intervals"] == 10);
        QVERIFY(config["head_data_pattern"] == "L{layer}H{head}.json");
        QVERIFY(config["has_umap"] == false && config["umap_heads"].empty());
        for (const json& metric : config["metrics"])
            QVERIFY(config["metric_descriptions"][metric.get<std::string>()].is_string());
        const std::string induction = config["metric_descriptions"]["induction"];
        QVERIFY(induction.find("twelve sequences") != std::string::npos);
        for (const char* list : {"custom_plots", "custom_tables"})
            for (const json& entry : config[list])
                QVERIFY(headFile({1, 0}).contains(entry.at("key").get<std::string>()) &&
                        entry.at("label").is_string());
        for (const auto& [key, display] : config["statistics_display"].items())
            QVERIFY(headFile({1, 0})["statistics"].at(key).is_number() &&
                    display.at("format") == "default");
    }

    void scatterHasARowPerHead() {
        const json rows = readJson(out() / "scatter_data.json");
        const json metrics = readJson(out() / "config.json")["metrics"];
        QCOMPARE(rows.size(), 8u);
        for (const json& row : rows) {
            QCOMPARE(row.size(), metrics.size() + 2);
            for (const json& metric : metrics)
                QVERIFY(row.contains(metric.get<std::string>()));
        }
        QVERIFY(rows[4]["layer"] == 1 && rows[4]["head"] == 0);
        QVERIFY(rows[4]["induction"] == 1.0);
        QVERIFY(rows[2]["sink"] == 1.0);
        QVERIFY(rows[4]["subject-verb"].is_null()); // random tokens have no grammar
    }

    void headFilesHoldTheirExamples() {
        for (std::size_t layer = 0; layer < 2; ++layer)
            for (std::size_t head = 0; head < 4; ++head) {
                const json file = headFile({layer, head});
                for (const json& sequence : file["sequences"])
                    checkSequence(sequence);
                QVERIFY(isHistogram(file["histogram"]));
                QVERIFY(isHistogram(file["qk_distance_histogram"]));
                for (const char* table : {"top_query_tokens", "top_key_tokens"})
                    QVERIFY(!file[table].empty() && isTokenTable(file[table]));
            }
        QCOMPARE(headFile({1, 0})["sequences"].size(), 12u);
        QVERIFY(headFile({1, 0})["sequences"][0]["interval"] == 10);
        QVERIFY(headFile({1, 0})["types"][0] == (json{{"token", "induction"}, {"weight", 1.0}}));
    }

    void histogramsCount() {
        const json file = headFile({1, 0});
        QVERIFY(file["histogram"]["bin_values"].back() == 12); // every largest weight is 1
        std::size_t entries = 0;
        for (const json& sequence : file["sequences"])
            entries += sequence["attention_indices"].size();
        std::size_t counted = 0;
        for (const json& count : file["qk_distance_histogram"]["bin_values"])
            counted += count.get<std::size_t>();
        QCOMPARE(counted, entries);
        QVERIFY(file["statistics"]["mean_max_activation"] == 1.0);
        QVERIFY(file["statistics"]["n_sequences"] == 12);
    }

    void whatTheViewerNeedsNoServerFor() {
        QVERIFY(readJson(out() / "server_config.json") == json::object());
        QVERIFY(readJson(out() / "attributions" / "manifest.json") == json::object());
        QVERIFY(readJson(out() / "scores.json")["provenance"]["model_name"] == "induction-circuit");
    }

    void sameInputSameBytes() {
        const fs::path again = out().string() + "-again";
        QVERIFY(writeHeadvis(again, content()));
        for (const auto& entry : fs::recursive_directory_iterator(out()))
            if (entry.is_regular_file())
                QVERIFY(readJson(entry.path()) ==
                        readJson(again / fs::relative(entry.path(), out())));
    }

    void refusesAFolderThatIsTaken() {
        const auto written = writeHeadvis(out(), content());
        QVERIFY(!written);
        QVERIFY(written.error().message.find("exists already") != std::string::npos);
        QVERIFY(!writeHeadvis(out() / "no" / "such", content()));
    }

private:
    fs::path out() const { return fs::path(folder_.path().toStdString()) / "data"; }

    HeadvisContent content() const {
        return {*model_, scores_, thresholds_, sequences_, heads_, provenanceOf(*model_)};
    }

    json headFile(LayerHead head) const {
        return readJson(
            out() / "heads" /
            ("L" + std::to_string(head.layer) + "H" + std::to_string(head.head) + ".json"));
    }

    void checkSequence(const json& sequence) const {
        const auto length = sequence.at("seq_len").get<std::size_t>();
        const auto& ids = sequences_[sequence.at("sequence_id").get<std::size_t>()].ids;
        QCOMPARE(length, ids.size());
        QCOMPARE(sequence.at("tokens").size(), length);
        const auto interval = sequence.at("interval").get<int>();
        QVERIFY(1 <= interval && interval <= 10);
        const auto indices = sequence.at("attention_indices").get<std::vector<std::size_t>>();
        const auto values = sequence.at("attention_values").get<std::vector<double>>();
        QCOMPARE(indices.size(), values.size());
        double largest = 0.0;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const std::size_t query = indices[i] / length;
            const std::size_t key = indices[i] % length;
            QVERIFY(key <= query && query < length);
            QVERIFY(values[i] >= 0.005 && values[i] <= 1.0);
            if (key != 0 && key != query)
                largest = std::max(largest, values[i]);
        }
        QCOMPARE(sequence.at("max_activation").get<double>(), largest);
    }

    QTemporaryDir folder_;
    std::shared_ptr<const Model> model_;
    std::vector<InputSequence> sequences_;
    HeadScores scores_;
    Thresholds thresholds_;
    PerHead<HeadExamples> heads_;
};

const headscope::test::TestRegistration<TestHeadvis> registration;

} // namespace test_headvis

#include "test_headvis.moc"
