"""The wheel: what is published works without the repository, from a folder that holds it alone."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import programs
import pytest

import emplace

PYTHON_FILES = {
    path.relative_to(programs.REPOSITORY).as_posix()
    for path in (programs.REPOSITORY / "emplace").rglob("*.py")
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built here, without the network."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.fail("The wheel is built by hatchling: pip install -r requirements/test.txt")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=programs.REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """A folder with what the wheel installs."""
    folder = wheel.parent / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def outside(site: Path, *arguments: object, folder: Path) -> programs.Done:
    """Runs Python in a folder that is not the repository, with the wheel's package."""
    done = programs.python(*arguments, folder=folder, PYTHONPATH=str(site))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    about = {name for name in names if ".dist-info/" in name}
    tables = {f"emplace/{name}.json.gz" for name in ("raw/definitions", "private/public_names")}
    assert names - about == PYTHON_FILES | {"emplace/py.typed"} | tables
    assert wheel.name == f"emplace-{emplace.__version__}-py3-none-any.whl"
    assert any(name.endswith("licenses/LICENSE") for name in about)


def test_the_wheel_names_its_program_and_its_plugin(site: Path) -> None:
    entries = next(site.glob("*.dist-info/entry_points.txt")).read_text().split()
    assert entries == [
        "[console_scripts]", "emplace", "=", "emplace.cli:main",
        "[pytest11]", "emplace", "=", "emplace.testing",
    ]  # fmt: skip


def test_the_devices_are_listed_from_outside(site: Path, tmp_path: Path) -> None:
    where = outside(site, "-c", "import emplace; print(emplace.__file__)", folder=tmp_path)
    assert Path(where.stdout.strip()) == site / "emplace" / "__init__.py"
    done = outside(site, "-m", "emplace", "devices", "--gpus", "1x64MB", folder=tmp_path)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["logical", "CPU:0", "GPU:0"]


@pytest.mark.slow
def test_the_demo_runs_from_outside(site: Path, tmp_path: Path) -> None:
    script = tmp_path / "digits.py"
    script.write_text((programs.REPOSITORY / "examples" / "digits.py").read_text())
    words = ["run", "--gpus", "4x256MB", "--report", "report.txt", "digits.py"]
    done = outside(site, "-m", "emplace", *words, folder=tmp_path)
    assert "accuracy" in done.stdout
    assert "SparseSoftmaxCrossEntropyWithLogits" in (tmp_path / "report.txt").read_text()


def test_the_demo_without_its_data_names_the_extra_that_brings_it(
    site: Path, tmp_path: Path
) -> None:
    (tmp_path / "sklearn.py").write_text("raise ModuleNotFoundError(\"No module named 'sklearn'\")")
    (tmp_path / "digits.py").write_text((programs.REPOSITORY / "examples/digits.py").read_text())
    done = programs.emplace("run", "digits.py", folder=tmp_path, PYTHONPATH=str(site))
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "No module named 'sklearn': the digits come with scikit-learn. Run "
        "`pip install 'emplace[demo]'`.",
    )


@pytest.mark.slow
def test_the_plugin_serves_tests_from_outside(site: Path, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import emplace.tensorflow as tf\n"
        "import pytest\n"
        "@pytest.mark.gpus(3, memory='1MB')\n"
        "def test_it():\n"
        "    assert len(tf.config.list_logical_devices('GPU')) == 3\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    done = outside(site, "-m", "pytest", "-p", "no:cacheprovider", "-q", folder=tmp_path)
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_the_plain_install_serves_a_cluster_of_one_process_without_the_extra(
    site: Path, tmp_path: Path
) -> None:
    (tmp_path / "cloudpickle.py").write_text("raise ModuleNotFoundError('blocked')")
    (tmp_path / "cluster.py").write_text(
        "import emplace.tensorflow as tf\n"
        "strategy = tf.distribute.MirroredStrategy(['CPU:0'])\n"
        "print(strategy.run(lambda: tf.constant(2.0) + 1.0).numpy())\n"
        "print(tf.train.ClusterSpec({'worker': ['localhost:1']}).num_tasks('worker'))\n"
    )
    done = outside(site, "cluster.py", folder=tmp_path)
    assert done.stdout.split() == ["3.0", "1"]
