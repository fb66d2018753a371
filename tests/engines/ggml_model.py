"""Writes a model for engines on ggml: real shapes and formats, random weights.

    ggml_model.py llama1b OUT.gguf
    ggml_model.py moe OUT.gguf --format q4_k --layers 4

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
    head: int = 0  # 0: width / heads
    experts: int = 0
    experts_used: int = 0
    expert_hidden: int = 0


SHAPES = {
    "llama1b": Shape("llama", 16, 2048, 32, 8, 8192, 32000, Type.Q4_0, Type.Q6_K),
    "qwen05b": Shape("qwen2", 24, 896, 14, 2, 4864, 151936, Type.Q8_0, Type.Q8_0),
    "qwen7b": Shape("qwen2", 28, 3584, 28, 4, 18944, 152064, Type.Q4_0, Type.Q6_K),
    "moe": Shape("qwen3moe", 48, 2048, 32, 4, 6144, 151936, Type.Q4_0, Type.Q6_K,
                 head=128, experts=128, experts_used=8, expert_hidden=768),
    "tiny": Shape("llama", 2, 512, 8, 2, 1024, 1000, Type.Q4_0, Type.Q6_K),
}
FORMATS = {"q4_0": Type.Q4_0, "q8_0": Type.Q8_0, "q4_k": Type.Q4_K, "q6_k": Type.Q6_K}


def scales(blocks, deviation, columns, random):
    """One half a block, so that a row's weights have the variance 1/columns."""
    scale = random.uniform(0.5, 1.5, blocks) / (deviation * math.sqrt(columns))
    return scale.astype(np.float16).view(np.uint8).reshape(blocks, 2)


def some_bytes(blocks, count, random):
    return np.frombuffer(random.bytes(blocks * count), np.uint8).reshape(blocks, count)


def quantized(rows, columns, type_, random):
    """Random blocks of the type, as bytes of the shape that gguf stores.

    The blocks are those of kernels/weight_blocks.h.
    """
    values, _ = gguf.GGML_QUANT_SIZES[type_]
    if columns % values:
        raise ValueError(f"rows of {columns} are no whole blocks of {type_.name}")
    blocks = rows * columns // values
    if type_ == Type.Q4_0:
        parts = [scales(blocks, 4.6, columns, random), some_bytes(blocks, 16, random)]
    elif type_ == Type.Q8_0:
        parts = [scales(blocks, 73, columns, random), some_bytes(blocks, 32, random)]
    elif type_ == Type.Q4_K:  # a min of 7.5 scales: the values' mean is 0
        scale = scales(blocks, 258, columns, random)
        parts = [scale, (scale.view(np.float16) * np.float16(7.5)).view(np.uint8),
                 some_bytes(blocks, 12, random), some_bytes(blocks, 128, random)]
    elif type_ == Type.Q6_K:
        parts = [some_bytes(blocks, 192, random),
                 random.integers(1, 17, (blocks, 16), np.uint8),
                 scales(blocks, 185, columns, random)]
    else:
        raise ValueError(f"no random blocks of {type_.name}")
    return np.concatenate(parts, axis=1).reshape(rows, -1)


def write(shape, path, seed):
    random = np.random.default_rng(seed)
    head = shape.head or shape.width // shape.heads
    q_width = head * shape.heads
    kv_width = head * shape.kv_heads
    writer = gguf.GGUFWriter(path, shape.architecture)
    writer.add_context_length(4096)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    if shape.head:
        writer.add_key_length(head)
        writer.add_value_length(head)
    if shape.experts:
        writer.add_expert_count(shape.experts)
        writer.add_expert_used_count(shape.experts_used)
        writer.add_expert_feed_forward_length(shape.expert_hidden)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_tokenizer_model("none")

    def matrix(name, rows, columns, type_=shape.weights):
        writer.add_tensor(f"{name}.weight", quantized(rows, columns, type_, random),
                          raw_dtype=type_)

    def experts(name, rows, columns):
        blocks = quantized(shape.experts * rows, columns, shape.weights, random)
        writer.add_tensor(f"{name}.weight", blocks.reshape(shape.experts, rows, -1),
                          raw_dtype=shape.weights)

    def floats(name, count, around):
        writer.add_tensor(name, random.normal(around, 0.1, count).astype(np.float32))

    matrix("token_embd", shape.vocabulary, shape.width)
    floats("output_norm.weight", shape.width, 1)
    matrix("output", shape.vocabulary, shape.width, shape.output)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        floats(f"{block}.attn_norm.weight", shape.width, 1)
        matrix(f"{block}.attn_q", q_width, shape.width)
        matrix(f"{block}.attn_k", kv_width, shape.width)
        matrix(f"{block}.attn_v", kv_width, shape.width)
        matrix(f"{block}.attn_output", shape.width, q_width)
        if shape.architecture == "qwen2":
            floats(f"{block}.attn_q.bias", shape.width, 0)
            floats(f"{block}.attn_k.bias", kv_width, 0)
            floats(f"{block}.attn_v.bias", kv_width, 0)
        floats(f"{block}.ffn_norm.weight", shape.width, 1)
        if shape.experts:
            floats(f"{block}.attn_q_norm.weight", head, 1)
            floats(f"{block}.attn_k_norm.weight", head, 1)
            floats(f"{block}.ffn_gate_inp.weight", (shape.experts, shape.width), 0)
            experts(f"{block}.ffn_gate_exps", shape.expert_hidden, shape.width)
            experts(f"{block}.ffn_up_exps", shape.expert_hidden, shape.width)
            experts(f"{block}.ffn_down_exps", shape.width, shape.expert_hidden)
            continue
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
    parser.add_argument("--format", choices=FORMATS, help="of all matrices")
    parser.add_argument("--layers", type=int, help="fewer than the shape has")
    options = parser.parse_args()
    shape = SHAPES[options.shape]
    if options.format:
        format_ = FORMATS[options.format]
        shape = dataclasses.replace(shape, weights=format_, output=format_)
    if options.layers:
        shape = dataclasses.replace(shape, layers=options.layers)
    write(shape, options.path, options.seed)


if __name__ == "__main__":
    main()
