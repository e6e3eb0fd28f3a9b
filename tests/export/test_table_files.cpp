#include "core/export/table_files.h"
#include "tests/support/runner.h"

#include <QTest>

#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace test_table_files {

using namespace headscope;

namespace {

Table sampleTable() {
    Table table;
    table.key = "rows";
    table.columns = {{.key = "head"},
                     {.key = "text", .files = Files::Csv},
                     {.key = "shown", .title = "shown", .files = Files::None},
                     {.key = "nested", .files = Files::Json},
                     {.key = "score"}};
    table.rows = {
        {LayerHead{4, 1}, "a, \"b\"", "unseen", Record{{"inside", List{1, true, "x"}}}, 0.1f},
        {LayerHead{0, 0}, Value(), "unseen", Value(), std::numeric_limits<double>::quiet_NaN()}};
    table.fields = {{"full", 0.5},
                    {"metric", "loss", Files::Csv},
                    {"metric", Record{{"kind", "loss"}}, Files::Json},
                    {"token", std::optional<int>()}};
    table.provenance.model_name = "m,n";
    table.provenance.model_sha256 = "abc";
    table.provenance.app_version = "0.1.0";
    return table;
}

/// H5T_NO_CLASS where there is no such dataset.
H5T_class_t classOf(hid_t file, const char* path) {
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0)
        return H5T_NO_CLASS;
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t found = H5Tget_class(type);
    H5Tclose(type);
    H5Dclose(dataset);
    return found;
}

} // namespace

class TestTableFiles : public QObject {
    Q_OBJECT

private slots:
    void csvRepeatsTheFieldsInEveryRow() {
        QCOMPARE(tableCsv(sampleTable()),
                 std::string("head,text,score,full,metric,token,model,model_sha256,app_version\n"
                             "4.1,\"a, \"\"b\"\"\",0.1,0.5,loss,,\"m,n\",abc,0.1.0\n"
                             "0.0,,nan,0.5,loss,,\"m,n\",abc,0.1.0\n"));
    }

    /// Whatever the texts are and wherever they come from; only CSV changes them.
    void spreadsheetsComputeNothing() {
        Table table;
        table.key = "rows";
        table.columns = {{.key = "=column"}, {.key = "number"}, {.key = "numbers"}};
        table.rows = {{"=cell", -0.5, List{-1, -2}}};
        table.fields = {{"@field", "+value"}};
        table.provenance.model_name = "-model";
        QCOMPARE(tableCsv(table),
                 std::string("'=column,number,numbers,'@field,model,model_sha256,app_version\n"
                             "'=cell,-0.5,-1 -2,'+value,'-model,,\n"));
        const auto json = nlohmann::json::parse(tableJson(table));
        QVERIFY(json["rows"][0]["=column"] == "=cell");
        QVERIFY(json["@field"] == "+value");
    }

    void jsonNests() {
        const auto json = nlohmann::json::parse(tableJson(sampleTable()));
        QCOMPARE(json["rows"].dump(),
                 std::string(R"([{"head":{"head":1,"layer":4},"nested":{"inside":[1,true,"x"]},)"
                             R"("score":0.10000000149011612},)"
                             R"({"head":{"head":0,"layer":0},"nested":null,"score":null}])"));
        QCOMPARE(json["metric"].dump(), std::string(R"({"kind":"loss"})"));
        QVERIFY(json["token"].is_null());
        QVERIFY(json["provenance"]["model_name"] == "m,n");
        QCOMPARE(json.size(), 5u);
    }

    void keysAreSortedAndLinesEnd() {
        QCOMPARE(recordJson({{"b", 1}, {"a", "x"}}),
                 std::string("{\n  \"a\": \"x\",\n  \"b\": 1\n}\n"));
    }

    void bytesThatAreNotUtf8AreReplaced() {
        QCOMPARE(recordJson({{"a", "\xff"}}), std::string("{\n  \"a\": \"\xEF\xBF\xBD\"\n}\n"));
    }

    void hdf5HasADatasetForEachColumnOfCsv() {
        const QTemporaryDir folder;
        const std::filesystem::path path =
            folder.filePath(QStringLiteral("table.h5")).toStdString();
        Table table = sampleTable();
        table.columns.push_back({.key = "count"});
        table.rows[0].push_back(3);
        table.rows[1].push_back(true);
        QVERIFY(writeTable(path, table));
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        QCOMPARE(classOf(file, "rows/head"), H5T_STRING);
        QCOMPARE(classOf(file, "rows/text"), H5T_STRING);
        QCOMPARE(classOf(file, "rows/score"), H5T_FLOAT);
        QCOMPARE(classOf(file, "rows/count"), H5T_INTEGER);
        QCOMPARE(classOf(file, "rows/nested"), H5T_NO_CLASS);
        QCOMPARE(classOf(file, "rows/shown"), H5T_NO_CLASS);
        std::array<double, 2> scores{};
        const hid_t dataset = H5Dopen2(file, "rows/score", H5P_DEFAULT);
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, scores.data());
        H5Dclose(dataset);
        QCOMPARE(scores[0], double{0.1f});
        QVERIFY(std::isnan(scores[1]));
        for (const char* attribute : {"provenance", "full", "metric", "token"})
            QVERIFY2(H5Aexists(file, attribute) > 0, attribute);
        H5Fclose(file);
    }

    void otherExtensionsAreRefused() {
        const auto written = writeTable("scores.txt", sampleTable());
        QVERIFY(!written);
        QCOMPARE(written.error().message,
                 std::string("Tables are written as .csv, .json or .h5, not as scores.txt; choose "
                             "one of these extensions."));
    }

    void withoutAKeyJsonHasNoRows() {
        Table table = sampleTable();
        table.key.clear();
        QVERIFY(!nlohmann::json::parse(tableJson(table)).contains("rows"));
    }
};

const headscope::test::TestRegistration<TestTableFiles> registration;

} // namespace test_table_files

#include "test_table_files.moc"
