"""TF 1: `tf.train.Saver`, checkpoints in folders, first values from checkpoints, global steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import emplace.tensorflow.compat.v1 as tf1


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def variable(name: str, value: Any, **options: Any) -> Any:
    value = np.asarray(value)
    return tf1.get_variable(name, initializer=tf1.constant(value), **options)


def ready(session: Any) -> Any:
    session.run(tf1.global_variables_initializer())
    return session


def saved(path: str, values: dict[str, Any]) -> str:
    """A checkpoint of a graph of its own."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        for name, value in values.items():
            variable(name, value)
        prefix = tf1.train.Saver().save(ready(session), path)
    assert prefix is not None
    return prefix


# -- saving and restoring ----------------------------------------------------------------------


def test_a_restored_variable_has_the_value_that_was_saved(tmp_path):
    v = variable("v", [1.0, 2.0])
    n = variable("n", np.int64(5))
    s = variable("s", np.array([b"a", b"\0b"], object))
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        path = saver.save(ready(session), str(tmp_path / "model"))
        session.run([v.assign([0.0, 0.0]), n.assign(0)])
        saver.restore(session, path)
        assert path == str(tmp_path / "model")
        assert session.run(v).tolist() == [1.0, 2.0]
        assert session.run(n) == 5
        assert session.run(s).tolist() == [b"a", b"\0b"]


def test_variables_need_no_initialiser_before_they_are_restored(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([3.0])})
    v = variable("v", np.float32([0.0]))
    with tf1.Session() as session:
        tf1.train.Saver().restore(session, path)
        assert session.run(v).tolist() == [3.0]


def test_a_checkpoint_is_a_file_that_other_programs_read(tmp_path):
    path = saved(str(tmp_path / "m"), {"layer/w": np.float32([[1.0, 2.0]])})
    assert load_file(f"{path}.safetensors")["layer/w"].tolist() == [[1.0, 2.0]]


def test_names_in_the_file_may_be_other_than_those_of_the_variables(tmp_path):
    v = variable("v", [1.0])
    with tf1.Session() as session:
        path = tf1.train.Saver({"other": v}).save(ready(session), str(tmp_path / "m"))
    assert tf1.train.list_variables(path) == [("other", [1])]
    assert tf1.train.load_variable(path, "other").tolist() == [1.0]


def test_a_part_of_the_variables_can_be_restored(tmp_path):
    path = saved(str(tmp_path / "m"), {"a": np.float32(1.0), "b": np.float32(2.0)})
    a, b = variable("a", np.float32(0.0)), variable("b", np.float32(0.0))
    with tf1.Session() as session:
        ready(session)
        tf1.train.Saver([b]).restore(session, path)
        assert session.run([a, b]) == [0.0, 2.0]


def test_local_variables_are_not_saved(tmp_path):
    variable("v", [1.0])
    tf1.get_local_variable("seen", initializer=tf1.constant(0.0))
    with tf1.Session() as session:
        ready(session).run(tf1.local_variables_initializer())
        path = tf1.train.Saver().save(session, str(tmp_path / "m"))
    assert [name for name, _ in tf1.train.list_variables(path)] == ["v"]


@pytest.mark.gpus(2)
def test_variables_are_restored_where_they_live(tmp_path):
    with tf1.device("/gpu:1"):
        v = variable("v", np.float32([1.0]))
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        path = saver.save(ready(session), str(tmp_path / "m"))
        saver.restore(session, path)
        session.run(v.assign_add([1.0]))
        assert session.run(v).tolist() == [2.0]
        places = tf1.RunMetadata()
    with tf1.Session() as session:
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        names = saver.saver_def
        feeds = {names.filename_tensor_name: path}
        session.run(names.restore_op_name, feeds, options, places)
    assert any(each.device.endswith("GPU:1") for each in places.step_stats.dev_stats)


def test_averages_are_restored_into_their_variables(tmp_path):
    v = variable("v", np.float32(1.0))
    average = tf1.train.ExponentialMovingAverage(0.5)
    update = average.apply([v])
    with tf1.Session() as session:
        ready(session).run(v.assign(3.0))
        session.run(update)
        path = tf1.train.Saver().save(session, str(tmp_path / "m"))
        tf1.train.Saver(average.variables_to_restore()).restore(session, path)
        assert session.run(v) == 2.0


