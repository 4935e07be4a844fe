"""The prose around the lists, by page and language."""

PROGRAM = """
```python example id=ask
import torch

for name in ("matmul", "sparse_coo_tensor", "matmull"):
    try:
        getattr(torch, name)
        print(name, "is there")
    except AttributeError as error:
        print(error)
```
"""

TEXTS = {
    "01-tensors": {
        "en": {
            "summary": "Tensors and the functions on them, as PyTorch 2.15 has them.",
            "intro": "This list is made by looking into the package itself, name by name.\n\nA name that is absent says so "
                     "when it is used. Ask in a program:\n" + PROGRAM,
        },
        "zh-CN": {
            "summary": "张量及其函数，以 PyTorch 2.15 为准。",
            "intro": "此列表是逐个名称检查软件包本身生成的。\n\n不可用的名称在使用时会明确说明。可以在程序中查询：\n" + PROGRAM,
        },
    },
    "02-modules": {
        "en": {
            "summary": "Layers, losses and what belongs to modules.",
            "intro": "What `torch.nn` has here, name by name.",
        },
        "zh-CN": {"summary": "层、损失函数以及模块相关的内容。", "intro": "这里的 `torch.nn` 包含的内容，逐个列出。"},
    },
    "03-training": {
        "en": {
            "summary": "Gradients, optimizers, data, files and devices.",
            "intro": "What a training program uses beside tensors and modules, name by name.",
        },
        "zh-CN": {
            "summary": "梯度、优化器、数据、文件与设备。",
            "intro": "训练程序除张量和模块之外用到的内容，逐个列出。",
        },
    },
    "04-numpy-and-python": {
        "en": {
            "summary": "NumPy beside PyTorch, and the modules of Python that can be imported.",
            "intro": "Arrays share memory with tensors, and `np.random` gives NumPy's own numbers.",
        },
        "zh-CN": {
            "summary": "与 PyTorch 一起使用的 NumPy，以及可以导入的 Python 模块。",
            "intro": "数组与张量共享内存，`np.random` 给出的数值与 NumPy 完全一致。",
        },
    },
}
