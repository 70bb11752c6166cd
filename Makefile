# Two commands on a fresh machine with Python 3.11+: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHECK_READY := $(VENV)/.check-ready
# A Python that has TensorFlow 2.21; made when it is first needed, unless another is named.
ORACLE_PYTHON ?= .oracle-venv/bin/python
DOCS_VENV ?= .docs-venv

# What `make test` runs once more on strict virtual GPUs: more of it in CI.
# Not the example of CIFAR-10: it runs in processes that choose their GPUs, the same ones again.
STRICT := $(addprefix tests/behaviour/,functions sessions $(if $(SLOW),eager strategies)) \
  --ignore tests/behaviour/strategies/test_cifar10_strategy.py

# Two workers with half of the tests each, in their order, of which who is ready takes over some: a result that
# the tests of a file share is made once. Dealt out one by one, both workers would make it.
WORKERS := -n 2 --dist worksteal

# Tests start hundreds of processes: without bytecode each would compile all of Emplace again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check docs oracle wheel keras-sample keras-suite libraries conformance bench cuda coverage-of-tf format clean

# The main job: towers on four virtual GPUs, real handwritten digits, a report.
demo: $(READY)
	mkdir -p reports
	$(BIN)/emplace run --gpus 4x256MB --report reports/digits.txt examples/digits.py

# Slow tests, which are many seconds for breadth alone, are left out and counted. SLOW=1 runs them, as CI does.
QUICK := $(if $(SLOW),,--quick)

# Everything that must hold on a machine without GPUs; `check` has run tests/plain.
test: check $(READY)
	$(BIN)/python -m pytest $(WORKERS) $(QUICK) --ignore tests/plain
	$(BIN)/python -m pytest $(WORKERS) $(QUICK) -q --strict-gpus $(STRICT)
	$(BIN)/python -m scripts.keras_suite --sample $(QUICK)

# Every twentieth of the 12,561 tests of Keras that pass on TensorFlow.
keras-sample: $(READY)
	$(BIN)/python -m scripts.keras_suite --sample

# All of them; goes on where it stopped. FILES="ops layers/core" chooses some, GPUS=1x6GB bounded virtual GPUs.
keras-suite: $(READY)
	$(BIN)/python -m scripts.keras_suite $(if $(GPUS),--gpus $(GPUS)) $(FILES)

# Libraries written for TensorFlow, into folders of their own in .libraries/, run on Emplace and, with
# ORACLE_PYTHON=..., beside TensorFlow; writes docs/LIBRARIES.md. NAMES="einops Larq" chooses some.
libraries: $(READY)
	$(BIN)/python -m scripts.libraries $(if $(wildcard $(ORACLE_PYTHON)),--tensorflow $(ORACLE_PYTHON)) $(NAMES)

# TensorFlow's own tests that are listed, on Emplace: make conformance SOURCE=/path/to/tensorflow-2.21, a source
# tree with tensorflow/python in it. With ORACLE_PYTHON=... TensorFlow is asked about those that fail. Goes on
# where it stopped, in RESULTS; FILES="python/eager/backprop_test.py" chooses some. See docs/CONFORMANCE.md.
RESULTS ?= .tensorflow_tests
conformance: $(READY)
	$(BIN)/python -m pip install --quiet --requirement requirements/conformance.txt
	$(BIN)/python -m scripts.tensorflow_tests.run $(RESULTS) --source $(or $(SOURCE),$(error SOURCE=... names a source \
	  tree of TensorFlow 2.21)) $(if $(wildcard $(ORACLE_PYTHON)),--tensorflow $(ORACLE_PYTHON) --only-failing) $(FILES)
	$(BIN)/python -m scripts.tensorflow_tests $(RESULTS)

# Format, lint, types, layers; half a minute while mypy has no cache. Installs a tenth of what the tests need.
# mypy and tests/plain take one core each, so they run side by side; `wait` says how mypy ended.
check: $(CHECK_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy & types=$$!; $(BIN)/python -m pytest -q tests/plain; plain=$$?; wait $$types && exit $$plain

# What TensorFlow answers to new cases of tests/contract/op_cases: make oracle FAMILY="linalg nn".
# AGAIN=1 asks about all cases of these families, not the new ones only.
oracle: $(ORACLE_PYTHON)
	$(ORACLE_PYTHON) scripts/record_oracle/ops.py $(if $(AGAIN),--again) $(FAMILY)

# The package as it is published, in dist/, looked through by twine.
wheel: $(READY)
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

# The documentation as a site in site/, in an environment of its own; fails where a link is dead.
docs: $(DOCS_VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/python -m mkdocs build --strict

# Ours beside TensorFlow, torch and JAX; the peers live in an environment of their own.
bench: $(READY)
	$(BIN)/python -m benchmarks

# All that needs a GPU: its tests, the recorded answers on it, the benchmarks there. DRY=strict or
# DRY=virtual goes through the same on virtual GPUs, in small; ONLY="hardware,copies" chooses. The
# interpreter is that of the environment here, if there is one, else PYTHON.
cuda:
	@$(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m scripts.cuda \
	  $(if $(DRY),--dry $(DRY)) $(if $(ONLY),--only $(ONLY))

# How many of TensorFlow's answers are compared, and which names that Keras uses are missing.
coverage-of-tf: $(READY)
	$(BIN)/python scripts/oracle_summary.py
	$(BIN)/python scripts/coverage_of_tf.py

format: $(CHECK_READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(CHECK_READY): pyproject.toml requirements/check.txt requirements/run.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements/check.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

$(READY): $(CHECK_READY) requirements/test.txt
	$(BIN)/python -m pip install --quiet --requirement requirements/test.txt
	touch $@

.oracle-venv/bin/python: requirements/oracle.txt
	$(PYTHON) -m venv .oracle-venv
	.oracle-venv/bin/python -m pip install --quiet --requirement requirements/oracle.txt || { \
	  rm -rf .oracle-venv; \
	  echo "[make oracle] TensorFlow 2.21 could not be installed here (see above). Name a Python that has" \
	    "it: make oracle FAMILY=... ORACLE_PYTHON=/path/to/python"; exit 1; }
	touch $@

$(DOCS_VENV)/.ready: pyproject.toml requirements/docs.txt requirements/run.txt
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --requirement requirements/docs.txt
	$(DOCS_VENV)/bin/python -m pip install --quiet --no-deps --editable .
	touch $(DOCS_VENV)/.ready

clean:
	rm -rf $(VENV) $(DOCS_VENV) .bench-venv .oracle-venv build dist site reports .pytest_cache .mypy_cache \
	  .ruff_cache .hypothesis
