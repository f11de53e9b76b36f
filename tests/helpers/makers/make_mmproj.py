"""Make tests/data/mmproj: towers of models in tests/data/vision, as llama.cpp's converter writes them.

    python tests/helpers/makers/make_mmproj.py LLAMA_CPP [--only N ...]

LLAMA_CPP is a folder with llama.cpp's sources, which the source package llama-cpp-python has. LFM2-VL and
Gemma 4 were converted with those of version 0.3.36. The converter needs PyTorch and Transformers; the tests
themselves only read the files.
"""

import argparse
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
ZERO = {"image_mean": [0.0] * 3, "image_std": [1.0] * 3}
CHANGES = {
    "gemma4-large": ZERO,
    "gemma4-small": ZERO,
    "gemma4-unified": ZERO,
    "lfm2-vl": HALF,
    "gemma3": HALF | {"image_seq_length": 9},
    "qwen2_5-vl": CLIP,
    "qwen3-vl": CLIP,
    "qwen3_5": CLIP,
    "smolvlm": HALF,
}
_TYPES = {"gemma4-small": "f32"}  # whose scores are large: float16 would change the logits by 3%
SIGLIP = ("vision_tower.", "vision_tower.vision_model.")  # the published name has both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("llama_cpp", type=Path)
    parser.add_argument("--only", nargs="+", choices=list(CHANGES), default=list(CHANGES))
    arguments = parser.parse_args()
    llama_cpp, target = arguments.llama_cpp, DATA / "mmproj"
    target.mkdir(exist_ok=True)
    for name in arguments.only:
        changes = CHANGES[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(shutil.copytree(DATA / "vision" / name, Path(temporary) / name))
            settings = json.loads((folder / "preprocessor_config.json").read_text()) | changes
            (folder / "preprocessor_config.json").write_text(json.dumps(settings))
            tensors = load_file(folder / "model.safetensors")
            if name in ("gemma3", "lfm2-vl"):
                tensors = {key.replace(*SIGLIP): array for key, array in tensors.items()}
            if name == "gemma4-unified":  # whose converter wants the sizes of what hears
                config = json.loads((folder / "config.json").read_text())
                config["audio_config"] = {"audio_embed_dim": 24}
                (folder / "config.json").write_text(json.dumps(config))
            save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
            options = [
                "--mmproj",
                "--outtype",
                _TYPES.get(name, "f16"),
                "--outfile",
                target / f"mmproj-{name}.gguf",
                folder,
            ]
            subprocess.run(
                [sys.executable, llama_cpp / "convert_hf_to_gguf.py", *options],
                env=os.environ | {"PYTHONPATH": str(llama_cpp / "gguf-py")},
                check=True,
                capture_output=True,
            )


if __name__ == "__main__":
    main()
