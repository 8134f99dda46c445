"""Builds the wheel of lipkin with CMake and Ninja (PEP 517). Standard library only, so that nothing is fetched.

Objects are kept in build/python-TAG of the checkout: a second `pip install .` builds what has changed.
    LIPKIN_CMAKE_ARGS     more arguments for CMake, separated by spaces
    LIPKIN_BUILD_FOLDER   a build whose module is taken as it is
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE_PARTS = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "apps", "cmake",
                "docs/schema", "include", "python", "scenes", "src"]  # fmt: skip


def _project(key):
    # Python 3.9 and 3.10 have no tomllib; the file is ours.
    text = (ROOT / "pyproject.toml").read_text()
    return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _metadata():
    return "\n".join([
        "Metadata-Version: 2.1",
        f"Name: {_project('name')}",
        f"Version: {_project('version')}",
        f"Summary: {_project('description')}",
        "License: Apache-2.0",
        f"Requires-Python: {_project('requires-python')}",
        "Requires-Dist: numpy>=1.21",
        "Provides-Extra: plot",
        "Requires-Dist: matplotlib; extra == 'plot'",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(),
    ])  # fmt: skip


def _run(*command):
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not installed; on Debian `./lipkin build` installs what is needed")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{command[0]} ended with {failed.returncode}; what it needs is in docs/guide/building.md")


def _install_package(folder):
    finished = os.environ.get("LIPKIN_BUILD_FOLDER")
    build = Path(finished or ROOT / "build" / f"python-{_tag()}")
    if not finished:
        _build_module(build)
    _run("cmake", "--install", str(build), "--component", "python", "--prefix", str(folder), "--strip")


def _build_module(build):
    _run("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         f"-DPython_EXECUTABLE={sys.executable}", "-DLIPKIN_BUILD_PYTHON=REQUIRED", "-DLIPKIN_BUILD_TESTS=OFF",
         "-DLIPKIN_BUILD_BENCH=OFF", *os.environ.get("LIPKIN_CMAKE_ARGS", "").split())  # fmt: skip
    _run("cmake", "--build", str(build), "--target", "lipkin_python")


class _Wheel:
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same files, the same wheel
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def finish(self, record_name):
        self.record.append(f"{record_name},,")
        self.archive.writestr(record_name, "\n".join(self.record) + "\n")
        self.archive.close()


def _dist_info():
    return f"{_project('name')}-{_project('version')}.dist-info"


def _metadata_files():
    wheel = f"Wheel-Version: 1.0\nGenerator: lipkin_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return {"METADATA": _metadata().encode(), "WHEEL": wheel.encode(), "LICENSE": (ROOT / "LICENSE").read_bytes()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"{_project('name')}-{_project('version')}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        _install_package(folder)
        wheel = _Wheel(Path(wheel_directory, name))
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            wheel.add(file.relative_to(folder).as_posix(), file.read_bytes(), 0o755 if file.suffix == ".so" else 0o644)
        for file, data in _metadata_files().items():
            wheel.add(f"{_dist_info()}/{file}", data)
        wheel.finish(f"{_dist_info()}/RECORD")
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory, _dist_info())
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in _metadata_files().items():
        (folder / file).write_bytes(data)
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    stem = f"{_project('name')}-{_project('version')}"
    with tarfile.open(Path(sdist_directory, f"{stem}.tar.gz"), "w:gz") as archive:
        for part in SOURCE_PARTS:
            archive.add(ROOT / part, f"{stem}/{part}",
                        filter=lambda entry: None if "__pycache__" in entry.name else entry)  # fmt: skip
        with tempfile.NamedTemporaryFile("w", suffix="PKG-INFO") as info:
            info.write(_metadata())
            info.flush()
            archive.add(info.name, f"{stem}/PKG-INFO")
    return f"{stem}.tar.gz"
