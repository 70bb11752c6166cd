"""The runner of TensorFlow's own tests, over a file of ours that is written like one of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.tensorflow_tests import run
from scripts.tensorflow_tests.lists import IMPORT, judge
from scripts.tensorflow_tests.one_file import Log
from scripts.tensorflow_tests.program_part import add_tests, adding_statements

FILE = "python/eager/small_test.py"
TESTS = '''
"""Written for Emplace."""
import time

from tensorflow.core.protobuf import config_pb2
from tensorflow.python.checkpoint import graph_view
from tensorflow.python import framework
from tensorflow.python.data.util import nest
from tensorflow.python.eager import context
from tensorflow.python.eager.helper_of_nobody import thing
from tensorflow.python.framework import constant_op
from tensorflow.python.framework import ops
from tensorflow.python.framework import test_util
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import gen_math_ops
from tensorflow.python.ops import math_ops
from tensorflow.python.platform import test


@thing
def decorated(x):
  return thing(x)


class Pair:
  value: int

  def __init__(self, value, rest):
    self.value, self.rest = value, rest

  def __tf_flatten__(self):
    return (self.rest,), (self.value,)

  @classmethod
  def __tf_unflatten__(cls, metadata, components):
    return cls(*components, *metadata)


class SmallTest(test.TestCase):

  @test_util.run_in_graph_and_eager_modes
  def testPasses(self):
    modes.append(context.executing_eagerly())
    total = gen_math_ops.add_v2(constant_op.constant([1.0, 2.0]), 1.0)
    self.assertAllClose([2.0, 3.0], self.evaluate(total))
    self.assertAllEqual([4.0, 9.0], self.evaluate(math_ops.square(total)))

  def testModesBefore(self):
    self.assertEqual([], modes)
    self.assertIsNone(array_ops.newaxis)

  def testFails(self):
    self.assertAllEqual([1, 2], ops.convert_to_tensor([1, 3]))

  def testPrivate(self):
    decorated(constant_op.constant(1.0))

  def testPrivateOfPackage(self):
    framework.nothing

  def testStructures(self):
    pairs = nest.map_structure(lambda x: x + 1, {"a": Pair(1, 2)})
    self.assertEqual([2, 2], [pairs["a"].value, pairs["a"].rest])
    self.assertEqual([2], nest.flatten(pairs))
    self.assertEqual({"value": int}, Pair.__annotations__)
    self.assertAllEqual(["a"], ops.convert_to_tensor(["a"]))

  def testPrivateOfKeras(self):
    graph_view.ObjectGraphView(None)

  @test_util.run_v1_only
  def testSkips(self):
    self.fail("it must not run")

  def testHangs(self):
    while True:
      try:
        time.sleep(60)
      except Exception:
        pass

  def testMessages(self):
    self.assertTrue(config_pb2.ConfigProto(allow_soft_placement=True).allow_soft_placement)

  def testGpus(self):
    self.assertLen(context.context().list_logical_devices("GPU"), 2)


modes = []
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source" / "tensorflow" / FILE
    path.parent.mkdir(parents=True)
    path.write_text(TESTS)
    return tmp_path / "source"


def started(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["run", *map(str, arguments)])
    run.main()


def test_outcomes_are_kept_line_by_line(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = tmp_path / "results"
    started(monkeypatch, results, "--source", source, "--limit", "2", FILE)
    lines = (results / "em" / "python__eager__small_test.py.jsonl").read_text().splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    ended = {row["id"].removeprefix("SmallTest."): row for row in rows if row["e"] == "end"}
    assert {name: row["status"] for name, row in ended.items()} == {
        "testFails": "fail", "testGpus": "ok", "testHangs": "timeout", "testMessages": "ok",
        "testModesBefore": "ok", "testPasses": "ok", "testPrivate": "error",
        "testPrivateOfKeras": "error", "testPrivateOfPackage": "error", "testStructures": "ok",
        "testSkips": "skip",
        "test_session": "skip",
    }  # fmt: skip
    assert rows[-1] == {"e": "finished"}
    assert ended["testFails"]["error"].startswith("not equal where [[1]]: [1 2] != [1 3]")
    private = "tensorflow.python.eager.helper_of_nobody.thing"
    assert ended["testPrivate"]["error"] == f"NotPublic: {private}"
    assert ended["testPrivate"]["touched"] == [private]
    refused = "tensorflow.python.checkpoint.graph_view.ObjectGraphView"
    assert ended["testPrivateOfKeras"]["touched"] == [refused]
    assert ended["testPrivateOfPackage"]["touched"] == ["tensorflow.python.framework.nothing"]
    judged = judge(rows, [])
    assert set(judged.failed) == {"SmallTest.testFails", "SmallTest.testHangs"}
    assert "SmallTest.testPrivate" in judged.excluded
    assert "3 error 1 fail 5 ok 2 skip 1 timeout" in capsys.readouterr().out
    started(monkeypatch, results, "--source", source, FILE)
    assert capsys.readouterr().out == ""  # it is finished


def test_a_process_goes_on_behind_the_test_that_ended_the_last_one(tmp_path: Path) -> None:
    result = tmp_path / "result.jsonl"
    before = [
        {"e": "start", "id": "T.a"},
        {"e": "end", "id": "T.a", "status": "ok"},
        {"e": "start", "id": "T.b"},
    ]
    result.write_text("".join(json.dumps(row) + "\n" for row in before))
    log = Log(result)
    log.close()
    assert log.done == {"T.a", "T.b"}
    last = json.loads(result.read_text().splitlines()[-1])
    assert (last["id"], last["status"]) == ("T.b", "crash")


def test_a_file_whose_time_is_over_is_not_run_again(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    endless = "import time\nwhile True: time.sleep(60)\n"
    (source / "tensorflow" / FILE).write_text(endless)
    arguments = tmp_path, "--source", source, "--file-limit", "0.1", FILE
    started(monkeypatch, *arguments)
    result = tmp_path / "em" / "python__eager__small_test.py.jsonl"
    rows = [json.loads(line) for line in result.read_text().splitlines()]
    assert rows == [{"e": "stopped", "error": "after 0.1 s"}]
    assert "killed for the limit of a file" in capsys.readouterr().out
    started(monkeypatch, *arguments)
    assert capsys.readouterr().out == ""


def test_only_what_fails_here_is_asked_about(tmp_path: Path) -> None:
    for side in ("em", "tf"):
        (tmp_path / side).mkdir()
    rows = [
        {"e": "end", "id": "T.a", "status": "ok"},
        {"e": "end", "id": "T.b", "status": "fail", "kind": "AssertionError", "error": "x"},
        {"e": "end", "id": "T.c", "status": "error", "error": "NotPublic: tensorflow.x"},
    ]
    file = "python/eager/some_test.py"
    here, there = (tmp_path / side / "python__eager__some_test.py.jsonl" for side in ("em", "tf"))
    here.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run.open_questions(tmp_path, file) == ["T.b"]
    there.write_text(json.dumps({"e": "end", "id": "T.b", "status": "ok"}) + "\n")
    assert run.open_questions(tmp_path, file) == []
    here.write_text(json.dumps({"e": "import", "error": "ImportError: x"}) + "\n")
    assert run.open_questions(tmp_path, file) == [IMPORT]
    there.write_text(json.dumps({"e": "list", "count": 2}) + "\n")
    assert run.open_questions(tmp_path, file) == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"not in .*/tensorflow: python/eager/none_test.py"):
        started(monkeypatch, tmp_path, "--source", tmp_path, "python/eager/none_test.py")


def test_tests_that_a_program_part_adds_are_there_and_nothing_else_of_it() -> None:
    text = """
class Case:
    pass

if __name__ == "__main__":
    sizes = [1, 2]
    for size in sizes:
        setattr(Case, f"test_{size}", lambda self: None)
    enable_eager_execution()
    test.main()
"""
    module = ModuleType("__of_tests__")
    exec(text, vars(module))
    add_tests(module, text, "case_test.py")
    assert [name for name in vars(module.Case) if name.startswith("test_")] == ["test_1", "test_2"]
    assert adding_statements(text.replace("setattr", "print")) == []
    assert adding_statements("import sys") == []
