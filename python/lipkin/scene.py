"""Scenes and models in: by name, by path, or as a dictionary."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

from . import _core
from ._core import Scene

SceneLike = Union[Scene, str, "os.PathLike[str]", Mapping[str, Any]]


def _value_text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else json.dumps(value) if isinstance(value, bool) else str(value)


def _load_mapping(scene: Mapping[str, Any], **options: Any) -> Scene:
    # JSON is YAML; a file, so that mistakes are found and told by the one reader of scenes. It stays for as long as the
    # scene and what runs it: a recording copies it, and other parameters read it again.
    folder = tempfile.TemporaryDirectory(prefix="lipkin-")
    path = Path(folder.name, f"{scene.get('name', 'scene')}.yaml".replace("/", "-"))
    path.write_text(json.dumps({"lipkin": 1, **scene}, indent=1))
    loaded = load(path, **options)
    loaded._keep(folder)
    return loaded


def load(
    scene: SceneLike,
    *,
    set: Mapping[str, Any] | None = None,
    base: str | None = None,
    ground: bool = False,
    self_contact: bool = False,
    mesh_contact: str = "hull",
    mesh_tolerance: float | None = None,
    mesh_hulls: int | None = None,
    packages: Iterable[str | os.PathLike[str]] = (),
) -> Scene:
    """Reads a scene or a model file.

    scene: the name of one of Lipkin's scenes, the path of a scene (.yaml) or a model (.urdf, .xml), or a dictionary with
      the keys of the scene format.
    set: other values for parameters ("length") or places of the scene ("bodies.rod1.mass"), as `lipkin run --set`.
    base: how the root of a URDF model is held, "fixed" (the default) or "floating".
    ground: adds the plane z = 0 [m] to a model file and puts a floating model on it.
    self_contact: links of a URDF robot touch each other.
    mesh_contact: how meshes of a model file touch: as one convex hull ("hull"), as several that leave hollows open
      ("decompose"), or as their triangles ("mesh").
    mesh_tolerance: with "decompose", how far hulls may reach beyond a mesh in terms of its diagonal [-]; 0.01 by default.
    mesh_hulls: with "decompose", how many hulls a mesh may become, 1 to 128; 32 by default.
    packages: folders where package:// and meshes beyond the model's folder may lie.

    Raises InputError with every mistake that was found.
    """
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, Mapping):
        return _load_mapping(
            scene, set=set, base=base, ground=ground, self_contact=self_contact, mesh_contact=mesh_contact,
            mesh_tolerance=mesh_tolerance, mesh_hulls=mesh_hulls, packages=packages,
        )
    overrides = [(path, _value_text(value)) for path, value in (set or {}).items()]
    return _core.load_scene(
        os.fspath(scene), overrides, base, list(packages), ground, self_contact, mesh_contact, mesh_tolerance, mesh_hulls
    )


def scenes() -> dict[str, str]:
    """Lipkin's own scenes: name and description."""
    return {name: description for name, description, _ in _core.scenes()}
