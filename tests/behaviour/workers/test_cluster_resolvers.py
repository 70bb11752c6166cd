"""Clusters and who tells them: `ClusterSpec`, `TF_CONFIG`, Slurm. Values and texts are TensorFlow
2.21's answers to the same questions, unless a test's name says otherwise."""

from __future__ import annotations

import copy
import json
import os
import pickle

import pytest

import emplace.tensorflow as tf

CLUSTER = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}
NO_DICTIONARY = (
    "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
    "or a `ClusterDef` protocol buffer"
)
NO_TASKS = "The tasks for job 'worker' must be a list or a dictionary from integers to strings."
resolvers = tf.distribute.cluster_resolver


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"worker": ["a:1", "b:2"]}, {"worker": ["a:1", "b:2"]}),
     ({"worker": ("a:1",)}, {"worker": ["a:1"]}),
     ({"worker": {1: "b:2", 5: "c:3"}}, {"worker": {1: "b:2", 5: "c:3"}}),
     ({"worker": {"1": "a"}}, {"worker": {1: "a"}}),
     ({"worker": {1: "b", 0: "a"}}, {"worker": ["a", "b"]}),
     ({"worker": []}, {"worker": {}}),
     ({}, {})],
)  # fmt: skip
def test_a_cluster_is_made_of_lists_and_dictionaries(given, expected):
    assert tf.train.ClusterSpec(given).as_dict() == expected


@pytest.mark.parametrize(
    ("given", "text"),
    [(5, NO_DICTIONARY), (None, NO_DICTIONARY), ("x", NO_DICTIONARY),
     ({"worker": "a:1"}, NO_TASKS), ({"worker": 5}, NO_TASKS), ({"worker": None}, NO_TASKS),
     ({"worker": [1]}, "Task address 1 must be bytes or unicode"),
     ({"worker": {1: 2}}, "Task address 2 must be bytes or unicode"),
     ({1: ["a"]}, "Job name 1 must be bytes or unicode")],
)  # fmt: skip
def test_what_is_no_cluster_is_refused(given, text):
    with pytest.raises(TypeError) as refused:
        tf.train.ClusterSpec(given)
    assert str(refused.value) == text


def test_a_cluster_tells_its_jobs_and_tasks():
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {0: "c:3", 7: "d:4"}})
    assert repr(cluster) == "ClusterSpec({'ps': {0: 'c:3', 7: 'd:4'}, 'worker': ['a:1', 'b:2']})"
    assert cluster.jobs == ["worker", "ps"]
    assert (cluster.num_tasks("worker"), cluster.num_tasks("ps")) == (2, 2)
    assert (cluster.task_indices("worker"), cluster.task_indices("ps")) == ([0, 1], [0, 7])
    assert cluster.task_address("ps", 7) == "d:4"
    assert cluster.job_tasks("worker") == ["a:1", "b:2"]
    assert cluster.job_tasks("ps") == ["c:3", None, None, None, None, None, None, "d:4"]
    assert cluster
    assert not tf.train.ClusterSpec({})


def test_jobs_and_tasks_that_do_not_exist_are_named():
    cluster = tf.train.ClusterSpec(CLUSTER)
    for ask in (cluster.num_tasks, cluster.task_indices, cluster.job_tasks):
        with pytest.raises(ValueError, match=r"^No such job in cluster: 'x'$"):
            ask("x")
    with pytest.raises(ValueError, match=r"^No such job in cluster: 'x'$"):
        cluster.task_address("x", 0)
    with pytest.raises(ValueError, match=r"^No task with index 5 in job 'worker'$"):
        cluster.task_address("worker", 5)


def test_clusters_with_the_same_tasks_are_equal():
    cluster = tf.train.ClusterSpec({"worker": ["a:1"], "ps": {3: "b"}})
    assert tf.train.ClusterSpec(cluster) == cluster
    assert tf.train.ClusterSpec(cluster.as_cluster_def()) == cluster
    assert copy.deepcopy(cluster) == cluster
    assert pickle.loads(pickle.dumps(cluster)) == cluster
    assert cluster != cluster.as_dict()
    with pytest.raises(TypeError, match="unhashable"):
        hash(cluster)


