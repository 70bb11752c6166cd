"""Cases of `raw/lookup_tables.py`: raw ops on tables."""

import zlib

from . import Case

_R = "tf.raw_ops"
_KINDS = "key_dtype=tf.string, value_dtype=tf.int64"
_FIND = "LookupTableFindV2(table_handle=t, keys=['a', 'z'], default_value=np.int64(-1))"
_PUT = "LookupTableInsertV2(table_handle=t, keys=['a', 'b'], values=np.array([1, 2]))"
_FILL = "InitializeTableV2(table_handle=t, keys=['a', 'b'], values=np.array([1, 2]))"
_SIZE = "LookupTableSizeV2(table_handle=t)"
_VECTORS = "key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[2]"
_DENSE = "empty_key=np.int64(-1), deleted_key=np.int64(-2), value_dtype=tf.float32"


def _named(make: str, steps: tuple[str, ...]) -> str:
    if make.startswith("Anonymous"):
        return make
    return f"{make[:-1]}, shared_name='t{zlib.crc32(str((make, steps)).encode())}')"


def _table(make: str, *steps: str) -> str:
    return f"run(t := {_R}.{_named(make, steps)}, {', '.join(f'{_R}.{each}' for each in steps)})"


def _sorted(make: str, *steps: str) -> str:
    export = f"e := {_R}.LookupTableExportV2(table_handle=t, Tkeys=tf.string, Tvalues=tf.int64)"
    done = ", ".join(f"{_R}.{each}" for each in steps)
    make = _named(make, ("sorted", *steps))
    return f"run(t := {_R}.{make}, {done}, {export}, [sorted(e[0].numpy()), tf.sort(e[1])])"


CASES: list[str | Case] = [
    *[
        case
        for name in ("HashTableV2", "AnonymousHashTable")
        for case in (
            _table(f"{name}({_KINDS})", _FILL, _FIND),
            _table(f"{name}({_KINDS})", _FILL, _SIZE),
            _table(f"{name}({_KINDS})", _FIND),
            _table(f"{name}({_KINDS})", _PUT),
            _table(f"{name}({_KINDS})", _FILL, _FILL, _SIZE),
            _sorted(f"{name}({_KINDS})", _FILL),
        )
    ],
    *[
        case
        for name in ("MutableHashTableV2", "AnonymousMutableHashTable")
        for case in (
            _table(f"{name}({_KINDS})", _PUT, _FIND),
            _table(f"{name}({_KINDS})", _FIND),
            _table(
                f"{name}({_KINDS})",
                _PUT,
                "LookupTableRemoveV2(table_handle=t, keys=['a', 'q'])",
                _FIND,
            ),
            _table(
                f"{name}({_KINDS})",
                _PUT,
                "LookupTableImportV2(table_handle=t, keys=['c'], values=np.array([5]))",
                _SIZE,
            ),
            _sorted(f"{name}({_KINDS})", _PUT),
        )
    ],
    _table(
        f"MutableHashTableV2({_KINDS})",
        "LookupTableFindV2(table_handle=t, keys=[1, 2], default_value=np.int64(-1))",
    ),
    *[
        case
        for name in ("MutableHashTableOfTensorsV2", "AnonymousMutableHashTableOfTensors")
        for case in (
            _table(
                f"{name}({_VECTORS})",
                "LookupTableInsertV2(table_handle=t, keys=np.array([1, 2]), values=f32(2, 2))",
                "LookupTableFindV2(table_handle=t, keys=np.array([2, 9]),"
                " default_value=[0.5, 0.5])",
            ),
            _table(f"{name}({_VECTORS})", _SIZE),
        )
    ],
    *[
        case
        for name in ("MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")
        for case in (
            _table(
                f"{name}({_DENSE})",
                "LookupTableInsertV2(table_handle=t, keys=np.array([1, 2]), values=f32(2))",
                "LookupTableFindV2(table_handle=t, keys=np.array([2, 9]), default_value=0.5)",
            ),
            _table(
                f"{name}({_DENSE}, value_shape=[2])",
                "LookupTableInsertV2(table_handle=t, keys=np.array([1, 2]), values=f32(2, 2))",
                "LookupTableFindV2(table_handle=t, keys=np.array([2, 9]),"
                " default_value=[0.5, 0.5])",
            ),
            _table(
                f"{name}({_DENSE})",
                "LookupTableInsertV2(table_handle=t, keys=np.array([-1]), values=f32(1))",
            ),
            _table(f"{name}({_DENSE})", _SIZE),
        )
    ],
]
