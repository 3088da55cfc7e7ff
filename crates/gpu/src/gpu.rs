//! The device: an adapter with its queue, a cache of compiled pipelines, and errors that wgpu
//! reported asynchronously.
use crate::adapters::instance;
use crate::bounds_flags::BoundsFlag;
use crate::emit::ShaderText;
use crate::in_flight::InFlight;
use crate::layout::{Bindings, Limits};
use crate::pending_allocations::PendingAllocations;
use crate::shaders::ShaderLaunch;
use brasa_ir::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// A GPU, or a software adapter. Clones share the device.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    limits: Limits,
    /// Shared by clones and unique to the device, so it also serves as the identity: wgpu numbers
    /// the devices of each instance from the same start.
    pub(crate) errors: Arc<DeviceErrors>,
    pipelines_by_wgsl: Arc<Mutex<HashMap<String, Pipeline>>>,
    /// The flags that the next read has to check.
    pub(crate) watched_flags: Arc<Mutex<Vec<BoundsFlag>>>,
    pub(crate) in_flight: InFlight,
    pub(crate) pending_allocations: PendingAllocations,
}

/// Features that are enabled where the adapter has them.
const OPTIONAL_FEATURES: wgpu::Features = wgpu::Features::SUBGROUP
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::SHADER_F16);

/// A compiled shader.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// A shader module and its pipeline, with the validation error if it is invalid.
struct CompiledShader {
    module: wgpu::ShaderModule,
    pipeline: Pipeline,
    error: Option<wgpu::Error>,
}

/// Errors that wgpu reports through callbacks. Its default handler would abort the process.
#[derive(Default)]
pub(crate) struct DeviceErrors {
    first: Mutex<Option<String>>,
    lost: Mutex<Option<String>>,
}

/// Two handles are equal if they refer to the same device.
impl PartialEq for Gpu {
    fn eq(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.errors, &other.errors)
    }
}

impl Gpu {
    /// Opens the adapter that the system prefers.
    pub async fn new() -> Result<Gpu> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance().request_adapter(&options).await.map_err(no_adapter)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("brasa"),
            required_features: adapter.features() & OPTIONAL_FEATURES,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|e| Error::device("gpu", e.to_string()))?;
        let errors = Arc::new(DeviceErrors::default());
        let shared = errors.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            keep_first(&shared.first, error_message(&error));
        }));
        let shared = errors.clone();
        device.set_device_lost_callback(move |reason, message| {
            keep_first(&shared.lost, format!("{reason:?}: {message}"));
        });
        let info = adapter.get_info();
        let limits = limits(&info, &device);
        let (pipelines_by_wgsl, watched_flags, in_flight, pending_allocations) = Default::default();
        Ok(Gpu {
            device,
            queue,
            info,
            limits,
            errors,
            pipelines_by_wgsl,
            watched_flags,
            in_flight,
            pending_allocations,
        })
    }

    /// The reason why the device was lost, or `None` while it works. All later calls fail.
    pub fn lost(&self) -> Option<String> {
        self.errors.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Destroys the device: all later calls fail, as after a driver reset.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// The adapter's name and backend.
    pub fn name(&self) -> String {
        format!("{} ({:?})", self.info.name, self.info.backend)
    }

    /// The limits that shaders are written for.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same device with reduced limits, or treated as software or hardware.
    pub fn with_limits(&self, limits: Limits) -> Gpu {
        let buffers = limits.buffers.min(self.limits.buffers);
        let bytes = limits.bytes.min(self.limits.bytes);
        let subgroup = limits.subgroup.min(self.limits.subgroup);
        let has_f16 = limits.has_f16 && self.limits.has_f16;
        Gpu { limits: Limits { buffers, bytes, subgroup, has_f16, ..limits }, ..self.clone() }
    }

    /// Fails if the device was lost.
    pub(crate) fn check_lost(&self, doing: &str) -> Result<()> {
        let Some(lost) = self.lost() else { return Ok(()) };
        let error = Error::device(doing, format!("the device was lost ({lost})"));
        Err(error.help("open the GPU again and restore the last snapshot"))
    }

    /// Returns the first error since the last check.
    pub(crate) fn check(&self, doing: &str) -> Result<()> {
        self.check_lost(doing)?;
        self.pending_allocations.check()?;
        match self.errors.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(what) => Err(Error::device(doing, what)),
            None => Ok(()),
        }
    }

    /// The pipelines of these launches, compiled unless they are cached.
    pub(crate) async fn pipelines(&self, launches: &[ShaderLaunch]) -> Result<Vec<Pipeline>> {
        let missing = {
            let known = self.pipelines_by_wgsl.lock().unwrap_or_else(PoisonError::into_inner);
            let new = launches.iter().filter(|launch| !known.contains_key(&launch.text.wgsl));
            let mut seen = HashSet::new();
            new.filter(|launch| seen.insert(launch.text.wgsl.clone())).collect::<Vec<_>>()
        };
        let compiled = self.compile_all(&missing).await;
        for (launch, CompiledShader { module, error, .. }) in missing.iter().zip(&compiled) {
            if let Some(error) = error {
                return Err(shader_error(error, &launch.text, module).await);
            }
        }
        let mut known = self.pipelines_by_wgsl.lock().unwrap_or_else(PoisonError::into_inner);
        for (launch, shader) in missing.iter().zip(compiled) {
            known.insert(launch.text.wgsl.clone(), shader.pipeline);
        }
        Ok(launches.iter().map(|launch| known[&launch.text.wgsl].clone()).collect())
    }

    /// Compiles shaders on all cores.
    #[cfg(not(target_arch = "wasm32"))]
    async fn compile_all(&self, launches: &[&ShaderLaunch]) -> Vec<CompiledShader> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let share = launches.len().div_ceil(cores).max(1);
        std::thread::scope(|scope| {
            let compile = |launch: &&ShaderLaunch| crate::wait_for(self.compile(launch));
            let mut threads = Vec::new();
            for share in launches.chunks(share) {
                threads.push(scope.spawn(move || share.iter().map(compile).collect::<Vec<_>>()));
            }
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<CompiledShader>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        })
    }

    /// Starts compiling all shaders before it awaits the first: browsers compile them
    /// concurrently.
    #[cfg(target_arch = "wasm32")]
    async fn compile_all(&self, launches: &[&ShaderLaunch]) -> Vec<CompiledShader> {
        let pending: Vec<_> = launches.iter().map(|launch| self.compile(launch)).collect();
        let mut compiled = Vec::with_capacity(pending.len());
        for shader in pending {
            compiled.push(shader.await);
        }
        compiled
    }

    /// Compiles a shader. The future resolves when validation is done.
    fn compile(&self, launch: &ShaderLaunch) -> impl Future<Output = CompiledShader> + use<> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (module, pipeline) = self.pipeline(&launch.text, &launch.bindings);
        let error = scope.pop();
        async move { CompiledShader { module, pipeline, error: error.await } }
    }

    fn pipeline(&self, text: &ShaderText, bindings: &Bindings) -> (wgpu::ShaderModule, Pipeline) {
        let label = Some(&text.name[..]);
        let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
        let module =
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
        let layout = self.layout(label, bindings);
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(&text.name),
            compilation_options: Default::default(),
            cache: None,
        });
        (module, Pipeline { pipeline, layout })
    }

    /// Bindings: the uniform words of the launch, the pages of the arena, then the inputs.
    fn layout(&self, label: Option<&str>, bindings: &Bindings) -> wgpu::BindGroupLayout {
        let entry = |binding: usize, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
        let pages = bindings.pages.iter().map(|_| true);
        for is_written in pages.chain(bindings.is_written.iter().copied()) {
            entries.push(entry(entries.len(), storage(!is_written), false));
        }
        let descriptor = wgpu::BindGroupLayoutDescriptor { label, entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }
}

