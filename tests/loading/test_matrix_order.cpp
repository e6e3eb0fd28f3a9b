#include "core/loading/load_model.h"
#include "core/loading/plan/matrix_order.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>

namespace test_matrix_order {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::ModelVariant;
using headscope::test::sameWeights;
using headscope::test::transpose;

namespace {

bool isProjection(const FileTensor& tensor) {
    return tensor.shape.size() == 2 && tensor.name.find("_proj.") != std::string::npos;
}

bool isSquare(const FileTensor& tensor) {
    return tensor.shape[0] == tensor.shape[1];
}

/// llama-gqa with some of its projections lying the other way.
template <class Which>
ModelVariant turnedRound(Which which) {
    ModelVariant variant("llama-gqa");
    for (FileTensor& tensor : variant.tensors)
        if (isProjection(tensor) && which(tensor))
            transpose(tensor);
    return variant;
}

bool hasNote(const Model& model, const std::string& part) {
    return std::ranges::any_of(model.report.notes, [&](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

std::shared_ptr<const Model> loadedFlipped(const ModelVariant& variant) {
    auto model = loadModel(variant.write(), {.flip_square_matrices = true});
    return model ? *model : nullptr;
}

} // namespace

class TestMatrixOrder : public QObject {
    Q_OBJECT

private slots:
    void joiningAxes_data();
    void joiningAxes();
    void squareMatricesFollowTheOthers();
    void wholeFileTheOtherWay();
    void oneOfManyTheOtherWayIsRefused();
    void flipTurnsSquareMatricesOnly();
    void onlySquareMatrices();
};

void TestMatrixOrder::joiningAxes_data() {
    QTest::addColumn<std::vector<std::size_t>>("shape");
    QTest::addColumn<std::vector<std::size_t>>("expected");
    QTest::addColumn<bool>("joins");
    QTest::newRow("same") << Shape{3, 4} << Shape{3, 4} << true;
    QTest::newRow("heads apart") << Shape{12, 3, 4} << Shape{12, 12} << true;
    QTest::newRow("heads first") << Shape{3, 4, 12} << Shape{12, 12} << true;
    QTest::newRow("unit axis in front") << Shape{1, 12} << Shape{12} << true;
    QTest::newRow("unit axis behind") << Shape{12, 1} << Shape{12} << true;
    QTest::newRow("transposed") << Shape{3, 4} << Shape{4, 3} << false;
    QTest::newRow("cut across axes") << Shape{4, 3, 2} << Shape{6, 4} << false;
    QTest::newRow("another count") << Shape{3, 5} << Shape{3, 4} << false;
}

void TestMatrixOrder::joiningAxes() {
    QFETCH(std::vector<std::size_t>, shape);
    QFETCH(std::vector<std::size_t>, expected);
    QFETCH(bool, joins);
    QCOMPARE(joinsTo(shape, expected), joins);
}

void TestMatrixOrder::squareMatricesFollowTheOthers() {
    const auto model = ModelVariant("llama-gqa").loaded();
    QCOMPARE(model->report.square_matrices, std::size_t{6}); // W_Q and W_O of three layers
    QVERIFY(hasNote(*model, "6 weight matrices are square and read the way their names mean, as "
                            "those are whose shape tells (such as '"));
}

void TestMatrixOrder::wholeFileTheOtherWay() {
    const auto original = ModelVariant("llama-gqa").loaded();
    const auto model = turnedRound([](const FileTensor&) { return true; }).loaded();
    QVERIFY(sameWeights(*model, *original));
    QVERIFY(hasNote(*model, "read the other way than named, as those are whose shape tells"));
}

void TestMatrixOrder::oneOfManyTheOtherWayIsRefused() {
    const std::string odd = "model.layers.1.mlp.up_proj.weight";
    const auto variant = turnedRound([&](const FileTensor& tensor) { return tensor.name == odd; });
    const QString message = QString::fromStdString(variant.refusal());
    QVERIFY2(message.contains(QString::fromStdString(odd)), qPrintable(message));
    QVERIFY2(message.contains(QStringLiteral("transpose")), qPrintable(message));
}

void TestMatrixOrder::flipTurnsSquareMatricesOnly() {
    const auto original = ModelVariant("llama-gqa").loaded();
    const ModelVariant variant = turnedRound(isSquare);
    QVERIFY(!sameWeights(*variant.loaded(), *original));
    const auto flipped = loadedFlipped(variant);
    QVERIFY(flipped != nullptr);
    QVERIFY(sameWeights(*flipped, *original));
    QVERIFY(hasNote(*flipped, "as was asked for"));
}

/// With as many KV heads as heads and an MLP as wide as the model no shape tells anything.
void TestMatrixOrder::onlySquareMatrices() {
    ModelVariant variant("llama");
    const auto d_model = variant.config["hidden_size"].get<std::size_t>();
    variant.config["intermediate_size"] = d_model;
    for (FileTensor& tensor : variant.tensors)
        if (isProjection(tensor)) {
            tensor.shape = {d_model, d_model};
            tensor.values.resize(d_model * d_model);
        }
    const auto model = variant.loaded();
    QVERIFY(hasNote(*model, "no shape tells whether that is right"));
    QVERIFY(!sameWeights(*model, *loadedFlipped(variant)));
}

const headscope::test::TestRegistration<TestMatrixOrder> registration;

} // namespace test_matrix_order

#include "test_matrix_order.moc"