def test_the_message_of_a_cluster_has_tensorflows_bytes():
    cluster = tf.train.ClusterSpec({"worker": ["a"], "ps": {3: "b"}})
    expected = b"\n\x0b\n\x02ps\x12\x05\x08\x03\x12\x01b\n\x0f\n\x06worker\x12\x05\x08\x00\x12\x01a"
    assert cluster.as_cluster_def().SerializeToString() == expected


def configured(monkeypatch, **config):
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    return resolvers.TFConfigClusterResolver()


def test_tf_config_tells_the_cluster_and_this_process(monkeypatch):
    task = {"type": "worker", "index": "1"}
    resolver = configured(monkeypatch, cluster=CLUSTER, task=task, rpc_layer="grpc")
    assert resolver.cluster_spec().as_dict() == CLUSTER
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, "grpc")
    assert resolver.environment is None
    assert resolver.master() == resolver.master("worker") == "grpc://b:2"
    assert resolver.master("ps", 0, "") == "c:3"
    with pytest.raises(ValueError, match=r"^No task with index 9 in job 'worker'$"):
        resolver.master("worker", 9)


def test_an_index_may_be_a_text_or_a_fraction_and_a_type_a_number(monkeypatch):
    resolver = configured(monkeypatch, cluster=CLUSTER, task={"type": 3, "index": 1.7})
    assert (resolver.task_type, resolver.task_id) == ("3", 1)
    sparse = {"worker": {"0": "a:1", "3": "d:1"}}
    resolver = configured(monkeypatch, cluster=sparse, task={"type": "worker", "index": 3})
    assert resolver.cluster_spec().as_dict() == {"worker": {0: "a:1", 3: "d:1"}}
    assert resolver.master() == "d:1"


@pytest.mark.parametrize("text", [None, "{}", "[]"])
def test_without_a_cluster_there_is_no_master(monkeypatch, text):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    if text is not None:
        monkeypatch.setenv("TF_CONFIG", text)
    resolver = resolvers.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == (None, None, None)
    assert resolver.cluster_spec().as_dict() == {}
    assert resolver.master() == resolver.master("x", 0) == ""


def test_one_task_alone_has_no_master(monkeypatch):
    resolver = configured(monkeypatch, cluster={"worker": ["a:1"]})
    assert resolver.master() == resolver.master("x", 9) == ""
    resolver = configured(monkeypatch, cluster={"chief": ["a:1"], "worker": ["b:1"]})
    assert resolver.master("worker", 0) == "b:1"


@pytest.mark.parametrize("text", ["", "not json", '{"cluster":'])
def test_a_tf_config_that_is_no_json_is_found_when_it_is_asked(monkeypatch, text):
    monkeypatch.setenv("TF_CONFIG", text)
    resolver = resolvers.TFConfigClusterResolver()
    for ask in (resolver.cluster_spec, resolver.master, lambda: resolver.task_id):
        with pytest.raises(json.JSONDecodeError, match="Expecting value"):
            ask()


@pytest.mark.parametrize(
    ("task", "expected"),
    [({"type": "worker"}, ("worker", None)), ({"index": 1}, (None, 1)), ({}, (None, None))],
)
def test_keys_may_be_missing_in_tf_config(monkeypatch, task, expected):
    resolver = configured(monkeypatch, cluster=CLUSTER, task=task)
    assert (resolver.task_type, resolver.task_id) == expected
    with pytest.raises(ValueError, match=r"No such job in cluster: None|No task with index None"):
        resolver.master()


def test_wrong_values_in_tf_config_are_refused(monkeypatch):
    resolver = configured(monkeypatch, cluster=CLUSTER, task={"type": "worker", "index": "x"})
    with pytest.raises(ValueError, match="invalid literal for int"):
        _ = resolver.task_id
    resolver = configured(monkeypatch, cluster=None)
    with pytest.raises(TypeError, match=r"^`cluster` must be a dictionary mapping"):
        resolver.cluster_spec()
    resolver = configured(monkeypatch, cluster=CLUSTER, task={"type": "evaluator", "index": 0})
    with pytest.raises(ValueError, match=r"^No such job in cluster: 'evaluator'$"):
        resolver.master()


