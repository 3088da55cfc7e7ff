//! The device: an adapter with its queue, pipelines by their text, and what went wrong.
use crate::adapters::instance;
use crate::alarms::Alarm;
use crate::emit::Text;
use crate::flights::Flights;
use crate::layout::{Bindings, Limits};
use crate::making::Making;
use crate::shaders::Written;
use brasa_ir::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// A graphics processor, or software that acts as one. Clones share it.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    limits: Limits,
    /// What clones share and no other device has: wgpu numbers devices, and those of two instances alike.
    pub(crate) trouble: Arc<Trouble>,
    known: Arc<Mutex<HashMap<String, Pipeline>>>,
    /// What the next read has to look at.
    pub(crate) watched: Arc<Mutex<Vec<Alarm>>>,
    pub(crate) flights: Flights,
    pub(crate) making: Making,
}

/// Features that are made use of where an adapter has them.
const USED: wgpu::Features = wgpu::Features::SUBGROUP
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::SHADER_F16);

/// A compiled shader.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// A shader that was compiled, or was not.
struct Made {
    module: wgpu::ShaderModule,
    pipeline: Pipeline,
    error: Option<wgpu::Error>,
}

/// What wgpu reported out of turn. Its own handler would end the process.
#[derive(Default)]
pub(crate) struct Trouble {
    first: Mutex<Option<String>>,
    lost: Mutex<Option<String>>,
}

/// Whether both are the same device.
impl PartialEq for Gpu {
    fn eq(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.trouble, &other.trouble)
    }
}

impl Gpu {
    /// The adapter that the system prefers.
    pub async fn new() -> Result<Gpu> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance().request_adapter(&options).await.map_err(no_adapter)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("brasa"),
            required_features: adapter.features() & USED,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|e| Error::device("gpu", e.to_string()))?;
        let trouble = Arc::new(Trouble::default());
        let seen = trouble.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&seen.first, what_happened(&error));
        }));
        let seen = trouble.clone();
        device.set_device_lost_callback(move |reason, message| {
            note(&seen.lost, format!("{reason:?}: {message}"));
        });
        let info = adapter.get_info();
        let limits = limits(&info, &device);
        let (known, watched, flights, making) = Default::default();
        Ok(Gpu { device, queue, info, limits, trouble, known, watched, flights, making })
    }

    /// Why the device is gone, once it is: all that is done with it from then on fails.
    pub fn lost(&self) -> Option<String> {
        self.trouble.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the device up: whatever is run afterwards fails, as after a reset of the driver.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// The adapter's name and the way to it.
    pub fn name(&self) -> String {
        format!("{} ({:?})", self.info.name, self.info.backend)
    }

    /// What shaders for it may bind.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The same device, used as if it were a smaller one, or one of another kind.
    pub fn within(&self, limits: Limits) -> Gpu {
        let buffers = limits.buffers.min(self.limits.buffers);
        let bytes = limits.bytes.min(self.limits.bytes);
        let subgroup = limits.subgroup.min(self.limits.subgroup);
        let has_f16 = limits.has_f16 && self.limits.has_f16;
        Gpu { limits: Limits { buffers, bytes, subgroup, has_f16, ..limits }, ..self.clone() }
    }

    /// Whether there still is a device.
    pub(crate) fn check_lost(&self, doing: &str) -> Result<()> {
        let Some(lost) = self.lost() else { return Ok(()) };
        let error = Error::device(doing, format!("the device was lost ({lost})"));
        Err(error.help("open the GPU again and restore the last snapshot"))
    }

    /// What has gone wrong since the last look.
    pub(crate) fn check(&self, doing: &str) -> Result<()> {
        self.check_lost(doing)?;
        self.making.check()?;
        match self.trouble.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(what) => Err(Error::device(doing, what)),
            None => Ok(()),
        }
    }

    /// Compiles shaders, or finds them.
    pub(crate) async fn pipelines(&self, launches: &[Written]) -> Result<Vec<Pipeline>> {
        let missing = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let new = launches.iter().filter(|launch| !known.contains_key(&launch.text.wgsl));
            let mut seen = HashSet::new();
            new.filter(|launch| seen.insert(launch.text.wgsl.clone())).collect::<Vec<_>>()
        };
        let made = self.compiled(&missing).await;
        for (launch, Made { module, error, .. }) in missing.iter().zip(&made) {
            if let Some(error) = error {
                return Err(shader_error(error, &launch.text, module).await);
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (launch, made) in missing.iter().zip(made) {
            known.insert(launch.text.wgsl.clone(), made.pipeline);
        }
        Ok(launches.iter().map(|launch| known[&launch.text.wgsl].clone()).collect())
    }

    /// Compiles on all cores.
    #[cfg(not(target_arch = "wasm32"))]
    async fn compiled(&self, launches: &[&Written]) -> Vec<Made> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let share = launches.len().div_ceil(cores).max(1);
        std::thread::scope(|scope| {
            let compile = |launch: &&Written| crate::wait_for(self.make(launch));
            let mut threads = Vec::new();
            for share in launches.chunks(share) {
                threads.push(scope.spawn(move || share.iter().map(compile).collect::<Vec<_>>()));
            }
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<Made>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        })
    }

    /// Begins with all shaders before it waits for the first: browsers compile elsewhere.
    #[cfg(target_arch = "wasm32")]
    async fn compiled(&self, launches: &[&Written]) -> Vec<Made> {
        let begun: Vec<_> = launches.iter().map(|launch| self.make(launch)).collect();
        let mut made = Vec::with_capacity(begun.len());
        for one in begun {
            made.push(one.await);
        }
        made
    }

    /// Compiles a shader; what is awaited is only whether it is valid.
    fn make(&self, launch: &Written) -> impl Future<Output = Made> + use<> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (module, pipeline) = self.pipeline(&launch.text, &launch.bindings);
        let error = scope.pop();
        async move { Made { module, pipeline, error: error.await } }
    }

    fn pipeline(&self, text: &Text, bindings: &Bindings) -> (wgpu::ShaderModule, Pipeline) {
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

    /// The launch's words, pages of the arena, then inputs.
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
    Error::device("gpu", format!("there is no adapter: {error}")).help(help)
}

