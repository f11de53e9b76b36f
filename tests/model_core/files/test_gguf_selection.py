"""Which of a repository's .gguf files are taken."""

from pathlib import Path

import pytest

from model_core.errors import ModelError
from model_core.files.gguf.selection import choose_files, find_only_model, list_models, quantization_of

FILES = [
    ".gitattributes",
    "README.md",
    "mmproj-F16.gguf",
    "tiny-BF16.gguf",
    "tiny-IQ4_XS.gguf",
    "tiny-Q4_K_M.gguf",
    "tiny-Q8_0.gguf",
    "tiny-UD-Q4_K_M.gguf",
    "BF16/tiny-BF16-00002-of-00002.gguf",
    "BF16/tiny-BF16-00001-of-00002.gguf",
]


def test_q4_k_m_is_taken_by_default() -> None:
    assert choose_files(FILES) == ["tiny-Q4_K_M.gguf"]
    assert choose_files(FILES, "latest") == ["tiny-Q4_K_M.gguf"]


@pytest.mark.parametrize(
    "quantization, file",
    [
        ("Q8_0", "tiny-Q8_0.gguf"),
        ("q8_0", "tiny-Q8_0.gguf"),
        ("UD-Q4_K_M", "tiny-UD-Q4_K_M.gguf"),
        ("tiny-IQ4_XS.gguf", "tiny-IQ4_XS.gguf"),
    ],
)
def test_a_quantization_is_found_in_any_case(quantization: str, file: str) -> None:
    assert choose_files(FILES, quantization) == [file]


def test_all_parts_of_a_split_model_are_taken_in_order() -> None:
    names = [name for name in FILES if "tiny-BF16.gguf" not in name]
    assert choose_files(names, "BF16") == [
        "BF16/tiny-BF16-00001-of-00002.gguf",
        "BF16/tiny-BF16-00002-of-00002.gguf",
    ]
    with pytest.raises(ModelError, match=r"of 00002 files .* there are 1"):
        choose_files(["x-Q4_0-00001-of-00002.gguf"])


def test_another_quantization_is_taken_if_q4_k_m_is_missing() -> None:
    assert choose_files(["a-Q2_K.gguf", "a-Q8_0.gguf"]) == ["a-Q8_0.gguf"]
    assert choose_files(["a-Q2_K.gguf", "a-IQ2_S.gguf"]) == ["a-Q2_K.gguf"]
    assert choose_files(["a-IQ3_XXS.gguf", "a-Q2_K.gguf", "a-BF16.gguf"]) == ["a-IQ3_XXS.gguf"]
    assert choose_files(["a-IQ1_S.gguf", "a-IQ2_M.gguf", "a-BF16.gguf"]) == ["a-BF16.gguf"]
    assert choose_files(["a-UD-IQ2_XXS.gguf", "a-IQ2_M.gguf"]) == ["a-IQ2_M.gguf"]
    assert choose_files(["a-IQ1_S.gguf", "a-UD-IQ2_XXS.gguf"]) == ["a-UD-IQ2_XXS.gguf"]
    assert choose_files(["a-TQ2_0.gguf"]) == ["a-TQ2_0.gguf"]
    assert choose_files(["a-BF16.gguf", "a-Q4_0.gguf", "a-Q5_K_M.gguf"]) == ["a-Q5_K_M.gguf"]
    assert choose_files(["model.gguf"]) == ["model.gguf"]


def test_the_best_that_fits_is_taken() -> None:
    sizes = {"a-BF16.gguf": 16, "a-Q8_0.gguf": 8, "a-Q6_K.gguf": 6, "a-Q3_K_M.gguf": 3, "a-IQ2_M.gguf": 2}

    def choose(memory: int, *more: str) -> str:
        (name,) = choose_files(
            [*sizes, *more], None, lambda files: sum(sizes.get(f, 4) for f in files) <= memory
        )
        return name

    assert [choose(memory) for memory in (99, 8, 7, 3)] == [
        *("a-Q8_0.gguf", "a-Q8_0.gguf", "a-Q6_K.gguf", "a-Q3_K_M.gguf")
    ]
    assert choose(1) == "a-Q8_0.gguf"  # what is needed is said before a download
    assert choose(99, "a-Q4_K_M.gguf") == "a-Q4_K_M.gguf"


def test_models_of_a_folder_have_names_of_their_own() -> None:
    names = [
        "a-Q4_0.gguf",
        "b-Q4_0.gguf",
        "b-Q8_0.gguf",
        "c.gguf",
        "mmproj-b-F16.gguf",
        "x-Q6_K-00001-of-00002.gguf",
    ]
    found = list_models(names)
    assert found == {"a-Q4_0": names[:1], "b-Q4_0": names[1:2], "Q8_0": names[2:3], "c": names[3:4]}
    assert all(choose_files(names, name) == files for name, files in found.items())


def test_mtp_in_all_names_is_that_of_the_model() -> None:
    names = ["Qwen3-MTP-Q4_K_M.gguf", "Qwen3-MTP-Q8_0.gguf", "mmproj-Qwen3-MTP-F16.gguf"]
    assert choose_files(names) == ["Qwen3-MTP-Q4_K_M.gguf"]
    assert choose_files(["mtp-GLM-Q4_K_M.gguf", "GLM-Q8_0.gguf"]) == ["GLM-Q8_0.gguf"]
    mixed = ["Qwen3-MTP-Q4_K_M.gguf", "Qwen3-Q8_0.gguf", "imatrix_unsloth.gguf", "Qwen3.mmproj-F16.gguf"]
    assert choose_files(mixed) == [mixed[0]]
    assert choose_files(mixed, "Q8_0") == [mixed[1]]


def test_the_only_model_of_a_folder(tmp_path: Path) -> None:
    assert find_only_model(tmp_path) is None
    for name in (
        "mmproj-F16.gguf",
        "a-Q8_0-00001-of-00002.gguf",
        "a-Q8_0-00002-of-00002.gguf",
        "config.json",
    ):
        (tmp_path / name).write_text("")
    assert find_only_model(tmp_path) == tmp_path / "a-Q8_0-00001-of-00002.gguf"
    (tmp_path / "b.gguf").write_text("")
    with pytest.raises(
        ModelError, match=r"several \.gguf files; give the path of one: a-Q8_0-00001-of-00002\.gguf, b\.gguf"
    ):
        find_only_model(tmp_path)
    (tmp_path / "model.safetensors").write_text("")
    assert find_only_model(tmp_path) is None  # the folder is the model


def test_a_missing_quantization_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ModelError, match=r"'Q3_K'.* BF16, IQ4_XS, Q4_K_M, Q8_0, UD-Q4_K_M"):
        choose_files(FILES, "Q3_K")
    with pytest.raises(ModelError, match=r"no \.gguf file"):
        choose_files(["model.safetensors"])


@pytest.mark.parametrize(
    "name, quantization",
    [
        ("Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Q4_K_M"),
        ("tinyllama-1.1b-chat-v1.0.Q5_0.gguf", "Q5_0"),
        ("qwen2.5-0.5b-instruct-fp16.gguf", "FP16"),
        ("gemma-3-4b-it-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"),
        ("gpt-oss-20b-mxfp4.gguf", "MXFP4"),
        ("Qwen3-8B-NVFP4.gguf", "NVFP4"),
        ("ggml-model.gguf", None),
    ],
)
def test_the_quantization_of_a_name(name: str, quantization: str | None) -> None:
    assert quantization_of(name) == quantization
