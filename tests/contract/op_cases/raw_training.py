"""Cases of `raw/training.py`: one step of each optimizer, for whole gradients and for rows."""

from . import Case

# Slots and numbers by optimizer; slots start above 0.
_STEPS = {
    "AdaMax": ("m v", "beta1_power=0.5 lr=0.1 beta1=0.9 beta2=0.99 epsilon=0.01", ""),
    "Adadelta": ("accum accum_update", "lr=0.1 rho=0.9 epsilon=0.01", "sparse"),
    "Adagrad": ("accum", "lr=0.1", "sparse update_slots"),
    "AdagradDA": ("gradient_accumulator gradient_squared_accumulator",
                  "lr=0.1 l1=0.2 l2=0.3 global_step=3", "sparse"),
    "AdagradV2": ("accum", "lr=0.1 epsilon=0.01", "sparse update_slots"),
    "Adam": ("m v", "beta1_power=0.5 beta2_power=0.6 lr=0.1 beta1=0.9 beta2=0.99 epsilon=0.01",
             "use_nesterov"),
    "AdamWithAmsgrad": ("m v vhat", "beta1_power=0.5 beta2_power=0.6 lr=0.1 beta1=0.9 beta2=0.99"
                        " epsilon=0.01", ""),
    "AddSign": ("m", "lr=0.1 alpha=1.0 sign_decay=0.9 beta=0.8", ""),
    "CenteredRMSProp": ("mg ms mom", "lr=0.1 rho=0.9 momentum=0.5 epsilon=5.0", "sparse"),
    "Ftrl": ("accum linear", "lr=0.1 l1=0.2 l2=0.3 lr_power=-0.5", "sparse"),
    "FtrlV2": ("accum linear", "lr=0.1 l1=0.2 l2=0.3 l2_shrinkage=0.1 lr_power=-0.5", "sparse"),
    "GradientDescent": ("", "alpha=0.1", "delta"),
    "KerasMomentum": ("accum", "lr=0.1 momentum=0.9", "sparse use_nesterov"),
    "Momentum": ("accum", "lr=0.1 momentum=0.9", "sparse use_nesterov"),
    "PowerSign": ("m", "lr=0.1 logbase=0.5 sign_decay=0.9 beta=0.8", ""),
    "ProximalAdagrad": ("accum", "lr=0.1 l1=0.2 l2=0.3", "sparse"),
    "ProximalGradientDescent": ("", "alpha=0.1 l1=0.2 l2=0.3", "sparse delta"),
    "RMSProp": ("ms mom", "lr=0.1 rho=0.9 momentum=0.5 epsilon=0.01", "sparse"),
}  # fmt: skip


def _call(name: str, make: str, rows: bool, rest: str = "") -> str:
    slots, numbers, kind = _STEPS[name]
    made = [f"var := tf.Variable({make}(4, 2))"]
    made += [f"{slot} := tf.Variable({make}(4, 2, low=0.1, high=2.0))" for slot in slots.split()]
    gradient = "delta" if "delta" in kind and not rows else "grad"
    size = "2, 2" if rows else "4, 2"
    given = [f"{each}={each}.handle" for each in ("var", *slots.split())]
    kind_of = {"f32": "float32", "f64": "float64"}[make]
    for each in numbers.split():
        number, value = each.split("=")
        is_count = number == "global_step"
        given.append(f"{number}=tf.constant({value}, '{'int64' if is_count else kind_of}')")
    given += [f"{gradient}={make}({size})"]
    given += ["indices=[2, 0]"] * rows + [rest] * bool(rest)
    op = f"Resource{'Sparse' * rows}Apply{name}"
    values = ", ".join(f"{each}.read_value()" for each in ("var", *slots.split()))
    return f"run({', '.join(made)}, tf.raw_ops.{op}({', '.join(given)}), [{values}])"


CASES: list[str | Case] = []
for _name, (_, _, _kind) in _STEPS.items():
    for _rows in (False, True)[: 1 + ("sparse" in _kind)]:
        CASES += [_call(_name, make, _rows) for make in ("f32", "f64")]
        if "use_nesterov" in _kind:
            CASES.append(_call(_name, "f32", _rows, "use_nesterov=True, use_locking=True"))
        if "update_slots" in _kind:
            CASES.append(_call(_name, "f32", _rows, "update_slots=False"))
CASES += [
    _call("ProximalGradientDescent", "f32", False).replace(
        "l1=tf.constant(0.2", "l1=tf.constant(0.0"
    ),
    _call("AdagradDA", "f32", False).replace("l1=tf.constant(0.2", "l1=tf.constant(0.0"),
    _call("Adam", "f32", False).replace("f32(4, 2))", "f32(3, 2))", 1),
    _call("Adam", "f32", False).replace("lr=tf.constant(0.1", "lr=tf.constant([0.1]"),
]
