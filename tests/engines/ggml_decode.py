"""Decodes greedily with llama-cpp-python and prints a digest of all logits.

    ggml_decode.py MODEL.gguf [TOKENS]

An engine's user, who knows nothing of Reprise.
"""
import ctypes
import hashlib
import sys

import llama_cpp
import numpy as np


def main():
    path = sys.argv[1]
    tokens = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    model_options = llama_cpp.llama_model_default_params()
    model_options.n_gpu_layers = 999
    model = llama_cpp.llama_model_load_from_file(path.encode(), model_options)
    if not model:
        sys.exit(f"ggml_decode: cannot load {path}")
    options = llama_cpp.llama_context_default_params()
    options.n_ctx = 512
    context = llama_cpp.llama_init_from_model(model, options)
    vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))

    digest = hashlib.sha256()
    token = 1
    written = []
    for _ in range(tokens):
        batch = llama_cpp.llama_batch_get_one((llama_cpp.llama_token * 1)(token), 1)
        if llama_cpp.llama_decode(context, batch) != 0:
            sys.exit("ggml_decode: a step failed")
        pointer = llama_cpp.llama_get_logits_ith(context, -1)
        logits = np.ctypeslib.as_array(pointer, (vocabulary,))
        digest.update(logits.tobytes())
        token = int(logits.argmax())
        written.append(token)
    print(f"{tokens} tokens, logits {digest.hexdigest()[:16]}, last", *written[-8:])
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)


if __name__ == "__main__":
    main()
