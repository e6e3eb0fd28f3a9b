// What files and the terminal show of a token's dependence.

#include "core/interventions/token_table.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_token_table {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Two methods with opposite ranks.
TokenDependence someDependence() {
    TokenDependence result;
    result.question.ids = {5, 17, 3};
    result.question.reading = Metric{};
    result.question.baseline = TokenBaseline{7};
    result.question.steps = 9;
    result.value = 2.5;
    result.without_all = 3.0;
    result.seen = 3;
    result.methods = {{TokenMethod::Hide, {1.0, 2.0, 3.0}},
                      {TokenMethod::Integrated, {0.75, 0.5, -0.5}}};
    return result;
}

Provenance someProvenance() {
    Provenance provenance;
    provenance.model_name = "model";
    provenance.ids = {5, 17, 3};
    provenance.pieces = {"When", " Mary", " and"};
    return provenance;
}

std::string fieldText(const Table& table, std::string_view key, Files files) {
    const auto found = std::ranges::find_if(table.fields, [&](const Field& field) {
        return field.key == key && isIn(field.files, files);
    });
    return found == table.fields.end() ? "missing" : plainText(found->value);
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class TestTokenTable : public QObject {
    Q_OBJECT

private slots:
    void aRowForEachToken() {
        const Table table = tokenTable(someDependence(), *loadFixture("gpt2"), someProvenance());
        QCOMPARE(table.rows.size(), 3u);
        QCOMPARE(plainText(table.rows[1][table.column("position")]), std::string("1"));
        QCOMPARE(plainText(table.rows[1][table.column("token text")]), std::string("1 ·Mary"));
        QCOMPARE(plainText(table.rows[1][table.column("hide")]), std::string("2"));
        QCOMPARE(plainText(table.rows[2][table.column("integrated")]), std::string("-0.5"));
        QCOMPARE(headingText(table.columns[table.column("hide")]), std::string("hide, nats"));
        QVERIFY(says(table.caption, "loss 2.5000 nats"));
        QVERIFY(says(table.caption, "replaced by the token ⟨7⟩"));
        QVERIFY(says(table.caption, "of 9 steps sum to 0.7500"));
        QVERIFY(says(table.caption, "it changes by 0.5000.\nIntegrated gradients do not yet"));
    }

    void whatHoldsForAll() {
        const Table table = tokenTable(someDependence(), *loadFixture("gpt2"), someProvenance());
        const std::vector<std::pair<const char*, const char*>> expected{
            {"value", "2.5"},        {"reading", "loss"}, {"baseline", "⟨7⟩"},
            {"baseline_token", "7"}, {"seen", "3"},       {"steps", "9"},
            {"without_all", "3"},    {"gap", "0.25"},     {"correlation_hide_integrated", "-1"}};
        for (const auto& [key, text] : expected)
            QCOMPARE(fieldText(table, key, Files::Csv), std::string(text));
        QVERIFY(says(fieldText(table, "note", Files::Json), "more steps"));
    }

    void withoutIntegratedGradients() {
        TokenDependence result = someDependence();
        result.methods.pop_back();
        result.without_all = NAN;
        result.question.baseline = TokenBaseline{};
        result.question.reading = AttentionEntry{{2, 1}, 2, 1, true};
        const Table table = tokenTable(result, *loadFixture("gpt2"), someProvenance());
        for (const char* key : {"steps", "without_all", "gap", "baseline_token"})
            QCOMPARE(fieldText(table, key, Files::Csv), std::string());
        QCOMPARE(fieldText(table, "baseline", Files::Csv), std::string("mean embedding"));
        QCOMPARE(fieldText(table, "reading", Files::Csv),
                 std::string("attention score of 2.1 from 2 ·and to 1 ·Mary"));
        QCOMPARE(table.caption,
                 std::string("model: attention score of 2.1 from 2 ·and to 1 ·Mary 2.5000; what it "
                             "changes by without each token, replaced by the mean embedding"));
        QCOMPARE(headingText(table.columns[table.column("hide")]), std::string("hide"));
    }

    void correlations() {
        const Table grid = tokenCorrelationGrid(someDependence());
        QCOMPARE(grid.rows.size(), 2u);
        QCOMPARE(plainText(grid.rows[0][grid.column("method")]), std::string("hide"));
        QCOMPARE(shownText(grid.rows[0][grid.column("integrated")], 2), std::string("-1.00"));
        QCOMPARE(shownText(grid.rows[1][grid.column("integrated")], 2), std::string("1.00"));
    }
};

const headscope::test::TestRegistration<TestTokenTable> registration;

} // namespace test_token_table

#include "test_token_table.moc"
