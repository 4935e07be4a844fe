//! What `torch._C` has: classes, constants, functions, and its namespaces of ops.

use super::device::PyDevice;
use super::dtype::{self, PyDType, PyLayout, PyMemoryFormat};
use super::errors::ToPy;
use super::generator::{PyGenerator, seed_of};
use super::grad;
use super::limits::{PyFInfo, PyIInfo};
use super::native::{self, function};
use super::node::{PyFunctionNode, PyNode};
use super::saved;
use super::size::PySize;
use super::state::{self, State};
use super::storage::{self, PyStorage};
use super::tensor::{PyTensor, expect, wrap};
use super::{args, attributes, autocast, data, dispatch, legacy, overriding, printing, profile, returns};
use rushlight_engine::Tensor;
use rushlight_engine::autograd::{self, grad_mode};
use rushlight_engine::dtype::{default_dtype, set_default_dtype};
use rushlight_engine::registry::places;
use rushlight_engine::storage as engine_storage;
use rustpython_vm::builtins::{PyBytes, PyModule, PyType, PyTypeRef};
use rustpython_vm::class::{PyClassImpl, StaticType};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use std::cell::RefCell;

fn exception(name: &str, module: &str, vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let base = vm.ctx.exceptions.runtime_error;
    let class = PyType::new_simple_heap(name, base, &vm.ctx).map_err(|e| vm.new_type_error(e))?;
    class.set_attr(vm.ctx.intern_str("__module__"), vm.ctx.new_str(module).into());
    Ok(class)
}

/// `torch.Tensor`, a class over the native base.
fn tensor_class(vm: &VirtualMachine) -> PyResult<PyTypeRef> {
    let base = class::<PyTensor>();
    let class = PyType::new_simple_heap("Tensor", &base, &vm.ctx).map_err(|e| vm.new_type_error(e))?;
    class.slots.flags.insert(rustpython_vm::types::PyTypeFlags::BASETYPE);
    class.set_attr(vm.ctx.intern_str("__module__"), vm.ctx.new_str("torch").into());
    Ok(class)
}

/// A class that native code makes objects of.
fn class<T: PyClassImpl + StaticType>() -> PyTypeRef {
    T::make_static_type()
}

pub(crate) fn install(vm: &VirtualMachine, module: &Py<PyModule>) -> PyResult<()> {
    let set = |name: &str, value: PyObjectRef| module.as_object().set_attr(vm.ctx.intern_str(name), value, vm);
    class::<native::Method>();
    class::<native::Function>();
    class::<grad::Handle>();
    class::<saved::PySavedTensor>();
    let size_class = class::<PySize>();
    let tensor_class = tensor_class(vm)?;
    for (name, class) in [
        ("TensorBase", class::<PyTensor>()),
        ("Tensor", tensor_class.clone()),
        ("dtype", class::<PyDType>()),
        ("device", class::<PyDevice>()),
        ("layout", class::<PyLayout>()),
        ("memory_format", class::<PyMemoryFormat>()),
        ("Size", size_class.clone()),
        ("Generator", class::<PyGenerator>()),
        ("finfo", class::<PyFInfo>()),
        ("iinfo", class::<PyIInfo>()),
        ("Node", class::<PyNode>()),
        ("FunctionNode", class::<PyFunctionNode>()),
        ("UntypedStorage", class::<PyStorage>()),
    ] {
        set(name, class.into())?;
    }
    let dtypes = dtype::all(vm);
    for (name, alias, object) in &dtypes {
        set(name, object.clone().into())?;
        if !alias.is_empty() {
            set(alias, object.clone().into())?;
        }
    }
    let mut strided = vm.ctx.none();
    for (name, object) in dtype::constants(vm) {
        if name == "strided" {
            strided = object.clone();
        }
        set(name, object)?;
    }
    let out_of_memory = exception("OutOfMemoryError", "torch", vm)?;
    let linalg_error = exception("_LinAlgError", "torch._C", vm)?;
    set("OutOfMemoryError", out_of_memory.clone().into())?;
    set("_LinAlgError", linalg_error.clone().into())?;
    let default_generator = PyGenerator::default_one().into_pyobject(vm);
    set("default_generator", default_generator.clone())?;
    state::set(State {
        dtypes: dtypes.into_iter().map(|d| d.2).collect(),
        tensor_class,
        size_class,
        strided,
        ops: dispatch::collect(),
        return_classes: RefCell::default(),
        node_classes: RefCell::default(),
        out_of_memory,
        linalg_error,
        default_generator,
    });
    attributes::install(PyTensor::class(&vm.ctx), vm)?;
    install_ops(vm, &set)?;
    install_functions(vm, &set)?;
    grad::install_anomaly();
    Ok(())
}

