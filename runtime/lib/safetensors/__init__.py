"""The package `safetensors`: tensors in a file that holds nothing but a header of JSON and the tensors' bytes.

The format: https://huggingface.co/docs/safetensors — the header's length in 8 bytes, the header, then all data.
"""

from safetensors._format import SafetensorError, deserialize, safe_open, serialize, serialize_file

__version__ = "0.8.0"
