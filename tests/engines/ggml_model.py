"""Writes a model for engines on ggml: real shapes and formats, random weights.

    ggml_model.py llama1b OUT.gguf

What an engine launches depends on shapes and formats, not on what a weight is;
so this stands for a download where there is none. Needs numpy and gguf.
"""
import argparse
import dataclasses
import math

import gguf
import numpy as np

Type = gguf.GGMLQuantizationType


@dataclasses.dataclass(frozen=True)
class Shape:
    architecture: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    weights: Type
    output: Type


SHAPES = {
    "llama1b": Shape("llama", 16, 2048, 32, 8, 8192, 32000, Type.Q4_0, Type.Q6_K),
    "qwen05b": Shape("qwen2", 24, 896, 14, 2, 4864, 151936, Type.Q8_0, Type.Q8_0),
    "qwen7b": Shape("qwen2", 28, 3584, 28, 4, 18944, 152064, Type.Q4_0, Type.Q6_K),
    "tiny": Shape("llama", 2, 512, 8, 2, 1024, 1000, Type.Q4_0, Type.Q6_K),
}


def scales(blocks, deviation, columns, random):
    """One half a block, so that a row's weights have the variance 1/columns."""
    scale = random.uniform(0.5, 1.5, blocks) / (deviation * math.sqrt(columns))
    return scale.astype(np.float16).view(np.uint8).reshape(blocks, 2)


def some_bytes(blocks, count, random):
    return np.frombuffer(random.bytes(blocks * count), np.uint8).reshape(blocks, count)


def quantized(rows, columns, type_, random):
    """Random blocks of the type, as bytes of the shape that gguf stores."""
    values, _ = gguf.GGML_QUANT_SIZES[type_]
    blocks = rows * columns // values
    if type_ == Type.Q4_0:
        parts = [scales(blocks, 4.6, columns, random), some_bytes(blocks, 16, random)]
    elif type_ == Type.Q8_0:
        parts = [scales(blocks, 73, columns, random), some_bytes(blocks, 32, random)]
    elif type_ == Type.Q6_K:
        parts = [some_bytes(blocks, 192, random),
                 random.integers(1, 17, (blocks, 16), np.uint8),
                 scales(blocks, 185, columns, random)]
    else:
        raise ValueError(f"no random blocks of {type_.name}")
    return np.concatenate(parts, axis=1).reshape(rows, -1)


def write(shape, path, seed):
    random = np.random.default_rng(seed)
    head = shape.width // shape.heads
    kv_width = head * shape.kv_heads
    writer = gguf.GGUFWriter(path, shape.architecture)
    writer.add_context_length(4096)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_tokenizer_model("none")

    def matrix(name, rows, columns, type_=shape.weights):
        writer.add_tensor(f"{name}.weight", quantized(rows, columns, type_, random),
                          raw_dtype=type_)

    def floats(name, count, around):
        writer.add_tensor(name, random.normal(around, 0.1, count).astype(np.float32))

    matrix("token_embd", shape.vocabulary, shape.width)
    floats("output_norm.weight", shape.width, 1)
    matrix("output", shape.vocabulary, shape.width, shape.output)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        floats(f"{block}.attn_norm.weight", shape.width, 1)
        matrix(f"{block}.attn_q", shape.width, shape.width)
        matrix(f"{block}.attn_k", kv_width, shape.width)
        matrix(f"{block}.attn_v", kv_width, shape.width)
        matrix(f"{block}.attn_output", shape.width, shape.width)
        if shape.architecture == "qwen2":
            floats(f"{block}.attn_q.bias", shape.width, 0)
            floats(f"{block}.attn_k.bias", kv_width, 0)
            floats(f"{block}.attn_v.bias", kv_width, 0)
        floats(f"{block}.ffn_norm.weight", shape.width, 1)
        matrix(f"{block}.ffn_gate", shape.hidden, shape.width)
        matrix(f"{block}.ffn_up", shape.hidden, shape.width)
        matrix(f"{block}.ffn_down", shape.width, shape.hidden)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("path")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(SHAPES[options.shape], options.path, options.seed)


if __name__ == "__main__":
    main()
