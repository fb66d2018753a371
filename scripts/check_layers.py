#!/usr/bin/env python3
"""Fails when a file includes what its layer may not use.

The allowed arrows are read from cmake/RepriseLibrary.cmake, so the build and
this check cannot disagree. Held as well: a layer includes nothing from the
folders above the layers; every include is written from the repository root;
graph/ and planner/ know no CUDA; kernels/ uses no Abseil.
Usage: check_layers.py REPO_ROOT
"""
import pathlib
import re
import sys

ABOVE = ("tools", "examples", "tests", "benchmarks")
SUFFIXES = (".h", ".cc", ".cu", ".cuh")
ROW = re.compile(r'set\(REPRISE_MAY_USE_(\w+)\s+"([^"]*)"\)')
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
CUDA_HEADER = re.compile(r"^(cuda|cupti|nv|driver_types|vector_types)")


def complaint(root, path, layer, included, allowed):
    """Why `path`, a file of `layer`, may not include `included`, or None."""
    folder = included.split("/")[0]
    if (path.parent / included).is_file():
        return "write the include from the repository root"
    if folder in ABOVE and (root / folder).is_dir():
        return f"a layer may not include {folder}"
    if folder in allowed and folder not in (layer, *allowed[layer]):
        return f"{layer} may not include {folder}"
    if layer in ("graph", "planner") and CUDA_HEADER.match(included):
        return f"{layer} is plain C++"
    if layer == "kernels" and folder == "absl":
        return "kernels use no Abseil"
    return None


def main(root):
    table = (root / "cmake/RepriseLibrary.cmake").read_text()
    allowed = {layer: set(filter(None, uses.split(";")))
               for layer, uses in ROW.findall(table)}
    bad, files = [], 0
    for layer in allowed:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            files += 1
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                why = found and complaint(root, path, layer, found[1], allowed)
                if why:
                    bad.append(f"{name}:{number}: {why} ({found[1]})")
    print("\n".join(bad) or f"{files} files, every include allowed")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
