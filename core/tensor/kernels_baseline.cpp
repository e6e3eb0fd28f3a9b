#include "core/tensor/vector_kernels.h"

namespace headscope {

constinit const KernelTable kBaselineKernels = kernelTable<xsimd::default_arch>("baseline");

} // namespace headscope
