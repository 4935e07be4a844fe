//! The few flags of the commands, parsed by hand.

/// What stood behind the command's name.
#[derive(Debug, Default, PartialEq)]
pub struct Flags {
    pub release: bool,
    pub port: Option<u16>,
    pub fast: bool,
    /// `bench` beside other libraries.
    pub peers: bool,
    /// `bench` beside other libraries, all on WebGPU.
    pub gpu: bool,
    /// Only these parts of `test`; empty means all.
    pub only: Vec<String>,
}

impl Flags {
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut flags = Self::default();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            let (name, mut value) = match arg.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (arg, None),
            };
            let mut take = || value.take().or_else(|| args.next()).ok_or_else(|| format!("`{name}` wants a value"));
            match name.as_str() {
                "--release" => flags.release = true,
                "--fast" => flags.fast = true,
                "--peers" => flags.peers = true,
                "--gpu" => flags.gpu = true,
                "--port" => {
                    let text = take()?;
                    flags.port = Some(text.parse().map_err(|_| format!("`{text}` is no port (0 to 65535)"))?);
                }
                "--only" => flags.only.extend(take()?.split(',').map(str::to_string)),
                other => return Err(format!("there is no flag `{other}`")),
            }
        }
        Ok(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;

    fn parse(text: &str) -> Result<Flags, String> {
        Flags::parse(text.split_whitespace().map(str::to_string))
    }

    #[test]
    fn values_stand_behind_a_space_or_an_equals_sign() {
        assert_eq!(parse("--port 80").unwrap().port, Some(80));
        assert_eq!(parse("--release --port=81").unwrap().port, Some(81));
        assert_eq!(parse("--only fmt,clippy").unwrap().only, ["fmt", "clippy"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(parse("--port").unwrap_err().contains("wants a value"));
        assert!(parse("--port 70000").unwrap_err().contains("70000"));
        assert!(parse("--relase").unwrap_err().contains("--relase"));
    }
}
