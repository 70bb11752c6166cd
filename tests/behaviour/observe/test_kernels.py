"""`emplace.kernels()` and `emplace kernels`: which ops there are, for what."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import emplace
import emplace.tensorflow as tf
from emplace.cli import app
from emplace.ops.op import REGISTRY


def test_all_ops_are_listed_in_one_line_each() -> None:
    table = emplace.kernels()
    assert {row.op for row in table} == {n for n in REGISTRY if not n.endswith("Grad_")}
    assert len(str(table).splitlines()) == len(table) + 1


def test_a_line_tells_device_types_and_element_types() -> None:
    lines = {line.split()[0]: line.split() for line in str(emplace.kernels()).splitlines()}
    assert lines["op"] == ["op", "GPU", "CPU", "waits", "element", "types"]
    assert lines["MatMul"][1:4] == ["GPU", "CPU", "-"]
    assert lines["Where"][1:4] == ["GPU", "CPU", "waits"]
    assert lines["StringLower"] == ["StringLower", "-", "CPU", "-", "input:", "string"]


def test_an_op_tells_why_it_makes_the_host_wait_for_a_gpu() -> None:
    row = emplace.kernels("Where")
    assert row.waits == row.to_dict()["waits"] != ""
    assert "depends on values" in row.waits
    assert f"  waits     {row.waits}" in str(row)
    assert "  waits     no" in str(emplace.kernels("MatMul"))
    assert "  waits" not in str(emplace.kernels("StringLower"))


def test_lines_stay_short_enough_for_a_terminal() -> None:
    assert max(map(len, str(emplace.kernels()).splitlines())) <= 160


def test_one_op_tells_types_attributes_and_gradient() -> None:
    text = str(emplace.kernels("MatMul"))
    assert text.startswith("MatMul: a: T, b: T -> product: T\n")
    assert "  devices   GPU, CPU\n" in text
    assert "bfloat16, float16, float32, float64" in text
    assert "  attribute transpose_a = False\n" in text
    assert "  gradient  rule matmul_grad" in text


def test_an_op_without_a_gradient_says_so() -> None:
    assert emplace.kernels("ArgMax").gradient == "none"
    assert emplace.kernels("StringLower").gradient == "none"


def test_what_is_forbidden_is_not_listed() -> None:
    emplace.set_op_devices("Cast", ["CPU"])
    assert emplace.kernels("Cast").devices == ["CPU"]


def test_rows_are_plain_data() -> None:
    row = emplace.kernels("Sum").to_dict()
    assert json.loads(json.dumps(row)) == row
    assert row["devices"] == ["GPU", "CPU"]
    assert len(emplace.kernels().to_dict()) == len(emplace.kernels())


def test_an_unknown_op_names_similar_ones() -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"There is no op 'MatMull'.*MatMul"):
        emplace.kernels("MatMull")


def test_the_command_lists_ops_and_tells_about_one() -> None:
    runner = CliRunner()
    assert "MatMul" in runner.invoke(app, ["kernels"]).stdout
    assert runner.invoke(app, ["kernels", "Sum"]).stdout.startswith("Sum: input: T")


def test_the_command_ends_with_2_on_an_unknown_op() -> None:
    done = CliRunner().invoke(app, ["kernels", "MatMull"])
    assert done.exit_code == 2
    assert "Did you mean" in done.stderr
