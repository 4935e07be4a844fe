//! The page's entry: mounts the app. Outside a browser there is no page to show.

fn main() {
    rushlight_app::start();
}
