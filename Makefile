# `make` alone runs every check. `make run` and `make test` install what they need first.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= data/demo
# Three more than the cores of the smallest machine: tests wait for engines and processes of their own.
PARALLEL ?= -n 5 --dist loadfile --no-loadscope-reorder

BIN := .venv/bin
STAMP := .venv/.installed
CODE := src tests bench scripts
NATIVE := $(wildcard src/footfall/native/*.c src/footfall/native/*.h)
DASHBOARD := src/footfall/shells/http/static/built/manifest.json
# Tests start footfall some hundred times and four processes read all of them: each would compile everything anew where
# the environment forbids to write bytecode.
export PYTHONDONTWRITEBYTECODE :=
WEB := $(shell find web -path web/node_modules -prune -o -path web/tracker -prune -o -path web/widget -prune -o -path web/player -prune -o -type f -print)

.DEFAULT_GOAL := check
.PHONY: check checks compiled collected setup setup-tests dashboard run test pytest format lint types contracts fresh web fix map \
	tracker soak bench compare clean

check: $(STAMP) $(DASHBOARD)  ## every check and every test
	@$(MAKE) --no-print-directory -j2 --output-sync=target checks
	@$(MAKE) --no-print-directory pytest

# The longest first: the others are done beside it.
checks: types collected format lint contracts fresh web

setup: $(STAMP)  ## the virtual environment in .venv

$(STAMP): pyproject.toml constraints.txt scripts/setup.py scripts/debian.py $(NATIVE)
	@$(PYTHON) scripts/setup.py --stamp $(STAMP)

setup-tests: $(STAMP)  ## what only the tests need
	@$(BIN)/python scripts/setup_tests.py

dashboard: $(DASHBOARD)  ## build web/ into the package

$(DASHBOARD): $(WEB) scripts/dashboard.py
	@$(PYTHON) scripts/dashboard.py

run: $(STAMP) $(DASHBOARD)  ## a demo brand on a local folder
	@echo "footfall starts on http://$(HOST):$(PORT)/ with its data in $(DATA); Ctrl+C stops it."
	@$(BIN)/footfall serve --dev --demo --data $(DATA) --host $(HOST) --port $(PORT)

test: setup-tests check  ## from a bare clone: install, check, test

format: $(STAMP)
	$(BIN)/ruff format --check $(CODE)

lint: $(STAMP)
	$(BIN)/ruff check $(CODE)

types: $(STAMP)
	$(BIN)/basedpyright

contracts: $(STAMP)
	$(BIN)/lint-imports

fresh: $(STAMP)
	$(BIN)/python scripts/map.py --check
	$(BIN)/python scripts/reference.py --check
	$(BIN)/python scripts/figures.py --check
	$(BIN)/python scripts/source_figures.py --check
	$(BIN)/python scripts/plan_pages.py --check
	$(BIN)/python scripts/throttling_page.py --check
	$(BIN)/python scripts/compare_page.py --check
	$(BIN)/python scripts/tracker.py --check

web: $(STAMP)  ## types, lint and units of web/
	$(BIN)/python scripts/dashboard.py --check

compiled: $(STAMP)
	@$(BIN)/python -m compileall -q src

# Every test is read once before several processes do so at the same time, and find it compiled.
collected: compiled
	@mkdir -p build
	@$(BIN)/python -m pytest --collect-only -q > build/collected.txt || { tail -n 40 build/collected.txt; false; }

pytest: compiled $(DASHBOARD)
	$(BIN)/python -m pytest $(PARALLEL)

fix: $(STAMP) map  ## repair what tools can
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

map: $(STAMP)  ## draw docs/map.md, docs/reference/ and docs/source-figures.md again
	$(BIN)/python scripts/map.py
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/source_figures.py
	$(BIN)/python scripts/plan_pages.py
	$(BIN)/python scripts/throttling_page.py

tracker: $(STAMP)  ## minify web/tracker, web/widget and web/player into the package
	$(BIN)/python scripts/tracker.py

soak: setup-tests compiled $(DASHBOARD)  ## the long campaigns
	$(BIN)/python -m pytest -m soak
	$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile=campaign -m "hypothesis and not soak"

bench: $(STAMP)  ## measure; writes bench/results/
	@$(BIN)/python scripts/debian.py wrk nginx redis-server
	$(BIN)/python -m bench
	$(BIN)/python scripts/figures.py

COMPARE ?=
BEGAN := $(shell date +%s)
compare: $(STAMP) $(DASHBOARD)  ## beside what people would pick instead; COMPARE="--only redis" for one of them
	@$(BIN)/python -m bench.compare.installing $(COMPARE)
	$(BIN)/python -m bench.compare --began $(BEGAN) $(COMPARE)
	$(BIN)/python scripts/compare_page.py
	$(BIN)/python scripts/figures.py

clean:  ## remove what can be made again; data/ stays
	rm -rf web/node_modules $(dir $(DASHBOARD))
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache src/*.egg-info src/footfall/native/*.so
