"""The command line, in processes of its own; those that a module needs once are shared."""

from __future__ import annotations

import json
from pathlib import Path

import programs
import pytest
from typer.testing import CliRunner

import emplace
from emplace.base import flags
from emplace.cli import app

SCRIPT = """
import sys
import tensorflow as tf

if __name__ == "__main__":
    print(sys.argv[1:])
    print(sys.path[0])
    print(__file__)
    print(tf.config.list_logical_devices("GPU")[-1].name)
    with tf.device("/GPU:1"):
        x = tf.constant([1.0, 2.0])
    x + x
    sys.exit(3)
"""
ARGUMENTS = ["--gpus", "7", "--report", "--help", "-x", "--", "last"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli")


@pytest.fixture(scope="module")
def done(folder: Path) -> programs.Done:
    """One run with every option."""
    (folder / "sub").mkdir()
    (folder / "sub" / "script.py").write_text(SCRIPT)
    return programs.new_emplace(
        "run", "--gpus", "2x64MB", "--log-placement", "--report", "run.json", "sub/script.py",
        *ARGUMENTS, folder=folder,
    )  # fmt: skip


def test_what_follows_the_script_goes_to_it(done: programs.Done) -> None:
    assert done.stdout.splitlines()[0] == str(ARGUMENTS)


def test_a_script_finds_its_own_folder_and_name(done: programs.Done, folder: Path) -> None:
    own = folder / "sub"
    assert done.stdout.splitlines()[1:3] == [str(own), str(own / "script.py")]


def test_a_script_sees_the_virtual_gpus(done: programs.Done) -> None:
    assert "/device:GPU:1" in done.stdout.splitlines()


def test_the_exit_code_is_the_scripts(done: programs.Done) -> None:
    assert done.returncode == 3


def test_placement_is_logged(done: programs.Done) -> None:
    executed = [line.split("] ")[1] for line in done.stderr.splitlines() if "Executing" in line]
    place = "in device /job:localhost/replica:0/task:0/device:GPU"
    assert executed == [f"Executing op _EagerConst {place}:1", f"Executing op AddV2 {place}:0"]


def test_a_report_is_saved_and_shown(done: programs.Done, folder: Path) -> None:
    saved = json.loads((folder / "run.json").read_text())
    assert saved["limit_bytes"] == {"GPU:0": 64 << 20, "GPU:1": 64 << 20}
    assert [(copy["line"], copy["op"], copy["bytes"]) for copy in saved["copies"]] == [
        (f"{folder / 'sub' / 'script.py'}:11", "_EagerConst", 8),
        (f"{folder / 'sub' / 'script.py'}:12", "AddV2", 8),
    ]
    assert "\nemplace report: 2 ops in " in done.stderr


def test_a_report_does_not_start_the_devices_before_the_script_configures_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "script.py").write_text(
        "import tensorflow as tf\n"
        "gpus = tf.config.list_physical_devices('GPU')\n"
        "tf.config.set_visible_devices(gpus[1:], 'GPU')\n"
        "print(len(tf.config.list_logical_devices('GPU')))\n"
        "raise ValueError('after all')\n"
    )
    done = programs.emplace("run", "--gpus=4", "--report=run.txt", "script.py", folder=tmp_path)
    assert done.stdout == "3\n"
    assert (tmp_path / "run.txt").read_text().startswith("emplace report: 0 ops in ")


def test_a_script_that_fails_shows_its_own_lines_only(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("def f():\n    raise ValueError('no')\n\nf()\n")
    done = programs.emplace("run", "script.py", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path / "script.py"}", line 4, in <module>',
        "    f()",
        f'  File "{tmp_path / "script.py"}", line 2, in f',
        "    raise ValueError('no')",
        "ValueError: no",
    ]


