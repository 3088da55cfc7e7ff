//! Splits a module in two: what most programs call, and the rest. A function of the rest stands in the
//! first module as a stub, which has the rest brought on its first call and then calls it through the
//! table. The rest imports memory, table, globals and functions of the first.
//!
//! Which functions are called is watched: a module that tells of each call runs typical programs first.
//! Functions go by their numbers, which are their places in the file.

use std::collections::{BTreeSet, HashSet};
use std::fs;

use anyhow::{Context, Result, bail};
use walrus::ir::{Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind,
    GlobalId, GlobalKind, ImportKind, ImportedFunction, Module, ModuleConfig, TableId, ValType, ir,
    passes,
};

/// What the page gives to its modules.
const PAGE: &str = "page";
/// The function of the page that brings the rest.
const BRING: &str = "bring";
/// A global of the first module: whether the rest is there.
const IS_THERE: &str = "rest";

/// Writes the module with a call of `page.seen(n)` at the beginning of function `n`.
pub(crate) fn watch(input: &str, output: &str) -> Result<()> {
    let mut module = read(input)?;
    let functions = functions(&module);
    let ty = module.types.add(&[ValType::I32], &[]);
    let (seen, _) = module.add_import_func(PAGE, "seen", ty);
    for (n, id) in functions.into_iter().enumerate() {
        let builder = module.funcs.get_mut(id).kind.unwrap_local_mut().builder_mut();
        let mut body = builder.func_body();
        body.instr_at(0, ir::Call { func: seen });
        body.instr_at(0, ir::Const { value: ir::Value::I32(n as i32) });
    }
    module.emit_wasm_file(output)
}

/// Writes the two modules. `seen` is a file with the numbers of the functions that stay in the first;
/// `build` is what the rest calls the first by, so that the two of different builds do not fit.
pub(crate) fn split(input: &str, seen: &str, build: &str, first: &str, rest: &str) -> Result<()> {
    let numbers = fs::read_to_string(seen).with_context(|| seen.to_string())?;
    let seen =
        numbers.split_whitespace().map(str::parse).collect::<Result<BTreeSet<usize>, _>>()?;
    let (mut one, mut two) = (read(input)?, read(input)?);
    let stubs = stubs(&one, &seen)?;
    let wanted = make_rest(&mut two, build, &seen, &stubs)?;
    make_first(&mut one, &stubs, &wanted)?;
    one.emit_wasm_file(first)?;
    two.emit_wasm_file(rest)
}

fn read(path: &str) -> Result<Module> {
    let mut module = ModuleConfig::new().parse_file(path).with_context(|| path.to_string())?;
    // Names decide the order in the end, which must not hang on the folder that it was built in.
    for function in module.funcs.iter_mut() {
        function.name = function.name.as_deref().map(without_hashes);
    }
    Ok(module)
}

/// A mangled name without the hashes of crates: `Cs1a2b3c_8brasa_ir` becomes `C8brasa_ir`.
fn without_hashes(name: &str) -> String {
    let mut parts = name.split("Cs");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + "C" + part.split_once('_').map_or(part, |(_, rest)| rest))
}

/// The functions that have a body.
fn functions(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter_local().map(|(id, _)| id).collect()
}

fn globals(module: &Module) -> Vec<GlobalId> {
    module.globals.iter().map(|global| global.id()).collect()
}

fn table(module: &Module) -> Result<TableId> {
    module.tables.main_function_table()?.context("the module has no table")
}

/// The functions of the rest that the first module names: in its bodies, its table and its exports.
fn stubs(module: &Module, seen: &BTreeSet<usize>) -> Result<Vec<usize>> {
    let all = functions(module);
    let mut named = Named::default();
    for &n in seen {
        let body = module.funcs.get(all[n]).kind.unwrap_local();
        dfs_in_order(&mut named, body, body.entry_block());
    }
    for element in module.elements.iter() {
        match &element.items {
            ElementItems::Functions(ids) => named.0.extend(ids),
            ElementItems::Expressions(..) => bail!("the table holds more than functions"),
        }
    }
    for export in module.exports.iter() {
        if let ExportItem::Function(id) = export.item {
            named.0.insert(id);
        }
    }
    let is_stub = |n: &usize| !seen.contains(n) && named.0.contains(&all[*n]);
    Ok((0..all.len()).filter(is_stub).collect())
}

