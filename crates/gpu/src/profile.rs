//! The time of each launch: by the device's own clock where it has one, else by ours.
use crate::executable::Executable;
use crate::memory::Buffer;
use brasa_ir::{Number, Result};
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

/// Queries that a set may have.
const MOST_QUERIES: usize = 4096;
/// How often nothing is awaited to learn what awaiting takes.
const IDLE_ROUNDS: usize = 3;

impl Executable {
    /// `run`, with the time that each launch takes.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn profile(&mut self, inputs: &[&Buffer], slots: &[Number]) -> Result<Vec<Duration>> {
        let start = Instant::now();
        let now = || start.elapsed().as_secs_f64() * 1e3;
        let times = crate::wait_for(self.run_timed(inputs, slots, &now))?;
        Ok(times.into_iter().map(|millis| Duration::from_secs_f64(millis / 1e3)).collect())
    }

    /// `run`, with the milliseconds that each launch takes; `now` counts them where the device does not.
    pub async fn run_timed(
        &mut self,
        inputs: &[&Buffer],
        slots: &[Number],
        now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        let encoder = self.begin(inputs, slots)?;
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.settled().await?;
        let times = match self.has_clock() {
            true => self.device_times().await?,
            false => self.waiting_times(inputs, now).await?,
        };
        let encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.end(encoder, inputs).await?;
        let mut launches = vec![0.0; self.program().launches.len()];
        for (launch, time) in self.shaders.launches.iter().zip(times) {
            launches[launch.number] += time;
        }
        Ok(launches)
    }

    /// Whether the device counts the time by itself. It does so in steps of 100 us for pages, too coarse
    /// for most launches, and not while the CPU works in between.
    fn has_clock(&self) -> bool {
        let is_native = !cfg!(target_arch = "wasm32");
        let launches = &self.shaders.launches;
        let is_alone = launches.iter().all(|launch| launch.host.is_none());
        let fits = (1..=MOST_QUERIES / 2).contains(&launches.len());
        let features = self.gpu.device.features();
        is_native && is_alone && fits && features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Each launch in a pass of its own, between two queries.
    async fn device_times(&self) -> Result<Vec<f64>> {
        let count = self.shaders.launches.len();
        let device = &self.gpu.device;
        let queries = 2 * count as u32;
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("times"),
            ty: wgpu::QueryType::Timestamp,
            count: queries,
        });
        let ticks = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("times"),
            size: 8 * queries as u64,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        for n in 0..count {
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: &set,
                beginning_of_pass_write_index: Some(2 * n as u32),
                end_of_pass_write_index: Some(2 * n as u32 + 1),
            };
            self.encode_pass(&mut encoder, n..n + 1, Some(writes));
        }
        encoder.resolve_query_set(&set, 0..queries, &ticks, 0);
        self.gpu.queue.submit([encoder.finish()]);
        let bytes = self.gpu.read_words(&ticks, 0, 8 * queries as usize).await?;
        let ticks: Vec<u64> = bytes.as_chunks().0.iter().map(|x| u64::from_le_bytes(*x)).collect();
        let nanoseconds = self.gpu.queue.get_timestamp_period() as f64;
        let time = |pair: &[u64]| pair[1].saturating_sub(pair[0]) as f64 * nanoseconds / 1e6;
        Ok(ticks.chunks_exact(2).map(time).collect())
    }

    /// Each launch submitted and awaited alone, less what awaiting nothing takes.
    async fn waiting_times(&self, inputs: &[&Buffer], now: &dyn Fn() -> f64) -> Result<Vec<f64>> {
        let submit = |range| {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.encode_pass(&mut encoder, range, None);
            self.gpu.queue.submit([encoder.finish()]);
        };
        let mut idle = f64::INFINITY;
        for _ in 0..IDLE_ROUNDS {
            let start = now();
            submit(0..0);
            self.gpu.settled().await?;
            idle = idle.min(now() - start);
        }
        let mut times = Vec::with_capacity(self.shaders.launches.len());
        for n in 0..self.shaders.launches.len() {
            let start = now();
            self.run_on_cpu(n, inputs).await?;
            submit(n..n + 1);
            self.gpu.settled().await?;
            times.push((now() - start - idle).max(0.0));
        }
        Ok(times)
    }
}
