// From the JSON of a pack to its signatures, everything checked.
#ifndef REPRISE_CAPTURE_PACK_PARSER_H_
#define REPRISE_CAPTURE_PACK_PARSER_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "capture/pack_reader.h"
#include "capture/signature.h"

namespace reprise {

// Sets `error` when it is not a pack; what is returned then means nothing.
std::vector<Signature> ParsePack(const nlohmann::json& json, std::string* name,
                                 absl::Status* error);

// Parts of the above.
Signature ParseSignature(PackReader reader,
                         std::shared_ptr<const PackTables> tables);
Layout ParseLayout(PackReader reader);
Effect ParseEffect(PackReader reader, Signature& signature);

// The expression that the reader stands at, its names looked up in the
// signature.
Expression ParseExpression(PackReader reader, Signature& signature);

}  // namespace reprise

#endif  // REPRISE_CAPTURE_PACK_PARSER_H_
