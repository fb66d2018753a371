// Single kernel nodes are set to other parameters, in an executable that keeps
// its graph.
#include "tests/victims/engine/captured.h"
#include "tests/victims/scenarios/scenario.h"

namespace victims {
namespace {

class Loop {
 public:
  Loop()
      : calls_(model_.Step()),
        captured_(Capture(calls_, stream_)),
        exec_(Instantiate(captured_.graph)) {
    Run();
  }
  ~Loop() {
    Destroy(exec_);
    Destroy(captured_.graph);
    Destroy(stream_);
  }

  const Model& model() const { return model_; }

  template <typename Value>
  void Set(Place place, int parameter, Value value) {
    KernelCall call = calls_[place];
    std::memcpy(&call.values[parameter], &value, sizeof value);
    SetParams(exec_, captured_.nodes[place], call);
    Run();
  }
  void Reset(Place place) {
    SetParams(exec_, captured_.nodes[place], calls_[place]);
    Run();
  }

 private:
  void Run() {
    for (int launch = 0; launch < 2; ++launch) {
      Launch(exec_, stream_);
      Synchronize(stream_);
      PrintStep(step_++, model_);
    }
  }

  const Model model_ = Model(1);
  const Stream stream_ = NewStream();
  const std::vector<KernelCall> calls_;
  const Captured captured_;
  const Exec exec_;
  int step_ = 0;
};

const Scenario kSetScalar("set_scalar", [] {
  Loop loop;
  loop.Set(kAddO, 2, kColumns / 2);
  loop.Reset(kAddO);
});

const Scenario kSetPointer("set_pointer", [] {
  Loop loop;
  loop.Set(kAddV, 1, loop.model().row(Model::kK));
  loop.Reset(kAddV);
});

// What a kept quantizer reads, and with it all that share its image.
const Scenario kSetKeptQuantizer("set_kept_quantizer", [] {
  Loop loop;
  loop.Set(kQuantizeForQ, 0, loop.model().row(Model::kX));
  loop.Reset(kQuantizeForQ);
});

// What a quantizer reads that repeated another one until then.
const Scenario kSetRemovedQuantizer("set_removed_quantizer", [] {
  Loop loop;
  loop.Set(kQuantizeForK, 0, loop.model().row(Model::kX));
  loop.Reset(kQuantizeForK);
});

// The output of a product whose image may lie elsewhere by now.
const Scenario kSetReader("set_reader", [] {
  Loop loop;
  loop.Set(kProjectV, 2, loop.model().row(Model::kK));
  loop.Reset(kProjectV);
});

}  // namespace
}  // namespace victims
