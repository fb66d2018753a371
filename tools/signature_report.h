// The kernels of a capture that no pack knows, for people who write one.
#ifndef REPRISE_TOOLS_SIGNATURE_REPORT_H_
#define REPRISE_TOOLS_SIGNATURE_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "capture/unknown_kernels.h"
#include "graph/graph.h"

namespace reprise {

// Of each kernel: name, launch, parameters, and a signature to fill in. Ends
// with the launches that a signature recognises but cannot bound.
// REQUIRES: the graph is annotated by the packs that do not know the kernels.
std::string SignatureReport(const Graph& graph,
                            absl::Span<const UnknownKernel> kernels);

// "scale_rows(float*, int)" for "_Z10scale_rowsPfi"; what is no mangled name
// stays as it is.
std::string Demangled(absl::string_view symbol);

}  // namespace reprise

#endif  // REPRISE_TOOLS_SIGNATURE_REPORT_H_
