# `make chat` starts everything; `make test` proves it. Both set up .venv first, and are quick the second time.
.PHONY: chat test test-full compiled-for-tests test-vllm test-cluster test-image lint docs constraints clean

VENV := .venv
BIN := $(VENV)/bin
COMMA := ,
# The first Python that PyTriton has a backend for.
PYTHON ?= $(shell for p in python3.12 python3.11 python3.10 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null && echo $$p && break; done)

chat: $(VENV)/.ready
	@exec $(BIN)/tritonchat up

# The quick tier, in some minutes. Bytecode of the modules that hundreds of processes import is stored.
test test-full: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.ready-dev compiled-for-tests
	@$(PYTEST) -m "not full"

# What takes longest: trained models, other processors, chaos, most of the browser (tests/full_tier.txt).
test-full: $(VENV)/.ready-dev compiled-for-tests
	@$(PYTEST) -m full

# Kernels are compiled once, not by each worker.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
compiled-for-tests: $(VENV)/.ready-dev
	@PYTHONPATH=.:tests/helpers/models:tests/helpers/servers:tests/model_core/kernels \
		$(BIN)/python tests/compile_kernels.py

# With the real vLLM behind the server, on the processor, in a virtual environment of its own (3 GB).
VLLM_VENV ?= .venv-vllm
test-vllm: $(VENV)/.ready-dev
	@test -x $(VLLM_VENV)/bin/vllm || benchmarks/engines/install_vllm.sh $(VLLM_VENV)
	@VLLM_PYTHON=$(VLLM_VENV)/bin/python $(BIN)/python -m pytest -p no:xdist -q tests/triton_server/engine/test_vllm.py

# Several real servers behind a proxy, by hand and placed by Ray, of which some are killed under load.
test-cluster: $(VENV)/.ready-dev
	@test -d $(VENV)/lib/python3*/site-packages/ray || { $(call install,.[dev$(COMMA)docs$(COMMA)cluster]); }
	@CLUSTER_TESTS=1 $(BIN)/python -m pytest -p no:xdist -q -s \
		tests/triton_server/proxy/test_proxy_faults.py tests/triton_server/cluster/test_cluster.py

# The image is built with buildah, started and asked, as root (apt install buildah debootstrap).
test-image: $(VENV)/.ready-dev
	@IMAGE_TESTS=1 $(BIN)/python -m pytest -p no:xdist -q -s tests/test_image.py

lint: $(VENV)/.ready-dev docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy

# The site of the pages, in build/site. A link that leads nowhere is an error.
docs: $(VENV)/.ready-dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The versions of everything that is installed: all dependencies at their newest. Needs uv and a network.
constraints:
	@uv pip compile -q --upgrade --universal --python-version 3.10 --extra dev --extra docs --extra cluster --no-annotate \
		--custom-compile-command "make constraints" pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(call install,.)
	@touch $@

$(VENV)/.ready-dev: pyproject.toml constraints.txt
	@$(call install,.[dev$(COMMA)docs])
	@touch $@ $(VENV)/.ready

# uv where it is installed (it brings a Python too), else venv and pip.
define install
set -e; echo "Setting up $(VENV) (about a minute, the first time) ..."; \
if command -v uv >/dev/null; then \
	test -x $(BIN)/python || uv venv -q --clear $(if $(PYTHON),--python $(PYTHON),--python 3.12) $(VENV); \
	uv pip install -q --python $(BIN)/python -c constraints.txt -e '$(1)'; \
else \
	test -n "$(PYTHON)" || { echo "tritonchat needs Python 3.10, 3.11 or 3.12; install one, or uv, which brings its own."; exit 1; }; \
	test -x $(BIN)/python || $(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); echo "Python cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"; exit 1; }; \
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '$(1)'; \
fi
endef
