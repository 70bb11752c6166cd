"""TensorFlow's own tests on Emplace: they are run (`run.py`) and compared with what is known.

The runner. `run.py` goes through test files of a source tree of TensorFlow that its user names,
each in a process of its own (`one_file.py`), with the tests that it adds where it is run as a
program (`program_part.py`). There `importer.py` serves what the file imports from
TensorFlow's private modules: the public name that TensorFlow exports it under, what Emplace serves
itself, a stand-in (`stand_ins/`, and `test_util.py` with `test_case.py`, `comparisons.py` and
`marks.py`), or a hole (`holes.py`), which fails the test that uses it. A few helpers that tests
share are TensorFlow's own files, run from that tree (`helpers.py` names them).

The comparison. `lists.py` has the lists of known failures, `page.py` makes the page of them.

RESULTS holds two folders, `em` (on Emplace) and `tf` (on TensorFlow), with a file of JSON lines per
test file: `{"e": "list", "count": 3}`, `{"e": "start", "id": "Class.test"}`, `{"e": "end", "id":
"Class.test", "status": "ok"}` with "error" unless it passed and "touched", the names of holes that
it met; `{"e": "import", "error": ...}` where the file cannot be imported; at last `{"e":
"finished"}`, or `{"e": "stopped"}` where the file's time was over. TensorFlow's need hold only the
tests that fail here.
"""
