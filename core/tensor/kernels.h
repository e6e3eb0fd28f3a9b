#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// The vector instructions that elementwise kernels, norms and softmax run on: "AVX-512 kernels".
/// Chosen once, the widest that this machine and its operating system support; results agree to
/// 1e-6 between them and to the bit from run to run on one of them.
std::string kernelDescription();

/// What this machine could run them on, widest first; the last is "baseline", what every processor
/// of the platform has.
std::span<const std::string_view> kernelNames();

/// Runs the kernels on one of kernelNames() from now on, so that tests and benchmarks reach all.
void useKernels(std::string_view name);

} // namespace headscope