fn what_happened(error: &wgpu::Error) -> String {
    match error {
        wgpu::Error::OutOfMemory { .. } => "the device is out of memory".to_string(),
        other => other.to_string(),
    }
}

/// Keeps the first message.
fn note(place: &Mutex<Option<String>>, message: String) {
    place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}

/// What is wrong with a shader, and where.
async fn shader_error(error: &wgpu::Error, text: &Text, module: &wgpu::ShaderModule) -> Error {
    let messages = module.get_compilation_info().await.messages;
    let is_error =
        |m: &&wgpu::CompilationMessage| m.message_type == wgpu::CompilationMessageType::Error;
    match messages.iter().find(is_error) {
        Some(message) => {
            let line = message.location.map_or(0, |place| place.line_number as usize);
            let what = format!("internal error, please report: {}", message.message);
            Error::device(&text.name, what).help(marked(text, line))
        }
        None => Error::device(&text.name, format!("internal error, please report: {error}")),
    }
}

/// A shader's text with line numbers and a mark.
fn marked(text: &Text, wrong: usize) -> String {
    let mut marked = String::from("the shader is\n");
    for (n, line) in text.wgsl.lines().enumerate() {
        let mark = if n + 1 == wrong { '>' } else { ' ' };
        marked += &format!("{mark}{:4} {line}\n", n + 1);
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait_for;
    use brasa_ir::ErrorKind;

    #[test]
    #[ignore = "needs an adapter"]
    fn a_wrong_shader_is_shown_with_its_line() {
        let gpu = Gpu::global().expect("there is an adapter");
        let wgsl =
            "// does nothing\n@compute @workgroup_size(1)\nfn wrong() {\n  let x = 1 +;\n}\n";
        let (name, wgsl) = ("wrong".to_string(), wgsl.to_string());
        let text = Text { name, wgsl, groups: [1, 1], words: Vec::new() };
        let wrong = Written { text, bindings: Bindings::default(), host: None, number: 0 };
        let error = wait_for(gpu.pipelines(&[wrong])).err().expect("it cannot be compiled");
        assert_eq!(error.kind(), ErrorKind::Device);
        let shown = error.to_string();
        assert!(shown.contains(">   4   let x = 1 +;\n"), "{shown}");
        gpu.check("go on").expect("the error was taken");
    }
}
