# Every target makes its own .venv when there is none, or when what it was made from has changed.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed
PLUGIN = editors/obsidian
PACKAGES = $(PLUGIN)/node_modules/.package-lock.json

.PHONY: demo demo-web test lint bench editors

demo: $(STAMP)
	@home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && \
	export ONEBRAIN_SEARCH_HOME="$$home" ONEBRAIN_VAULT=vault_fixtures/onebrain HF_HUB_OFFLINE=1 && \
	ask() { printf '\n$$ onebrain-search -n 3 "%s"\n' "$$1"; $(BIN)/onebrain-search -n 3 "$$1"; } && \
	echo '$$ onebrain-search index' && $(BIN)/onebrain-search index && \
	ask "How long are idempotency keys kept?" && \
	ask "why did we drop qmd?" && \
	ask "path:01-projects after:2026-03 token"

demo-web: $(STAMP)
	@$(BIN)/python -m onebrain_search.web.testing

test: $(STAMP)
	$(BIN)/python -m pytest

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The plugins of the editors: Obsidian's is type-checked and built, then the tests of both run.
editors: $(STAMP) $(PLUGIN)/main.js
	$(BIN)/python -m pytest tests/editors

bench: $(STAMP)
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,lint]'
	$(BIN)/python -m compileall -q indexer onebrain_search
	touch $@

$(PLUGIN)/main.js: $(PACKAGES) $(wildcard $(PLUGIN)/*.ts $(PLUGIN)/*/*.ts $(PLUGIN)/*.json) editors/protocol.json
	npm run --silent --prefix $(PLUGIN) check
	npm run --silent --prefix $(PLUGIN) build

$(PACKAGES): $(PLUGIN)/package-lock.json
	npm ci --ignore-scripts --prefix $(PLUGIN)
	touch $@
