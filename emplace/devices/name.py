"""Device names: "/job:localhost/replica:0/task:0/device:GPU:1" and all its short spellings.

Two parsers, as in TensorFlow, because they accept different text:
`DeviceSpec.from_string` reads what users write in `tf.device`;
`parse_runtime_name` reads what memory statistics take ("GPU:0").
A spec is five optional fields; merging two specs is field by field, the second one winning.
"""

from __future__ import annotations

import re
from typing import Any, Self

LOCALHOST = "/job:localhost/replica:0/task:0"

#: Tasks of clusters that are in this process, as (job, number): their devices are the local ones.
TASKS_HERE: set[tuple[str, int]] = set()

# Types that may stand alone ("/gpu:0"); others need the long form "/device:TYPE:0".
_SHORT_TYPES = frozenset({"CPU", "GPU", "TPU", "CUSTOM", "EPU"})
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpecV2:
    """A device name in parts, any of which may be left open (`tf.DeviceSpec`). Immutable.

    Args:
        job: name of the job, such as "localhost".
        replica: number of the replica.
        task: number of the task.
        device_type: "CPU" or "GPU".
        device_index: number of the device; None means any.

    >>> DeviceSpec.from_string("/gpu:1").to_string()
    '/device:GPU:1'
    """

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task", "_text")

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = None if replica is None else int(replica)
        self._task = None if task is None else int(task)
        self._device_type = _canonical_type(device_type)
        self._device_index = None if device_index is None else int(device_index)
        self._text = self._to_text()

    @property
    def job(self) -> str | None:
        """Name of the job, or None."""
        return self._job

    @property
    def replica(self) -> int | None:
        """Number of the replica, or None."""
        return self._replica

    @property
    def task(self) -> int | None:
        """Number of the task, or None."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """ "CPU", "GPU" or another type, or None."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """Number of the device, or None for any."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str | None) -> Self:
        """The spec that `spec` spells; None spells nothing, like "".

        Raises:
            ValueError: a part is unknown, a type is given twice, or a number is not one.
        """
        return cls(**_parse_fields(spec))

    def parse_from_string(self, spec: str | None) -> DeviceSpecV2:
        """A new spec read from `spec`."""
        return type(self).from_string(spec)

    def to_string(self) -> str:
        """The canonical text, for example '/job:a/device:GPU:*'."""
        return self._text

    def make_merged_spec(self, dev: DeviceSpecV2) -> Self:
        """A new spec: every field that `dev` gives, this spec's elsewhere.

        The index is kept even if `dev` changes the type, as in TensorFlow.
        """
        return type(self)(*_merge(self, dev))

    def replace(self, **fields: Any) -> Self:
        """A new spec with the given constructor arguments changed."""
        values = dict(zip(_FIELDS, _fields_of(self), strict=True))
        values.update(fields)
        return type(self)(**values)

    def _to_text(self) -> str:
        text = ""
        if self._job is not None:
            text += f"/job:{self._job}"
        if self._replica is not None:
            text += f"/replica:{self._replica}"
        if self._task is not None:
            text += f"/task:{self._task}"
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            text += f"/device:{self._device_type}:{index}"
        return text

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and type(other) is type(self)
            and (self.to_string() == other.to_string())
        )

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={value}" for name, value in zip(_FIELDS, _fields_of(self), strict=True)
        )
        return f"<DeviceSpec({inside})>"

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _fields_of(self)


DeviceSpec = DeviceSpecV2


