//! Files exchanged with PyTorch: those recorded with it (`exchange/record.py`) are read here, and what is written here
//! is, byte for byte, what PyTorch was seen to read.

mod common;

use common::{Lab, lab};

const NAMES: [&str; 5] = ["training.pt", "kinds.pt", "module.pt", "arrays.pt", "tensors.safetensors"];

fn fixture(folder: &str, name: &str) -> Vec<u8> {
    let path = format!("{}/tests/exchange/{folder}/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn put(lab: &Lab, path: &str, bytes: &[u8]) {
    lab.out(&format!("with open({path:?}, 'wb') as f:\n    _ = f.write(bytes.fromhex('{}'))", hex(bytes)));
}

fn with_objects<R: Send>(act: impl FnOnce(&Lab) -> R + Send) -> R {
    lab(|lab| {
        lab.out("import os\nos.makedirs('pytorch'); os.makedirs('rushlight')");
        put(lab, "objects.py", include_bytes!("exchange/objects.py"));
        lab.out("import sys; sys.path.insert(0, '.')\nimport objects");
        act(lab)
    })
}

#[test]
fn reads_what_pytorch_wrote() {
    with_objects(|lab| {
        for name in NAMES {
            put(lab, &format!("pytorch/{name}"), &fixture("pytorch", name));
        }
        let shown = lab.out("objects.show('pytorch')");
        assert_eq!(shown, include_str!("exchange/shown.txt"));
    });
}

#[test]
fn writes_what_pytorch_reads() {
    with_objects(|lab| {
        lab.out("objects.write('rushlight')");
        for name in NAMES {
            let written = lab.out(&format!("print(open('rushlight/{name}', 'rb').read().hex())"));
            assert_eq!(
                written.trim(),
                hex(&fixture("rushlight", name)),
                "{name} is written otherwise than when PyTorch was seen to read it: record again"
            );
        }
        assert_eq!(lab.out("objects.show('rushlight')"), include_str!("exchange/shown.txt"));
    });
}

/// Broken files of every length: an exception, never a crash, and none of them loads.
#[test]
fn broken_files_are_refused() {
    with_objects(|lab| {
        for name in ["kinds.pt", "tensors.safetensors"] {
            put(lab, name, &fixture("pytorch", name));
        }
        let shown = lab.out(
            r#"
import io, torch, safetensors.torch
whole = open("kinds.pt", "rb").read()
for n in range(0, len(whole), 97):
    for broken in (whole[:n], whole[:n] + b"\xff" * 40 + whole[n + 40:]):
        try:
            torch.load(io.BytesIO(broken))
        except Exception as e:
            assert str(e) or isinstance(e, EOFError), type(e)
whole = open("tensors.safetensors", "rb").read()
loaded = 0
for n in range(len(whole)):
    try:
        safetensors.torch.load(whole[:n])
        loaded += 1
    except safetensors.SafetensorError as e:
        assert str(e)
print("loaded", loaded)
"#,
        );
        assert_eq!(shown, "loaded 0\n");
    });
}
