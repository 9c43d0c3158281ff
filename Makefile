# Everything here works on a fresh machine that has only Python 3.11 or newer (and make).
VENV ?= .venv
BIN := $(VENV)/bin
# 3.12 and 3.11 first: for them a redis-server comes in a wheel (extra "embedded"), for machines that have none.
PYTHON ?= $(shell for p in python3.12 python3.11 python3 python3.13 python3.14; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

.PHONY: help setup demo test check lint types layers bench nightly bloom clean distclean

help:
	@echo "make setup    the virtual environment $(VENV) with everything in it"
	@echo "make demo     a real crawl of local sites with three workers, one of them killed (under 3 minutes)"
	@echo "make test     all tests; those that need a Redis server are skipped without one (and fail if CI is set)"
	@echo "make check    lint, types, layers"
	@echo "make bench    the core operations, measured"
	@echo "make nightly  the long soak and fuzz runs"
	@echo "make bloom    fetch the RedisBloom module for the tests of that mode (55 MB)"
	@echo "make clean    remove what the above made, but for $(VENV) and .tools; make distclean: these too"

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with the venv module (Debian: apt install python3-venv)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/python -m demo

test: setup
	$(BIN)/python -m pytest -q

check: lint types layers

lint: setup
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

bench: setup
	$(BIN)/redisfrontier bench core

nightly: setup
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -q -m "nightly or slow" --timeout 3600

bloom: setup
	$(BIN)/python tests/fetch_redisbloom.py .tools/redisbloom.so

clean:
	rm -rf build dist demo-out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) .tools