def test_its_operations_have_tensorflows_names():
    variable("v", [1.0])
    names = tf1.train.Saver(max_to_keep=2).saver_def
    assert names.filename_tensor_name == "save/Const:0"
    assert names.save_tensor_name == "save/control_dependency:0"
    assert names.restore_op_name == "save/restore_all"
    assert names.max_to_keep == 2
    assert tf1.train.Saver().saver_def.restore_op_name == "save_1/restore_all"


def test_a_saver_of_a_saver_def_uses_its_operations(tmp_path):
    v = variable("v", [1.0])
    first = tf1.train.Saver()
    again = tf1.train.Saver.from_proto(first.to_proto())
    with tf1.Session() as session:
        path = again.save(ready(session), str(tmp_path / "m"))
        session.run(v.assign([0.0]))
        again.restore(session, path)
        assert session.run(v).tolist() == [1.0]


def test_a_finished_graph_can_be_saved(graph, tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver()
    init = tf1.global_variables_initializer()
    graph.finalize()
    with tf1.Session() as session:
        session.run(init)
        assert saver.save(session, str(tmp_path / "m"))


def test_another_thread_can_save(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        ready(session)
        thread = threading.Thread(target=saver.save, args=(session, str(tmp_path / "m")))
        thread.start()
        thread.join()
    assert tf1.train.checkpoint_exists(tmp_path / "m")


# -- which checkpoints are kept -----------------------------------------------------------------


def checkpoints(folder: Path) -> list[str]:
    return sorted(each.stem for each in folder.glob("*.safetensors"))


def test_only_the_last_checkpoints_are_kept(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(max_to_keep=2)
    with tf1.Session() as session:
        ready(session)
        for step in range(4):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    assert checkpoints(tmp_path) == ["m-2", "m-3"]
    assert saver.last_checkpoints == [str(tmp_path / "m-2"), str(tmp_path / "m-3")]
    assert tf1.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-3")
    state = tf1.train.get_checkpoint_state(str(tmp_path))
    assert list(state.all_model_checkpoint_paths) == saver.last_checkpoints


def test_without_a_limit_all_are_kept_and_none_is_listed(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(max_to_keep=0)
    with tf1.Session() as session:
        ready(session)
        for step in range(7):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    assert len(checkpoints(tmp_path)) == 7
    assert saver.last_checkpoints == []


def test_one_checkpoint_per_some_hours_stays_for_good(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    with tf1.Session() as session:
        ready(session)
        for step in range(3):
            saver.save(session, str(tmp_path / "m"), global_step=step)
    assert checkpoints(tmp_path) == ["m-0", "m-1", "m-2"]
    assert saver.last_checkpoints == [str(tmp_path / "m-2")]


def test_a_saver_goes_on_with_the_checkpoints_of_an_earlier_one(tmp_path):
    variable("v", [1.0])
    with tf1.Session() as session:
        first = tf1.train.Saver(max_to_keep=3)
        for step in range(3):
            first.save(ready(session), str(tmp_path / "m"), global_step=step)
        second = tf1.train.Saver(max_to_keep=3)
        state = tf1.train.get_checkpoint_state(str(tmp_path))
        gone = str(tmp_path / "gone")
        second.recover_last_checkpoints([*state.all_model_checkpoint_paths, gone])
        second.save(session, str(tmp_path / "m"), global_step=3)
    assert checkpoints(tmp_path) == ["m-1", "m-2", "m-3"]


def test_the_step_in_a_name_may_be_a_tensor_or_a_variable(tmp_path):
    step = tf1.train.get_or_create_global_step()
    saver = tf1.train.Saver(pad_step_number=True)
    with tf1.Session() as session:
        ready(session).run(step.assign(12))
        path = str(tmp_path / "m")
        assert saver.save(session, path, global_step=step) == f"{path}-00000012"
        assert saver.save(session, path, global_step=tf1.constant(7)) == f"{path}-00000007"


def test_another_file_may_list_the_checkpoints_with_relative_paths(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(save_relative_paths=True)
    with tf1.Session() as session:
        path = str(tmp_path / "m")
        saver.save(ready(session), path, global_step=1, latest_filename="latest")
        saver.save(session, path, global_step=2, write_state=False)
    assert (tmp_path / "latest").read_text() == (
        'model_checkpoint_path: "m-1"\nall_model_checkpoint_paths: "m-1"\n'
    )
    assert not (tmp_path / "checkpoint").exists()


def test_a_checkpoint_that_is_not_listed_is_never_deleted(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(max_to_keep=1)
    with tf1.Session() as session:
        path = str(tmp_path / "m")
        ready(session)
        for step in range(3):
            saver.save(session, path, global_step=step, write_state=False)
        assert saver.last_checkpoints == []
        for step in range(3, 6):
            saver.save(session, path, global_step=step)
    assert saver.last_checkpoints == [f"{path}-5"]
    assert [tf1.train.checkpoint_exists(f"{path}-{i}") for i in range(6)] == [
        True, True, True, False, False, True,
    ]  # fmt: skip


# -- what is refused ------------------------------------------------------------------------------


def test_a_name_that_the_checkpoint_lacks_is_not_found(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([1.0])})
    variable("other", [1.0])
    saver = tf1.train.Saver()
    with tf1.Session() as session, pytest.raises(tf1.errors.NotFoundError) as caught:
        saver.restore(session, path)
    assert str(caught.value).startswith(
        "Restoring from checkpoint failed. This is most likely due to a Variable name or other "
        "graph key that is missing from the checkpoint. Please ensure that you have not altered "
        "the graph expected based on the checkpoint. Original error:\n\n"
    )
    assert "Key other not found in checkpoint" in str(caught.value)


def test_a_value_of_another_shape_is_refused(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([1.0, 2.0])})
    variable("v", np.float32([0.0] * 5))
    saver = tf1.train.Saver()
    text = r"(?s)due to a mismatch between the current graph.*lhs shape= \[5\] rhs shape= \[2\]"
    with (
        tf1.Session() as session,
        pytest.raises(tf1.errors.InvalidArgumentError, match=text),
    ):
        saver.restore(session, path)


def test_a_value_of_another_dtype_is_refused(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([1.0])})
    variable("v", np.float64([0.0]))
    saver = tf1.train.Saver()
    text = "tensor_name = v; expected dtype double does not equal original dtype float"
    with (
        tf1.Session() as session,
        pytest.raises(tf1.errors.InvalidArgumentError, match=text),
    ):
        saver.restore(session, path)


def test_reshape_takes_a_value_of_another_shape(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([1.0, 2.0])})
    v = variable("v", np.float32([[0.0], [0.0]]))
    with tf1.Session() as session:
        tf1.train.Saver(reshape=True).restore(session, path)
        assert session.run(v).tolist() == [[1.0], [2.0]]


def test_a_value_with_another_number_of_elements_cannot_be_reshaped(tmp_path):
    path = saved(str(tmp_path / "m"), {"v": np.float32([1.0, 2.0])})
    variable("v", np.float32([0.0] * 5))
    saver = tf1.train.Saver(reshape=True)
    text = "Input to reshape is a tensor with 2 values, but the requested shape has 5"
    with (
        tf1.Session() as session,
        pytest.raises(tf1.errors.InvalidArgumentError, match=text),
    ):
        saver.restore(session, path)


def test_a_checkpoint_that_is_not_there_is_no_valid_one(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint: "):
            saver.restore(session, str(tmp_path / "none"))
        with pytest.raises(ValueError, match="Can't load save_path when it is None"):
            saver.restore(session, None)


def test_one_folder_is_made_but_not_two(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        saver.save(ready(session), str(tmp_path / "a" / "m"))
        assert checkpoints(tmp_path / "a") == ["m"]
        with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist, can't save"):
            saver.save(session, str(tmp_path / "b" / "c" / "m"))


def test_names_that_collide_are_refused(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        with pytest.raises(ValueError, match="'latest_filename' collides with 'save_path'"):
            saver.save(ready(session), str(tmp_path / "checkpoint"))
        with pytest.raises(ValueError, match="must not contain path components"):
            saver.save(session, str(tmp_path / "m"), latest_filename="a/b")


def test_only_sessions_save():
    variable("v", [1.0])
    with pytest.raises(TypeError, match="'sess' must be a Session; None"):
        tf1.train.Saver().save(None, "m")


def test_a_saver_needs_variables():
    with pytest.raises(ValueError, match="No variables to save"):
        tf1.train.Saver()
    assert tf1.train.Saver(allow_empty=True).save(tf1.Session(), "m") is None


def test_a_saver_that_is_built_later_must_be_built(tmp_path):
    variable("v", [1.0])
    saver = tf1.train.Saver(defer_build=True)
    with tf1.Session() as session:
        with pytest.raises(RuntimeError, match="should be called before save"):
            saver.save(ready(session), str(tmp_path / "m"))
        saver.build()
        assert saver.save(session, str(tmp_path / "m"))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda v: [v, v], ValueError, "At least two variables have the same name: v"),
        (lambda v: {"a": v, "b": v}, ValueError, "restored with two names: b"),
        (lambda v: {"a": tf1.constant(1)}, TypeError, "Not a variable"),
        (lambda v: [tf1.constant(1)], TypeError, "Variable to save is not a Variable"),
        (lambda v: {3: v}, TypeError, "Name is not a string: 3"),
        (lambda v: "abc", TypeError, "should be passed in a dict or a list. Got abc"),
    ],
)
def test_what_cannot_be_saved_is_named(make, error, text):
    with pytest.raises(error, match=text):
        tf1.train.Saver(make(variable("v", [1.0])))


def test_graphs_are_not_written():
    with pytest.raises(NotImplementedError, match="Build the graph again"):
        tf1.train.import_meta_graph("m.meta")


# -- first values from a checkpoint ---------------------------------------------------------------


def two_variables() -> tuple[Any, Any]:
    with tf1.variable_scope("two"):
        return variable("a", np.float32([0.0, 0.0])), variable("b", np.float32([0.0] * 3))


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return saved(str(tmp_path / "m"), {"one/a": np.float32([1, 1]), "one/b": np.float32([1] * 3)})


@pytest.mark.parametrize(
    ("wanted", "sums"),
    [
        (lambda a, b: {"one/": "two/"}, [2.0, 3.0]),
        (lambda a, b: {"one/a": "two/a"}, [2.0, 0.0]),
        (lambda a, b: {"one/a": a}, [2.0, 0.0]),
        (lambda a, b: [("one/b", b)], [0.0, 3.0]),
        (lambda a, b: {"one/": "three/"}, [0.0, 0.0]),
    ],
)
def test_first_values_come_from_a_checkpoint(checkpoint, wanted, sums):
    a, b = two_variables()
    tf1.train.init_from_checkpoint(os.path.dirname(checkpoint), wanted(a, b))
    with tf1.Session() as session:
        assert [float(x.sum()) for x in ready(session).run([a, b])] == sums


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (lambda a, b: {"one/z": a}, "Tensor one/z is not found in .* checkpoint "),
        (lambda a, b: {"one": "two"}, "Should be 'scope/': 'other_scope/'"),
        (lambda a, b: {"one/a": b}, r"Shape of variable two/b:0 \(\(3,\)\) doesn't match"),
        (lambda a, b: {"/": "/"}, r"Tensor two/a \(two/a in /\) is not found in"),
    ],
)
def test_a_map_that_does_not_fit_the_checkpoint_is_refused(checkpoint, wanted, text):
    a, b = two_variables()
    with pytest.raises(ValueError, match=text):
        tf1.train.init_from_checkpoint(checkpoint, wanted(a, b))


# -- global steps ---------------------------------------------------------------------------------


def test_a_graph_has_one_global_step(graph):
    assert tf1.train.get_global_step() is None
    with tf1.name_scope("inner"):
        step = tf1.train.get_or_create_global_step()
    assert step.name == "global_step:0"
    assert step.dtype == tf1.int64
    assert not step.trainable
    assert tf1.train.get_global_step(graph) is step
    assert tf1.train.get_or_create_global_step() is step
    with pytest.raises(ValueError, match='"global_step" already exists'):
        tf1.train.create_global_step()


def test_an_optimizer_counts_steps():
    step = tf1.train.get_or_create_global_step()
    v = variable("v", np.float32(1.0))
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
    with tf1.Session() as session:
        ready(session).run(train)
        session.run(train)
        assert tf1.train.global_step(session, step) == 2


def test_a_global_step_is_one_whole_number():
    with pytest.raises(TypeError, match='"global_step" does not have integer type'):
        tf1.train.assert_global_step(tf1.constant(1.0))
    with pytest.raises(TypeError, match='"global_step" is not scalar'):
        tf1.train.assert_global_step(variable("f", np.int64([1, 2])))


@pytest.mark.parametrize(
    ("wanted", "sums"),
    [("two/a", [2.0, 0.0]), (["two"], [2.0, 3.0]), (None, [0.0, 0.0])],
)
def test_first_values_of_variables_with_some_names_come_from_a_checkpoint(checkpoint, wanted, sums):
    a, b = two_variables()
    names = {"two/a": "one/a", "two/b": "one/b"}
    if wanted == "two/a":  # TF: a name that is not used is an error
        with pytest.raises(ValueError, match=r"not used: {'two/b'}\.  Perhaps you misspelled"):
            tf1.train.warm_start(checkpoint, wanted, var_name_to_prev_var_name=names)
        del names["two/b"]
    tf1.train.warm_start(checkpoint, wanted, var_name_to_prev_var_name=names)
    with tf1.Session() as session:
        assert [float(x.sum()) for x in ready(session).run([a, b])] == sums


def test_checkpoints_are_given_as_they_come(tmp_path):
    first = saved(str(tmp_path / "m-1"), {"v": np.float32([1.0])})
    checkpoints = tf1.train.checkpoints_iterator(str(tmp_path), timeout=0.0)
    assert next(checkpoints) == first
    second = saved(str(tmp_path / "m-2"), {"v": np.float32([1.0])})
    assert next(checkpoints) == second
    assert list(checkpoints) == []


def test_waiting_for_checkpoints_goes_on_until_a_function_says_stop(tmp_path):
    answers = [False, True]
    waiting = tf1.train.checkpoints_iterator(tmp_path, 0, 0.0, lambda: answers.pop(0))
    assert list(waiting) == []
    assert answers == []


def test_graphs_are_written_for_people(graph, tmp_path):
    tf1.constant(1.0, name="one")
    path = tf1.train.write_graph(graph, str(tmp_path / "a"), "g.pbtxt")
    assert path == str(tmp_path / "a" / "g.pbtxt")
    assert 'name: "one"' in (tmp_path / "a" / "g.pbtxt").read_text()
    packed = tf1.train.write_graph(graph, tmp_path, "g.pb", as_text=False)
    assert tf1.GraphDef.FromString(Path(packed).read_bytes()).node[0].name == "one"


def test_several_variables_begin_as_one_of_a_checkpoint(tmp_path):
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("v1", shape=[3], initializer=tf1.ones_initializer())
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(tmp_path / "model"))
    with tf1.Graph().as_default(), tf1.Session() as session:
        both = [
            tf1.get_variable(name, shape=[3], initializer=tf1.zeros_initializer())
            for name in ("v1", "v2")
        ]
        tf1.train.warm_start(
            str(tmp_path), vars_to_warm_start=["v1", "v2"], var_name_to_prev_var_name={"v2": "v1"}
        )
        session.run(tf1.global_variables_initializer())
        assert [value.tolist() for value in session.run(both)] == [[1.0] * 3] * 2


def test_a_step_in_a_name_is_a_whole_number(tmp_path):
    tf1.get_variable("v", initializer=1.0)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        with pytest.raises(TypeError, match=r"global_step must be a whole number, got 2\.7"):
            tf1.train.Saver().save(session, str(tmp_path / "c"), global_step=2.7)
