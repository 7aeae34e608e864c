//! Tells engines which branches of a WebAssembly module are taken, as hints that the standard has for it: code that is
//! hardly ever reached is laid apart from what runs, and costs that no registers.
//!
//! `interlinear-hints count <module> <output>` writes a module that counts its branches, and prints where in its memory
//! the counts are: `<start> <length>`. `interlinear-hints write <module> <counts> <output>` writes the module with the
//! hints that follow from them.

use std::error::Error;
use std::ops::Range;
use std::process::ExitCode;

use wasm_encoder::{
    BranchHint, BranchHints, CodeSection, Encode as _, Function, FunctionSection, Instruction, MemArg, MemorySection,
    MemoryType, RawSection,
};
use wasmparser::{FunctionBody, Operator, Parser, Payload, TypeRef, ValType};

type Failed = Box<dyn Error>;

#[expect(clippy::print_stderr, clippy::print_stdout, reason = "a command line tool")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(printed) => {
            print!("{printed}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("interlinear-hints: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the arguments say, and gives what is to be printed.
fn run(arguments: &[&str]) -> Result<String, Failed> {
    match arguments {
        ["count", module, output] => {
            let (counting, Range { start, end }) = count(&std::fs::read(module)?)?;
            std::fs::write(output, counting)?;
            Ok(format!("{start} {}\n", end - start))
        }
        ["write", module, counts, output] => {
            std::fs::write(output, write(&std::fs::read(module)?, &std::fs::read(counts)?)?)?;
            Ok(String::new())
        }
        _ => Err("usage: interlinear-hints count <module> <output> | write <module> <counts> <output>".into()),
    }
}

/// A branch that was reached less often gets no hint: it is not worth its bytes.
const OFTEN: u64 = 400;

/// What happens less often than once in so many times is not expected.
const RARELY: u64 = 10;

/// Memory comes in pages.
const PAGE: u64 = 64 * 1024;

/// Each branch has two counts: of how often it was not taken, and of how often it was.
const COUNTS: usize = 2 * size_of::<u32>();

/// What must be known of a module.
#[derive(Default)]
struct Facts<'m> {
    /// How many functions it imports: they have the first numbers.
    imports: u32,
    /// The types of its own functions, and what they do.
    types: Vec<u32>,
    bodies: Vec<FunctionBody<'m>>,
    /// The type of a function that counts.
    counter: Option<u32>,
    memory: Option<wasmparser::MemoryType>,
}

impl<'m> Facts<'m> {
    fn read(module: &'m [u8]) -> Result<Self, Failed> {
        let mut facts = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(types) => {
                    for (index, function) in types.into_iter_err_on_gc_types().enumerate() {
                        let function = function?;
                        if function.params() == [ValType::I32; 2] && function.results() == [ValType::I32] {
                            facts.counter = Some(u32::try_from(index)?);
                        }
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        facts.imports += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(types) => facts.types = types.into_iter().collect::<Result<_, _>>()?,
                Payload::MemorySection(memories) => facts.memory = memories.into_iter().next().transpose()?,
                Payload::CodeSectionEntry(body) => facts.bodies.push(body),
                _ => {}
            }
        }
        Ok(facts)
    }
}

/// Where in the module the branches of a function are.
fn branches(body: &FunctionBody<'_>) -> Result<Vec<usize>, Failed> {
    let mut found = Vec::new();
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, at) = operators.read_with_offset()?;
        if matches!(operator, Operator::If { .. } | Operator::BrIf { .. }) {
            found.push(at);
        }
    }
    Ok(found)
}

/// The module with some of its sections written anew; where `change` does not, they stay as they are.
fn rewritten(
    module: &[u8],
    mut change: impl FnMut(&Payload<'_>, &mut wasm_encoder::Module) -> Result<bool, Failed>,
) -> Result<Vec<u8>, Failed> {
    let mut output = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if !change(&payload, &mut output)?
            && let Some((id, range)) = payload.as_section()
        {
            output.section(&RawSection { id, data: &module[range] });
        }
    }
    Ok(output.finish())
}

