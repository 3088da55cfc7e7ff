//! The device: an adapter with its queue, pipelines by their text, and what went wrong.
use crate::emit::Text;
use brasa_ir::{Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A graphics processor, or software that acts as one. Clones share it.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    trouble: Arc<Trouble>,
    pipelines: Arc<Mutex<HashMap<String, Pipeline>>>,
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

/// An adapter as `brasa devices` lists it.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub name: String,
    pub backend: String,
    pub kind: String,
    pub features: Vec<&'static str>,
    pub limits: Vec<(&'static str, u64)>,
}

impl Gpu {
    /// The adapter that the system prefers.
    pub async fn new() -> Result<Gpu> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance().request_adapter(&options).await;
        let adapter = adapter.map_err(|e| {
            Error::device("gpu", format!("there is no adapter: {e}"))
                .help("install a Vulkan driver (Debian: mesa-vulkan-drivers), or use the CPU")
        })?;
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
            note(&seen.first, error.to_string());
        }));
        let seen = trouble.clone();
        device.set_device_lost_callback(move |reason, message| {
            note(&seen.lost, format!("{reason:?}: {message}"));
        });
        let info = adapter.get_info();
        Ok(Gpu { device, queue, info, trouble, pipelines: Arc::default() })
    }

    /// The one that all of this process share.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn global() -> Result<&'static Gpu> {
        static GPU: std::sync::OnceLock<Result<Gpu>> = std::sync::OnceLock::new();
        GPU.get_or_init(|| pollster::block_on(Gpu::new())).as_ref().map_err(Clone::clone)
    }

    /// Gives the device up: whatever is run afterwards fails, as after a reset of the driver.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Waits for all that was submitted.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("wait", e.to_string()))?;
        self.check("wait")
    }

    /// The adapter's name and the way to it.
    pub fn name(&self) -> String {
        format!("{} ({:?})", self.info.name, self.info.backend)
    }

    pub(crate) fn limits(&self) -> wgpu::Limits {
        self.device.limits()
    }

    /// What has gone wrong since the last look.
    pub(crate) fn check(&self, doing: &str) -> Result<()> {
        if let Some(lost) = self.trouble.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
        {
            let error = Error::device(doing, format!("the device was lost ({lost})"));
            return Err(error.help("open the GPU again and restore the last snapshot"));
        }
        match self.trouble.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(what) => Err(Error::device(doing, what)),
            None => Ok(()),
        }
    }

    /// Compiles a shader, or finds it.
    pub(crate) fn pipeline(&self, text: &Text, inputs: &[bool]) -> Result<Pipeline> {
        let mut known = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = known.get(&text.wgsl) {
            return Ok(pipeline.clone());
        }
        let label = Some(&text.name[..]);
        let source = wgpu::ShaderSource::Wgsl(text.wgsl.as_str().into());
        let module =
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
        let layout = self.layout(label, inputs);
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
        self.check("shader").map_err(|e| e.help(format!("the shader is\n{}", numbered(text))))?;
        let pipeline = Pipeline { pipeline, layout };
        known.insert(text.wgsl.clone(), pipeline.clone());
        Ok(pipeline)
    }

    /// The launch's words, the arena, then the inputs.
    fn layout(&self, label: Option<&str>, inputs: &[bool]) -> wgpu::BindGroupLayout {
        let entry = |binding: usize, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let mut entries =
            vec![entry(0, wgpu::BufferBindingType::Uniform, true), entry(1, storage(false), false)];
        for (n, is_written) in inputs.iter().enumerate() {
            entries.push(entry(n + 2, storage(!is_written), false));
        }
        let descriptor = wgpu::BindGroupLayoutDescriptor { label, entries: &entries };
        self.device.create_bind_group_layout(&descriptor)
    }
}

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    wgpu::Instance::new(descriptor)
}

/// Keeps the first message.
fn note(place: &Mutex<Option<String>>, message: String) {
    place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}

/// A shader's text with line numbers, as compilers name lines.
fn numbered(text: &Text) -> String {
    let lines = text.wgsl.lines().enumerate();
    lines.map(|(n, line)| format!("{:4} {line}\n", n + 1)).collect()
}

/// All adapters of this machine.
pub async fn adapters() -> Vec<Adapter> {
    let found = instance().enumerate_adapters(wgpu::Backends::PRIMARY).await;
    let listed = |adapter: &wgpu::Adapter| {
        let (info, has, limits) = (adapter.get_info(), adapter.features(), adapter.limits());
        let known = [
            ("shader-f16", wgpu::Features::SHADER_F16),
            ("subgroups", wgpu::Features::SUBGROUP),
            ("timestamps", wgpu::Features::TIMESTAMP_QUERY),
        ];
        let features = known.into_iter().filter(|(_, flag)| has.contains(*flag));
        Adapter {
            name: info.name,
            backend: format!("{:?}", info.backend),
            kind: format!("{:?}", info.device_type),
            features: features.map(|(name, _)| name).collect(),
            limits: vec![
                ("storage buffers", limits.max_storage_buffers_per_shader_stage as u64),
                ("bytes of a binding", limits.max_storage_buffer_binding_size),
                ("bytes of workgroup memory", limits.max_compute_workgroup_storage_size as u64),
                ("threads of a workgroup", limits.max_compute_invocations_per_workgroup as u64),
            ],
        }
    };
    found.iter().map(listed).collect()
}
