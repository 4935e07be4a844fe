"""Records the files of `pytorch/` with real PyTorch and what they hold, then proves that PyTorch reads ours.

    python record.py path/to/rushlight        (a Python that has torch, numpy and safetensors)
"""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import objects  # noqa: E402


def shown(folder):
    out = io.StringIO()
    with redirect_stdout(out):
        objects.show(folder)
    return out.getvalue()


objects.write(f"{HERE}/pytorch")
expected = shown(f"{HERE}/pytorch")
with open(f"{HERE}/shown.txt", "w") as file:
    file.write(expected)
subprocess.run([sys.argv[1], "run", "-c", f"import sys; sys.path.insert(0, {HERE!r}); import objects; "
                f"objects.write({HERE + '/rushlight'!r})"], check=True)
assert shown(f"{HERE}/rushlight") == expected, "PyTorch reads something else from the files written here"
print("recorded")