def test_a_script_that_does_not_parse_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("if\n")
    done = programs.emplace("run", "script.py", folder=tmp_path)
    plain = programs.python("script.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == plain.stderr


def test_sys_exit_with_a_text_prints_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import sys\nsys.exit('that is all')\n")
    done = programs.emplace("run", "script.py", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "that is all\n")


def test_an_interrupted_script_ends_like_an_interrupted_python(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("raise KeyboardInterrupt\n")
    done = programs.emplace("run", "script.py", folder=tmp_path)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["run", "missing.py"],
            "[emplace] there is no file 'missing.py'. Name a Python script; options stand before "
            "it.",
        ),
        (
            ["run", "--gpus", "4x", __file__],
            "[emplace] --gpus: '4x' does not describe virtual GPUs. Write a number ('4'), a number "
            "and a size ('4x1GB'), or several of those ('2x8GB,2x4GB').",
        ),
        (
            ["run", "--gpus", "2x1QB", __file__],
            "[emplace] --gpus: '1QB' is not a memory size. Write bytes as a number or a text such "
            "as '1GB', '512MB' or '64KB'.",
        ),
        (
            ["devices", "--gpus", "many"],
            "[emplace] --gpus: 'many' does not describe virtual GPUs. Write a number ('4'), a "
            "number and a size ('4x1GB'), or several of those ('2x8GB,2x4GB').",
        ),
        (
            ["run", "--report", "/missing/run.txt", __file__],
            "[emplace] --report: '/missing/run.txt' cannot be written. Name a file in a folder "
            "that exists.",
        ),
        (
            ["run", "--report", "/", __file__],
            "[emplace] --report: '/' cannot be written. Name a file in a folder that exists.",
        ),
    ],
)
def test_a_mistake_is_named_before_anything_runs(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stderr, result.stdout) == (2, f"{message}\n", "")


@pytest.mark.parametrize(
    "command", ["devices", "kernels MatMul", "doctor", f"run {__file__}", f"launch {__file__}"]
)
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "EMPLACE_GPUS", "bogus",
            "'bogus' does not describe virtual GPUs. Write a number ('4'), a number and a size "
            "('4x1GB'), or several of those ('2x8GB,2x4GB').",
        ),
        (
            "EMPLACE_REPORT", "/missing/run.txt",
            "'/missing/run.txt' cannot be written. Name a file in a folder that exists.",
        ),
        *[
            (name, "maybe", "must be 1 (also true, yes, on) or 0 (also false, no, off).")
            for name in ("EMPLACE_KEEP_MEMORY", "EMPLACE_MACHINE_CODE")
        ],
        *[
            (f"EMPLACE_WORKERS_{name}_SECONDS", text, "must be a number of seconds above 0.")
            for name in ("START", "STEP") for text in ("soon", "0", "nan", "inf")
        ],
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_environment_is_named_by_every_command(
    command: str, name: str, text: str, message: str
) -> None:
    result = CliRunner().invoke(app, command.split(), env={name: text})
    assert (result.exit_code, result.stderr, result.stdout) == (
        2, f"[emplace] [{name}={text!r}] {message}\n", "",
    )  # fmt: skip


def test_a_compiler_that_torch_does_not_have_is_named_before_anything_runs() -> None:
    env = {"EMPLACE_JIT_BACKEND": "induktor"}
    result = CliRunner().invoke(app, ["devices"], env=env)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "[emplace] EMPLACE_JIT_BACKEND='induktor' is none of torch's: aot_" in result.stderr


@pytest.mark.parametrize("name", ["GPU", "GPUs", "KEEP_MEMROY", "WORKERS_START_SECOND"])
def test_a_variable_that_is_nearly_one_of_ours_is_no_silent_nothing(name: str) -> None:
    result = CliRunner().invoke(app, ["devices"], env={f"EMPLACE_{name}": "1"})
    assert result.exit_code == 2
    assert f"[emplace] EMPLACE_{name} is no variable that Emplace reads. Did" in result.stderr


def test_variables_of_others_that_begin_alike_and_empty_ones_do_not_matter() -> None:
    env = {"EMPLACE_SERVICE_HOST": "10.0.0.1", "EMPLACE_REPORT": "", "EMPLACE_MACHINE_CODE": ""}
    assert CliRunner().invoke(app, ["devices"], env=env).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("foo", "No such command 'foo'. See `python -m emplace --help`."),
        ("--foo", "No such option: --foo. See `python -m emplace --help`."),
        ("devices --gpu 4", "No such option: --gpu (Possible options: --gpus). See `python -m "
                            "emplace devices --help`."),
        ("work x.py", "work: `emplace launch` starts workers. Call that."),
        ("kernels NoOp NoOp", "Got unexpected extra argument(s) (NoOp). See `python -m emplace "
                              "kernels --help`."),
    ],
)  # fmt: skip
def test_a_command_line_that_cannot_be_read_is_answered_in_one_line(
    arguments: str, message: str
) -> None:
    done = programs.emplace(*arguments.split())
    assert (done.returncode, done.stderr, done.stdout) == (2, f"[emplace] {message}\n", "")


