//! Empties tables that the linked runtime holds and nobody can reach: zeros cost nothing in a download.
//!
//! RustPython links the tables of all East Asian codecs (0.7 MB, a quarter of one compressed). The runtime registers
//! none of these codecs in the browser (`runtime/src/interpreter.rs`), so nothing reads them; but the function that
//! makes the list of modules names them all, and so the linker keeps them. Its map says where they lie.

use anyhow::{Result, bail};

/// What stands in the mangled names of the tables.
const UNREACHABLE: &str = "17rustpython_common9encodings3cjk";

/// Fills every unreachable table of a linked module with zeros; `map` is what `wasm-ld --Map` wrote. Gives the bytes
/// emptied.
///
/// A line of the map is `ADDRESS OFFSET SIZE NAME`, in hexadecimal; the offset counts from the beginning of the file, and
/// data has `:(.rodata.SYMBOL)` for a name.
pub fn blank(module: &mut [u8], map: &str) -> Result<usize> {
    let mut emptied = 0;
    for line in map.lines().filter(|line| line.contains(":(.rodata.")) {
        let mut columns = line.split_whitespace();
        let (_, offset, size, name) = (columns.next(), columns.next(), columns.next(), columns.next());
        let number = |text: Option<&str>| text.and_then(|text| usize::from_str_radix(text, 16).ok());
        let (Some(offset), Some(size), Some(name)) = (number(offset), number(size), name) else { continue };
        let symbol = name.rsplit_once(":(.rodata.").map_or("", |(_, symbol)| symbol);
        if !symbol.contains(UNREACHABLE) {
            continue;
        }
        let Some(table) = offset.checked_add(size).and_then(|end| module.get_mut(offset..end)) else {
            bail!("the linker's map places {symbol} outside the module");
        };
        table.fill(0);
        emptied += size;
    }
    Ok(emptied)
}

#[cfg(test)]
mod tests {
    use super::blank;

    #[test]
    fn only_the_named_tables_are_emptied() {
        let map = "
    Addr      Off     Size Out     In      Symbol
      10        2        3         /x/runtime.o:(.rodata._RNvNtCs1_17rustpython_common9encodings3cjk11mappings_hk1A)
      10        2        3                 _RNvNtCs1_17rustpython_common9encodings3cjk11mappings_hk1A
      13        5        2         /x/runtime.o:(.rodata._RNvNtCs1_17rustpython_common9encodings5other1B)
";
        let mut module = [1; 8];
        assert_eq!(blank(&mut module, map).unwrap(), 3);
        assert_eq!(module, [1, 1, 0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_map_of_another_module_is_refused() {
        let map = "10 2 30 a.o:(.rodata.17rustpython_common9encodings3cjk)";
        assert!(blank(&mut [1; 8], map).unwrap_err().to_string().contains("outside the module"));
    }
}
