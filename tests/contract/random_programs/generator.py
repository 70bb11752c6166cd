"""Makes random programs: the same one for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from .catalogue import FAILURES, FEEDS, FLOATS, OTHERS, Entry, F
from .grown import CHANGES, GROWN, GROWN_FAILURES, GROWN_FLOATS, GROWN_OTHERS
from .program import Block, Names, Program, Step, literal
from .written import written_function

INPUTS: Names = (
    ("x0", "f"), ("x1", "f3"), ("x2", "f23"), ("x3", "f32"), ("x4", "i"), ("x5", "i3"),
    ("x6", "b"), ("x7", "b3"), ("x8", "c3"), ("x9", "d3"), ("x10", "s"), ("x11", "s3"),
)  # fmt: skip
VARIABLES: Names = (
    ("v0", "f"), ("v1", "f3"), ("v2", "f23"), ("v3", "i3"), ("v4", "b"), ("v5", "s"), ("v6", "i"),
)  # fmt: skip
_FORMS = {
    "float": 34, "other": 16, "assign": 8, "cond": 4, "loop": 4, "call": 5, "tape": 4,
    "forward": 1, "scope": 3, "read": 2, "made": 1.5, "map": 1.5, "case": 0.7, "changed": 2,
}  # fmt: skip


def make_program(seed: int, size: int = 14) -> Program:
    """A program, always the same one for the same seed."""
    return (_Maker if seed < GROWN else _GrownMaker)(seed).program(size)


class _Maker:
    """Keeps what names there are while a program grows."""

    forms: ClassVar[dict[str, float]] = _FORMS
    floats, others, failures = FLOATS, OTHERS, FAILURES

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.count = 0
        self.known: list[tuple[str, str]] = list(INPUTS)
        self.variables = list(VARIABLES)
        self.may_make_variables = True
        self.may_draw = True
        self.makes: dict[str, Callable[[int], Step]] = {
            "float": lambda depth: self.single(self.floats),
            "other": lambda depth: self.single(self.others),
            "assign": self.assign, "cond": self.cond, "loop": self.loop, "call": self.call,
            "tape": self.tape, "forward": self.forward, "scope": self.scope, "read": self.read,
            "made": self.made, "map": self.map, "case": self.case, "changed": self.changed,
        }  # fmt: skip

    def program(self, size: int) -> Program:
        fails = self.rng.random() < 0.15
        count = self.rng.randint(3, size)
        failing = self.rng.randrange(count) if fails else -1
        steps: list[Step] = []
        for i in range(count):
            if i == failing:
                steps.append(self.failing())
            elif self.rng.random() < 0.06:
                steps.append(self.single(FEEDS))
            else:
                steps.append(self.step(depth=2))
        made = [pair for step in steps for pair in step.makes if pair[1]][-7:]
        must = [] if failing < 0 else steps[failing].makes  # or nobody would need it
        results = [*must, *made, *self.rng.sample(self.known, 2)]
        return Program(self.seed, INPUTS, tuple(VARIABLES), tuple(steps), tuple(results))

    # -- names ----------------------------------------------------------------------------------

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def pick(self, kind: str) -> str:
        """A name of a kind, rather a late one, or a constant."""
        found = [name for name, each in self.known if each == kind]
        if not found:
            return literal(kind)
        return self.rng.choice(found[-4:] if self.rng.random() < 0.7 else found)

    def own(self, kind: str) -> str:
        """A name of a kind that a tape watches."""
        return self.pick(kind)

    def of(self, kinds: tuple[str, ...]) -> tuple[str, str]:
        kind = self.rng.choice(kinds)
        return self.pick(kind), kind

    def make(self, *kinds: str) -> Names:
        made = tuple((self.name(), kind) for kind in kinds)
        self.known += made
        return made

    def bind(self, kinds: tuple[str, ...], text: str, uses: tuple[str, ...], **more: Any) -> Step:
        """A step that binds new names, which what it uses cannot have."""
        return Step(self.make(*kinds), text, uses, **more)

    # -- blocks ---------------------------------------------------------------------------------

    def steps(self, depth: int, most: int = 4) -> tuple[Step, ...]:
        return tuple(self.step(depth - 1) for _ in range(self.rng.randint(0, most)))

    def step(self, depth: int) -> Step:
        forms = dict(self.forms)
        if not self.may_make_variables:
            del forms["made"]
        if depth <= 0:
            for form in ("cond", "loop", "call", "tape", "forward", "scope", "map", "case"):
                del forms[form]
        form = self.rng.choices(list(forms), list(forms.values()))[0]
        return self.makes[form](depth)

    def block(
        self, takes: Names, kinds: tuple[str, ...], depth: int, most: int = 4,
        form: str = "({all})",
        is_called: bool = False,
    ) -> Block:  # fmt: skip
        """A function of what it takes, and of what is around it; returns tensors of kinds.

        Branches and bodies make no variables, functions that are called do.
        """
        known, may = list(self.known), self.may_make_variables
        self.may_make_variables &= is_called
        self.known += [pair for pair in takes if pair[1]]
        steps = self.steps(depth, most)
        gives = tuple(self.pick(kind) for kind in kinds)
        self.known, self.may_make_variables = known, may
        return Block(takes, steps, gives, form)

    def taken(self, *kinds: str) -> Names:
        return tuple((self.name(), kind) for kind in kinds)

    # -- steps ----------------------------------------------------------------------------------

    def single(self, entries: list[Entry]) -> Step:
        entry = self.rng.choice(
            [each for each in entries if self.may_draw or not each.keeps_a_state]
        )
        uses = tuple(self.pick(kind) for kind in entry.takes)
        return Step(self.make(*entry.makes), entry.text, uses)

    def failing(self) -> Step:
        """An operation that fails when it runs: by itself, in a branch, or in a loop."""
        kind = self.rng.choice(("plain", "cond", "loop", "function"))
        made = self.single(self.failures)
        if kind == "plain":
            return Step(made.makes, made.text, made.uses, has_effects=True)
        ((name, result),) = made.makes
        self.known.pop()  # it is bound inside of the block only
        block = Block((), (made,), (name,), form="{0}")
        other = Block((), (), (self.pick(result),), form="{0}")
        if kind == "cond":
            text = "tf.cond(tf.equal({0}, {0}), {b0}, {b1})"
            uses = (self.pick("i"),)
            return self.bind((result,), text, uses, blocks=(block, other), has_effects=True)
        if kind == "loop":
            shape = [*map(int, result[1:])]
            body = f"lambda i, x: (i + 1, tf.ensure_shape({{b0}}(), {shape}))"
            text = f"tf.while_loop(lambda i, x: i < 2, {body}, (0, {{b1}}()))[1]"
            return self.bind((result,), text, (), blocks=(block, other), has_effects=True)
        block = Block((), (made,), (name,), "{0}", "@tf.function(autograph=False)")
        return self.bind((result,), "{b0}()", (), blocks=(block,), has_effects=True)

    def assign(self, depth: int) -> Step:
        name, kind = self.rng.choice(self.variables)
        ways = {
            "f": ("assign", "assign_add", "assign_sub"), "i": ("assign", "assign_add"),
            "b": ("assign",), "s": ("assign",),
        }[kind[0]]  # fmt: skip
        value = {"f": "tf.tanh({0})", "i": "{0} % 10"}.get(kind[0], "{0}")
        way = self.rng.choice(ways)
        if kind == "f3" and self.rng.random() < 0.2:
            text = f"{name}.scatter_nd_add([[1]], [tf.tanh({{0}})])"
            return Step(((self.name(), ""),), text, (self.pick("f"),), has_effects=True)
        text = f"{name}.{way}({value})"
        return Step(((self.name(), ""),), text, (self.pick(kind),), has_effects=True)

    def changed(self, depth: int) -> Step:
        """A change whose value is used."""
        name, kind = self.rng.choice([v for v in self.variables if v[1][0] in "fi"])
        value = "tf.tanh({0})" if kind[0] == "f" else "{0} % 10"
        text = self.rng.choice(
            (f"tf.identity({name}.assign_add({value}))", f"{name}.assign({value}) + 1",
             f"tf.identity({name}.assign_add({name}.assign_sub({value})))")
        )  # fmt: skip
        # A tape watches a variable where it is read, in a graph of TF 1 not through what assigning
        # returns, so no gradient goes through it here.
        return self.bind((kind,), f"tf.stop_gradient({text})", (self.pick(kind),), has_effects=True)

    def read(self, depth: int) -> Step:
        name, kind = self.rng.choice(self.variables)
        ways = ["{0}.read_value()", "tf.identity({0})", "{0}.value()"]
        if kind[0] in "fi":
            ways.append("{0} * 1")
        return self.bind((kind,), self.rng.choice(ways).replace("{0}", name), ())

    def made(self, depth: int) -> Step:
        """A variable made where it is first needed, and its value."""
        kind = self.rng.choice(("f", "f3", "f23", "i3"))
        start = self.rng.choice((literal(kind), f"tf.ones_like({literal(kind)}) * 2"))
        text = f'kept("{{n}}", lambda: tf.Variable({start}))'
        change = self.rng.choice((".read_value()", ".assign_add({0} * 0 + 1).read_value()", " * 1"))
        uses = (self.pick(kind),) if "{0}" in change else ()
        return self.bind((kind,), text + change, uses, has_effects=True)

    def cond(self, depth: int) -> Step:
        kinds = tuple(self.rng.choice((*F, "f3", "i3", "s", "c3", "b")) for _ in range(
            self.rng.randint(1, 3)))  # fmt: skip
        test = self.pick("b")
        yes, no = (self.block((), kinds, depth) for _ in range(2))
        text = "tf.cond({0}, {b0}, {b1})" + ("[0]" if len(kinds) == 1 else "")
        return self.bind(kinds, text, (test,), blocks=(yes, no))

    def case(self, depth: int) -> Step:
        kind = self.rng.choice((*F, "i3"))
        blocks = tuple(self.block((), (kind,), depth, 2, form="{0}") for _ in range(3))
        text = self.rng.choice(
            ("tf.switch_case({0} % 4, [{b0}, {b1}, {b2}])",
             "tf.case([({0} > 1, {b0}), ({0} < 0, {b1})], default={b2}, exclusive=True)")
        )  # fmt: skip
        return self.bind((kind,), text, (self.pick("i"),), blocks=blocks)

    def loop(self, depth: int) -> Step:
        kind, other = self.rng.choice(F), self.rng.choice((*F, "i3", "s", "f3", "c3"))
        start, second, count = self.pick(kind), self.pick(other), self.pick("i")
        takes = self.taken("i", kind, other)
        block = self.block(takes, (kind, other), depth)
        i = takes[0][0]
        fixed = ", ".join(
            f"tf.ensure_shape({{{j}}}, {list(map(int, k[1:]))})"
            for j, k in enumerate((kind, other))
        )
        block = replace(block, form=f"({i} + 1, {fixed})")
        test = self.rng.choice(
            ("i < {3}", "i < {3}", "i < {2} % 4", "(i < 4) & (tf.reduce_sum(x) < 1.5)",
             "(i < 3) & tf.reduce_any(x > 0.0)")
        ).replace("{3}", str(self.rng.randint(0, 4)))  # fmt: skip
        most = self.rng.choice(("", "", ", maximum_iterations=2"))
        starts = ", ".join(_start(place, block) for place in ("{0}", "{1}"))
        text = f"tf.while_loop(lambda i, x, y: {test}, {{b0}}, (tf.constant(0), {starts}){most})"
        return self.bind(("i", kind, other), text, (start, second, count), blocks=(block,))

    def map(self, depth: int) -> Step:
        """A function of the elements of a vector, one after the other."""
        way = self.rng.choice(("map", "scan", "fold", "array"))
        if way == "map":
            block = self.block(self.taken("f"), ("f",), depth, 3, form="{0}")
            return self.bind(("f3",), "tf.map_fn({b0}, {0})", (self.pick("f3"),), blocks=(block,))
        if way == "array":
            takes = self.taken("i", "f")
            block = self.block(takes, ("f", "f"), depth, 3, form="(tf.ensure_shape({0}, []), {1})")
            body = "(lambda r: (i + 1, r[0], a.write(i, r[1])))({b0}(i, x))"
            array = "tf.TensorArray(tf.float32, 3, element_shape=[])"
            start = self.pick("f")
            starts = f"tf.constant(0), {_start('{0}', block)}, {array}"
            text = f"tf.while_loop(lambda i, *_: i < 3, lambda i, x, a: {body}, ({starts}))"
            return self.bind(("f3",), text + "[2].stack()", (start,), blocks=(block,))
        # A squeezed slice of unknown length may be of any rank, which loops refuse.
        form = "tf.ensure_shape({0}, [])"
        block = self.block(self.taken("f", "f"), ("f",), depth, 3, form=form)
        makes, name = (("f3",), "scan") if way == "scan" else (("f",), "foldl")
        vector, start = self.pick("f3"), self.pick("f")
        text = f"tf.{name}({{b0}}, {{0}}, initializer={_start('{1}', block)})"
        return self.bind(makes, text, (vector, start), blocks=(block,))

    def call(self, depth: int) -> Step:
        """A function in the program, called once or twice; it may return what it was given."""
        takes = self.taken(*(self.rng.choice((*F, "f3", "i3", "s")) for _ in range(
            self.rng.randint(1, 3))))  # fmt: skip
        gives = tuple(self.rng.choice([k for _, k in takes] + ["f", "f3"]) for _ in range(
            self.rng.randint(1, 3)))  # fmt: skip
        form = "({all})"
        if len(gives) == 2:
            form = self.rng.choice(("({all})", "{{'a': {0}, 'b': [{1}]}}", "[({0},), {1}]"))
        known, variables = list(self.known), self.variables
        arguments_in = tuple(self.pick(kind) for _, kind in takes)
        is_kept = self.rng.random() < 0.4
        if is_kept:  # made once, so that it may not look at tensors around it
            self.known, self.variables = [], list(VARIABLES)
        elif self.rng.random() < 0.25:
            name, kind = self.rng.choice([v for v in variables if v[1][0] == "f"])
            place = self.name()
            takes, arguments_in = (*takes, (place, "")), (*arguments_in, name)
            self.variables = [*variables, (place, kind)]
        decorator = self.rng.choice(
            ("tf.function(autograph=False)", "tf.function(autograph=False)", "",
             "tf.function(autograph=False, reduce_retracing=True)")
        )  # fmt: skip
        is_called_again = self.rng.random() < 0.25
        may_draw = self.may_draw
        # In TensorFlow, too, each operation of a graph counts its own draws: a function made anew
        # begins anew, and two calls in a graph draw the same where two in eager mode go on.
        self.may_draw &= not is_called_again and (is_kept or not decorator)
        block = self.block(takes, gives, depth, 4, form, is_called=True)
        self.known, self.variables, self.may_draw = known, variables, may_draw
        places_text = ", ".join(f"{{{i}}}" for i in range(len(arguments_in)))
        function = "{b0}"
        if is_kept and decorator:
            function = f'kept("f_{{n}}", lambda: {decorator}({{b0}}))'
        elif decorator:
            block = replace(block, decorator=f"@{decorator}")
        text = f"tf.nest.flatten({function}({places_text}))"
        uses, kinds = arguments_in, gives
        if is_called_again:
            again = ", ".join(f"{{{i + len(arguments_in)}}}" for i in range(len(arguments_in)))
            text += f" + tf.nest.flatten({function}({again}))"
            uses = (
                *arguments_in,
                *(
                    g if not k else self.pick(k)
                    for g, (_, k) in zip(arguments_in, takes, strict=True)
                ),
            )
            kinds = (*gives, *gives)
        if len(kinds) == 1:
            text = f"({text})[0]"
        return self.bind(kinds, text, uses, blocks=(block,), calls_at_once=not decorator)

    def tape(self, depth: int) -> Step:
        """Gradients in the program; tapes in tapes are second derivatives."""
        before = len(self.known)
        watched = tuple(self.own(kind) for kind in self.rng.choices(F, k=2))
        inner = self.steps(depth, 4)
        made = [pair for pair in self.known[before:] if pair[1] in F]
        target = self.rng.choice(made)[0] if made else watched[0]
        source, kind = self.rng.choice(
            [(w, self.kind_of(w)) for w in watched] + [v for v in self.variables if v[1] in F]
            + [pair for pair in made[:1] if self.rng.random() < 0.3]
        )  # fmt: skip
        return self.gradients(watched, inner, target, source, kind)

    def gradients(self, watched: tuple[str, ...], inner: tuple[Step, ...], target: str,
                  source: str, kind: str) -> Step:  # fmt: skip
        zero = 'unconnected_gradients="zero"'
        gradient = "{n}_tape.gradient({2}, %s, " + zero + ")"
        persistent = self.rng.random() < 0.3
        text = f"map(tf.convert_to_tensor, {gradient % '[{3}, {0}]'})"
        if persistent and self.rng.random() < 0.5:
            text = f"map(tf.convert_to_tensor, ({gradient % '{3}'}, {gradient % '{0}'}))"
        elif self.rng.random() < 0.1:
            rows = f"{{n}}_tape.jacobian(tf.reshape({{2}}, [-1]), {{3}}, {zero})"
            text = f"tf.reduce_sum({rows}, 0), {{0}} * 1.0"
        scope = f"with tf.GradientTape(persistent={persistent}) as {{n}}_tape:"
        makes = self.make(kind, self.kind_of(watched[0]))
        uses = (*watched, target, source)
        return Step(makes, text, uses, (), scope, inner, "{n}_tape.watch([{0}, {1}])")

    def kind_of(self, name: str) -> str:
        if name.startswith("tf.constant("):
            shape = name[name.index("[") + 1 : name.index("]")]
            return "f" + shape.replace(", ", "")
        return next(kind for each, kind in self.known if each == name)

    def forward(self, depth: int) -> Step:
        """The derivative along a direction."""
        kind = self.rng.choice(F)
        source, tangent = self.own(kind), self.pick(kind)
        before = len(self.known)
        inner = self.steps(depth, 3)
        made = [pair for pair in self.known[before:] if pair[1] in F]
        target, kind = self.rng.choice(made) if made else (source, kind)
        scope = "with tf.autodiff.ForwardAccumulator({0}, {1}) as {n}_forward:"
        text = 'tf.convert_to_tensor({n}_forward.jvp({2}, unconnected_gradients="zero"))'
        return self.bind((kind,), text, (source, tangent, target), scope=scope, inner=inner)

    def scope(self, depth: int) -> Step:
        way = self.rng.choice(("device", "device", "control", "name"))
        uses: tuple[str, ...] = ()
        may = self.may_make_variables
        if way == "device":
            name = self.rng.choice(("/CPU:0", "/GPU:0", "/GPU:1", None))
            header = f"with tf.device({name!r}):"
        elif way == "control":
            uses = (self.pick("f"), self.pick("i3"))
            header = "with tf.control_dependencies([{0}, {1}]):"
            self.may_make_variables = False  # first values would wait for what is fed
        else:
            header = 'with tf.name_scope("inner"):'
        inner = self.steps(depth, 4)
        self.may_make_variables = may
        return Step((), "", uses, (), header, inner)


class _GrownMaker(_Maker):
    """Draws from more operations, and from more forms."""

    forms: ClassVar[dict[str, float]] = {**_FORMS, "part": 3, "written": 3, "paused": 1.5}
    floats = FLOATS + 2 * GROWN_FLOATS
    others = OTHERS + 2 * GROWN_OTHERS
    failures = FAILURES + GROWN_FAILURES

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.copies: list[Step] = []
        self.makes |= {"part": self.part, "written": self.written, "paused": self.paused}

    def part(self, depth: int) -> Step:
        """A change of a part of a variable, or by what variables hold."""
        _, entry = self.rng.choice(CHANGES)
        uses = tuple(self.pick(kind) for kind in entry.takes)
        return Step(((self.name(), ""),), entry.text, uses, has_effects=True)

    def written(self, depth: int) -> Step:
        """A function with Python's own branches and loops."""
        kind = self.rng.choice(F)
        uses = (self.pick(kind), self.pick(kind), self.pick("i"), self.pick("b"))
        return written_function(self.rng, self.make(kind, "i"), uses)

    def own(self, kind: str) -> str:
        """A tensor of the tape's own: eagerly, a branch that returns what is around it returns that
        very tensor, in a graph another one, and a tape tells the difference.
        """
        copy = self.bind((kind,), "tf.identity({0})", (self.pick(kind),))
        self.copies.append(copy)
        return copy.makes[0][0]

    def after_copies(self, make: Callable[[int], Step], depth: int) -> Step:
        """A step after the copies that it asks for."""
        before, self.copies = self.copies, []
        step = make(depth)
        inner, self.copies = (*self.copies, step), before
        return Step((), "", (), (), 'with tf.name_scope("taped"):', inner)

    def tape(self, depth: int) -> Step:
        """Gradients in the program, of tensors of their own."""
        return self.after_copies(super().tape, depth)

    def forward(self, depth: int) -> Step:
        """The derivative along a direction, of a tensor of its own."""
        return self.after_copies(super().forward, depth)

    def paused(self, depth: int) -> Step:
        """A tape that is paused, that watches only what it is told, or is given gradients."""
        return self.after_copies(self.paused_tape, depth)

    def paused_tape(self, depth: int) -> Step:
        """A step with such a tape."""
        kind, tape = self.rng.choice(F), self.name()
        source = self.own(kind)
        inner = [*self.steps(depth, 2), self.single_of(kind)]
        if self.rng.random() < 0.5:
            paused = (self.single_of(kind),)
            inner.append(Step((), "", (), (), f"with {tape}.stop_recording():", paused))
            inner.append(self.single_of(kind))
        target = self.pick(kind)
        options = self.rng.choice(("", "watch_accessed_variables=False", "persistent=True"))
        seeds = self.rng.choice(("", ", output_gradients={1} * 0.5"))
        text = f'{tape}.gradient({{1}}, {{0}}, unconnected_gradients="zero"{seeds})'
        return self.bind(
            (kind,), text, (source, target), scope=f"with tf.GradientTape({options}) as {tape}:",
            inner=tuple(inner), prefix=f"{tape}.watch({{0}})",
        )  # fmt: skip

    def single_of(self, kind: str) -> Step:
        """An operation that makes this kind."""
        return self.single([each for each in self.floats if each.makes == (kind,)])


def _start(place: str, body: Block) -> str:
    """What a loop starts with: a tensor of its own if there are tapes in its body.

    Eagerly a body's first round is given the very tensor that the loop starts with, in a graph, in
    TensorFlow's, too, another one: a tape in the body that watches it tells the difference.
    """
    return f"tf.identity({place})" if _has_tapes(body.steps) else place


def _has_tapes(steps: tuple[Step, ...]) -> bool:
    return any(
        "Tape(" in step.scope
        or "Accumulator(" in step.scope
        or _has_tapes(step.inner)
        or any(_has_tapes(block.steps) for block in step.blocks)
        for step in steps
    )
