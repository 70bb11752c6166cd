"""Expressions of calls of raw ops, for the files of cases of `emplace/raw`."""


def typed(name: str, arguments: str, makers: str) -> list[str]:
    """One call per maker of values; `{}` in the arguments stands for one of tensors of its type."""
    return [
        f"tf.raw_ops.{name}({arguments.replace('{}', f'T({each})')})" for each in makers.split()
    ]


def differentiated(name: str, arguments: str, values: str, rest: str = "") -> str:
    """A call with its gradients: `arguments` are names, `values` what they are."""
    names = arguments.split()
    given = ", ".join([*[f"{each}={each}" for each in names], *([rest] if rest else [])])
    return f"gradient(lambda {', '.join(names)}: tf.raw_ops.{name}({given}), {values})"
