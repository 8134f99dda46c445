"""Every example runs, and says what it should."""
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
SAYS = {
    "pendulum.py": "period 1.674 s, expected 1.674 s",
    "parameter_study.py": "slider of 2 kg",
    "controller.py": "rad from upright",
    "thousand_arms.py": "<Batch of 1024 'chain'",
}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_example(name, tmp_path):
    arguments = [str(tmp_path / "picture.svg")] if name == "parameter_study.py" else []
    run = subprocess.run([sys.executable, EXAMPLES / name, *arguments], cwd=tmp_path, env=os.environ,
                         capture_output=True, text=True, timeout=120)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert SAYS[name] in run.stdout
    if arguments and "matplotlib" not in run.stdout:
        assert (tmp_path / "picture.svg").stat().st_size > 1000


def test_ten_lines():
    lines = (EXAMPLES / "pendulum.py").read_text().splitlines()
    code = [line for line in lines if line.strip() and not line.startswith(("#", '"""', "import", "assert"))]
    assert len(code) <= 10
