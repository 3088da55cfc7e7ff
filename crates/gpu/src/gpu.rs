//! The device: an adapter with its queue, pipelines by their text, and what went wrong.
use crate::adapters::instance;
use crate::alarms::Alarm;
use crate::emit::Text;
use crate::layout::{Bindings, Limits};
use crate::shaders::Written;
use brasa_ir::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A graphics processor, or software that acts as one. Clones share it.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    limits: Limits,
    trouble: Arc<Trouble>,
    known: Arc<Mutex<HashMap<String, Pipeline>>>,
    /// What the next read has to look at.
    pub(crate) watched: Arc<Mutex<Vec<Alarm>>>,
}

/// A compiled shader.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// What wgpu reported out of turn. Its own handler would end the process.
#[derive(Default)]
struct Trouble {
    first: Mutex<Option<String>>,
    lost: Mutex<Option<String>>,
}

/// Whether both are the same device.
impl PartialEq for Gpu {
    fn eq(&self, other: &Gpu) -> bool {
        self.device == other.device
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
            required_features: wgpu::Features::empty(),
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
        let limits = limits(&info, &device.limits());
        let (known, watched) = Default::default();
        Ok(Gpu { device, queue, info, limits, trouble, known, watched })
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
        Gpu { limits: Limits { buffers, bytes, ..limits }, ..self.clone() }
    }

    /// What has gone wrong since the last look.
    pub(crate) fn check(&self, doing: &str) -> Result<()> {
        if let Some(lost) = self.lost() {
            let error = Error::device(doing, format!("the device was lost ({lost})"));
            return Err(error.help("open the GPU again and restore the last snapshot"));
        }
        match self.trouble.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(what) => Err(Error::device(doing, what)),
            None => Ok(()),
        }
    }

    /// Compiles shaders, or finds them.
    pub(crate) async fn pipelines(&self, launches: &[Written]) -> Result<Vec<Pipeline>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut made: Vec<(&Text, wgpu::ShaderModule)> = Vec::new();
        let mut pipelines = Vec::with_capacity(launches.len());
        for Written { text, bindings, .. } in launches {
            if !known.contains_key(&text.wgsl) {
                let (module, pipeline) = self.pipeline(text, bindings);
                made.push((text, module));
                known.insert(text.wgsl.clone(), pipeline);
            }
            pipelines.push(known[&text.wgsl].clone());
        }
        if let Some(error) = scope.pop().await {
            return Err(shader_error(&error, &made).await);
        }
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(pipelines)
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

fn limits(info: &wgpu::AdapterInfo, limits: &wgpu::Limits) -> Limits {
    let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let buffers = limits.max_storage_buffers_per_shader_stage as usize;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    Limits { buffers, bytes, is_software: info.device_type == wgpu::DeviceType::Cpu }
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
async fn shader_error(error: &wgpu::Error, made: &[(&Text, wgpu::ShaderModule)]) -> Error {
    for (text, module) in made {
        let messages = module.get_compilation_info().await.messages;
        let is_error =
            |m: &&wgpu::CompilationMessage| m.message_type == wgpu::CompilationMessageType::Error;
        if let Some(message) = messages.iter().find(is_error) {
            let line = message.location.map_or(0, |place| place.line_number as usize);
            let what = format!("internal error, please report: {}", message.message);
            return Error::device(&text.name, what).help(marked(text, line));
        }
    }
    Error::device("shader", format!("internal error, please report: {error}"))
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

#[cfg(all(test, feature = "adapter"))]
mod tests {
    use super::*;
    use crate::wait_for;
    use brasa_ir::ErrorKind;

    #[test]
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