def test_arguments_and_assignments_go_before_tf_config(monkeypatch):
    configured(monkeypatch, cluster=CLUSTER, task={"type": "worker", "index": 1})
    resolver = resolvers.TFConfigClusterResolver("ps", 0, "grpc+verbs", "google")
    assert (resolver.master(), resolver.environment) == ("grpc+verbs://c:3", "google")
    resolver.task_type, resolver.task_id, resolver.rpc_layer = "worker", 0, "x"
    assert resolver.master() == "x://a:1"
    monkeypatch.setenv("TF_CONFIG", json.dumps({"session_master": "sm:1"}))
    assert resolver.master("worker", 1, "grpc") == "sm:1"


def test_a_process_counts_its_own_gpus(monkeypatch, virtual_gpus):
    virtual_gpus(3)
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert resolvers.TFConfigClusterResolver().num_accelerators() == {"GPU": 3}
    resolver = configured(monkeypatch, cluster=CLUSTER, task={"type": "worker", "index": 1})
    assert resolver.num_accelerators() == {"GPU": 3}
    assert resolver.num_accelerators("worker", 0) == {}


def test_a_simple_resolver_tells_what_it_is_given():
    cluster = tf.train.ClusterSpec(CLUSTER)
    bare = resolvers.SimpleClusterResolver(cluster)
    assert (bare.task_type, bare.task_id, bare.rpc_layer, bare.environment) == (
        None,
        None,
        None,
        "",
    )
    assert (bare.master(), bare.master("worker"), bare.num_accelerators()) == ("", "", {})
    assert bare.master("worker", 1, "grpc") == "grpc://b:2"
    full = resolvers.SimpleClusterResolver(
        cluster, "m:1", "worker", 1, "e", num_accelerators={"GPU": 3}, rpc_layer="grpc"
    )
    assert (full.master(), full.master("ps", 0, "")) == ("grpc://m:1", "grpc://c:3")
    assert (full.environment, full.num_accelerators("ps", 0)) == ("e", {"GPU": 3})
    with pytest.raises(TypeError, match=r"^cluster_spec must be a `tf.train.ClusterSpec`.$"):
        resolvers.SimpleClusterResolver(CLUSTER)


def simple(cluster, *args, **kwargs):
    return resolvers.SimpleClusterResolver(tf.train.ClusterSpec(cluster), *args, **kwargs)


def test_a_union_joins_clusters():
    first = simple({"worker": ["a:1"]}, "m1", "worker", 0, rpc_layer="grpc")
    union = resolvers.UnionResolver(first, simple({"worker": ["b:1"], "ps": ["p:1"]}, "m2"))
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1"], "ps": ["p:1"]}
    assert (union.task_type, union.task_id, union.rpc_layer) == ("worker", 0, "grpc")
    assert (union.master(), union.master("worker", 1, "r")) == ("grpc://m1", "r://b:1")
    assert union.environment == ""
    other = resolvers.UnionResolver(first, task_type="ps", task_id=3, rpc_layer="r")
    assert (other.task_type, other.task_id, other.rpc_layer) == ("ps", 3, "r")
    mixed = resolvers.UnionResolver(simple({"w": ["a"]}), simple({"w": {3: "x"}}))
    assert mixed.cluster_spec().as_dict() == {"w": {0: "a", 3: "x"}}
    sparse = resolvers.UnionResolver(simple({"w": {1: "x"}}), simple({"w": {2: "y"}}))
    assert sparse.cluster_spec().as_dict() == {"w": {1: "x", 2: "y"}}


def test_unions_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"^At least one ClusterResolver is required.$"):
        resolvers.UnionResolver()
    with pytest.raises(
        TypeError, match=r"^All arguments must be a sub-class of `ClusterResolver.`"
    ):
        resolvers.UnionResolver(5)
    with pytest.raises(ValueError, match=r"^Unexpected kwargs provided {'foo': 1}$"):
        resolvers.UnionResolver(simple(CLUSTER), foo=1)
    twice = resolvers.UnionResolver(simple({"w": ["z", "x"]}), simple({"w": {1: "y"}}))
    with pytest.raises(
        KeyError, match=r"Duplicate keys detected when merging two ClusterSpecs: .1."
    ):
        twice.cluster_spec()


SLURM = {
    "STEP_NODELIST": "t02n13,t02n41,t02n43,t02n44", "PROCID": "2", "STEP_NUM_TASKS": "4",
    "STEP_TASKS_PER_NODE": "1(x4)",
}  # fmt: skip


