"""Runs a model with llama-cpp-python and prints a digest of the logits.

    ggml_decode.py MODEL.gguf --steps 64           decodes greedily
    ggml_decode.py MODEL.gguf --steps 6 --prompt 512
                                                   prefills prompts, one by one

An engine's user, who knows nothing of Reprise.
"""
import argparse
import ctypes
import hashlib
import sys

import llama_cpp
import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--prompt", type=int, default=0)
    arguments = parser.parse_args()
    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    model_options = llama_cpp.llama_model_default_params()
    model_options.n_gpu_layers = 999
    model = llama_cpp.llama_model_load_from_file(arguments.model.encode(), model_options)
    if not model:
        sys.exit(f"ggml_decode: cannot load {arguments.model}")
    options = llama_cpp.llama_context_default_params()
    options.n_ctx = max(512, arguments.prompt)
    if arguments.prompt:
        options.n_batch = options.n_ubatch = arguments.prompt
    context = llama_cpp.llama_init_from_model(model, options)
    vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))

    digest = hashlib.sha256()
    tokens = [1]
    written = []
    for step in range(arguments.steps):
        if arguments.prompt:
            llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
            tokens = [(step + 3 * i) % vocabulary for i in range(arguments.prompt)]
        # A name keeps it: the batch only points there.
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if llama_cpp.llama_decode(context, batch) != 0:
            sys.exit("ggml_decode: a step failed")
        pointer = llama_cpp.llama_get_logits_ith(context, -1)
        logits = np.ctypeslib.as_array(pointer, (vocabulary,))
        digest.update(logits.tobytes())
        tokens = [int(logits.argmax())]
        written += tokens
    print(f"{arguments.steps} steps, logits {digest.hexdigest()[:16]}, last", *written[-8:])
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)


if __name__ == "__main__":
    main()
