"""How long a search among the chunks of a collection takes: NumPy's scan, and sqlite-vec.

sqlite-vec is not a dependency, nor is a SQLite that loads extensions: pip install sqlite-vec apsw
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from triton_server.collections import vectors

RESULTS = 10


def main() -> None:
    """Print milliseconds: the median, and the slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--searches", type=int, default=20)
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    floats = random.standard_normal((arguments.chunks, arguments.dimensions), np.float32)
    queries = random.standard_normal((arguments.searches, arguments.dimensions), np.float32)
    stored = vectors.quantize(floats)
    asked = vectors.quantize(queries).astype(np.float32)
    start = time.perf_counter()
    rows = vectors.unpack(vectors.pack(list(stored)), arguments.dimensions)
    print(f"read into memory: {(time.perf_counter() - start) * 1000:.0f} ms, {rows.nbytes >> 20} MiB")
    measure("NumPy", asked, lambda query: [hit.row for hit in vectors.scan(rows, query[None], RESULTS)])
    try:
        import apsw  # type: ignore[import-not-found,unused-ignore]
        import sqlite_vec  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as folder:
        database = apsw.Connection(str(Path(folder) / "vectors.db"))
        database.enable_load_extension(True)
        database.load_extension(sqlite_vec.loadable_path())
        size = arguments.dimensions
        database.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{size}] distance_metric=cosine)")
        start = time.perf_counter()
        with database:
            database.executemany(
                "INSERT INTO v(rowid, e) VALUES (?, ?)", ((n, row.tobytes()) for n, row in enumerate(rows))
            )
        print(f"sqlite-vec stores: {time.perf_counter() - start:.1f} s")

        def search(query: np.ndarray) -> list[int]:
            text = f"SELECT rowid FROM v WHERE e MATCH ? AND k = {RESULTS} ORDER BY distance"
            return [row for (row,) in database.execute(text, [query.tobytes()])]

        measure("sqlite-vec", asked, search)


def measure(name: str, queries: np.ndarray, search: Callable[[np.ndarray], list[int]]) -> None:
    """Print how long searches take."""
    times = []
    for query in queries:
        start = time.perf_counter()
        found = search(query)
        times.append((time.perf_counter() - start) * 1000)
        assert len(found) == RESULTS
    print(f"{name}: {np.median(times):.1f} ms, at most {max(times):.1f} ms")


if __name__ == "__main__":
    main()