def in_slurm(monkeypatch, changed=(), visible=None, **arguments):
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    for name, value in {**SLURM, **dict(changed)}.items():
        if value is not None:
            monkeypatch.setenv(f"SLURM_{name}", value)
    # Set first, so that what the resolver sets does not stay.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible or "")
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    return resolvers.SlurmClusterResolver(**arguments)


def test_slurm_tells_the_cluster_and_this_process(monkeypatch):
    resolver = in_slurm(monkeypatch, gpus_per_node=2)
    assert (resolver.get_task_info(), resolver.master()) == ((None, None), "")
    assert resolver.cluster_spec().as_dict() == {
        "worker": ["t02n13:8888", "t02n41:8888", "t02n43:8888", "t02n44:8888"]
    }
    assert resolver.get_task_info() == (resolver.task_type, resolver.task_id) == ("worker", 2)
    assert (resolver.master(), resolver.rpc_layer) == ("grpc://t02n43:8888", "grpc")
    assert resolver.master(task_id=0, rpc_layer="x") == "x://t02n13:8888"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,1"


def test_slurm_gives_tasks_to_jobs_by_name(monkeypatch):
    resolver = in_slurm(
        monkeypatch, {"PROCID": "3"}, jobs={"worker": 3, "ps": 1}, port_base=9999,
        gpus_per_node=1, gpus_per_task=1, rpc_layer=None, auto_set_gpu=False,
    )  # fmt: skip
    assert resolver.cluster_spec().as_dict() == {
        "ps": ["t02n13:9999"], "worker": ["t02n41:9999", "t02n43:9999", "t02n44:9999"]
    }  # fmt: skip
    assert (resolver.get_task_info(), resolver.master()) == (("worker", 2), "t02n44:9999")
    assert resolver.num_accelerators() == {"GPU": 1}
    assert "CUDA_VISIBLE_DEVICES" not in os.environ


def test_slurm_nodes_may_have_different_numbers_of_tasks(monkeypatch):
    changed = {
        "STEP_NODELIST": "n[1-3,7]", "STEP_TASKS_PER_NODE": "2(x3),1", "STEP_NUM_TASKS": "7",
        "PROCID": "5",
    }  # fmt: skip
    resolver = in_slurm(monkeypatch, changed, visible="0,1,2,3")
    assert resolver.cluster_spec().as_dict()["worker"] == [
        "n1:8888", "n1:8889", "n2:8888", "n2:8889", "n3:8888", "n3:8889", "n7:8888",
    ]  # fmt: skip
    assert (resolver.task_id, resolver.num_accelerators()) == (5, {"GPU": 2})
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [("b,a", "b a"), ("n[08-11],n[0-1,5]", "n08 n09 n10 n11 n0 n1 n5"),
     ("n[01-03,10],m5", "n01 n02 n03 n10 m5"), ("n[3,1,2]", "n3 n1 n2"), ("[1-2],a", "1 2 a"),
     ("n[009-11]", "n009 n010 n011"), ("n[0-1,05]", "n0 n1 n05"), ("x-[1-2],", "x-1 x-2")],
)  # fmt: skip
def test_slurm_lists_of_hosts(monkeypatch, hosts, expected):
    count = str(len(expected.split()))
    changed = {"STEP_NODELIST": hosts, "STEP_NUM_TASKS": count, "PROCID": "0",
               "STEP_TASKS_PER_NODE": f"1(x{count})"}  # fmt: skip
    resolver = in_slurm(monkeypatch, changed, gpus_per_node=0)
    found = resolver.cluster_spec().job_tasks("worker")
    assert [address.removesuffix(":8888") for address in found] == expected.split()


def test_tasks_are_numbered_as_slurm_ranks_them_where_tensorflow_sorts_hosts_as_text(monkeypatch):
    changed = {"STEP_NODELIST": "n[9-11]", "STEP_NUM_TASKS": "3", "STEP_TASKS_PER_NODE": "1(x3)"}
    resolver = in_slurm(monkeypatch, changed, gpus_per_node=0)
    assert resolver.cluster_spec().job_tasks("worker") == ["n9:8888", "n10:8888", "n11:8888"]


