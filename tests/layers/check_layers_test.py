"""Small trees with one wrong include each, which check_layers.py must refuse."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "scripts/check_layers.py"
TABLE = "cmake/RepriseLibrary.cmake"


def check(files):
    """Runs the check over a tree of `files`: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "cmake").mkdir()
        shutil.copy(ROOT / TABLE, root / TABLE)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, CHECK, root],
                              capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def refuses(self, files, *lines):
        result = check(files)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines(), list(lines))

    def test_accepts_arrows_that_point_down(self):
        result = check({"graph/ids.h": "#include <vector>\n",
                        "planner/plan.h": '#include "graph/ids.h"\n',
                        "replay/run.cc": '#include "planner/plan.h"\n'})
        self.assertEqual((result.returncode, result.stdout),
                         (0, "3 files, every include allowed\n"))

    def test_refuses_an_arrow_that_points_up(self):
        self.refuses({"planner/plan.cc": '\n#include "replay/run.h"\n'},
                     "planner/plan.cc:2: planner may not include replay "
                     "(replay/run.h)")

    def test_refuses_an_arrow_between_neighbours(self):
        self.refuses({"capture/a.cc": '#  include <kernels/a.h>\n'},
                     "capture/a.cc:1: capture may not include kernels "
                     "(kernels/a.h)")

    def test_refuses_a_folder_above_the_layers(self):
        self.refuses({"replay/a.cc": '#include "tools/a.h"\n', "tools/a.h": ""},
                     "replay/a.cc:1: a layer may not include tools (tools/a.h)")

    def test_refuses_an_include_relative_to_the_file(self):
        self.refuses({"planner/a.cc": '#include "../replay/a.h"\n',
                      "replay/a.h": ""},
                     "planner/a.cc:1: write the include from the repository "
                     "root (../replay/a.h)")

    def test_refuses_cuda_in_the_plain_layers(self):
        self.refuses({"planner/a.cc": "#include <cuda_runtime.h>\n"},
                     "planner/a.cc:1: planner is plain C++ (cuda_runtime.h)")

    def test_refuses_abseil_in_kernels(self):
        self.refuses({"kernels/a.cu": '#include "absl/types/span.h"\n'},
                     "kernels/a.cu:1: kernels use no Abseil "
                     "(absl/types/span.h)")

    def test_refuses_a_tree_without_files(self):
        self.assertEqual(check({}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
