"""What is there but differs from PyTorch, and which families of names are left out on purpose, in each language."""

_AS_WRITTEN = {
    "en": "compiles nothing: the code runs as it is written, and says so once by a warning.",
    "zh-CN": "不做编译：代码按原样运行，并以一次警告说明。",
}

# Name -> how it differs. A name that is not there makes the generator stop.
DIFFERENCES = {
    "torch.Tensor.share_memory_": {
        "en": "there is one process, so every tensor is shared already.",
        "zh-CN": "这里只有一个进程，所有张量本来就是共享的。",
    },
    "torch.Tensor.is_conj": {
        "en": "always False: `conj()` computes at once instead of setting a flag. Values are the same.",
        "zh-CN": "始终为 False：`conj()` 会立即计算，而不是设置标记。数值相同。",
    },
    "torch.frombuffer": {
        "en": "copies the buffer; writing to the tensor does not change it.",
        "zh-CN": "会复制缓冲区；写入张量不会改变原缓冲区。",
    },
    "torch.compile": {
        "en": "runs the code as it is written, with the same results, and says so once by a warning.",
        "zh-CN": "按原样运行代码，结果相同，并以一次警告说明。",
    },
    "torch.jit.script": _AS_WRITTEN,
    "torch.jit.trace": _AS_WRITTEN,
    "torch.load": {
        "en": "reads PyTorch's zip format (1.6 and later), not the older one.",
        "zh-CN": "读取 PyTorch 的 zip 格式（1.6 及以后），不支持更早的格式。",
    },
    "torch.set_num_threads": {
        "en": "accepted; everything runs in one thread.",
        "zh-CN": "可以调用；所有计算都在一个线程中进行。",
    },
    "torch.autograd.graph.allow_mutation_on_saved_tensors": {
        "en": "copies each tensor when it is saved, not when it is written to.",
        "zh-CN": "在保存张量时就复制，而不是在写入时。",
    },
    "torch.utils.checkpoint.set_checkpoint_debug_enabled": {
        "en": "accepted; messages list no operators.",
        "zh-CN": "可以调用；错误信息中不会列出算子。",
    },
    "torch.utils.data.DataLoader": {
        "en": "`num_workers` is accepted, and the work is done in this process; the order of batches is the same.",
        "zh-CN": "接受 `num_workers`，但工作在本进程内完成；批次顺序相同。",
    },
    "torch.cuda.is_available": {
        "en": "True where there is a GPU that programs may use: `cuda` is that GPU, through WebGPU.",
        "zh-CN": "有可供程序使用的 GPU 时返回 True：`cuda` 即通过 WebGPU 使用的该 GPU。",
    },
}

# Families of names that are left out on purpose: a pattern, and their title.
FAMILIES = {
    "quantized": (
        r"quant|^q_|^qu?int|^QU?Int|qscheme|int_repr|fbgemm|fake_quant|per_(channel|tensor)_|choose_qparams",
        {"en": "Quantized tensors", "zh-CN": "量化张量"},
    ),
    "sparse": (
        r"sparse|_?(coo|csr|csc|bsr|bsc)(_|$)|(ccol|crow|col|row)_indices|^(indices|values|coalesce|dense_dim|to_dense)$"
        r"|^(indices|values)_copy$|spmm|hsmm|^s?smm$|saddmm|dsmm|sspaddmm|jagged|to_padded_tensor",
        {"en": "Sparse and nested tensors", "zh-CN": "稀疏张量与嵌套张量"},
    ),
    "script": (
        r"Type$|^Script|^(Argument|ArgumentSpec|AliasDb|Block|Code|CompilationUnit|CallStack|Capsule|FileCheck|Function"
        r"Schema|Graph|GraphExecutorState|Gradient|IODescriptor|Node|OperatorInfo|TracingState|Use|Value|Static"
        r"Module|DeepCopyMemoTable|ExecutionPlan|ErrorReport|JITException|LiteScriptModule|Complete\w+|Concrete\w+|"
        r"DeserializationStorageContext|SerializationStorageContext|PyTorchFile\w+|LockingLogger|LoggerBase|NoopLogger|"
        r"AggregationType|AVG|SUM|Benchmark\w+|ThroughputBenchmark|Future|Await\w+)$|^parse_|^import_ir|^merge_type|"
        r"unify_type_list|^(fork|wait|classes|ops|library|package|cpp|futures|fx|export|foreach|monitor|ao)$",
        {"en": "Insides of TorchScript and of the compiler", "zh-CN": "TorchScript 与编译器的内部接口"},
    ),
    "libraries": (
        r"cudnn|miopen|mkldnn|mtia|xpu|ipu|vulkan|maia|xla|^has_|init_num_threads|profiler_allow|gpu_dtype",
        {"en": "Other devices' libraries", "zh-CN": "其他设备的专用库"},
    ),
    "symbols": (
        r"^sym_|^Sym(Bool|Float|Int)|^(cond|while_loop)$|dispatch|Dispatch|TorchFunction|^Tag$|PRIVATE_OPS|USE_\w+",
        {"en": "Symbolic shapes and dispatch", "zh-CN": "符号形状与分派机制"},
    ),
    "small": (
        r"^u?int[1-7]$|^bits|^bit$|float[48]_|^bcomplex32$|^complex32$|^chalf$",
        {"en": "Dtypes of less than a byte, float8, complex32", "zh-CN": "不足一字节的类型、float8、complex32"},
    ),
    "copies": (
        r"_copy$|^slice_inverse$|_scatter_copy$",
        {"en": "Copying twins of views (`view_copy`, `permute_copy` …)", "zh-CN": "视图的复制版本（`view_copy`、`permute_copy` 等）"},
    ),
    "old": (
        r"^(eig|symeig|lstsq|matrix_rank|solve|resize|resize_as|reinforce|volatile|storage_type|is_distributed|"
        r"legacy_contiguous_format|lobpcg|nuclear_norm|frobenius_norm|batch_norm_\w+|native_\w+|autocast_\w+)$",
        {"en": "Removed or internal functions", "zh-CN": "已移除或内部的函数"},
    ),
}
