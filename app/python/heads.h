#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

/// scores(), effect(), examples() and similarity().
void bindHeads(pybind11::module_& module);

} // namespace headscope::python
