#include "benchmarks/peer_figures.h"

#include <nlohmann/json.hpp>

#include "benchmarks/peer_ggml_h200.json.h"

namespace reprise {
namespace {

const nlohmann::json& Figures() {
  static const auto& figures =
      *new nlohmann::json(nlohmann::json::parse(kPeerGgmlH200Json));
  return figures;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PeerMatVec, format, k, n, tokens, us,
                                   weight_gb_per_s, distinct_weights)

std::vector<PeerMatVec> PeerMatVecs() {
  return Figures().at("matvec_us").get<std::vector<PeerMatVec>>();
}

double PeerComponentUs(const std::string& name, std::int32_t tokens) {
  const std::string key = name + "_T" + std::to_string(tokens);
  return Figures().at("components_us").at(key).get<double>();
}

std::optional<double> PeerMatMulUs(const std::string& name,
                                   std::int64_t tokens) {
  const nlohmann::json& products = Figures().at("matmul_us");
  const auto found = products.find(name + "_T" + std::to_string(tokens));
  if (found == products.end()) return std::nullopt;
  return found->at("product").get<double>() + found->at("fixup").get<double>();
}

std::optional<double> PeerDecodeUs(const std::string& name,
                                   std::int32_t tokens) {
  const nlohmann::json& steps = Figures().at("decode_us_per_step");
  const auto found = steps.find(name + "_T" + std::to_string(tokens));
  if (found == steps.end()) return std::nullopt;
  return found->get<double>();
}

}  // namespace reprise
