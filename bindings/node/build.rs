//! Tells the linker that Node.js provides the Node-API symbols.

fn main() {
    napi_build::setup();
}
