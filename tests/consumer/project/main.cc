#include <cstdio>

#include "graph/ids.h"

int main() {
  const reprise::NodeId node{7};
  std::printf("node %u\n", static_cast<unsigned>(node.value));
  return node.valid() ? 0 : 1;
}
