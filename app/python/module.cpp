#include "app/python/analyses.h"
#include "app/python/ask.h"
#include "app/python/heads.h"
#include "app/python/interventions.h"
#include "app/python/open_model.h"
#include "app/python/pruning.h"
#include "app/python/runs.h"
#include "app/python/tables.h"
#include "app/python/waiting.h"
#include "core/base/stack.h"
#include "core/tensor/startup.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

PYBIND11_MODULE(_headscope, module) {
    using namespace headscope::python;
    if (const auto reserved = headscope::reserveStack(); !reserved)
        throw pybind11::import_error(reserved.error().message);
    module.doc() = "Core of Headscope for the Python package of the same name, which documents it.";
    module.attr("__version__") = HEADSCOPE_VERSION;
    module.attr("missed_blas_kernels") = headscope::missedBlasKernels();
    bindErrors(module);
    waitForThreadsAtExit();
    bindTables(module);
    bindModels(module);
    bindRuns(module);
    bindFigures(module);
    bindAsking(module);
    bindHeads(module);
    bindAnalyses(module);
    bindInterventions(module);
    bindPruning(module);
    bindVerification(module);
}
