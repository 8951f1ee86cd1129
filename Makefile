# Every target sets up what it needs in .venv; a machine needs python3, a C++20 compiler and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
export PATH := $(CURDIR)/$(BIN):$(PATH)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

SOURCES := pyproject.toml CMakeLists.txt $(shell find core bindings checker src -type f -not -name '*.pyc')
CXX_FILES = $(shell find core bindings tests/core -name '*.cpp' -o -name '*.hpp')
PY_DIRS := src tests benchmarks checker examples packaging $(wildcard docs/*.py)

.PHONY: help venv demo test soak lint format test-core test-threads test-portable test-python study docs \
	bench bench-anytime bench-control bench-asv wheel check-project clean

# With `make -j`, two targets could run pip in the same environment at the same time.
.NOTPARALLEL:

help:
	@echo "make demo     learn a tree and see its proof"
	@echo "make test     lint, tests of the C++ core with sanitizers, tests of the package"
	@echo "make soak     long versions of the tests with random problems and of the fuzzing"
	@echo "make test-threads    the tests of threads with the thread sanitizer"
	@echo "make test-portable   the core without what only some systems have; CXX=clang++ takes another compiler"
	@echo "make wheel    build the source archive and a wheel into dist, and try the wheel in an empty environment"
	@echo "make check-project   check the workflows, the hooks and the metadata of the project"
	@echo "make lint     formatting, lint and types"
	@echo "make format   format all files"
	@echo "make study    a small study of the paper's systems, and its report"
	@echo "make docs     build the documentation site into build/docs, and check its links"
	@echo "make bench    compare with other solvers; DATA=folder takes the datasets in it"
	@echo "make bench-anytime   their errors over time, DATA likewise"
	@echo "make bench-control   limits, interrupts, memory, resuming and threads, DATA likewise"
	@echo "make bench-asv       start five short benchmarks, to compare commits with asv"
	@echo "make venv     build and install the package into $(VENV)"
	@echo "make clean    remove $(VENV) and all that was built"

venv: $(VENV)/installed

# Without build isolation the build folder stays valid, so that only changed files are compiled.
$(VENV)/installed: $(VENV)/build-tools $(SOURCES)
	@echo "Compiling the search, which takes one to three minutes the first time"
	$(PIP_INSTALL) --no-build-isolation --force-reinstall --no-deps .
	@touch $@

# Prints requirements of pyproject.toml, where each is written down once.
listed = $(BIN)/python -c 'import tomllib; toml = tomllib.load(open("pyproject.toml", "rb")); \
	project = toml["project"]; extra = project["optional-dependencies"]; print(*$(1), sep="\n")'

# What the package needs to be built and to run. --no-compile saves seconds: Python compiles the few
# modules that are used when they are first imported.
$(VENV)/build-tools: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(call listed,toml["build-system"]["requires"] + toml["dependency-groups"]["build"] + project["dependencies"]) > $@.txt
	$(PIP_INSTALL) --no-compile -r $@.txt
	@touch $@

# What the tests, the study and the benchmarks need in addition.
$(VENV)/tools: $(VENV)/build-tools
	$(call listed,extra["test"]) > $@.txt
	$(PIP_INSTALL) -r $@.txt
	@touch $@

# What the site needs in addition.
$(VENV)/docs-tools: $(VENV)/build-tools
	$(call listed,extra["docs"]) > $@.txt
	$(PIP_INSTALL) -r $@.txt
	@touch $@

$(VENV)/peers: $(VENV)/tools
	$(call listed,extra["bench"]) > $@.txt
	$(PIP_INSTALL) -r $@.txt
	@touch $@

demo: venv
	$(BIN)/python examples/demo.py

test: lint test-core test-threads test-python

lint: venv $(VENV)/tools
	$(BIN)/ruff check $(PY_DIRS)
	$(BIN)/ruff format --check $(PY_DIRS)
	$(BIN)/mypy --package beamtree
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

format: $(VENV)/tools
	$(BIN)/ruff check --fix $(PY_DIRS)
	$(BIN)/ruff format $(PY_DIRS)
	$(BIN)/clang-format -i $(CXX_FILES)

test-core: $(VENV)/tools
	cmake -S . -B build/sanitize -G Ninja \
		-DBEAMTREE_TESTS=ON -DBEAMTREE_SANITIZE=ON -DBEAMTREE_WERROR=ON -DBEAMTREE_PYTHON=OFF
	cmake --build build/sanitize
	ctest --test-dir build/sanitize --output-on-failure --parallel 2

test-threads: $(VENV)/tools
	cmake -S . -B build/tsan -G Ninja \
		-DBEAMTREE_TESTS=ON -DBEAMTREE_SANITIZE_THREADS=ON -DBEAMTREE_WERROR=ON -DBEAMTREE_PYTHON=OFF
	cmake --build build/tsan --target test_threads test_table_threads test_sorted_threads test_grouped_threads \
		test_distributed_search
	ctest --test-dir build/tsan --output-on-failure --parallel 2 --label-regex threads

# The core as it is compiled where neither mapped pages nor 128-bit numbers can be had, with the flags of a release.
PORTABLE_TESTS := archive bits cache cell_table cover grouped_search kernel pool search squares stumps wide
space := $(subst ,, )
test-portable: $(VENV)/build-tools
	cmake -S . -B build/portable/$(notdir $(CXX)) -G Ninja -DCMAKE_CXX_COMPILER=$(CXX) \
		-DBEAMTREE_TESTS=ON -DBEAMTREE_PORTABLE=ON -DBEAMTREE_WERROR=ON -DBEAMTREE_PYTHON=OFF
	cmake --build build/portable/$(notdir $(CXX)) --target $(addprefix test_,$(PORTABLE_TESTS))
	ctest --test-dir build/portable/$(notdir $(CXX)) --output-on-failure --parallel 2 \
		--tests-regex '^($(subst $(space),|,$(strip $(PORTABLE_TESTS))))$$'

test-python: venv $(VENV)/tools
	$(BIN)/pytest --numprocesses auto

# Many times as many random problems as `make test`, and new examples of hypothesis in every run.
soak: export BEAMTREE_SOAK := 1
soak: test-core test-threads venv $(VENV)/tools
	$(BIN)/pytest --numprocesses auto -m "soak or hypothesis"

# A second call does only the runs that are missing. The report is build/study/report/index.html.
study: venv $(VENV)/tools
	$(BIN)/python -m beamtree study run --out build/study --depths 5 6 --budget 1 --jobs 2
	$(BIN)/python -m beamtree study report build/study

# Warnings are errors, so all pages are read anew (-E). BEAMTREE_INVENTORIES=1 fetches the
# inventories of other projects, which needs a network. The start page is build/docs/index.html.
docs: venv $(VENV)/docs-tools
	$(BIN)/python -m sphinx -E -W --keep-going --quiet -d build/doctrees docs build/docs
	$(BIN)/python docs/check_site.py build/docs

bench: venv $(VENV)/peers
	$(BIN)/python benchmarks/proof_time.py --depths 4 5 $(if $(DATA),--data $(DATA))

bench-anytime: venv $(VENV)/peers
	$(BIN)/python benchmarks/anytime.py --depths 6 7 --limit 30 $(if $(DATA),--data $(DATA))

# A benchmark that fails does not stop the next ones. Without --quick, each of them checks more.
bench-control: venv $(VENV)/tools
	@failed=0; for name in limits interrupts memory resume threads; do \
		echo; echo "## $$name"; echo; \
		$(BIN)/python benchmarks/$$name.py --quick $(if $(DATA),--data $(DATA)) || failed=1; \
	done; exit $$failed

# The benchmarks in benchmarks/asv, once each and with the package in .venv. `asv continuous main HEAD` compares commits.
bench-asv: venv $(VENV)/asv
	mkdir -p build/asv
	HOME=$(CURDIR)/build/asv $(BIN)/asv machine --yes --machine any
	HOME=$(CURDIR)/build/asv $(BIN)/asv run --quick --show-stderr --machine any --python=same --dry-run

# $(1) is a group of pyproject.toml.
install_group = $(call listed,toml["dependency-groups"]["$(1)"]) > $@.txt && $(PIP_INSTALL) -r $@.txt && touch $@

$(VENV)/package $(VENV)/project $(VENV)/asv: $(VENV)/build-tools
	$(call install_group,$(notdir $@))

# The wheel is built from the source archive, so the archive is complete. The environment of the smoke test first has
# only the wheel and what it needs, and no compiler on its path; then also the packages of the command line.
SMOKE := build/wheel/environment
SMOKE_TEST = cd "$$(mktemp -d)" && env -i HOME="$$HOME" PATH="$(abspath $(SMOKE)/$(notdir $(BIN)))" \
	python -P $(CURDIR)/packaging/smoke_test.py
wheel: $(VENV)/package
	rm -rf build/wheel dist
	$(BIN)/python -m build --outdir build/wheel/built .
	mkdir -p dist && cp build/wheel/built/*.tar.gz dist
ifeq ($(shell uname -s),Linux)
	$(BIN)/auditwheel repair --wheel-dir dist build/wheel/built/*.whl
else
	cp build/wheel/built/*.whl dist
endif
	$(BIN)/python packaging/check_distributions.py dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m venv $(SMOKE)
	$(SMOKE)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	$(SMOKE_TEST) --without-cli
	$(SMOKE)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[cli]"
	$(SMOKE_TEST)

# actionlint is a program of its own, which is used if the machine has it.
check-project: $(VENV)/project
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline .github
	$(BIN)/pre-commit validate-config
	$(BIN)/repo-review .
	@if command -v actionlint > /dev/null; then actionlint; else echo "actionlint is not installed, and was not run."; fi

clean:
	rm -rf $(VENV) build dist docs/generated .asv .mypy_cache .pytest_cache .ruff_cache .hypothesis
