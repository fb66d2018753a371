// The CUDA calls that a victim makes, once on the runtime (device_runtime.cc)
// and once on the driver (device_driver.cc): a scenario is written once and
// built on either.
//
// Errors   a call that fails ends the program with status 3 and one line; those
//          that may be refused say so in their result.
// Streams  null is the default stream, which one depends on the build.
#ifndef REPRISE_TESTS_VICTIMS_ENGINE_DEVICE_H_
#define REPRISE_TESTS_VICTIMS_ENGINE_DEVICE_H_

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "tests/victims/engine/kernel_call.h"

namespace victims {

// The runtime's handles are the driver's under other names.
using Stream = CUstream;
using Event = CUevent;
using Graph = CUgraph;
using Node = CUgraphNode;
using Exec = CUgraphExec;

// Before all else. A further thread needs nothing.
void Start();

void* Allocate(std::size_t bytes);  // of zeros
void Free(void* memory);
void Write(void* to, const void* from, std::size_t bytes);
void Read(void* to, const void* from, std::size_t bytes);
void Copy(void* to, const void* from, std::size_t bytes, Stream stream);
void Fill(void* to, unsigned char value, std::size_t bytes, Stream stream);
void* AllocateOn(Stream stream, std::size_t bytes);
void FreeOn(Stream stream, void* memory);

Stream NewStream();
void Destroy(Stream stream);
void Synchronize(Stream stream);
void SynchronizeAll();
Event NewEvent();
void Destroy(Event event);
void Record(Event event, Stream stream);
void Wait(Stream stream, Event event);

void Launch(const KernelCall& call, Stream stream);
// It may start before the launch in front of it has ended.
void LaunchProgrammatic(const KernelCall& call, Stream stream);

enum class CaptureMode { kGlobal, kThreadLocal, kRelaxed };
void BeginCapture(Stream stream, CaptureMode mode = CaptureMode::kThreadLocal);
// Into a graph that is there already, such as the body of a condition.
void BeginCaptureInto(Graph graph, Stream stream);
Graph EndCapture(Stream stream);
// Null where the driver says that the capture was broken.
Graph TryEndCapture(Stream stream);
// The node that the last call on a capturing stream made.
Node LastNode(Stream stream);

Graph NewGraph();
void Destroy(Graph graph);
Node AddChild(Graph graph, const std::vector<Node>& before, Graph child);
// A node with a body that every launch runs; returns the body.
Graph AddCondition(Graph graph, const std::vector<Node>& before);

Exec Instantiate(Graph graph);
// By the call that takes its flags in a struct.
Exec InstantiateWithParams(Graph graph);
// Null where the driver refuses.
Exec InstantiateForDeviceLaunch(Graph graph);
void Upload(Exec exec, Stream stream);
void Launch(Exec exec, Stream stream);
// Whether the driver took it.
bool TryLaunch(Exec exec, Stream stream);
// Whether the driver took it.
bool Update(Exec exec, Graph graph);
void SetParams(Exec exec, Node node, const KernelCall& call);
void SetEnabled(Exec exec, Node node, bool enabled);
void Destroy(Exec exec);

}  // namespace victims

#endif  // REPRISE_TESTS_VICTIMS_ENGINE_DEVICE_H_
