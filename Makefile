# Every target works as the first one on a machine with Python 3.11 or newer, git and make.
#   make demo    sync a made-up repository from a simulated GitHub, verify it, say where to look
#   make test    every test
#   make lint    formatting, lint, import direction
#   make types   mypy and pyright, both strict
#   make bench   points, requests, seconds and memory against what is possible at least
#   make soak    thirty rounds of random acts, faults and ends by a seed that is printed
#   make cassettes   record the HTTP conversations of cassettes/ anew, from the simulator
#   make clean   remove what the targets above made

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := queries syncer sinks birdview
JOBS ?= auto
PYTEST_ARGS ?=
SOAK_ARGS ?= --rounds 30

# The first of these that is new enough; PYTHON=... overrides.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c '$(NEW_ENOUGH)' && echo $$p && break; done)

.PHONY: demo test lint types bench soak cassettes clean venv ruff-check ruff-format imports mypy pyright

demo: $(STAMP)
	$(BIN)/syncer demo

test: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS)

lint: ruff-check ruff-format imports
types: mypy pyright

ruff-check: $(STAMP)
	$(BIN)/ruff check .
ruff-format: $(STAMP)
	$(BIN)/ruff format --check .
imports: $(STAMP)
	$(BIN)/lint-imports --no-cache
mypy: $(STAMP)
	$(BIN)/mypy
pyright: $(STAMP)
	$(BIN)/pyright

bench: $(STAMP)
	$(BIN)/python -m tests.bench

soak: $(STAMP)
	$(BIN)/python -m tests.soak $(SOAK_ARGS)

cassettes: $(STAMP)
	$(BIN)/python -m tests.cassettes.record

clean:
	rm -rf $(VENV) build dist demo *.egg-info .coverage .coverage.*
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found on PATH." \
		"Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment;" \
		"Debian and Ubuntu have that in the package python3-venv." >&2; exit 1; }
	@echo "Installing what the project and its checks need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@touch $@
