"""Compare the time to the first token of an answer about an image with llama.cpp's.

    python benchmarks/images.py --work-folder FOLDER --peer INTERPRETER [--shape smolvlm2-256m] [--side 448]

Both read the same two files, which image_models.py writes (--maker: an interpreter with gguf), and
get another image in each round, as pixels. `again` is a second question on the same image, and `text` one on
a text of as many tokens (--tokens, here bytes). Each engine is a process of its own, and they measure in
turn. Prints medians, the median of the ratios of the same round, and how far the log probabilities of the ten
likeliest tokens differ at most.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

QUESTION = "What is to be seen in this picture, and where would one find it?"
MORE = " And which colours does it have, from the left to the right of it?"
_KEPT: list[object] = []  # functions that llama.cpp calls
Answer = tuple[float, dict[str, float]]  # the seconds to the first token, the log probabilities of some
Ask = Callable[[np.ndarray | None, str], Answer]


def serve_ours(folder: Path, threads: int) -> Ask:
    """A function that asks this project a question."""
    from model_core import LLM, SamplingParams
    from model_core.images.image import make_pixels

    llm = LLM(folder / "model.gguf", weights="int8", threads=threads)
    params = SamplingParams(max_tokens=1, temperature=0, ignore_eos=True, logprobs=10)

    def ask(pixels: np.ndarray | None, text: str) -> Answer:
        image = [] if pixels is None else [{"type": "image", "pixels": make_pixels(pixels)}]
        start = time.perf_counter()
        answer = llm.chat([{"role": "user", "content": [*image, {"type": "text", "text": text}]}], params)
        seconds = time.perf_counter() - start
        return seconds, {str(token): float(value) for token, value, *_ in answer.logprobs[0].top}

    return ask


def serve_llama_cpp(folder: Path, threads: int) -> Ask:
    """The same for llama.cpp. It keeps no prefix: every question begins anew."""
    import ctypes

    import llama_cpp
    from llama_cpp import mtmd_cpp as mtmd

    ignore_log = llama_cpp.llama_log_callback(lambda level, text, data: None)
    _KEPT.append(ignore_log)
    llama_cpp.llama_log_set(ignore_log, None)
    mtmd.mtmd_log_set(ignore_log, None)
    mtmd.mtmd_helper_log_set(ignore_log, None)
    model = llama_cpp.llama_model_load_from_file(
        str(folder / "model.gguf").encode(), llama_cpp.llama_model_default_params()
    )
    params = llama_cpp.llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = 8192, 2048, 512
    params.n_threads = params.n_threads_batch = threads
    context = llama_cpp.llama_init_from_model(model, params)
    options = mtmd.mtmd_context_params_default()
    options.use_gpu, options.n_threads, options.warmup = False, threads, False
    tower = mtmd.mtmd_init_from_file(str(folder / "mmproj.gguf").encode(), model, options)
    marker = mtmd.mtmd_default_marker()
    vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))

    def ask(pixels: np.ndarray | None, text: str) -> Answer:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        start = time.perf_counter()
        bitmaps = []
        if pixels is not None:
            data = (ctypes.c_uint8 * pixels.size).from_buffer_copy(pixels.tobytes())
            bitmaps = [mtmd.mtmd_bitmap_init(pixels.shape[1], pixels.shape[0], data)]
        prompt = marker * len(bitmaps) + text.encode()
        given = mtmd.mtmd_input_text(prompt, len(prompt), False, True)
        array = (mtmd.mtmd_bitmap_p_ctypes * len(bitmaps))(*bitmaps)
        chunks, end = mtmd.mtmd_input_chunks_init(), llama_cpp.llama_pos(0)
        status = mtmd.mtmd_tokenize(tower, chunks, ctypes.byref(given), array, len(bitmaps))
        status = status or mtmd.mtmd_helper_eval_chunks(
            tower, context, chunks, 0, 0, 2048, True, ctypes.byref(end)
        )
        if status:
            raise RuntimeError(f"llama.cpp cannot answer: {status}")
        logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), (vocabulary,))
        likeliest = np.argsort(-logits)[:100]
        seconds = time.perf_counter() - start
        mtmd.mtmd_input_chunks_free(chunks)
        for bitmap in bitmaps:
            mtmd.mtmd_bitmap_free(bitmap)
        scores = logits.astype(np.float64)
        scores -= np.logaddexp.reduce(scores)
        return seconds, {str(token): float(scores[token]) for token in likeliest}

    return ask


def work(engine: str, folder: Path, threads: int, side: int, tokens: int) -> None:
    """Reply to each line of the standard input, a seed and a figure, with the Answer."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # engines print what they like
    ask = (serve_ours if engine == "ours" else serve_llama_cpp)(folder, threads)
    print(json.dumps("ready"), file=answers)
    for line in sys.stdin:
        seed, figure = json.loads(line)
        pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
        if figure == "image":
            answer = ask(pixels, QUESTION)
        else:
            about = pixels if figure == "again" else None
            beginning = "" if figure == "again" else f"{seed}".ljust(tokens)
            ask(about, beginning + QUESTION)
            answer = ask(about, beginning + QUESTION + MORE)
        print(json.dumps(answer), file=answers)


