// Writes induction-circuit.h5, the hand-made model of core/verify/checks/induction_circuit.h, as a
// GPT-2.

#include "core/io/hdf5_writer.h"
#include "core/verify/checks/induction_circuit.h"

#include <array>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace headscope;

Result<void> writeCircuit(const std::filesystem::path& path) {
    const auto model = inductionCircuit();
    const Weights& weights = model->weights;
    std::vector<Hdf5Array> arrays;
    const auto add = [&](const std::string& name, const Tensor& tensor) {
        arrays.push_back({"transformer/" + name, tensor.shape(), tensor.values()});
    };
    add("wte/weight", weights.W_E.floats());
    add("wpe/weight", weights.W_pos.floats());
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
        const LayerWeights& layer = weights.layers[i];
        const std::string block = "h/" + std::to_string(i) + "/";
        add(block + "ln_1/weight", layer.ln1.weight);
        add(block + "ln_1/bias", layer.ln1.bias);
        add(block + "attn/c_attn/weight", layer.attn.W_QKV.floats());
        add(block + "attn/c_attn/bias", layer.attn.b_QKV);
        add(block + "attn/c_proj/weight", layer.attn.W_O.floats());
        add(block + "attn/c_proj/bias", layer.attn.b_O);
    }
    add("ln_f/weight", weights.ln_final.weight);
    add("ln_f/bias", weights.ln_final.bias);

    const std::array<Hdf5Attribute, 5> attributes{{
        {"config", inductionCircuitConfig()},
        {"description", "induction-circuit: two attention-only layers with weights set by hand; "
                        "type letters with spaces between them"},
        {"format", "headscope"},
        {"format_version", "1"},
        {"tokenizer", inductionCircuitTokenizer()},
    }};
    return writeHdf5(path, arrays, attributes);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_induction_circuit FILE.h5\n";
        return 2;
    }
    if (const auto written = writeCircuit(argv[1]); !written) {
        std::cerr << written.error().message << '\n';
        return 1;
    }
    return 0;
}
