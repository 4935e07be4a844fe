//! The learner's page: lessons with live cells, in the browser. The Python runtime lives in a worker and is reached
//! only through the messages of `rushlight-protocol`; nothing here knows how it works.

mod browser;
mod editor;
mod gpu;
mod library;
mod route;
mod run;
mod shell;
mod store;
mod texts;
mod view;
mod work;

/// Mounts the page. Outside a browser it only says where the page is.
pub fn start() {
    if cfg!(target_arch = "wasm32") {
        console_error_panic_hook::set_once();
        wasm_bindgen_futures::spawn_local(async {
            library::words(shell::language()).await;
            leptos::mount::mount_to_body(view::App);
            browser::remove("boot");
        });
    } else {
        println!("This is the page. Build and open it with `cargo xtask serve`.");
    }
}
