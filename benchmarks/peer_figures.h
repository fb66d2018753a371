// What the peer engine takes on the same device: peer_ggml_h200.json, which
// says how its figures were made.
#ifndef REPRISE_BENCHMARKS_PEER_FIGURES_H_
#define REPRISE_BENCHMARKS_PEER_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

// One quantizer and one product of a q8_1 image with a weight matrix [n][k].
struct PeerMatVec {
  std::string format;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int32_t tokens = 0;
  double us = 0;
  double weight_gb_per_s = 0;
  std::int32_t distinct_weights = 0;  // one a repetition
};

std::vector<PeerMatVec> PeerMatVecs();

// The component graph "name_T<tokens>", in microseconds. Throws when there is
// none.
double PeerComponentUs(const std::string& name, std::int32_t tokens);

// A decode step of the model "name_T<tokens>", in microseconds; nothing where
// there is no figure.
std::optional<double> PeerDecodeUs(const std::string& name,
                                   std::int32_t tokens);

// A product of a prefill and its fixup, averaged over the model's
// "name_T<tokens>", in microseconds; nothing where there is no figure.
std::optional<double> PeerMatMulUs(const std::string& name,
                                   std::int64_t tokens);

}  // namespace reprise

#endif  // REPRISE_BENCHMARKS_PEER_FIGURES_H_