@pytest.mark.parametrize(
    ("changed", "text"),
    [*(({name: None}, f"SLURM_{name} not found in environment. Not running inside a SLURM step")
       for name in SLURM),
     ({"STEP_TASKS_PER_NODE": "1(x3)"}, "Requested 4 tasks but only 3 were assigned."),
     ({"PROCID": "9"}, "SLURM_PROCID is 9, but the step has 4 tasks, from 0 on.")],
)  # fmt: skip
def test_a_slurm_step_that_does_not_fit_is_refused(monkeypatch, changed, text):
    with pytest.raises(RuntimeError) as refused:
        in_slurm(monkeypatch, changed, gpus_per_node=0)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("STEP_NODELIST", "n[1-3", 'Invalid hostlist format "n[1-3": Invalid part: n[1-3'),
     ("STEP_NODELIST", "n1]", 'Invalid hostlist format "n1]": Invalid part: n1]'),
     ("STEP_NODELIST", "n[1,2]x", 'Invalid hostlist format "n[1,2]x": Invalid part: n[1,2]x'),
     ("STEP_NODELIST", "n[a-b]", 'Invalid hostlist format "n[a-b]": invalid literal for int()'),
     ("STEP_NODELIST", "n[3-1]", 'Invalid hostlist format "n[3-1]": 3-1 ends before it starts'),
     ("STEP_NODELIST", "n1,,n2", 'Invalid hostlist format "n1,,n2"'),
     ("STEP_NODELIST", "", "SLURM_STEP_NODELIST names no node"),
     ("STEP_TASKS_PER_NODE", "1(x2", 'Invalid tasks-per-node list format "1(x2": '),
     ("STEP_TASKS_PER_NODE", "1(2)", 'Invalid tasks-per-node list format "1(2)": '),
     ("PROCID", "x", "invalid literal for int()")],
)  # fmt: skip
def test_slurm_variables_that_cannot_be_read_are_refused(monkeypatch, name, value, text):
    with pytest.raises(ValueError) as refused:
        in_slurm(monkeypatch, {name: value}, gpus_per_node=0)
    assert text in str(refused.value)


TWO_PER_NODE = {"STEP_NODELIST": "n[1-2]", "STEP_TASKS_PER_NODE": "2(x2)", "PROCID": "3"}


@pytest.mark.parametrize(
    ("visible", "arguments", "gpus", "expected"),
    [(None, {"gpus_per_node": 4}, 2, "2,3"),
     (None, {"gpus_per_node": 4, "gpus_per_task": 1}, 1, "1"),
     ("0,1,2,3", {}, 2, "2,3"),
     ("0,1,2", {"gpus_per_node": 4}, 2, "2,3")],
)  # fmt: skip
def test_a_slurm_task_sees_its_share_of_the_gpus(monkeypatch, visible, arguments, gpus, expected):
    resolver = in_slurm(monkeypatch, TWO_PER_NODE, visible, **arguments)
    resolver.cluster_spec()
    resolver.cluster_spec()
    assert resolver.num_accelerators() == {"GPU": gpus}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == expected


def test_shares_are_of_the_gpus_that_are_visible_where_tensorflow_counts_from_0(monkeypatch):
    in_slurm(monkeypatch, TWO_PER_NODE, "4,5,6,7").cluster_spec()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "6,7"


@pytest.mark.parametrize("visible", [None, "", "NoDevFiles"])
def test_a_slurm_step_without_gpus_works_where_tensorflow_wants_the_driver(monkeypatch, visible):
    monkeypatch.setattr("shutil.which", lambda name: None)
    resolver = in_slurm(monkeypatch, {}, visible)
    assert resolver.cluster_spec().num_tasks("worker") == 4
    assert resolver.num_accelerators() == {"GPU": 0}


def test_more_gpus_than_a_node_has_are_refused(monkeypatch):
    with pytest.raises(RuntimeError, match=r"^Requested more GPUs per node than available.$"):
        in_slurm(monkeypatch, gpus_per_node=1, gpus_per_task=2)


def test_a_resolver_of_ones_own_tells_the_cluster_and_the_master():
    class Mine(resolvers.ClusterResolver):
        def cluster_spec(self):
            return tf.train.ClusterSpec(CLUSTER)

        def master(self, task_type=None, task_id=None, rpc_layer=None):
            return "mine"

    mine = Mine()
    assert (mine.task_type, mine.task_id, mine.environment) == (None, None, "")
    mine.task_type, mine.task_id = "chief", 2
    assert (mine.task_type, mine.task_id) == ("chief", 2)
    with pytest.raises(TypeError, match="Can't instantiate abstract class ClusterResolver"):
        resolvers.ClusterResolver()
