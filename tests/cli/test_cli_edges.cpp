#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_cli_edges {

using namespace headscope::test;

namespace {

CliResult edgesOf(const Arguments& more) {
    return runCli(Arguments{"edges", sampleModel("induction-circuit.h5"), "--clean",
                            "a b c d a b c", "--corrupted", "a b g d a b c"} +
                  more);
}

const Arguments edgesMetric{"--metric", "logit-diff", "--tokens", "d", "e"};

} // namespace

class TestCliEdges : public QObject {
    Q_OBJECT

private slots:
    void csvHoldsTheBestEdges() {
        const CliResult result = edgesOf(edgesMetric + Arguments{"--top", "3", "--exact", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with(
            "writer,receiver,score,exact,clean,corrupted,metric,estimate,edges,correlation"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 4);
        QVERIFY2(result.out.find("\nhead 1.0,logits,-1.159") != std::string::npos,
                 result.out.c_str());
    }

    void csvHoldsCircuits() {
        const CliResult result =
            edgesOf(edgesMetric + Arguments{"--circuits", "--sizes", "0,10,500", "--estimate",
                                            "recomputed", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("edges,kept,faithfulness,without,rest,"));
        QVERIFY2(result.out.find("recomputed,81,") != std::string::npos, result.out.c_str());
        const auto lineFrom = [&](const std::string& begin) {
            return result.out.substr(result.out.find(begin), 40);
        };
        QVERIFY2(lineFrom("\n0,").starts_with("\n0,0,0,14.68"), result.out.c_str());
        QVERIFY2(lineFrom("\n81,").starts_with("\n81,14.68"), result.out.c_str());
    }

    void circuitsAndSingleEdgesAreTwoThings() {
        QVERIFY(edgesOf(edgesMetric + Arguments{"--circuits", "--exact"}).exit_code == 2);
        QVERIFY(edgesOf(edgesMetric + Arguments{"--sizes", "3"}).exit_code == 2);
        QVERIFY(edgesOf(edgesMetric + Arguments{"--estimate", "guess"}).exit_code == 2);
    }

    void klIsRefused() { QVERIFY(edgesOf({"--metric", "kl"}).exit_code == 2); }
};

const headscope::test::TestRegistration<TestCliEdges> registration;

} // namespace test_cli_edges

#include "test_cli_edges.moc"