#[derive(Default)]
struct Named(HashSet<FunctionId>);

impl Visitor<'_> for Named {
    fn visit_function_id(&mut self, id: &FunctionId) {
        self.0.insert(*id);
    }
}

/// What the rest wants of the first module.
#[derive(Default)]
struct Wanted {
    /// Functions, in the order of their places at the end of the table.
    functions: Vec<usize>,
    /// Globals, and what they are called.
    globals: Vec<(usize, String)>,
}

/// What the rest calls table and memory.
const TABLE: &str = "table";
const MEMORY: &str = "memory";

/// Leaves the functions in `stubs`, at their places of the table, and what is called by them alone.
fn make_rest(
    module: &mut Module,
    build: &str,
    seen: &BTreeSet<usize>,
    stubs: &[usize],
) -> Result<Wanted> {
    let (functions, globals, table) = (functions(module), globals(module), table(module)?);
    for export in module.exports.iter().map(|export| export.id()).collect::<Vec<_>>() {
        module.exports.delete(export);
    }
    for element in module.elements.iter().map(|element| element.id()).collect::<Vec<_>>() {
        module.elements.delete(element);
    }
    for data in module.data.iter().map(|data| data.id()).collect::<Vec<_>>() {
        module.data.delete(data);
    }
    let memory = module.get_memory_id()?;
    module.memories.get_mut(memory).import = Some(module.imports.add(build, MEMORY, memory));
    module.memories.get_mut(memory).data_segments.clear();
    module.tables.get_mut(table).import = Some(module.imports.add(build, TABLE, table));
    module.tables.get_mut(table).elem_segments.clear();
    append(module, table, stubs.iter().map(|n| functions[*n]).collect());
    for (n, &id) in globals.iter().enumerate() {
        let import = module.imports.add(build, &format!("global{n}"), id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    for id in seen.iter().map(|n| functions[*n]) {
        let ty = module.funcs.get(id).ty();
        let import = module.imports.add(build, "", id);
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    passes::gc::run(module);
    Ok(name_wanted(module, build, table, &functions, &globals))
}

/// Names the imports that are left after their places in the table, and returns what they are.
fn name_wanted(
    module: &mut Module,
    build: &str,
    table: TableId,
    functions: &[FunctionId],
    globals: &[GlobalId],
) -> Wanted {
    let slots = module.tables.get(table).initial as usize;
    let mut wanted = Wanted::default();
    for import in module.imports.iter_mut().filter(|import| import.module == build) {
        match import.kind {
            ImportKind::Function(id) => {
                import.name = (slots + wanted.functions.len()).to_string();
                wanted.functions.extend(functions.iter().position(|other| *other == id));
            }
            ImportKind::Global(id) => {
                let n = globals.iter().position(|other| *other == id);
                wanted.globals.extend(n.map(|n| (n, import.name.clone())));
            }
            _ => {}
        }
    }
    wanted
}

/// Makes stubs of the functions in `stubs` and gives the rest what it wants.
fn make_first(module: &mut Module, stubs: &[usize], wanted: &Wanted) -> Result<()> {
    let (functions, globals, table) = (functions(module), globals(module), table(module)?);
    let slots = module.tables.get(table).initial as usize;
    let place = place(module);
    for (n, stub) in stubs.iter().enumerate() {
        let id = functions[*stub];
        let ty = module.funcs.get(id).ty();
        let (params, results) = module.types.params_results(ty);
        let (params, results) = (params.to_vec(), results.to_vec());
        let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
        let locals: Vec<_> = params.iter().map(|ty| module.locals.add(*ty)).collect();
        let mut body = builder.func_body();
        for local in &locals {
            body.local_get(*local);
        }
        body.i32_const((slots + n) as i32).call(place).call_indirect(ty, table);
        module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(locals));
    }
    // The places of the rest, which fills them itself.
    module.tables.get_mut(table).initial += stubs.len() as u64;
    append(module, table, wanted.functions.iter().map(|n| functions[*n]).collect());
    module.exports.add(TABLE, table);
    for (n, name) in &wanted.globals {
        module.exports.add(name, globals[*n]);
    }
    passes::gc::run(module);
    Ok(())
}

/// Appends functions to the table.
fn append(module: &mut Module, table: TableId, items: Vec<FunctionId>) {
    let own = module.tables.get_mut(table);
    let offset = ConstExpr::Value(ir::Value::I32(own.initial as i32));
    own.initial += items.len() as u64;
    // However long the table of the first module is in the end.
    own.maximum = None;
    let kind = ElementKind::Active { table, offset };
    let element = module.elements.add(kind, ElementItems::Functions(items));
    module.tables.get_mut(table).elem_segments.insert(element);
}

/// A function that gives back its argument, a place of the table, once the rest is there.
fn place(module: &mut Module) -> FunctionId {
    let ty = module.types.add(&[], &[]);
    let (bring, _) = module.add_import_func(PAGE, BRING, ty);
    let no = ConstExpr::Value(ir::Value::I32(0));
    let is_there = module.globals.add_local(ValType::I32, true, false, no);
    module.exports.add(IS_THERE, is_there);
    let mut builder = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
    let slot = module.locals.add(ValType::I32);
    builder
        .func_body()
        .global_get(is_there)
        .unop(ir::UnaryOp::I32Eqz)
        .if_else(None, |missing| _ = missing.call(bring), |_| {})
        .local_get(slot);
    builder.finish(vec![slot], &mut module.funcs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a memory, a table and three functions: `common` and `rare` call `shared`, and
    /// `rare` is in the table too.
    fn sample(path: &str) -> Result<()> {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        module.exports.add("memory", memory);
        let mut function = |calls: &[FunctionId]| {
            let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
            let mut body = builder.func_body();
            calls.iter().for_each(|id| _ = body.call(*id));
            builder.finish(vec![], &mut module.funcs)
        };
        let shared = function(&[]);
        let (common, rare) = (function(&[shared]), function(&[shared]));
        module.exports.add("common", common);
        module.exports.add("rare", rare);
        let table = module.tables.add_local(false, 0, None, walrus::RefType::FUNCREF);
        append(&mut module, table, vec![rare]);
        module.emit_wasm_file(path)
    }

    fn names(names: impl Iterator<Item = String>) -> Vec<String> {
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_not_seen_goes_to_the_rest() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("brasa-split-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        sample(&path("whole"))?;
        let whole = read(&path("whole"))?;
        let seen = |id: &FunctionId| {
            let export = whole.exports.get_exported_func(*id);
            export.is_none_or(|export| export.name != "rare")
        };
        let all = functions(&whole).into_iter().enumerate();
        let numbers = all.filter(|(_, id)| seen(id)).map(|(n, _)| n.to_string());
        fs::write(path("seen"), numbers.collect::<Vec<_>>().join("\n"))?;
        split(&path("whole"), &path("seen"), "b1", &path("first"), &path("rest"))?;

        let (first, rest) = (read(&path("first"))?, read(&path("rest"))?);
        let exported = names(first.exports.iter().map(|export| export.name.clone()));
        assert_eq!(exported, ["common", "memory", "rare", "rest", "table"]);
        let imported = |module: &Module| {
            names(module.imports.iter().map(|import| format!("{}.{}", import.module, import.name)))
        };
        assert_eq!(imported(&first), ["page.bring"]);
        // Place 0 is that of the table as it was, 1 that of `rare`, 2 that of `shared`.
        assert_eq!(imported(&rest), ["b1.2", "b1.table"]);
        assert_eq!((functions(&first).len(), functions(&rest).len()), (4, 1));
        assert_eq!(first.tables.get(table(&first)?).initial, 3);
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