fn limits(info: &wgpu::AdapterInfo, device: &wgpu::Device) -> Limits {
    let limits = device.limits();
    let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let buffers = limits.max_storage_buffers_per_shader_stage as usize;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let is_software = info.device_type == wgpu::DeviceType::Cpu;
    let (least, most) = (info.subgroup_min_size, info.subgroup_max_size);
    let has_subgroups = device.features().contains(wgpu::Features::SUBGROUP);
    let is_known = least == most || !is_software;
    let subgroup = if has_subgroups && is_known { least as usize } else { 0 };
    let has_f16 = device.features().contains(wgpu::Features::SHADER_F16);
    Limits { buffers, bytes, is_software, subgroup, has_f16 }
}

fn no_adapter(error: wgpu::RequestAdapterError) -> Error {
    let help = match cfg!(target_arch = "wasm32") {
        true => "use a browser with WebGPU, or the CPU",
        false => "install a Vulkan driver (Debian: mesa-vulkan-drivers), or use the CPU",
    };
    Error::device("gpu", format!("no GPU adapter found: {error}")).help(help)
}

fn error_message(error: &wgpu::Error) -> String {
    match error {
        wgpu::Error::OutOfMemory { .. } => "the device is out of memory".to_string(),
        other => other.to_string(),
    }
}

/// Stores a message unless there is an earlier one.
fn keep_first(slot: &Mutex<Option<String>>, message: String) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}

/// The compile error of a shader, with the offending line marked.
async fn shader_error(
    error: &wgpu::Error,
    text: &ShaderText,
    module: &wgpu::ShaderModule,
) -> Error {
    let messages = module.get_compilation_info().await.messages;
    let is_error =
        |m: &&wgpu::CompilationMessage| m.message_type == wgpu::CompilationMessageType::Error;
    match messages.iter().find(is_error) {
        Some(message) => {
            let line = message.location.map_or(0, |location| location.line_number as usize);
            let what = format!("internal error, please report: {}", message.message);
            Error::device(&text.name, what).help(listing(text, line))
        }
        None => Error::device(&text.name, format!("internal error, please report: {error}")),
    }
}

/// A shader's text with line numbers and a mark at line `wrong`.
fn listing(text: &ShaderText, wrong: usize) -> String {
    let mut listing = String::from("the shader is\n");
    for (n, line) in text.wgsl.lines().enumerate() {
        let mark = if n + 1 == wrong { '>' } else { ' ' };
        listing += &format!("{mark}{:4} {line}\n", n + 1);
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait_for;
    use brasa_ir::ErrorKind;

    #[test]
    #[ignore = "needs an adapter"]
    fn shader_errors_mark_the_offending_line() {
        let gpu = Gpu::global().expect("there is an adapter");
        let wgsl =
            "// does nothing\n@compute @workgroup_size(1)\nfn wrong() {\n  let x = 1 +;\n}\n";
        let (name, wgsl) = ("wrong".to_string(), wgsl.to_string());
        let text = ShaderText { name, wgsl, groups: [1, 1], words: Vec::new() };
        let wrong = ShaderLaunch { text, bindings: Bindings::default(), cpu_op: None, number: 0 };
        let error = wait_for(gpu.pipelines(&[wrong])).err().expect("it cannot be compiled");
        assert_eq!(error.kind(), ErrorKind::Device);
        let shown = error.to_string();
        assert!(shown.contains(">   4   let x = 1 +;\n"), "{shown}");
        gpu.check("go on").expect("the error was reported already");
    }
}