type SetAttr<'a> = &'a dyn Fn(&str, PyObjectRef) -> PyResult<()>;

/// Native methods that no op may replace: they give the object itself where nothing changes.
const OURS: &[&str] =
    &["to", "detach", "detach_", "size", "stride", "item", "numel", "is_contiguous", "type_as", "nonzero"];

/// In-place methods that are functions of the module too.
const INPLACE_FUNCTIONS: &str = "\
    abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_ \
    clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ gcd_ \
    i0_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ round_ rsqrt_ \
    sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_";

fn install_ops(vm: &VirtualMachine, set: SetAttr) -> PyResult<()> {
    let ctx = &vm.ctx;
    let namespace = |name: &str| vm.new_module(name, ctx.new_dict(), None);
    let (functions, nn) = (namespace("torch._C._VariableFunctions"), namespace("torch._C._nn"));
    let (linalg, special) = (namespace("torch._C._linalg"), namespace("torch._C._special"));
    let named_returns = namespace("torch.return_types");
    let state = state::get();
    let tensor = PyTensor::class(ctx);
    let inplace_functions: Vec<&str> = INPLACE_FUNCTIONS.split(' ').collect();
    for (name, overloads) in &state.ops {
        let name = ctx.intern_str(name.as_str());
        let at = overloads.places();
        let (method, plain) = if overloads.is_inplace() {
            (places::INPLACE, places::INPLACE_FUNCTION)
        } else {
            (places::METHOD, places::FUNCTION)
        };
        if at & method != 0 && !OURS.contains(&name.as_str()) {
            tensor.set_attr(name, native::op_method(overloads.clone(), vm));
        }
        let function = native::op_function(overloads.clone(), vm);
        for (flag, space) in
            [(plain, &functions), (places::NN, &nn), (places::LINALG, &linalg), (places::SPECIAL, &special)]
        {
            if at & flag != 0 || flag == places::INPLACE_FUNCTION && inplace_functions.contains(&name.as_str()) {
                space.as_object().set_attr(name, function.clone(), vm)?;
            }
        }
        let fields = overloads.returns();
        if !fields.is_empty() {
            let class = returns::class(&overloads.name, &fields, vm)?;
            named_returns.as_object().set_attr(name, PyObjectRef::from(class), vm)?;
        }
    }
    for (name, f) in CREATION {
        functions.as_object().set_attr(ctx.intern_str(*name), function(name, *f, vm), vm)?;
    }
    // `x & y` and `x.__and__(y)` are one; the slots give the operators.
    set("_functions", functions.clone().into())?;
    set("_VariableFunctions", functions.into())?;
    set("_gpu", super::gpu::namespace(vm)?)?;
    set("_nn", nn.into())?;
    set("_linalg", linalg.into())?;
    set("_special", special.into())?;
    set("return_types", named_returns.into())
}

type Fun = fn(FuncArgs, &VirtualMachine) -> PyResult;

