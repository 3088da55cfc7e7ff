//! The adapters of this machine, as `brasa devices` lists them.

/// A GPU, or a software adapter.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub name: String,
    pub backend: String,
    pub kind: String,
    pub features: Vec<&'static str>,
    pub limits: Vec<(&'static str, u64)>,
}

pub(crate) fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    wgpu::Instance::new(descriptor)
}

/// All adapters of this machine.
pub async fn adapters() -> Vec<Adapter> {
    let found = instance().enumerate_adapters(wgpu::Backends::PRIMARY).await;
    found.iter().map(listed).collect()
}

fn listed(adapter: &wgpu::Adapter) -> Adapter {
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
            ("bytes of a buffer", limits.max_buffer_size),
            ("bytes of a binding", limits.max_storage_buffer_binding_size),
            ("alignment of storage", limits.min_storage_buffer_offset_alignment as u64),
            ("alignment of uniforms", limits.min_uniform_buffer_offset_alignment as u64),
            ("bytes of workgroup memory", limits.max_compute_workgroup_storage_size as u64),
            ("threads of a workgroup", limits.max_compute_invocations_per_workgroup as u64),
            ("least threads of a subgroup", info.subgroup_min_size as u64),
            ("most threads of a subgroup", info.subgroup_max_size as u64),
        ],
    }
}
