"""The values of some flags. It imports nothing, so that the command line starts fast."""

# --weights: the type of matrices in memory; auto: the type in the checkpoint
WEIGHTS = ("auto", "float32", "bfloat16", "float16", "int8", "int4")
KV_CACHE_DTYPES = ("float32", "float16", "int8")  # --kv-cache-dtype
