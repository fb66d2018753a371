// reprise signatures: what a pack for a capture has to hold.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "capture/pack_list.h"
#include "capture/pack_skeleton.h"
#include "capture/unknown_kernels.h"
#include "tools/capture_input.h"
#include "tools/commands.h"
#include "tools/pack_flags.h"
#include "tools/signature_report.h"

namespace reprise {
namespace {

struct SignaturesFlags {
  std::string capture;
  std::vector<std::string> packs;
  bool json = false;
};

absl::Status RunSignatures(const SignaturesFlags& flags) {
  const absl::StatusOr<std::vector<Pack>> packs = LoadPacks(flags.packs);
  if (!packs.ok()) return packs.status();
  const absl::StatusOr<Graph> graph = LoadCapture(flags.capture, *packs);
  if (!graph.ok()) return graph.status();

  const std::vector<UnknownKernel> kernels = FindUnknownKernels(*packs, *graph);
  const std::string out = flags.json ? PackSkeleton(*graph, kernels)
                                     : SignatureReport(*graph, kernels);
  std::fputs(out.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

Action AddSignaturesCommand(CLI::App& app) {
  const auto flags = std::make_shared<SignaturesFlags>();
  app.add_option("CAPTURE", flags->capture, "A capture file: .json, .json.gz")
      ->type_name("")
      ->required();
  app.add_flag("--json", flags->json, "Print a pack to fill in, nothing else");
  AddPack(app, flags->packs);
  app.footer("Example: reprise signatures capture.json --json > my.json");
  return [flags] { return RunSignatures(*flags); };
}

}  // namespace reprise
