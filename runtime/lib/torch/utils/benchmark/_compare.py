"""`Compare`: measurements in a table, a row for each variant and a column for each description."""

from torch.utils.benchmark._measurement import Measurement, select_unit, unit_to_english


class Compare:
    """Collects measurements and prints them as tables."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trim = False

    def extend_results(self, results):
        """Adds measurements."""
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError("Expected an instance of `Measurement`, " f"got {type(r)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """Shows only digits that mean something."""
        self._trim = True

    def colorize(self, rowwise=False):
        """Colours are for terminals; accepted, and without effect."""

    def highlight_warnings(self):
        """Accepted, and without effect."""

    def __str__(self):
        groups = {}
        for m in Measurement.merge(self._results):
            groups.setdefault(m.task_spec.label, []).append(m)
        return "\n".join(self._table(label, group) for label, group in groups.items())

    def print(self):
        """Prints the tables."""
        print(str(self))

    def _table(self, label, group):
        columns = list(dict.fromkeys(m.task_spec.description for m in group))
        threads = list(dict.fromkeys(m.task_spec.num_threads for m in group))
        unit, scale = select_unit(min(m.median for m in group))
        rows = list(dict.fromkeys((m.task_spec.num_threads, m.as_row_name) for m in group))
        cells = {(m.task_spec.num_threads, m.as_row_name, m.task_spec.description): m for m in group}
        digits = 1 if not self._trim else 0

        def text(row, column):
            m = cells.get((*row, column))
            return "" if m is None else f"{m.median / scale:.{digits}f}"

        head = max(len(r[1]) for r in rows) + 6
        widths = []
        for column in columns:
            entries = [text(r, column) for r in rows]
            widths.append(max(len(column or ""), max(map(len, entries)), 3) + 2)
        lines = [" " * head + "  |" + "|".join((column or "").center(w + 2) for column, w in zip(columns, widths)).rstrip("\n")]
        for count in threads:
            title = f"{count} threads: "
            lines.append(title + "-" * (len(lines[0]) - len(title)))
            for row in rows:
                if row[0] == count:
                    values = "|".join(text(row, c).center(w + 2) for c, w in zip(columns, widths))
                    lines.append(("      " + row[1]).ljust(head) + "  |" + values)
        name = f" {label} " if label is not None else ""
        width = len(lines[0])
        left = (width - len(name) - 2) // 2
        top = "[" + "-" * left + name + "-" * (width - len(name) - 2 - left) + "]"
        return "\n".join([top, *lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", ""])