def write_model(folder: Path, shape: str, maker: str) -> None:
    """Write a model of a shape, if the folder has none. `maker`: an interpreter with gguf."""
    if not (folder / "mmproj.gguf").exists():
        folder.mkdir(parents=True, exist_ok=True)
        script = Path(__file__).parent / "making" / "image_models.py"
        subprocess.run([maker, script, shape, folder], check=True)


def main() -> None:
    """Measure in turn, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work-folder", type=Path, required=True, help="keeps the models")
    parser.add_argument("--shape", default="smolvlm2-256m")
    parser.add_argument("--side", type=int, default=448, help="pixels of a side of the images")
    parser.add_argument("--tokens", type=int, default=1122, help="of an image")
    parser.add_argument("--peer", help="an interpreter that has llama-cpp-python")
    parser.add_argument("--maker", default=sys.executable, help="an interpreter that has gguf")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--figures", nargs="+", default=["image", "again", "text"])
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    folder = args.work_folder / args.shape
    if args.work:
        work(args.work, folder, args.threads, args.side, args.tokens)
        return
    write_model(folder, args.shape, args.maker)
    pythons = {"ours": sys.executable} | ({"llama.cpp": args.peer} if args.peer else {})
    workers: dict[str, Any] = {}
    for name, python in pythons.items():
        command = [python, __file__, "--work", name, "--work-folder", args.work_folder]
        command += ["--shape", args.shape, "--threads", str(args.threads), "--side", str(args.side)]
        command += ["--tokens", str(args.tokens)]
        workers[name] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        workers[name].stdout.readline()
    print(f"{args.shape}, {args.side} x {args.side}, {args.threads} threads, load {os.getloadavg()[0]:.1f}")
    seconds: dict[tuple[str, str], list[float]] = {}
    difference = 0.0
    for seed in range(args.rounds + 1):
        for figure in args.figures:
            tokens: dict[str, dict[str, float]] = {}
            for name in sorted(workers, reverse=bool(seed % 2)):
                print(json.dumps([seed, figure]), file=workers[name].stdin)
                taken, tokens[name] = json.loads(workers[name].stdout.readline())
                seconds.setdefault((figure, name), []).append(taken)
                print(figure, name, f"{seconds[figure, name][-1]:.3f} s", file=sys.stderr)
            if len(tokens) > 1:
                ours, theirs = tokens["ours"], tokens["llama.cpp"]
                difference = max(difference, *(abs(ours[t] - theirs.get(t, -np.inf)) for t in ours))
    for (figure, name), found in seconds.items():
        kept = found[1:]  # the first one warmed up
        line = f"{figure} {name}: {statistics.median(kept):.3f} s"
        if name != "ours":
            ratios = [ours / theirs for ours, theirs in zip(seconds[figure, "ours"][1:], kept, strict=True)]
            line += (
                f", ours / {name} {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
            )
        print(line)
    print(f"log probabilities of the ten likeliest tokens differ by {difference:.3f} at most")
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()


if __name__ == "__main__":
    main()
