"""The wheel that `pip install .` makes, installed into a folder of its own."""
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/build_backend"))
import lipkin_build  # noqa: E402

built = pytest.mark.skipif("LIPKIN_BUILD_FOLDER" not in os.environ, reason="LIPKIN_BUILD_FOLDER names no build")

PROGRAM = """
import lipkin, pathlib, sys
folder = pathlib.Path(lipkin.__file__).parent
assert str(folder).startswith(sys.argv[1]), folder
assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
pendulum = lipkin.Simulation(folder / "scenes" / "double-pendulum.yaml")
pendulum.run(1)
print(pendulum.state_hash)
"""


@built
def test_wheel_is_installed_and_runs(tmp_path):
    name = lipkin_build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert wheel.testzip() is None
        names = wheel.namelist()
    assert sum(name.endswith(".so") for name in names) == 1
    assert "lipkin/scenes/double-pendulum.yaml" in names
    assert not any("__pycache__" in name for name in names)
    pip = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                          "--target", tmp_path / "site", tmp_path / name], capture_output=True, text=True)  # fmt: skip
    if "No module named pip" in pip.stderr:
        pytest.skip("pip is not installed")
    assert pip.returncode == 0, pip.stderr
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment, cwd=tmp_path,
                         capture_output=True, text=True)  # fmt: skip
    assert run.returncode == 0, run.stderr
    import lipkin

    here = lipkin.Simulation("double-pendulum")
    here.run(1)
    assert run.stdout.strip() == here.state_hash


def test_metadata(tmp_path):
    folder = tmp_path / lipkin_build.prepare_metadata_for_build_wheel(str(tmp_path))
    metadata = (folder / "METADATA").read_text()
    assert "Name: lipkin\nVersion: 0.1.0\n" in metadata
    assert "Tag: cp3" in (folder / "WHEEL").read_text()


def test_source_archive(tmp_path):
    import tarfile

    name = lipkin_build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        names = archive.getnames()
    for needed in ["pyproject.toml", "PKG-INFO", "CMakeLists.txt", "python/build_backend/lipkin_build.py",
                   "src/sim/simulation.cpp", "docs/schema/lipkin-scene.schema.json"]:  # fmt: skip
        assert f"lipkin-0.1.0/{needed}" in names
