# Each target sets up what it needs in .venv; only Python 3.11 and make have to be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2
# The part of `make nightly`: another one each day, all of them in a week.
PART ?= $(shell date +%u)/7

.PHONY: help demo test quick changed nightly lint docs site bench wheel clean

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null \
	  || $(BIN)/pip install --quiet --disable-pip-version-check '.[cc]'
	@touch $@

demo: $(STAMP)  ## take a network through every level and to C, and compare
	$(BIN)/python benchmarks/demo.py

test: $(STAMP)  ## run the test suite
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

quick: $(STAMP)  ## run the part of the test suite that takes under a minute
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m quick

changed: $(STAMP)  ## run the tests of what has changed since the last commit, until one fails
	$(BIN)/pytest --changed -x

nightly: $(STAMP)  ## run a seventh of all matrices and larger populations, by the day; PART=1/1 runs them all
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --nightly --part $(PART)

lint: $(STAMP)  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

docs: $(STAMP)  ## run the commands in the docs
	$(BIN)/pytest -n $(WORKERS) test/docs

site: $(STAMP)  ## build the documentation's site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(STAMP)  ## print the headline numbers beside their peers
	$(BIN)/python benchmarks/opt_tool.py
	$(BIN)/python benchmarks/compile.py
	$(BIN)/python benchmarks/host/networks.py

wheel: $(STAMP)  ## build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:  ## remove what was built, the environment included
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
