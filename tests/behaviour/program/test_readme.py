"""The README's examples run, and print what it says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import programs

README = (programs.REPOSITORY / "README.md").read_text()
EXAMPLE, KERAS_EXAMPLE, REPLICAS_EXAMPLE, WRONG_EXAMPLE, TF1_EXAMPLE, PLACEMENT_TEST = re.findall(
    r"```python\n(.*?)```", README, re.DOTALL
)


def listing(command: str) -> str:
    """The indented lines after a command."""
    after = README.split(f"    $ {command}\n")[1]
    return textwrap.dedent(re.match(r"(?:    .*\n)+", after)[0])  # type: ignore[index]


def test_the_ten_lines_print_what_is_listed(tmp_path: Path) -> None:
    (tmp_path / "ten.py").write_text(EXAMPLE)
    command = "emplace run --gpus 2x64MB ten.py"
    done = programs.emplace(*command.split()[1:], folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, listing(command)), done.stderr


def test_the_keras_example_lives_where_it_says(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(KERAS_EXAMPLE)
    command = "emplace run --gpus 2x64MB model.py"
    done = programs.emplace(*command.split()[1:], folder=tmp_path)
    assert done.stdout == listing(command), done.stderr


def test_two_replicas_learn_what_one_device_learns(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(REPLICAS_EXAMPLE)
    command = "emplace run --gpus 2x64MB two.py"
    done = programs.emplace(*command.split()[1:], folder=tmp_path)
    assert done.stdout == listing(command), done.stderr


def test_a_step_that_averages_in_each_replica_is_told_as_listed(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG_EXAMPLE)
    command = "emplace run --gpus 2x64MB wrong.py"
    done = programs.emplace(*command.split()[1:], folder=tmp_path)
    assert done.stdout == listing(command), done.stderr


def test_the_tf1_example_learns(tmp_path: Path) -> None:
    (tmp_path / "tf1.py").write_text(TF1_EXAMPLE)
    done = programs.python("tf1.py", folder=tmp_path)
    assert float(done.stdout.splitlines()[-1]) < 0.02, done.stderr
    assert "w: (VarHandleOp): /job:localhost/replica:0/task:0/device:CPU:0" in done.stdout


def test_a_functions_plan_is_the_one_quoted() -> None:
    listed = README.split("    >>> @tf.function\n")[1].split("\n\n")[0]
    code, printed = listed.split("    >>> emplace.explain(")
    body = re.sub(r"^    (\.\.\. ?|>>> )?", "", code, flags=re.MULTILINE)
    script = (
        "import emplace\nemplace.virtual_gpus(2)\nimport emplace.tensorflow as tf\n"
        f"@tf.function\n{body}\nprint(emplace.explain({printed.splitlines()[0]})"
    )
    folder = programs.REPOSITORY
    done = programs.python("-c", _in_a_file(script), folder=folder)
    assert done.stdout == textwrap.dedent("\n".join(printed.splitlines()[1:])) + "\n", done.stderr


def _in_a_file(script: str) -> str:
    """A program that runs a script; decorators want to see the source."""
    return f"exec(compile({script!r}, 'readme', 'exec'))"


def test_the_test_of_placement_passes(tmp_path: Path) -> None:
    (tmp_path / "test_tower.py").write_text(PLACEMENT_TEST)
    done = programs.python("-m", "pytest", "-q", "-p", "no:cacheprovider", folder=tmp_path)
    assert "1 passed" in done.stdout, done.stdout


def test_the_refusal_is_the_one_quoted() -> None:
    script = textwrap.dedent(
        """
        import emplace
        emplace.virtual_gpus(1, memory="64MB")
        import emplace.tensorflow as tf
        try:
            tf.zeros([1 << 25])
        except tf.errors.ResourceExhaustedError as error:
            print(f"ResourceExhaustedError: {error}")
        """
    )
    quoted = README.split(">>> tf.zeros([1 << 25])\n")[1].split("\n\n")[0]
    done = programs.python("-c", script)
    assert done.stdout.split() == quoted.split(), done.stderr
