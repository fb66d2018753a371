#include "planner/live_images.h"

#include <algorithm>
#include <numeric>

namespace reprise {
namespace {

// How many images are visited between two clean-ups of the alive list.
constexpr std::size_t kRetireEvery = 16;

// True when `reader` is done before the image is written. A moved quantizer
// starts as soon as the writers of its source are done.
bool DoneBefore(const Order& order, NodeId reader, const PlannedImage& image) {
  if (!image.moved) return order.Before(reader, image.writer);
  return std::any_of(image.ready.begin(), image.ready.end(), [&](NodeId r) {
    return r == reader || order.Before(reader, r);
  });
}

// An image without readers is over once it is written.
bool OverBefore(const Order& order, const PlannedImage& image,
                const PlannedImage& later) {
  return DoneBefore(order, image.writer, later) &&
         std::all_of(image.readers.begin(), image.readers.end(),
                     [&](const ImageReader& reader) {
                       return DoneBefore(order, reader.node, later);
                     });
}

bool OverBefore(const Order& order, const PlannedImage& image, NodeId node) {
  return order.Before(image.writer, node) &&
         std::all_of(image.readers.begin(), image.readers.end(),
                     [&](const ImageReader& reader) {
                       return order.Before(reader.node, node);
                     });
}

}  // namespace

LiveImages::LiveImages(const Order& order,
                       absl::Span<PlannedImage* const> images)
    : order_(order),
      images_(images),
      by_time_(images.size()),
      conflicts_(images.size()),
      solitary_(images.size(), false) {
  for (NodeId node : order.nodes()) {
    const std::uint32_t chain = order.chain(node);
    if (chain == Order::kLoose) continue;
    if (chain >= chains_.size()) chains_.resize(chain + std::size_t{1});
    chains_[chain].push_back(node);
  }
  passed_.assign(chains_.size(), 0);
  std::iota(by_time_.begin(), by_time_.end(), 0);
  std::stable_sort(
      by_time_.begin(), by_time_.end(),
      [&](std::size_t a, std::size_t b) { return Start(a) < Start(b); });
  for (std::size_t i = 0; i < by_time_.size(); ++i) {
    Visit(by_time_[i]);
    if (i % kRetireEvery == kRetireEvery - 1) Retire(Start(by_time_[i]));
  }
}

std::uint32_t LiveImages::Start(std::size_t image) const {
  const PlannedImage& planned = *images_[image];
  if (!planned.moved) return order_.topology().position(planned.writer);
  std::uint32_t start = 0;
  for (NodeId r : planned.ready) {
    start = std::max(start, order_.topology().position(r));
  }
  return start;
}

void LiveImages::Visit(std::size_t image) {
  std::uint64_t bytes = images_[image]->bytes;
  for (std::size_t other : alive_) {
    if (OverBefore(order_, *images_[other], *images_[image])) continue;
    // Two images that were written before this one and are not over conflict
    // with each other too; those in no order with it need not.
    if (DoneBefore(order_, images_[other]->writer, *images_[image])) {
      bytes += images_[other]->bytes;
    }
    conflicts_[image].push_back(other);
    conflicts_[other].push_back(image);
  }
  peak_bytes_ = std::max(peak_bytes_, bytes);
  // A loose writer is before nothing that is known.
  solitary_[image] = alive_.size() >= kMaxAlive ||
                     order_.chain(images_[image]->writer) == Order::kLoose;
  if (!solitary_[image]) alive_.push_back(image);
}

void LiveImages::Retire(std::uint32_t position) {
  const std::vector<NodeId>& coming = ComingNodes(position);
  const auto over = [&](std::size_t image) {
    return std::all_of(coming.begin(), coming.end(), [&](NodeId node) {
      return OverBefore(order_, *images_[image], node);
    });
  };
  alive_.erase(std::remove_if(alive_.begin(), alive_.end(), over),
               alive_.end());
}

const std::vector<NodeId>& LiveImages::ComingNodes(std::uint32_t position) {
  coming_.clear();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const std::vector<NodeId>& nodes = chains_[c];
    while (passed_[c] < nodes.size() &&
           order_.topology().position(nodes[passed_[c]]) < position) {
      ++passed_[c];
    }
    if (passed_[c] < nodes.size()) coming_.push_back(nodes[passed_[c]]);
  }
  return coming_;
}

}  // namespace reprise
