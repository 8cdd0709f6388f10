# Everything a person runs. Each target does its own set-up in .venv and stops by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiling all that is installed takes as long as installing it; Python compiles what it imports.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile

.PHONY: help setup demo serve test check contract chaos bench prove-image lock clean
help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 18

RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

$(RUNTIME): requirements/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "burn-triage needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the bot into $(VENV) …"
	@$(PIP) --require-hashes -r requirements/runtime.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.txt $(RUNTIME)
	@echo "installing the test tools into $(VENV) …"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

setup: $(DEV)  ## the virtual environment with everything

demo: $(RUNTIME)  ## a signed webhook comes in, the right comment appears (on a fake GitHub)
	@$(BIN)/python -m tests.demo

test: $(DEV)  ## every test that this machine can run
	@$(BIN)/python -m pytest -n 2

check: $(DEV)  ## style, types, import rules, records
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/burn-triage records lint

serve: $(RUNTIME)  ## the bot, with the settings of the environment and .env
	@$(BIN)/burn-triage serve

contract: $(DEV)  ## the fake GitHub against GitHub's own API description (needs npm)
	@$(BIN)/python -m tests.contract

chaos: $(DEV)  ## kill -9 fifty times between receipt and comment: one comment each
	@$(BIN)/python -m tests.chaos

prove-image:  ## the Dockerfile's steps in a Debian root, then its command (root, on Debian; some minutes)
	@$(PYTHON) packaging/prove_image.py

bench: $(DEV)  ## matching measured: quality, time, growth, memory, and beside other methods
	@$(BIN)/python -m bench

lock: $(DEV)  ## pin the dependencies again, with hashes
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" pyproject.toml --group build-only -o requirements/runtime.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" pyproject.toml --extra checkout --group dev -c requirements/runtime.txt -o requirements/dev.txt

clean:
	rm -rf $(VENV) .cache artifacts build *.egg-info
