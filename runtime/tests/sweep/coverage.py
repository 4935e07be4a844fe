# Run after `sweep.py`, here only: names the ops that have neither a case nor a reason to have none.
for module, prefix in (("_functions", ""), ("_nn", ""), ("_linalg", "linalg_"), ("_special", "special_")):
    for name in dir(getattr(torch._C, module)):
        plain = name.removeprefix(prefix).removesuffix("_")
        if not plain.startswith("_") and plain not in COVERED and plain not in ELSEWHERE:
            print("NO CASE", module, name)