/// Functions of the package that take Python objects.
const CREATION: &[(&str, Fun)] = &[
    ("tensor", data::tensor),
    ("as_tensor", |args, vm| data::as_tensor("as_tensor", "data", args, vm)),
    ("asarray", |args, vm| data::as_tensor("asarray", "obj", args, vm)),
    ("from_numpy", |args, vm| {
        let array = first(&args, vm)?;
        match data::array_of(&array, vm)? {
            Some(t) if &*array.class().name() == "ndarray" => wrap(&t, vm),
            _ => Err(vm.new_type_error(format!("expected np.ndarray (got {})", super::mismatch::type_name(&array)))),
        }
    }),
    ("numel", |args, vm| {
        let x = first(&args, vm)?;
        Ok(vm.ctx.new_int(expect(&x, "numel(): argument 'input' (position 1)", vm)?.numel()).into())
    }),
    ("is_floating_point", |args, vm| {
        let x = first(&args, vm)?;
        let float = expect(&x, "is_floating_point(): argument 'input' (position 1)", vm)?.dtype().is_float();
        Ok(vm.ctx.new_bool(float).into())
    }),
    ("is_conj", |args, vm| {
        let x = first(&args, vm)?;
        expect(&x, "is_conj(): argument 'input' (position 1)", vm)?;
        Ok(vm.ctx.new_bool(false).into())
    }),
    ("is_nonzero", |args, vm| {
        let x = first(&args, vm)?;
        if super::overriding::overrides(&x, vm) {
            return vm.call_method(&x, "is_nonzero", ());
        }
        attributes::is_nonzero(expect(&x, "is_nonzero(): argument 'input' (position 1)", vm)?, vm)
    }),
    ("is_complex", |args, vm| {
        let x = first(&args, vm)?;
        Ok(vm.ctx.new_bool(expect(&x, "is_complex(): argument 'input' (position 1)", vm)?.dtype().is_complex()).into())
    }),
    ("result_type", |args, vm| {
        let mut operands = Vec::new();
        for object in args.args.iter().chain(args.kwargs.values()) {
            operands.push(match object.downcast_ref::<PyTensor>() {
                Some(t) => t.tensor().clone(),
                None => match args::number(object, vm)? {
                    Some(number) => Tensor::from_number(number).py(vm)?,
                    None => {
                        let class = object.class().name().to_string();
                        let text = format!("result_type(): argument 'tensor' (position 1) must be Tensor, not {class}");
                        return Err(vm.new_type_error(text));
                    }
                },
            });
        }
        let operands: Vec<&Tensor> = operands.iter().collect();
        Ok(state::get().dtype(rushlight_engine::ops::result_type(&operands)).into())
    }),
    ("nonzero", |args, vm| {
        let x = first(&args, vm)?;
        attributes::nonzero(expect(&x, "nonzero(): argument 'input' (position 1)", vm)?, &args, vm)
    }),
    ("promote_types", |args, vm| {
        let (a, b) = two_dtypes(&args, "promote_types", vm)?;
        Ok(state::get().dtype(a.promote(b)).into())
    }),
    ("can_cast", |args, vm| {
        let (a, b) = two_dtypes(&args, "can_cast", vm)?;
        Ok(vm.ctx.new_bool(a.can_cast(b)).into())
    }),
];

fn first(args: &FuncArgs, vm: &VirtualMachine) -> PyResult {
    let given = args.args.first().cloned().or_else(|| args.kwargs.values().next().cloned());
    given.ok_or_else(|| vm.new_type_error("missing 1 required positional arguments: \"input\"".to_owned()))
}

fn two_dtypes(
    args: &FuncArgs,
    name: &str,
    vm: &VirtualMachine,
) -> PyResult<(rushlight_engine::DType, rushlight_engine::DType)> {
    let mut found = Vec::new();
    for object in args.args.iter().chain(args.kwargs.values()) {
        found.extend(args::dtype_of(object, vm)?);
    }
    match found.as_slice() {
        [a, b] => Ok((*a, *b)),
        _ => {
            let (a, b) = if name == "can_cast" { ("from_", "to") } else { ("type1", "type2") };
            for (at, (param, object)) in [a, b].iter().zip(args.args.iter().chain(args.kwargs.values())).enumerate() {
                if args::dtype_of(object, vm).ok().flatten().is_none() {
                    let class = super::mismatch::type_name(object);
                    let at = at + 1;
                    let text = format!("{name}(): argument '{param}' (position {at}) must be torch.dtype, not {class}");
                    return Err(vm.new_type_error(text));
                }
            }
            Err(vm.new_type_error(format!("{name}() missing 2 required positional arguments: \"{a}\", \"{b}\"")))
        }
    }
}

fn flag(args: &FuncArgs, at: usize, name: &str, vm: &VirtualMachine) -> PyResult<Option<bool>> {
    let given = args.args.get(at).cloned().or_else(|| args.get_optional_kwarg(name));
    given.map(|o| o.is_true(vm)).transpose()
}

