"""Make tests/data/mmproj: towers of models in tests/data/vision, as llama.cpp's converter writes them.

    python tests/helpers/makers/make_mmproj.py LLAMA_CPP

LLAMA_CPP is a folder with llama.cpp's sources, which the source package llama-cpp-python has. Its converter
needs PyTorch and Transformers; the tests themselves only read the files.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from safetensors.numpy import load_file, save_file

DATA = Path(__file__).parents[2] / "data"
# Of preprocessor_config.json, which published files have.
CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
HALF = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}
CHANGES = {
    "gemma3": HALF | {"image_seq_length": 9},
    "qwen2_5-vl": CLIP,
    "qwen3-vl": CLIP,
    "qwen3_5": CLIP,
    "smolvlm": HALF,
}
SIGLIP = ("vision_tower.", "vision_tower.vision_model.")  # the published name has both


def main() -> None:
    llama_cpp, target = Path(sys.argv[1]), DATA / "mmproj"
    target.mkdir(exist_ok=True)
    for name, changes in CHANGES.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(shutil.copytree(DATA / "vision" / name, Path(temporary) / name))
            settings = json.loads((folder / "preprocessor_config.json").read_text()) | changes
            (folder / "preprocessor_config.json").write_text(json.dumps(settings))
            tensors = load_file(folder / "model.safetensors")
            tensors = {key.replace(*SIGLIP) if name == "gemma3" else key: x for key, x in tensors.items()}
            save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
            arguments = ["--mmproj", "--outtype", "f16", "--outfile", target / f"mmproj-{name}.gguf", folder]
            subprocess.run(
                [sys.executable, llama_cpp / "convert_hf_to_gguf.py", *arguments],
                env=os.environ | {"PYTHONPATH": str(llama_cpp / "gguf-py")},
                check=True,
                capture_output=True,
            )


if __name__ == "__main__":
    main()
