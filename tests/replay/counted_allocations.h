// Counts what a program allocates with operator new. In a file of its own,
// because a compiler that sees through new and delete takes malloc and free
// behind them for a mistake.
#ifndef REPRISE_TESTS_REPLAY_COUNTED_ALLOCATIONS_H_
#define REPRISE_TESTS_REPLAY_COUNTED_ALLOCATIONS_H_

#include <cstddef>

namespace reprise::testing {

// So far. One thread.
std::size_t Allocations();

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_REPLAY_COUNTED_ALLOCATIONS_H_
