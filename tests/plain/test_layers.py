"""The layers of docs/ARCHITECTURE.md hold: imports point up the list, never down, never hidden."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "emplace"

# Top to bottom: a module imports only from what stands above it. Inside a folder the same order
# holds between files; a folder without a list of files is a set of leaves that ignore each other.
LAYERS: dict[str, list[str]] = {
    "base": [
        "errors", "arguments", "flags", "log", "files", "dtypes", "shapes", "nest",
    ],
    "devices": [
        "name", "memory", "backend", "cpu", "cuda", "mps", "virtual", "device", "inventory",
        "config", "table", "doctor",
    ],
    "core": [
        "tensor", "composite", "context", "settings", "events", "ragged",
    ],
    "ops": [
        "op", "infer", "widen", "convert", "order", "scalars", "sparse_tensor", "shaping", "making",
        "movement", "joining", "gathering", "array", "slicing", "select", "unsigned", "elementwise",
        "reduction", "statistics", "cumulative", "segment", "sorting", "searching", "unique",
        "counting", "linalg", "philox", "draws", "stateless", "random", "dropout", "strings",
        "resource", "dlpack", "bitwise", "operators", "raw", "repeating", "moving", "partition",
        "scattering", "indexed_slices", "tensor_array", "resource_slices", "activation", "window",
        "conv", "convolution", "embedding", "loss", "moments", "normalization", "pool", "space",
        "pooling", "composite", "ragged_rows", "ragged", "ragged_methods", "ragged_pick",
        "ragged_array", "ragged_elementwise", "ragged_operators", "ragged_spec", "regex",
        "sparse_places", "sets", "sparse", "sparse_math", "sparse_matmul", "sparse_parts",
        "picked_segments", "sparse_rows", "strings_hash", "strings_numbers", "strings_regex",
        "strings_split", "unicode_scripts", "strings_unicode", "checks", "assertions", "barrier",
        "complex", "clipping", "combine", "guarded", "integrals", "shape_assertions", "special",
        "trigonometry", "top_k", "numpy_types", "numpy_arrays", "numpy_math", "decomposition",
        "diagonal", "einsum", "fourier", "norms", "windows", "signal", "solving", "tridiagonal",
        "ctc", "morphology", "recurrent", "image_resize", "image_color", "image_shape",
        "image_warp", "image_codecs", "image_random",
    ],
    "grads": [
        "rules", "elementwise", "shaping", "making", "joining", "repeating", "moving", "gathering",
        "scattering", "slicing", "select", "reduction", "linalg", "random", "resource",
        "statistics", "cumulative", "segment", "sorting", "counting", "activation", "conv", "loss",
        "normalization", "pool", "space", "sparse", "barrier", "complex", "guarded", "special",
        "trigonometry", "families", "ragged", "fourier", "ctc", "recurrent",
    ],
    "eager": [
        "place", "numerics", "route", "failure", "bounds", "kernel", "target", "backward", "tape",
        "variable", "generator",
    ],
    "observe": [
        "placement_log", "recorder", "report", "explain", "hardware", "kernels",
    ],
    "tensorflow": [],
    "runtime": [],
    "hook": [],
    "cli": [],
    "__main__": [],
    "testing": [],
}  # fmt: skip

# Modules that load ours late on purpose: vendors' backends, and commands that must start fast.
LATE = {"devices/inventory.py", "cli.py", "testing.py"}

TORCH = {"base/dtypes.py", "core/tensor.py", "core/settings.py",
         "eager/bounds.py", "eager/failure.py", "eager/kernel.py", "eager/numerics.py",
         "eager/target.py", "observe/hardware.py"}  # fmt: skip
TORCH_FOLDERS = {"devices", "ops", "grads"}


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if p.name != "__init__.py")


def imports_of(path: Path) -> list[tuple[int, str, bool]]:
    """(line, dotted module below emplace or a third party's name, hidden) of each import."""
    tree = ast.parse(path.read_text())
    package = path.relative_to(PACKAGE.parent).parts[:-1]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            stem = ".".join(filter(None, [base, node.module or ""]))
            names = [stem] if node.module else [f"{stem}.{alias.name}" for alias in node.names]
        else:
            continue
        hidden = not any(node is each for each in top_level(tree))
        found += [(node.lineno, name, hidden) for name in names]
    return found


def top_level(tree: ast.Module) -> list[ast.stmt]:
    """Statements that run at import, those under `if TYPE_CHECKING` included."""
    statements = list(tree.body)
    for each in tree.body:
        if isinstance(each, ast.If):
            statements += each.body
    return statements


def rank(module: str) -> tuple[int, int]:
    """Where a module stands: its layer, and its place in the layer (the facade has none)."""
    parts = module.split(".")[1:]
    layer = list(LAYERS).index(parts[0])
    files = LAYERS[parts[0]]
    return layer, files.index(parts[1]) if files and len(parts) > 1 else 0


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_every_module_has_its_place_in_the_layers() -> None:
    for path in modules():
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        assert parts[0] in LAYERS, f"{path} is in no layer"
        if LAYERS[parts[0]]:
            assert parts[1] in LAYERS[parts[0]], f"{path} is not listed in its layer"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_from_above(path: Path) -> None:
    here = rank(module_name(path))
    name = str(path.relative_to(PACKAGE))
    for line, target, hidden in imports_of(path):
        if not target.startswith("emplace"):
            continue
        assert not hidden or name in LATE, f"{name}:{line} hides its import of {target}"
        if target == "emplace" or (name.startswith("tensorflow/") and "tensorflow" in target):
            continue
        there = rank(target)
        if hidden:
            continue
        assert there < here, f"{name}:{line} imports {target}, which stands below it"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_torch_is_used_only_where_kernels_and_devices_are(path: Path) -> None:
    name = str(path.relative_to(PACKAGE))
    if name in TORCH or name.split("/")[0] in TORCH_FOLDERS:
        return
    assert not [line for line, target, _ in imports_of(path) if target.split(".")[0] == "torch"]


def test_the_facade_defines_no_functions_or_classes() -> None:
    for path in (PACKAGE / "tensorflow").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            assert not isinstance(node, ast.FunctionDef | ast.ClassDef), f"{path}: {node.name}"


def test_files_stay_small_enough_to_read() -> None:
    for path in modules():
        assert len(path.read_text().splitlines()) <= 1000, f"{path} should be split by subject"
