"""torch.compile with CUDA graphs ("reduce-overhead"), in a PyTorch user's words.

    torch_compiled.py [STEPS]

Prints a digest of every output. Knows nothing of Reprise.
"""
import hashlib
import sys

import torch


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512),
        torch.nn.LayerNorm(512)).cuda().half().eval()
    compiled = torch.compile(model, mode="reduce-overhead")
    digest = hashlib.sha256()
    with torch.inference_mode():
        x = torch.randn(1, 512, device="cuda", dtype=torch.float16)
        for _ in range(steps):
            x = compiled(x).clone()
            digest.update(x.cpu().numpy().tobytes())
    print(f"{steps} steps, outputs {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