/// A module that counts, and where in its memory the counts are: it is longer than that of the other, which never looks
/// there.
fn count(module: &[u8]) -> Result<(Vec<u8>, Range<u64>), Failed> {
    let facts = Facts::read(module)?;
    let counter = facts.imports + u32::try_from(facts.types.len())?;
    let type_of_counter = facts.counter.ok_or("there is no function of two numbers")?;
    let memory = facts.memory.ok_or("there is no memory")?;
    let start = memory.initial * PAGE;
    let mut code = CodeSection::new();
    let mut number = 0;
    for body in &facts.bodies {
        let Range { start: mut at, end } = body.range();
        let mut counting = Vec::new();
        for branch in branches(body)? {
            counting.extend_from_slice(&module[at..branch]);
            Instruction::I32Const(number).encode(&mut counting);
            Instruction::Call(counter).encode(&mut counting);
            (at, number) = (branch, number + 1);
        }
        counting.extend_from_slice(&module[at..end]);
        code.raw(&counting);
    }
    code.function(&counting_function(start));
    let length = number as u64 * COUNTS as u64;
    let counting = rewritten(module, |payload, output| {
        match payload {
            Payload::FunctionSection(_) => {
                let mut functions = FunctionSection::new();
                for index in facts.types.iter().copied().chain([type_of_counter]) {
                    functions.function(index);
                }
                output.section(&functions);
            }
            Payload::MemorySection(_) => {
                let minimum = memory.initial + length.div_ceil(PAGE);
                let maximum = memory.maximum;
                let mut memories = MemorySection::new();
                memories.memory(MemoryType { minimum, maximum, memory64: false, shared: false, page_size_log2: None });
                output.section(&memories);
            }
            Payload::CodeSectionStart { .. } => {
                output.section(&code);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((counting, start..start + length))
}

/// Counts the branch with the number that it is given, and gives back whether that is taken.
fn counting_function(start: u64) -> Function {
    let place = MemArg { offset: start, align: 2, memory_index: 0 };
    let mut function = Function::new([(1, wasm_encoder::ValType::I32)]);
    let (taken, number, at) = (0, 1, 2);
    let mut code = function.instructions();
    code.local_get(number).i32_const(3).i32_shl();
    code.local_get(taken).i32_eqz().i32_eqz().i32_const(2).i32_shl().i32_add().local_tee(at);
    code.local_get(at).i32_load(place).i32_const(1).i32_add().i32_store(place);
    code.local_get(taken).end();
    function
}

/// The module with hints.
fn write(module: &[u8], counts: &[u8]) -> Result<Vec<u8>, Failed> {
    let hints = hints(&Facts::read(module)?, counts)?;
    rewritten(module, |payload, output| {
        if matches!(payload, Payload::CodeSectionStart { .. }) {
            output.section(&hints);
        }
        Ok(false)
    })
}

/// A hint for each branch that nearly always goes the same way.
fn hints(facts: &Facts<'_>, counts: &[u8]) -> Result<BranchHints, Failed> {
    let mut counts = counts.as_chunks::<{ size_of::<u32>() }>().0.iter().map(|count| u32::from_le_bytes(*count).into());
    let mut hints = BranchHints::new();
    for (function, body) in (facts.imports..).zip(&facts.bodies) {
        let mut known = Vec::new();
        for branch in branches(body)? {
            let (Some(not_taken), Some(taken)) = (counts.next(), counts.next()) else {
                return Err("there are more branches than counts".into());
            };
            let offset = u32::try_from(branch - body.range().start)?;
            let hint = |taken: bool| BranchHint { branch_func_offset: offset, branch_hint_value: taken.into() };
            known.extend(expected(not_taken, taken).map(hint));
        }
        if !known.is_empty() {
            hints.function_hints(function, known);
        }
    }
    Ok(hints)
}

/// Whether a branch is expected to be taken; nothing if that is not worth telling.
fn expected(not_taken: u64, taken: u64) -> Option<bool> {
    let reached = not_taken + taken;
    if reached < OFTEN {
        None
    } else if taken * RARELY <= reached {
        Some(false)
    } else if not_taken * RARELY <= reached {
        Some(true)
    } else {
        None
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use wasm_encoder::{MemorySection, Module, TypeSection};
    use wasmparser::KnownCustom;

    /// A module with a memory and one function of two numbers, with an `if` and a `br_if`.
    fn module() -> Vec<u8> {
        let number = wasm_encoder::ValType::I32;
        let mut types = TypeSection::new();
        types.ty().function([number; 2], [number]);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let mut function = Function::new([]);
        let block = wasm_encoder::BlockType::Empty;
        function
            .instructions()
            .local_get(0)
            .if_(block)
            .end()
            .block(block)
            .local_get(1)
            .br_if(0)
            .end()
            .local_get(0)
            .end();
        let mut code = CodeSection::new();
        code.function(&function);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&memories).section(&code);
        module.finish()
    }

    fn counts(counts: [u32; 4]) -> Vec<u8> {
        counts.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// The hints in a module: the instruction that stands there, and what is expected.
    fn read_hints(module: &[u8]) -> Vec<(u8, bool)> {
        let facts = Facts::read(module).unwrap();
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            let Payload::CustomSection(section) = payload.unwrap() else { continue };
            let KnownCustom::BranchHints(functions) = section.as_known() else { continue };
            for function in functions {
                let function = function.unwrap();
                let start = facts.bodies[function.func as usize].range().start;
                for hint in function.hints {
                    let hint = hint.unwrap();
                    found.push((module[start + hint.func_offset as usize], hint.taken));
                }
            }
        }
        found
    }

    fn hinted(given: [u32; 4]) -> Vec<(u8, bool)> {
        read_hints(&write(&module(), &counts(given)).unwrap())
    }

    #[test]
    fn hints_name_the_branches_that_nearly_always_go_one_way() {
        let (if_, br_if) = (0x04, 0x0D);
        assert_eq!(hinted([1000, 0, 1, 999]), [(if_, false), (br_if, true)]);
        assert_eq!(hinted([600, 400, 2, 999]), [(br_if, true)]);
        assert_eq!(hinted([10, 0, 0, 10]), []);
    }

    #[test]
    fn a_module_that_counts_has_room_for_it() {
        let (counting, place) = count(&module()).unwrap();
        let facts = Facts::read(&counting).unwrap();
        assert_eq!(place, PAGE..PAGE + 2 * COUNTS as u64);
        assert_eq!(facts.memory.unwrap().initial, 2);
        assert_eq!((facts.types.len(), facts.bodies.len()), (2, 2));
        assert_eq!(branches(&facts.bodies[0]).unwrap().len(), 2);
    }

    #[test]
    fn counts_that_are_missing_are_an_error() {
        assert!(write(&module(), &counts([1, 2, 3, 4])[..8]).is_err());
    }
}
