#include "core/tensor/startup.h"
#include "tests/support/runner.h"

#include <QCoreApplication>

int main(int argc, char** argv) {
    headscope::restartWithMissedBlasKernels(argv);
    const QCoreApplication application(argc, argv);
    return headscope::test::runTest(QCoreApplication::arguments());
}