class DeviceSpecV1(DeviceSpecV2):
    """The mutable spec of TF 1 (`tf.compat.v1.DeviceSpec`)."""

    __slots__ = ()
    __hash__ = DeviceSpecV2.__hash__

    @property
    def job(self) -> str | None:
        """Name of the job, or None."""
        return self._job

    @job.setter
    def job(self, value: str | None) -> None:
        self._job = None if value is None else str(value)

    @property
    def replica(self) -> int | None:
        """Number of the replica, or None."""
        return self._replica

    @replica.setter
    def replica(self, value: int | None) -> None:
        self._replica = None if value is None else int(value)

    @property
    def task(self) -> int | None:
        """Number of the task, or None."""
        return self._task

    @task.setter
    def task(self, value: int | None) -> None:
        self._task = None if value is None else int(value)

    @property
    def device_type(self) -> str | None:
        """ "CPU", "GPU" or another type, or None."""
        return self._device_type

    @device_type.setter
    def device_type(self, value: str | None) -> None:
        self._device_type = _canonical_type(value)

    @property
    def device_index(self) -> int | None:
        """Number of the device, or None for any."""
        return self._device_index

    @device_index.setter
    def device_index(self, value: int | None) -> None:
        self._device_index = None if value is None else int(value)

    def to_string(self) -> str:
        """The canonical text of the fields as they are now."""
        return self._to_text()

    def parse_from_string(self, spec: str | None) -> DeviceSpecV1:
        """Replaces all fields by those that `spec` spells; returns this object."""
        parsed = DeviceSpecV2.from_string(spec)
        for name in _FIELDS:
            setattr(self, name, getattr(parsed, name))
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Takes over every field that `dev` gives."""
        for name, value in zip(_FIELDS, _merge(self, dev), strict=True):
            setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_string() == other.to_string()


def _fields_of(spec: DeviceSpec) -> tuple[Any, ...]:
    return spec.job, spec.replica, spec.task, spec.device_type, spec.device_index


def _merge(under: DeviceSpec, over: DeviceSpec) -> tuple[Any, ...]:
    pairs = zip(_fields_of(under), _fields_of(over), strict=True)
    return tuple(a if b is None else b for a, b in pairs)


def _canonical_type(text: str | None) -> str | None:
    # TF: exactly "cpu" and "gpu" become upper-case; any other spelling is kept as written.
    if text is None:
        return None
    return {"cpu": "CPU", "gpu": "GPU"}.get(str(text), str(text))


def _parse_fields(spec: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(_FIELDS)
    spec = "" if spec is None else spec
    for segment in spec.split("/"):
        key, *rest = segment.split(":")
        if key == "":
            continue  # TF: also ignores ":0", which has no attribute in front
        if key == "job" and len(rest) == 1:
            fields["job"] = rest[0]
        elif key in ("replica", "task") and len(rest) == 1:
            fields[key] = rest[0]  # TF: read as a number only if no later part replaces it
        elif key.upper() in _SHORT_TYPES and len(rest) <= 1:
            _set_type(fields, spec, key.upper(), rest[0] if rest else "*")
        elif key == "device" and len(rest) == 2:
            _set_type(fields, spec, rest[0], rest[1])
        else:
            raise ValueError(
                f"Unknown attribute '{key}' is encountered while parsing the device spec: '{spec}'."
            )
    return fields


def _set_type(fields: dict[str, Any], spec: str, device_type: str, index: str) -> None:
    if fields["device_type"] is not None:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}."
        )
    fields["device_type"] = device_type
    if index != "*":
        fields["device_index"] = int(index)


_JOB = _TYPE = r"[a-zA-Z][a-zA-Z0-9_]*"
_NUMBERS = range(2**64)
_RUNTIME_PART = re.compile(
    rf"/job:(?P<job>{_JOB}|\*)|/replica:(?P<replica>\d+|\*)|/task:(?P<task>\d+|\*)"
    rf"|/device:(?P<type>{_TYPE}|\*)(?::(?P<index>\d+|\*))?"
    r"|/(?P<legacy>cpu|CPU|gpu|GPU):(?P<legacy_index>\d+|\*)",
    re.ASCII,
)
_RUNTIME_LOCAL = re.compile(rf"(?P<type>{_TYPE}):(?P<index>\d+)", re.ASCII)


def parse_runtime_name(text: str) -> DeviceSpecV2 | None:
    """The spec that the runtime's stricter grammar reads in `text`; None if it reads none.

    "GPU:0" (case-sensitive), "/gpu:0" and full names are in it; "GPU" and "GPU:*" are not.
    A later part overwrites an earlier one; an open type, index or job is None.
    """
    fields: dict[str, Any] = dict.fromkeys(_FIELDS)
    local = _RUNTIME_LOCAL.fullmatch(text)
    if local:
        fields.update(device_type=local["type"], device_index=int(local["index"]))
        return _exactly(fields)
    position = 0
    while text != "/" and position < len(text):
        part = _RUNTIME_PART.match(text, position)
        if part is None:
            return None
        position = part.end()
        device_type = part["type"] or (part["legacy"] and part["legacy"].upper())
        if device_type:
            index = part["index"] or part["legacy_index"]
            fields["device_type"] = None if device_type == "*" else device_type
            fields["device_index"] = None if index in (None, "*") else int(index)
        elif part["job"]:
            fields["job"] = None if part["job"] == "*" else part["job"]
        else:
            name, number = next((n, part[n]) for n in ("replica", "task") if part[n])
            fields[name] = None if number == "*" else int(number)
    return _exactly(fields)


def _exactly(fields: dict[str, Any]) -> DeviceSpecV2:
    # The constructor would turn "gpu" into "GPU"; the runtime's grammar does not.
    spec = DeviceSpecV2(**fields)
    spec._device_type = fields["device_type"]
    return spec


def is_here(job: str | None, replica: int | None, task: int | None) -> bool:
    """Whether a task, any part of which may be left open, is in this process."""
    if job in (None, "localhost", "*"):
        return not replica and not task
    return not replica and (
        (job, task) in TASKS_HERE
        if task is not None
        else any(job == each for each, _ in TASKS_HERE)
    )


def is_malformed(spec: DeviceSpecV2) -> bool:
    """True for a device that Python's parser accepts and the runtime's grammar does not.

    That is '/cpu:-1', or a job or type that is no name.
    """
    names = spec.job, spec.device_type
    numbers = spec.replica, spec.task, spec.device_index
    return not (
        all(name is None or re.fullmatch(rf"{_JOB}|\*", name, re.ASCII) for name in names)
        and all(number is None or number in _NUMBERS for number in numbers)
    )
