"""Records what TensorFlow answers to the cases of tests/contract/device_cases.

Run it with a Python that has TensorFlow 2.21 (not Emplace's) and that shows it four GPUs, real
ones or those of a plug-in; Linux, because it forks:

    python scripts/record_oracle/devices.py                  all subjects
    python scripts/record_oracle/devices.py strings scopes   some

It writes tests/oracle/devices/<subject>.json.gz, which hold the cases with their answers.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

import device_cases
import tensorflow as tf
from device_cases.play import answer, names_for


def in_child(prelude: str, lines: Sequence[str]) -> list[list[str]]:
    """The answers of a process of its own, in which TensorFlow is imported and untouched.

    A process can start its devices only once; forking one costs 30 ms, importing 4 s.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w", buffering=1) as out:
            names = names_for(tf, prelude)
            for line in lines:
                print(json.dumps(answer(names, line)), file=out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answers:
        given = [json.loads(each) for each in answers]
    os.waitpid(child, 0)
    # The line that ended the process, and those after it, have no answer.
    return given + [["crash"]] * (len(lines) - len(given))


def record(name: str) -> None:
    subject = device_cases.SUBJECTS[name]()
    if subject.isolated:
        answers = [in_child(subject.prelude, lines) for lines in subject.cases]
    else:
        # One child for all of them: this process must stay untouched for the next subject.
        every = in_child(subject.prelude, [line for lines in subject.cases for line in lines])
        given = iter(every)
        answers = [[next(given) for _ in lines] for lines in subject.cases]
    device_cases.write(name, tf.__version__, subject, answers)
    errors = sum(each[0] != "value" for case in answers for each in case)
    print(f"{name}: {len(answers)} cases, {sum(map(len, answers))} lines, {errors} of them errors")


def main() -> None:
    gpus = len(tf.config.list_physical_devices("GPU"))
    if gpus != 4:
        sys.exit(f"The cases are about a machine with 4 GPUs, TensorFlow sees {gpus}.")
    for name in sys.argv[1:] or device_cases.SUBJECTS:
        record(name)


if __name__ == "__main__":
    main()