const FUNCTIONS: &[(&str, Fun)] = &[
    ("is_grad_enabled", |_, vm| Ok(vm.ctx.new_bool(grad_mode::is_enabled()).into())),
    ("_set_grad_enabled", |args, vm| {
        grad_mode::set_enabled(flag(&args, 0, "enabled", vm)?.unwrap_or(true));
        Ok(vm.ctx.none())
    }),
    ("is_inference_mode_enabled", |_, vm| Ok(vm.ctx.new_bool(grad_mode::is_inference()).into())),
    ("_set_inference_mode", |args, vm| {
        grad_mode::set_inference(flag(&args, 0, "mode", vm)?.unwrap_or(true));
        Ok(vm.ctx.none())
    }),
    ("is_anomaly_enabled", |_, vm| Ok(vm.ctx.new_bool(grad_mode::anomaly().0).into())),
    ("is_anomaly_check_nan_enabled", |_, vm| Ok(vm.ctx.new_bool(grad_mode::anomaly().1).into())),
    ("_set_anomaly_enabled", |args, vm| {
        let on = flag(&args, 0, "enabled", vm)?.unwrap_or(true);
        grad_mode::set_anomaly(on, flag(&args, 1, "check_nan", vm)?.unwrap_or(true));
        Ok(vm.ctx.none())
    }),
    // The dtype autocast casts to, or None, and whether the GPU's tensors: what was in force comes back.
    ("_set_autocast", |args, vm| {
        let before = autocast::now().map_or_else(|| vm.ctx.none(), |(d, _)| state::get().dtype(d).into());
        let wanted = first(&args, vm)?;
        let gpu = flag(&args, 1, "gpu", vm)?.unwrap_or(false);
        autocast::set(args::dtype_of(&wanted, vm)?.map(|dtype| (dtype, gpu)));
        Ok(before)
    }),
    ("_push_saved_hooks", |args, vm| {
        let (pack, unpack) = args.bind::<(PyObjectRef, PyObjectRef)>(vm)?;
        autograd::push_saved_hooks(std::rc::Rc::new(saved::Hooks { pack, unpack }));
        Ok(vm.ctx.none())
    }),
    ("_pop_saved_hooks", |_, vm| {
        autograd::pop_saved_hooks();
        Ok(vm.ctx.none())
    }),
    ("_is_checkpoint_valid", |_, vm| Ok(vm.ctx.new_bool(autograd::current_walk_is_whole()).into())),
    ("_current_graph_task_id", |_, vm| Ok(vm.ctx.new_int(autograd::current_walk()).into())),
    ("_set_forward_level", |args, vm| {
        grad_mode::set_forward(flag(&args, 0, "on", vm)?.unwrap_or(true));
        Ok(vm.ctx.none())
    }),
    ("_run_backward", |args, vm| {
        if profile::on() {
            return profile::noted("backward", std::iter::empty(), || grad::run_backward(args, vm));
        }
        grad::run_backward(args, vm)
    }),
    ("_attach_function", grad::attach_function),
    ("_one_node", grad::one_node),
    // `_named_result(name, fields, items)`: a tuple of `torch.return_types`.
    ("_named_result", |args, vm| {
        let [name, fields, items] = args.args.as_slice() else {
            return Err(vm.new_type_error("_named_result() takes a name, fields and items".to_owned()));
        };
        let list = |o: &PyObjectRef| args::items(o).unwrap_or_default();
        let fields: Vec<String> =
            list(fields).iter().map(|f| Ok(f.str(vm)?.to_string_lossy().into_owned())).collect::<PyResult<_>>()?;
        returns::named(&name.str(vm)?.to_string_lossy(), &fields, list(items), vm)
    }),
    ("tensor", data::tensor),
    ("_set_torch_function", overriding::set_on),
    ("_profile", profile::profile),
    ("_profile_now", profile::now),
    ("_push_torch_function_mode", overriding::push_mode),
    ("_pop_torch_function_mode", overriding::pop_mode),
    ("as_tensor", |args, vm| data::as_tensor("as_tensor", "data", args, vm)),
    ("manual_seed", |args, vm| {
        let seed = seed_of(&first(&args, vm)?, vm)?;
        *rushlight_engine::random::default_generator().borrow_mut() = rushlight_engine::random::Generator::new(seed);
        Ok(state::get().default_generator.clone())
    }),
    ("_get_rng_state", |_, vm| vm.call_method(&state::get().default_generator, "get_state", ())),
    ("_set_rng_state", |args, vm| vm.call_method(&state::get().default_generator, "set_state", (first(&args, vm)?,))),
    ("get_default_dtype", |_, _| Ok(state::get().dtype(default_dtype()).into())),
    ("_set_default_dtype", |args, vm| {
        let given = first(&args, vm)?;
        match args::dtype_of(&given, vm)? {
            Some(dtype) if dtype.is_float() => {
                set_default_dtype(dtype);
                Ok(vm.ctx.none())
            }
            Some(_) => Err(vm.new_type_error("only floating-point types are supported as the default type".to_owned())),
            None => Err(vm.new_type_error(
                "invalid dtype object: only floating-point types are supported as the default type".to_owned(),
            )),
        }
    }),
    ("_set_printoptions", |args, vm| {
        printing::set_options(args.bind(vm)?, vm)?;
        Ok(vm.ctx.none())
    }),
    ("_get_printoptions", |_, vm| printing::options(vm)),
    ("_storage_id", |args, vm| {
        let x = first(&args, vm)?;
        Ok(vm.ctx.new_int(expect(&x, "argument 't'", vm)?.storage().id()).into())
    }),
    ("_storage_bytes", |args, vm| {
        let x = first(&args, vm)?;
        Ok(vm.ctx.new_bytes(storage::bytes(expect(&x, "argument 't'", vm)?, vm)?).into())
    }),
    // The elements row by row, as bytes (for NumPy's arrays).
    ("_element_bytes", |args, vm| {
        let x = first(&args, vm)?;
        Ok(vm.ctx.new_bytes(storage::element_bytes(expect(&x, "argument 't'", vm)?, vm)?).into())
    }),
    ("_from_storage_bytes", |args, vm| {
        let (Some(bytes), Some(dtype)) = (args.args.first(), args.args.get(1)) else {
            return Err(vm.new_type_error("_from_storage_bytes() takes bytes and a dtype".to_owned()));
        };
        let (Some(bytes), Some(dtype)) = (bytes.downcast_ref::<PyBytes>(), args::dtype_of(dtype, vm)?) else {
            return Err(vm.new_type_error("_from_storage_bytes() takes bytes and a dtype".to_owned()));
        };
        wrap(&storage::from_bytes(bytes.as_bytes(), dtype, vm)?, vm)
    }),
    // `torch.FloatTensor(2, 3)`: a tensor by the old constructor's rules, of a dtype.
    ("_legacy_new", |mut args, vm| {
        if args.args.is_empty() {
            return Err(vm.new_type_error("_legacy_new() takes a dtype first".to_owned()));
        }
        let dtype = args::dtype_of(&args.shift(), vm)?.unwrap_or_else(default_dtype);
        wrap(&legacy::construct(&args, dtype, vm)?, vm)
    }),
    ("_default_device", |_, vm| Ok(PyDevice::of(rushlight_engine::device::current()).into_pyobject(vm))),
    ("_set_default_device", |args, vm| {
        let wanted = first(&args, vm)?;
        let device = args::device_of(&wanted, vm)?.unwrap_or(rushlight_engine::Device::Cpu);
        rushlight_engine::device::set_current(device);
        Ok(vm.ctx.none())
    }),
    ("_live_bytes", |_, vm| Ok(vm.ctx.new_int(engine_storage::live_bytes()).into())),
    ("_peak_bytes", |_, vm| Ok(vm.ctx.new_int(engine_storage::peak_bytes()).into())),
    ("_reset_peak_bytes", |_, vm| {
        engine_storage::reset_peak();
        Ok(vm.ctx.none())
    }),
    // Bytes, or None where there is no limit of ours.
    ("_memory_budget", |_, vm| {
        Ok(engine_storage::budget().map_or_else(|| vm.ctx.none(), |budget| vm.ctx.new_int(budget).into()))
    }),
    ("_set_memory_budget", |args, vm| {
        engine_storage::set_budget(args.bind::<(Option<usize>,)>(vm)?.0);
        Ok(vm.ctx.none())
    }),
    ("_op_names", |_, vm| {
        let names = state::get().ops.keys().map(|n| vm.ctx.new_str(n.as_str()).into()).collect();
        Ok(vm.ctx.new_list(names).into())
    }),
];

fn install_functions(vm: &VirtualMachine, set: SetAttr) -> PyResult<()> {
    for (name, f) in FUNCTIONS {
        set(name, function(name, *f, vm))?;
    }
    Ok(())
}
