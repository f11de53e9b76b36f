"""Make tests/data/vision_pixels.npz: images of many sizes as image processors of Transformers prepare them.

    python tests/helpers/makers/make_pixels.py

For each family and image N there are FAMILY_N_image, uint8 [height, width, 3], and FAMILY_N_pixels, float32,
as the processor returns them: patches, or tiles. The settings are those of the models in tests/data/vision.
Of LFM2-VL there are also FAMILY_N_grids, int64 [parts, 2], the rows and columns of the patches of each part,
whose other patches are padding, and FAMILY_N_text, what stands for the image in the prompt.

Needs Transformers 5, PyTorch, torchvision, and Pillow up to 12.2 (see model_core/images/resize.py); the tests
only read the file.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.lfm2_vl.image_processing_lfm2_vl import Lfm2VlImageProcessor
from transformers.models.lfm2_vl.processing_lfm2_vl import Lfm2VlProcessor
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

DATA = Path(__file__).parents[2] / "data"
SIZES = ((30, 41), (100, 37), (9, 70), (24, 24), (13, 12))
PROCESSORS = {
    "qwen3-vl": (Qwen2VLImageProcessorPil, {"size": {"shortest_edge": 400, "longest_edge": 2500}}),
    "gemma3": (Gemma3ImageProcessorPil, {}),
    "idefics3": (Idefics3ImageProcessorPil, {"size": {"longest_edge": 48}}),
    "lfm2_5-vl": (
        Lfm2VlImageProcessor,
        {"min_image_tokens": 4, "max_image_tokens": 8, "max_tiles": 6, "return_row_col_info": True},
    ),
}


def write_text(processor: Lfm2VlImageProcessor, prepared: dict[str, Any]) -> str:
    """What stands for the image in a prompt, by the method of the processor that needs no tokenizer."""
    outer = object.__new__(Lfm2VlProcessor)
    outer.image_processor = processor
    outer.image_token, outer.image_thumbnail_token = "<image>", "<|img_thumbnail|>"
    outer.image_start_token, outer.image_end_token = "<|image_start|>", "<|image_end|>"
    return str(outer.replace_image_token(prepared, 0, use_image_special_tokens=True))


def main() -> None:
    arrays = {}
    for name, (kind, changes) in PROCESSORS.items():
        fields = json.loads((DATA / "vision" / name / "preprocessor_config.json").read_text()) | changes
        processor, random = kind(**fields), np.random.default_rng(0)
        for number, (height, width) in enumerate(SIZES):
            small = random.integers(256, size=(height // 3 + 1, width // 3 + 1, 3), dtype=np.uint8)
            image = Image.fromarray(small).resize((width, height), Image.Resampling.NEAREST)
            prepared = processor(image, return_tensors="pt" if kind is Lfm2VlImageProcessor else "np")
            arrays[f"{name}_{number}_image"] = np.asarray(image)
            arrays[f"{name}_{number}_pixels"] = np.asarray(prepared["pixel_values"], np.float32)
            if kind is Lfm2VlImageProcessor:
                arrays[f"{name}_{number}_grids"] = np.asarray(prepared["spatial_shapes"])
                arrays[f"{name}_{number}_text"] = np.array(write_text(processor, prepared))
    np.savez_compressed(DATA / "vision_pixels.npz", **arrays)


if __name__ == "__main__":
    main()
