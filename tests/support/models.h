#pragma once

#include "core/engine/run.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace headscope::test {

/// Loads tests/data/fixtures/NAME.h5 or sample_models/NAME.h5. Throws with the loader's message.
std::shared_ptr<const Model> loadFixture(const std::string& name);
std::shared_ptr<const Model> loadSample(const std::string& name);

/// The fixtures of Hugging Face families, NAME.h5 with NAME.reference.h5.
std::vector<std::string> fixtureNames();
/// Further ones, of variants (tests/data/fixtures/make_more_fixtures.py).
std::vector<std::string> variantNames();
/// Mixtures of experts that are there for their routers, which are among the variants.
std::vector<std::string> routedNames();
/// Those with latent attention.
std::vector<std::string> latentNames();
/// Those that clip queries, keys and values, where scores are no sums of what writers give.
std::vector<std::string> clippedNames();

/// Where the expected values of a fixture or sample model are.
std::string fixtureReference(const std::string& name);
std::string sampleReference(const std::string& name);

/// The value or a std::runtime_error with the error's message, which fails the test that asked.
template <class T>
T require(Result<T> result) {
    if (!result)
        throw std::runtime_error(result.error().message);
    return *std::move(result);
}

/// Up to `count` different-looking tokens of a network, as far as its context goes.
TokenIds someIds(const ModelSpec& spec, std::size_t count);

/// A random GPT-2 whose blocks normalise the residual stream itself, which no causal family does.
std::shared_ptr<const Model> postNormModel(bool parallel, MlpKind mlp = MlpKind::Plain);

/// A small random network of any shape, without a file: float32 weights from a fixed seed, larger
/// than those of headscope::randomModel, so that its heads attend to something.
std::shared_ptr<const Model> livelyRandomModel(ModelSpec spec, unsigned long long seed);

} // namespace headscope::test
