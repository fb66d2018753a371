"""Small trees with one file left out, which check_listed.py must refuse."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_listed.py"


def check(files):
    """Runs the check over a tree of `files`: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, CHECK, root],
                                capture_output=True, text=True)
        return result.returncode, result.stdout


class CheckListed(unittest.TestCase):
    def test_accepts_a_tree_whose_files_are_all_listed(self):
        self.assertEqual(
            check({"graph/CMakeLists.txt": "SOURCES node.cc io/text.cc",
                   "graph/node.cc": "", "graph/io/text.cc": ""}),
            (0, "2 files, every one listed\n"))

    def test_refuses_a_test_that_would_never_run(self):
        self.assertEqual(
            check({"tests/graph/CMakeLists.txt": "reprise_test(a_test.cc)",
                   "tests/graph/a_test.cc": "", "tests/graph/b_test.cc": ""}),
            (1, "tests/graph/b_test.cc: in no CMakeLists.txt\n"))

    def test_refuses_a_header_that_would_not_be_installed(self):
        self.assertEqual(
            check({"graph/CMakeLists.txt": "SOURCES node.cc",
                   "graph/node.cc": "", "graph/node.h": ""}),
            (1, "graph/node.h: in no CMakeLists.txt\n"))

    def test_takes_no_part_of_a_name_for_the_name(self):
        self.assertEqual(
            check({"graph/CMakeLists.txt": "SOURCES big_node.cc",
                   "graph/big_node.cc": "", "graph/node.cc": ""}),
            (1, "graph/node.cc: in no CMakeLists.txt\n"))


if __name__ == "__main__":
    unittest.main()
