# Quantrift: `make` builds the environment and the demo. `make help` lists everything.

PYTHONS := python3.11 python3.12 python3.13
BIN := .venv/bin
CORES ?= 2
SEED ?= 1
BASE ?= HEAD
SBOM ?= results/sbom.json
SITE ?= results/docs
WHEELS ?= results/wheel
RELEASE ?= results/release
READY := .venv/.ready
DEVELOP := .venv/.develop
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url
# A file of tests is run by one worker, as its fixtures are made once.
PYTEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

# Bytecode is kept whatever the caller's shell says: tests and jobs are hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := all
.PHONY: all env develop test quick test-all test-nightly test-slurm mutants coverage lint format pages schema targets measured kept numbers artifact readme wheel release lock conda licences sbom docs notebooks bench same structure provenance clean help

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

all: env  ## environment, then every target of the demo: results/demo/report.html
	@$(BIN)/quantrift unlock
	$(BIN)/snakemake --cores $(CORES)

env: $(READY)  ## .venv with exactly the locked packages

# A Python counts only when it runs: version managers leave commands that do not.
$(READY): envs/requirements.lock pyproject.toml
	@python=$$(for p in $(PYTHONS); do $$p -c '' 2>/dev/null && echo $$p && break; done); \
	if [ -z "$$python" ]; then echo "quantrift: none of $(PYTHONS) runs here; install one of them" >&2; exit 2; fi; \
	echo "environment: .venv with $$($$python --version), almost 4 GB, 2 to 4 minutes"; \
	test -x $(BIN)/python || $$python -m venv .venv
	$(BIN)/pip install --quiet --require-hashes -r envs/requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

develop: $(DEVELOP)  ## what tests, style and documents need beside it

$(DEVELOP): envs/develop.lock $(READY)
	$(BIN)/pip install --quiet --require-hashes -r envs/develop.lock
	@touch $@

test: develop  ## lint, types and quick tests; about six minutes on two cores
	$(MAKE) --no-print-directory -j 2 lint quick

# One core is idle while types are checked.
quick:
	$(PYTEST) -m "not slow and not nightly"

# Slow tests mostly wait for the runs that they start: three at once keep two cores busy.
test-all: develop  ## the slow tests: whole runs, trainings, assessments of real files
	$(PYTEST) -n 3 -m slow

test-nightly: develop  ## fresh random examples, kills, damaged and exchanged files, mutants, every benchmark; hours
	HYPOTHESIS_PROFILE=fresh $(PYTEST) -m "not slow and not nightly"
	HYPOTHESIS_PROFILE=fresh QUANTRIFT_KILLS=10 QUANTRIFT_SWAPS=10 QUANTRIFT_MUTATIONS=300 \
	  $(BIN)/pytest -s --timeout 0 --durations=10 -m nightly
	$(MAKE) --no-print-directory mutants
	$(MAKE) --no-print-directory bench

test-slurm: develop  ## a pipeline through a real Slurm on this machine, which it installs; Debian, as root
	$(BIN)/pytest -rs --durations=5 tests/e2e/test_slurm.py

# Under coverage the tests take about an hour; what they ran also tells which tests a mutant needs.
mutants: coverage  ## 100 small mistakes in the code, drawn by SEED, and which of them the tests notice; an hour more
	$(BIN)/python -m tests.mutants --seed $(SEED)

coverage: develop  ## lines and branches that make test and make test-all run, by room: results/coverage/all.json
	@rm -rf results/coverage && mkdir -p results/coverage
	COVERAGE_PROCESS_START=$(CURDIR)/pyproject.toml COVERAGE_FILE=$(CURDIR)/results/coverage/data \
	  $(PYTEST) -m "not nightly"
	$(BIN)/coverage combine --quiet --data-file results/coverage/data
	$(BIN)/coverage json --quiet --include "workflow/lib/*" --data-file results/coverage/data -o results/coverage/all.json
	$(BIN)/python -m tests.coverage_by_room results/coverage/all.json

lint: develop  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	$(BIN)/mypy

format: develop  ## put all code into the one style
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/Snakefile workflow/rules

pages: env  ## every page, block and picture of the documents, from docs/_sources and what has run here; minutes
	$(BIN)/python -m tools.pages --all

numbers targets: env  ## all pages from docs/_sources and kept blocks; seconds, after a source, a target or a kept table changed
	$(BIN)/python -m tools.pages

