//! Which of several equal elements a selection takes. PyTorch's kernels for `topk` and `mode` use the C++ standard
//! library (introselect, introsort, heaps), `kthvalue` a quickselect of its own; none is stable, so the indices of
//! equal values tell how they work. These are the same steps (libstdc++'s, D. Musser, "Introspective sorting and
//! selection algorithms", 1997), on the ranks of the elements of one line.

/// Positions in the order of the selection, and what comes before what.
struct Line<'a> {
    at: Vec<usize>,
    ranks: &'a [u32],
    descending: bool,
}

/// Up to here, sorting is by insertion.
pub const SHORT: usize = 16;

impl Line<'_> {
    fn new(ranks: &[u32], descending: bool) -> Line<'_> {
        Line { at: (0..ranks.len()).collect(), ranks, descending }
    }

    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.ranks[a], self.ranks[b]);
        if self.descending { a > b } else { a < b }
    }

    fn less(&self, i: usize, j: usize) -> bool {
        self.before(self.at[i], self.at[j])
    }

    fn median_to(&mut self, result: usize, a: usize, b: usize, c: usize) {
        let middle = if self.less(a, b) {
            if self.less(b, c) {
                b
            } else if self.less(a, c) {
                c
            } else {
                a
            }
        } else if self.less(a, c) {
            a
        } else if self.less(b, c) {
            c
        } else {
            b
        };
        self.at.swap(result, middle);
    }

    /// Parts `first..last` around a pivot; gives where the second part starts.
    fn partition(&mut self, first: usize, last: usize) -> usize {
        self.median_to(first, first + 1, first + (last - first) / 2, last - 1);
        let (mut low, mut high) = (first + 1, last);
        loop {
            while self.less(low, first) {
                low += 1;
            }
            high -= 1;
            while self.less(first, high) {
                high -= 1;
            }
            if low >= high {
                return low;
            }
            self.at.swap(low, high);
            low += 1;
        }
    }

    fn insert(&mut self, first: usize, last: usize) {
        for i in first + 1..last {
            let moved = self.at[i];
            let mut to = i;
            // Only what comes before all is moved past equal elements' front in one go; the result is the same.
            while to > first && self.before(moved, self.at[to - 1]) {
                self.at[to] = self.at[to - 1];
                to -= 1;
            }
            self.at[to] = moved;
        }
    }

    fn sift(&mut self, first: usize, hole: usize, len: usize, value: usize) {
        let (top, mut hole, mut child) = (hole, hole, hole);
        while child < (len.saturating_sub(1)) / 2 {
            child = 2 * (child + 1);
            if self.less(first + child, first + child - 1) {
                child -= 1;
            }
            self.at[first + hole] = self.at[first + child];
            hole = child;
        }
        if len.is_multiple_of(2) && len >= 2 && child == (len - 2) / 2 {
            child = 2 * (child + 1);
            self.at[first + hole] = self.at[first + child - 1];
            hole = child - 1;
        }
        while hole > top && self.before(self.at[first + (hole - 1) / 2], value) {
            self.at[first + hole] = self.at[first + (hole - 1) / 2];
            hole = (hole - 1) / 2;
        }
        self.at[first + hole] = value;
    }

    /// A heap of the first elements of all, in `first..middle`.
    fn heap_select(&mut self, first: usize, middle: usize, last: usize) {
        let len = middle - first;
        for parent in (0..len / 2).rev() {
            self.sift(first, parent, len, self.at[first + parent]);
        }
        for i in middle..last {
            if self.less(i, first) {
                let value = self.at[i];
                self.at[i] = self.at[first];
                self.sift(first, 0, len, value);
            }
        }
    }

    fn partial_sort(&mut self, first: usize, middle: usize, last: usize) {
        if first == middle {
            return;
        }
        self.heap_select(first, middle, last);
        for end in (first + 1..middle).rev() {
            let value = self.at[end];
            self.at[end] = self.at[first];
            self.sift(first, 0, end - first, value);
        }
    }

    fn depth(len: usize) -> usize {
        2 * len.checked_ilog2().unwrap_or(0) as usize
    }

    fn nth(&mut self, nth: usize) {
        let (mut first, mut last) = (0, self.at.len());
        let mut depth = Self::depth(last);
        while last - first > 3 {
            if depth == 0 {
                self.heap_select(first, nth + 1, last);
                self.at.swap(first, nth);
                return;
            }
            depth -= 1;
            let cut = self.partition(first, last);
            if cut <= nth {
                first = cut;
            } else {
                last = cut;
            }
        }
        self.insert(first, last);
    }

    fn intro(&mut self, first: usize, mut last: usize, mut depth: usize) {
        while last - first > SHORT {
            if depth == 0 {
                return self.partial_sort(first, last, last);
            }
            depth -= 1;
            let cut = self.partition(first, last);
            self.intro(cut, last, depth);
            last = cut;
        }
    }

    fn sort(&mut self, last: usize) {
        self.intro(0, last, Self::depth(last));
        self.insert(0, last);
    }
}

/// The positions of the `k` first (the smallest, or `largest`), as `topk` gives them.
pub fn top(ranks: &[u32], k: usize, largest: bool, sorted: bool) -> Vec<usize> {
    let mut line = Line::new(ranks, largest);
    let n = ranks.len();
    if k > 0 && k * 64 <= n {
        line.partial_sort(0, k, n);
    } else if k > 0 {
        line.nth(k - 1);
        if sorted {
            line.sort(k - 1);
        }
    }
    line.at.truncate(k);
    line.at
}

/// All positions, sorted as `std::sort` does.
pub fn sorted(ranks: &[u32], descending: bool) -> Vec<usize> {
    let mut line = Line::new(ranks, descending);
    line.sort(ranks.len());
    line.at
}

/// The position of the `k`-th smallest, counted from 0, as `kthvalue` gives it: quickselect with the median of three.
pub fn kth(ranks: &[u32], k: usize) -> usize {
    let mut at: Vec<usize> = (0..ranks.len()).collect();
    let (mut left, mut right) = (0, ranks.len().saturating_sub(1));
    let after = |at: &[usize], i: usize, j: usize| ranks[at[i]] > ranks[at[j]];
    while right > left {
        if right == left + 1 {
            if after(&at, left, right) {
                at.swap(left, right);
            }
            break;
        }
        at.swap((left + right) / 2, left + 1);
        for (i, j) in [(left + 1, right), (left, right), (left + 1, left)] {
            if after(&at, i, j) {
                at.swap(i, j);
            }
        }
        let (mut i, mut j) = (left + 1, right);
        let pivot = ranks[at[left]];
        loop {
            i += 1;
            while pivot > ranks[at[i]] {
                i += 1;
            }
            j -= 1;
            while ranks[at[j]] > pivot {
                j -= 1;
            }
            if j < i {
                break;
            }
            at.swap(i, j);
        }
        at.swap(left, j);
        if j <= k {
            left = i;
        }
        if j >= k {
            right = j - 1;
        }
    }
    at.get(k).copied().unwrap_or(0)
}