@pytest.mark.slow
def test_more_workers_than_the_machine_can_start_are_refused_in_one_line() -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))\n"
        "import sys; sys.argv[1:] = ['launch', '--workers', '200', '-c', '1']\n"
        "from emplace.cli import main; main()"
    )
    done = programs.python("-c", code)
    line = "[emplace] launch: Too many open files while 200 workers were started.\n"
    assert (done.returncode, done.stderr) == (2, line)


def test_a_report_that_cannot_be_saved_in_the_end_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import os\nos.mkdir('run.txt')\nprint('ran')\n")
    done = programs.emplace("run", "--report", "run.txt", "script.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "ran\n")
    assert "[emplace] --report: [Errno 21] Is a directory: 'run.txt'" in done.stderr


def test_devices_are_listed_in_full_also_into_a_pipe() -> None:
    done = programs.emplace("devices", "--gpus", "1x1GB,1x64MB")
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["logical", "physical", "backend"],
        ["CPU:0", "CPU:0", "cpu"],
        ["GPU:0", "GPU:0", "virtual"],
        ["GPU:1", "GPU:1", "virtual"],
    ]
    assert lines[2].split()[-6:] == ["1.00", "GiB", "1.00", "GiB", "0", "B"]
    assert lines[3].split()[-6:] == ["64.00", "MiB", "64.00", "MiB", "0", "B"]


def test_the_doctor_names_each_link_of_the_chain() -> None:
    done = programs.emplace("doctor", CUDA_VISIBLE_DEVICES="-1")
    assert [line[6:18].strip() for line in done.stdout.splitlines()[:4]] == [
        "driver", "torch build", "visibility", "devices"
    ]  # fmt: skip
    assert "\nThere is no real GPU because of: " in done.stdout


def test_import_and_help_load_neither_torch_nor_numpy() -> None:
    done = programs.python(
        "-c",
        "import sys, emplace\n"
        "print([m for m in ('torch', 'numpy') if m in sys.modules])\n"
        "from emplace.cli import main\n"
        "for argument in ('--version', '--help'):\n"
        "    sys.argv = ['emplace', argument]\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        print(end.code, [m for m in ('torch', 'numpy') if m in sys.modules])\n",
    )
    lines = done.stdout.splitlines()
    assert lines[:3] == ["[]", f"emplace {emplace.__version__}", "0 []"]
    assert lines[-1] == "0 []"
    for command in ("run", "devices", "doctor"):
        assert any(line.strip().startswith(f"{command} ") for line in lines)


def test_help_tells_every_environment_variable_and_what_it_does() -> None:
    helped = CliRunner().invoke(app, ["--help"]).stdout
    told = " ".join(helped.split())
    for flag in flags.TABLE:
        assert f"{flag.name} {flag.does}" in told
    assert max(map(len, helped.splitlines())) <= 80


def test_without_a_command_help_is_shown() -> None:
    assert programs.emplace().stdout == programs.emplace("--help").stdout


@pytest.mark.slow
def test_the_first_constant_is_silent_also_with_warnings_as_errors() -> None:
    done = programs.python("-W", "error", "-c", "import emplace.tensorflow as tf; tf.constant(1.)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_every_public_name_works_whatever_was_imported_before() -> None:
    done = programs.python(
        "-c",
        "import emplace, emplace.tensorflow, emplace.hook, emplace.testing, emplace.cli\n"
        "names = set(emplace.__all__) - {'testing'}\n"
        "print([name for name in names if not callable(getattr(emplace, name))])\n"
        "emplace.install()\n"
        "print(emplace.devices()[0].logical)\n"
        "import emplace.devices.name as name\n"
        "print(name.__name__)\n",
    )
    assert done.stdout == "[]\nCPU:0\nemplace.devices.name\n", done.stderr
