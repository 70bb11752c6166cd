# Two commands on a fresh machine with Python 3.11+: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_VENV ?= .docs-venv

.PHONY: demo test check docs keras-sample keras-suite bench coverage-of-tf format clean

# The main job: towers on four virtual GPUs, real handwritten digits, a report.
demo: $(READY)
	mkdir -p reports
	$(BIN)/emplace run --gpus 4x256MB --report reports/digits.txt examples/digits.py

# Everything that must hold on a machine without GPUs.
test: check
	$(BIN)/python -m pytest -n 2
	$(BIN)/python -m scripts.keras_suite --sample

# Every twentieth of the 12,561 tests of Keras that pass on TensorFlow.
keras-sample: $(READY)
	$(BIN)/python -m scripts.keras_suite --sample

# All of them; goes on where it stopped. FILES="ops layers/core" chooses some, GPUS=1x6GB bounded virtual GPUs.
keras-suite: $(READY)
	$(BIN)/python -m scripts.keras_suite $(if $(GPUS),--gpus $(GPUS)) $(FILES)

# Seconds: format, lint, types, layers.
check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/plain

# The documentation as a site in site/, in an environment of its own; fails where a link is dead.
docs: $(DOCS_VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/python -m mkdocs build --strict

# Ours beside TensorFlow, torch and JAX; the peers live in an environment of their own.
bench: $(READY)
	$(BIN)/python -m benchmarks

# How many of TensorFlow's answers are compared, and which names that Keras uses are missing.
coverage-of-tf: $(READY)
	$(BIN)/python scripts/oracle_summary.py
	$(BIN)/python scripts/coverage_of_tf.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): pyproject.toml $(wildcard requirements/*.txt)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements/test.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $(READY)

$(DOCS_VENV)/.ready: pyproject.toml requirements/docs.txt requirements/run.txt
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --requirement requirements/docs.txt
	$(DOCS_VENV)/bin/python -m pip install --quiet --no-deps --editable .
	touch $(DOCS_VENV)/.ready

clean:
	rm -rf $(VENV) $(DOCS_VENV) .bench-venv site reports .pytest_cache .mypy_cache .ruff_cache .hypothesis
