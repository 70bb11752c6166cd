"""`scripts.warm`: a fork of a process that has loaded Emplace is a program like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import programs
import pytest

from scripts import warm

ENDS = {
    "the end": ("pass", 0, ""),
    "a code": ("sys.exit(7)", 7, ""),
    "a text": ("sys.exit('that is all')", 1, "that is all\n"),
    "none": ("sys.exit(None)", 0, ""),
    "a code beyond a byte": ("sys.exit(258)", 2, ""),
    "a signal": ("os.kill(os.getpid(), 9)", -9, ""),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_program_ends_as_in_a_new_interpreter(how: str, tmp_path: Path) -> None:
    line, code, told = ENDS[how]
    done = programs.emplace("run", "-c", f"import os, sys; {line}", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", told)


PROGRAM = """
import atexit, os, sys, threading, time

print(os.getcwd(), os.environ["HERE"], "EMPLACE_GPUS" in os.environ, sys.argv[1:])
print(repr(sys.stdin.read()))
print("an error", file=sys.stderr)
atexit.register(print, "at the end")
threading.Thread(target=lambda: (time.sleep(0.05), print("a thread"))).start()
left = "by the first program"
"""


def test_it_has_a_place_of_its_own_and_leaves_nothing_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    for here in ("one", "another"):
        done = programs.emplace("run", "program.py", here, folder=tmp_path, HERE=here)
        lines = [f"{tmp_path} {here} False ['{here}']", "''", "a thread", "at the end"]
        assert (done.returncode, done.stdout.splitlines()) == (0, lines), done.stderr
        assert done.stderr == "an error\n"
    done = programs.emplace("run", "-c", "import os; print('HERE' in os.environ, 'left' in vars())")
    assert done.stdout == "False False\n"


def test_threads_of_torch_are_as_many_as_the_environment_says() -> None:
    code = "import torch; print(torch.get_num_threads())"
    for threads in ("1", "2"):
        assert programs.emplace("run", "-c", code, OMP_NUM_THREADS=threads).stdout == f"{threads}\n"


def test_who_stops_waiting_ends_the_program() -> None:
    """A test that takes too long, or an interrupt: the next program does not get its answer."""

    class Impatient(warm.Warm):
        def _started(self) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [sys.executable, "-c", "input(); print('no number', flush=True)"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    impatient = Impatient()
    with pytest.raises(ValueError, match="no number"):
        impatient.run(["python"], programs.REPOSITORY, {})
    assert impatient._process is None


def test_programs_run_side_by_side_and_tell_what_they_have_written(tmp_path: Path) -> None:
    waits = f"import os, time\nprint('here')\nwhile not os.path.exists({str(tmp_path / 'go')!r}):"
    waiting = [
        programs.start(["python", "-c", f"{waits}\n  time.sleep(0.01)\nexit({i})"], {})
        for i in range(3)
    ]
    assert [each.wait(0.2) for each in waiting] == [None] * 3
    assert programs.start(["python", "-c", "exit(9)"], {}).wait() == 9
    waiting[1].kill()
    assert (waiting[1].wait(), waiting[0].poll()) == (-9, None)
    (tmp_path / "go").touch()
    assert [waiting[i].wait() for i in (2, 0)] == [2, 0]
    assert [each.written() for each in waiting] == [["here\n"]] * 3