schema: env  ## JSON schema of the configuration, after its models changed
	$(BIN)/python -m tools.pages schema

measured: env  ## numbers of docs/measured, after networks of the thesis were trained here
	$(BIN)/python -m tools.pages thesis

kept: env  ## results/kept, from the results of a finished run of config/sample.yaml; then the numbers that documents quote
	$(BIN)/python -m tools.documents.kept_results
	$(MAKE) --no-print-directory numbers

artifact: env  ## costs in ARTIFACT.md, after claims, targets, datasets or rates changed; a few minutes
	$(BIN)/python -m tools.pages costs_demo costs_sample

readme: env  ## top of README.md, from a finished board, and the example of docs/certifying.md
	$(BIN)/python -m tools.pages front certifying

# A build folder that lay here would bring modules that are gone, and the metadata would be a second package beside the
# installed one. setuptools makes both.
wheel: env  ## wheel of the package, for pip install: results/wheel
	@rm -rf build
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(WHEELS) .
	@rm -rf build workflow/lib/quantrift.egg-info
	@echo "wheel: $$(ls $(WHEELS)/quantrift-*.whl)"

# pip takes no --target with packages that lie there already.
release: wheel  ## source archive and wheel of this version, each installed from its folder to try it: results/release
	@rm -rf $(RELEASE) && mkdir -p $(RELEASE)
	@$(BIN)/python -c "from setuptools.build_meta import build_sdist; build_sdist('$(RELEASE)')" > /dev/null
	@cp $(WHEELS)/quantrift-*.whl $(RELEASE)
	@for file in $(RELEASE)/quantrift-*; do \
	  rm -rf $(RELEASE)/tried && \
	  $(BIN)/pip install --quiet --no-deps --no-build-isolation --target $(RELEASE)/tried $$file && \
	  PYTHONPATH=$(RELEASE)/tried $(RELEASE)/tried/bin/quantrift --version > /dev/null || exit 1; \
	done
	@rm -rf $(RELEASE)/tried build workflow/lib/quantrift.egg-info
	@cd $(RELEASE) && sha256sum quantrift-*

lock:  ## envs/requirements.lock, to run, and envs/develop.lock, from pyproject.toml (needs uv)
	$(COMPILE) --extra all --output-file envs/requirements.lock
	$(COMPILE) --extra all --extra dev --extra docs --constraint envs/requirements.lock --output-file envs/develop.lock

conda: env  ## envs/quantrift.yaml for --sdm conda, after the lock changed
	$(BIN)/python -m tools.pages conda

licences: develop  ## licences of all locked packages, in docs/dependencies.md, after the lock changed
	$(BIN)/python -m tools.pages licences

sbom: develop  ## software bill of materials, CycloneDX: results/sbom.json
	@mkdir -p $(dir $(SBOM))
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --validate --output-file $(SBOM) $(BIN)/python

docs: develop  ## site of these documents, with a search that needs no server: results/docs/index.html
	$(BIN)/python -m sphinx -q -E -a -W --keep-going -c docs . $(SITE)
	@echo "site: $(SITE)/index.html"

# The times of cells, and progress, would differ in each run.
RUN_NOTEBOOKS := import sys, nbformat as f, nbclient as c; \
  [(c.NotebookClient(n, record_timing=False).execute(), f.write(n, p)) for p in sys.argv[1:] for n in [f.read(p, 4)]]

notebooks: develop  ## outputs and pictures of the notebooks; about a minute
	cd notebooks && TQDM_DISABLE=1 $(abspath $(BIN))/python -c "$(RUN_NOTEBOOKS)" *.ipynb

bench: env  ## benchmarks, into results/bench
	$(BIN)/python -m tools.bench

same: develop  ## whether the code of commit BASE and this checkout compute the same, demo and config/small.yaml
	$(BIN)/python -m tests.same $(BASE)

structure: develop  ## the statements of each room, and the imports between them
	$(BIN)/python -m tools.structure

provenance: all  ## Snakemake's own report of the demo: results/demo/provenance.html
	$(BIN)/snakemake --report results/demo/provenance.html

clean:  ## remove results, keep the kept run, the environment and downloads
	find results -mindepth 1 -maxdepth 1 ! -name README.md ! -name kept -exec rm -rf {} +
	rm -rf .snakemake
