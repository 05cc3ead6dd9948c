"""python -m earshot"""

import os
import subprocess
import sys

import pytest

import earshot


def python(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "earshot", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", **options)


def test_it_prints_what_the_command_line_prints(program, demo, recording):
    done = python(demo, recording, "--threshold", "0.3", "--only", "Flute,Tom")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == program("analyze", demo, recording, "--format", "csv", "--threshold", "0.3", "--only", "Flute,Tom")


def test_a_file_that_fails_leaves_the_others(program, recording):
    done = python("absent.wav", recording)
    assert done.returncode == 1 and "absent.wav: no such file" in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == program("analyze", recording, "--format", "csv")


@pytest.mark.parametrize("arguments, status, message", [
    (["x.wav"], 1, "x.wav: no such file"), (["--model", "absent.pt", "x.wav"], 1, "absent.pt"),
    (["--threshold", "2", "x.wav"], 2, "threshold"), (["--threads", "-3", "x.wav"], 2, "threads"), ([], 2, "FILE")])
def test_errors_are_lines(arguments, status, message, tmp_path):
    done = python(*arguments, cwd=tmp_path)
    assert message in done.stderr and "Traceback" not in done.stderr
    assert done.returncode == status


def test_version(program):
    assert python("--version").stdout == f"earshot {earshot.__version__}\n"
    assert f" {earshot.__version__}" in program("--version")


def test_head_is_enough(demo):
    command = f"{sys.executable} -m earshot {demo} {demo} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=os.environ)
    assert done.stdout.startswith("file,") and "Traceback" not in done.stderr
