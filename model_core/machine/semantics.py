"""The version of all that turns a request into an answer, which fingerprints name in place of a release."""

# Raise it with a change after which some request has other bytes: in kernels, samplers, the reading of files,
# the decoding and resizing of images, prompts of conversations, constraints, or the reading of reasoning and
# calls. Releases that change no answer keep it, and so do fingerprints and receipts.
# tests/model_core/kernels/golden_bits.json belongs to one such version: its digests are written again only
# under a higher one.
SEMANTICS = 7
