//! Writes the JavaScript glue of the WASM build: `interlinear-bindgen <module.wasm> <folder> <name>`.
//!
//! The library behind wasm-bindgen's command line, as a member of the workspace: `Cargo.lock` keeps it at the very
//! version of the crate that the module was compiled with, which it must be.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

/// Features that the compiler may claim and that old engines get wrong: Safari 16.0 to 16.3 break on tables of
/// references. The glue does without them when the module does not claim them.
const AVOIDED: [&str; 2] = ["reference-types", "multivalue"];

#[expect(clippy::print_stderr, reason = "a command line tool")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: interlinear-bindgen <module.wasm> <folder> <name>");
        return ExitCode::from(2);
    };
    match generate(module, folder, name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlinear-bindgen: {module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn generate(module: &str, folder: &str, name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut bytes = std::fs::read(module)?;
    for feature in AVOIDED {
        disclaim(&mut bytes, feature);
    }
    Bindgen::new()
        .input_bytes(name, bytes)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)?;
    Ok(())
}

/// Turns the claim of a feature (`+`, length, name, as the section `target_features` has it) into its denial (`-`).
fn disclaim(module: &mut [u8], feature: &str) {
    let claim: Vec<u8> = [b'+', feature.len() as u8].into_iter().chain(feature.bytes()).collect();
    if let Some(at) = module.windows(claim.len()).rposition(|window| window == claim) {
        module[at] = b'-';
    }
}
