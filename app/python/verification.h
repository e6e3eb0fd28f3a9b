#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

/// verify()
void bindVerification(pybind11::module_& module);

} // namespace headscope::python
