#pragma once

#include "core/engine/head_mask.h"
#include "core/engine/run.h"
#include "core/model/prompt.h"

#include <pybind11/pybind11.h>

#include <memory>

namespace headscope::python {

namespace py = pybind11;

/// A run that Python holds, and what it was asked.
struct HeldRun {
    std::shared_ptr<const Run> run;
    Prompt prompt;
    HeadMask mask;
};

/// `_headscope.Run` and run().
void bindRuns(py::module_& module);

/// `_headscope.Figure` and figure().
void bindFigures(py::module_& module);

} // namespace headscope::python
