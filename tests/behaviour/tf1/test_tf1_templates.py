"""`tf.compat.v1.make_template`: functions that share their variables between calls."""

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def line(x, units=2):
    w = v1.get_variable("w", [x.shape[1], units], initializer=v1.ones_initializer())
    b = v1.get_variable("b", [units], initializer=v1.zeros_initializer(), trainable=False)
    return x @ w + b


def names(variables):
    return [each.name for each in variables]


def test_calls_of_a_template_share_variables_in_eager_mode() -> None:
    shared, other = v1.make_template("line", line), v1.make_template("line", line)
    assert shared.variable_scope is None
    assert not shared.variables
    x = tf.ones([2, 3])
    shared(x)
    w = shared.trainable_variables[0]
    w.assign_add(tf.ones([3, 2]))
    assert shared(x).numpy().tolist() == [[6.0, 6.0], [6.0, 6.0]]
    assert other(x).numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]
    scope = shared.variable_scope_name
    assert names(shared.variables) == [f"{scope}b:0", f"{scope}w:0"]
    assert names(shared.non_trainable_weights) == [f"{scope}b:0"]
    assert other.variable_scope_name == f"{scope[:-1]}_1/"
    with pytest.raises(ValueError, match=r"Trying to share variable .*specified shape \(3, 3\)"):
        shared(x, units=3)


def test_a_function_uses_the_variables_of_a_template() -> None:
    shared = v1.make_template("inner", line)
    run = tf.function(lambda x: shared(x) * 2)
    assert run(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
    shared.trainable_variables[0].assign_add(tf.ones([3, 2]))
    assert run(tf.ones([2, 3])).numpy().tolist() == [[12.0, 12.0]] * 2  # another trace
    assert shared(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
    assert len(shared.variables) == 2


@pytest.mark.parametrize("is_eager", [True, False])
def test_templates_that_a_template_makes_are_its_children(is_eager) -> None:
    def body(x):
        one, two = v1.make_template("part", line), v1.make_template("part", line)
        return one(x), two(x), one.variables, two.variables

    def check():
        whole = v1.make_template("whole", body)
        x = tf.ones([2, 3])
        first, second = whole(x), whole(x)
        for before, after in zip(first[2] + first[3], second[2] + second[3], strict=True):
            assert before is after
        assert sorted(names(whole.variables)) == [
            "whole/part/b:0", "whole/part/w:0", "whole/part_1/b:0", "whole/part_1/w:0",
        ]  # fmt: skip
        assert list(whole._trackable_children()) == ["part", "part_1"]
        assert sorted(whole._trackable_children()["part"]._trackable_children()) == ["b", "w"]

    if is_eager:
        v1.reset_default_graph()  # which counts scopes
        check()
    else:
        with tf.Graph().as_default():
            check()


def test_a_template_is_saved_and_restored(tmp_path) -> None:
    def made():
        template = v1.make_template("saved", line)
        template(tf.ones([1, 2]))
        return template

    first, second = made(), made()
    first.trainable_variables[0].assign(tf.fill([2, 2], 7.0))
    path = tf.train.Checkpoint(model=first).save(str(tmp_path / "c"))
    tf.train.Checkpoint(model=second).restore(path).expect_partial()
    assert second(tf.ones([1, 2])).numpy().tolist() == [[14.0, 14.0]]
    later = v1.make_template("later", line)
    tf.train.Checkpoint(model=later).restore(path).expect_partial()
    assert later(tf.ones([1, 2])).numpy().tolist() == [[14.0, 14.0]]


@pytest.mark.parametrize("is_eager", [True, False])
def test_a_later_call_makes_no_variable_to_train(is_eager) -> None:
    def check():
        count = [0]

        def body():
            count[0] += 1
            return v1.get_variable(f"a{count[0]}", [], initializer=v1.zeros_initializer())

        template = v1.make_template("grows", body)
        template()
        with pytest.raises(ValueError, match=r"Trainable variable created when|a2 does not exist"):
            template()

        def plain():
            return tf.Variable(0.0)

        other = v1.make_template("plain", plain)
        other()
        if not is_eager:
            with pytest.raises(ValueError, match="Trainable variable created when calling"):
                other()

    if is_eager:
        check()
    else:
        with tf.Graph().as_default():
            check()


def test_a_template_takes_its_scope_when_it_is_made_if_that_is_wished() -> None:
    with tf.Graph().as_default():
        with v1.variable_scope("outside"):
            now = v1.make_template("now", line, True)
            then = v1.make_template("then", line)
        assert now.variable_scope.name == "outside/now"
        assert then.variable_scope is None
        x = tf.ones([1, 2])
        assert now(x).name.startswith("now/add")
        then(x)
        assert names(now.variables) == ["outside/now/w:0", "outside/now/b:0"]
        assert names(then.trainable_variables) == ["then/w:0"]


def test_a_call_that_fails_leaves_a_template_as_it_was() -> None:
    template = v1.make_template("fails", line)
    with pytest.raises(TypeError):
        template(tf.ones([1, 2]), unknown=True)
    assert template(tf.ones([1, 2])).numpy().tolist() == [[2.0, 2.0]]
    assert template.name == "fails"
    assert template.func is line


def test_a_template_needs_a_name() -> None:
    with pytest.raises(ValueError, match=r"^name cannot be None\.$"):
        v1.make_template(None, line)
    with pytest.raises(ValueError, match=r"^unique_name_ cannot be used when eager execution"):
        v1.make_template("a", line, unique_name_="b")


@pytest.mark.gpus(1, memory="64MB")
def test_replicas_that_meet_within_the_first_call_share_its_variables() -> None:
    def body():
        one = v1.get_variable("one", [], initializer=v1.constant_initializer(21.0))
        tf.distribute.get_replica_context().merge_call(lambda _: ())
        other = v1.get_variable("other", [], initializer=v1.constant_initializer(2.0))
        return one * other

    with tf.Graph().as_default():
        template = v1.make_template("shared", body)
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/gpu:0"])
        out = [strategy.experimental_local_results(strategy.run(template)) for _ in range(2)]
        assert names(v1.global_variables()) == ["shared/one:0", "shared/other:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(out) == [(42.0, 42.0), (42.0, 42.0)]
