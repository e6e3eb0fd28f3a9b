#include "core/base/memory.h"
#include "core/tensor/startup.h"
#include "tests/support/runner.h"

#include <QApplication>

int main(int argc, char** argv) {
    headscope::restartWithMissedBlasKernels(argv);
    headscope::shareFreedMemory();
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    const QApplication application(argc, argv);
    return headscope::test::runTest(QCoreApplication::arguments());
}
