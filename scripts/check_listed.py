#!/usr/bin/env python3
"""Fails when a source or a test stands in no CMakeLists.txt.

Sources are listed by hand, so a forgotten line would mean a header that is not
installed or a test that never runs. A file counts as listed when the nearest
CMakeLists.txt above it names its path relative to itself.
Usage: check_listed.py REPO_ROOT
"""
import pathlib
import re
import sys

FOLDERS = ("graph", "driver", "capture", "planner", "kernels", "replay",
           "tools", "examples", "benchmarks", "tests")
SUFFIXES = (".cc", ".cu")


def is_listed(path, root):
    folder = path.parent
    while not (folder / "CMakeLists.txt").is_file():
        if folder == root:
            return False
        folder = folder.parent
    words = re.split(r"[\s()\"]+", (folder / "CMakeLists.txt").read_text())
    return path.relative_to(folder).as_posix() in words


def must_be_listed(path, root):
    """Every translation unit; of the headers only those that get installed."""
    in_layer = path.relative_to(root).parts[0] in FOLDERS[:6]
    return path.suffix in SUFFIXES or (path.suffix == ".h" and in_layer)


def main(root):
    files = [path for folder in FOLDERS
             for path in sorted((root / folder).rglob("*"))
             if must_be_listed(path, root)]
    bad = [path for path in files if not is_listed(path, root)]
    for path in bad:
        print(f"{path.relative_to(root)}: in no CMakeLists.txt")
    if not bad:
        print(f"{len(files)} files, every one listed")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
