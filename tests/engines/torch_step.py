"""A decode-like step of PyTorch in a CUDA graph, with quantized projections of
its own: kernels that are compiled from text and launched between PyTorch's.

    torch_step.py [STEPS]

Prints a digest of the state after every replay. Knows nothing of Reprise.
"""
import hashlib
import sys

import torch

WIDTH, HIDDEN, LAYERS = 1024, 4096, 4

SOURCE = r"""
extern "C" {

struct Block { unsigned short scale, sum; signed char quants[32]; };

// A warp a block of the image.
__global__ void step_quantize(const float* x, Block* image, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns) return;
  float most = fabsf(x[i]), sum = x[i];
  for (int lane = 16; lane > 0; lane /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, lane));
    sum += __shfl_xor_sync(0xffffffff, sum, lane);
  }
  const float scale = most / 127;
  Block& block = image[i / 32];
  block.quants[i % 32] = scale == 0 ? 0 : (int)rintf(x[i] / scale);
  if (i % 32 == 0) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(block.scale) : "f"(scale));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(block.sum) : "f"(sum));
  }
}

// out[r] = weights[r] . image, a warp a row of int8 weights.
__global__ void step_project(const signed char* weights, const Block* image,
                             float* out, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  float sum = 0;
  for (int b = lane; b < columns / 32; b += 32) {
    int dot = 0;
    for (int i = 0; i < 32; ++i) {
      dot += weights[row * columns + b * 32 + i] * image[b].quants[i];
    }
    float scale;
    asm("cvt.f32.f16 %0, %1;" : "=f"(scale) : "h"(image[b].scale));
    sum += scale * dot;
  }
  for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(0xffffffff, sum, i);
  if (lane == 0) out[row] = sum / 4096;
}

}  // extern "C"
"""


class Projection:
    """An int8 matrix that quantizes what it is given, as each of them does."""

    def __init__(self, kernels, image, rows, columns):
        self.quantize, self.project = kernels
        self.image = image
        self.weights = torch.randint(-127, 128, (rows, columns), dtype=torch.int8,
                                     device="cuda")

    def __call__(self, x):
        rows, columns = self.weights.shape
        out = torch.empty(rows, device="cuda")
        self.quantize(grid=(columns // 256, 1, 1), block=(256, 1, 1),
                      args=[x, self.image, columns])
        self.project(grid=(rows // 8, 1, 1), block=(256, 1, 1),
                     args=[self.weights, self.image, out, columns])
        return out


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    torch.manual_seed(1)
    kernels = [torch.cuda._compile_kernel(SOURCE, name)
               for name in ("step_quantize", "step_project")]
    image = torch.empty(HIDDEN // 32 * 36, dtype=torch.uint8, device="cuda")
    layers = [[Projection(kernels, image, rows, columns)
               for rows, columns in ((WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH),
                                     (HIDDEN, WIDTH), (HIDDEN, WIDTH), (WIDTH, HIDDEN))]
              for _ in range(LAYERS)]
    state = torch.randn(WIDTH, device="cuda")

    def step():
        for q, k, v, gate, up, down in layers:
            normed = torch.nn.functional.rms_norm(state, (WIDTH,))
            state.add_(q(normed) * torch.sigmoid(k(normed)) + v(normed))
            normed = torch.nn.functional.rms_norm(state, (WIDTH,))
            gated, scaled = gate(normed), up(normed)
            state.add_(down(torch.nn.functional.silu(gated) * scaled))
        state.copy_(torch.nn.functional.rms_norm(state, (WIDTH,)))

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        step()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    digest = hashlib.sha256()
    for _ in range(steps):
        graph.replay()
        digest.update(state.cpu().numpy().tobytes())
    print(f"{steps} steps, states {digest.hexdigest()[:16]}, first {state[0].item():.6f}")


if __name__ == "__main__":
    main()
