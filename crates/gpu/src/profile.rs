//! Measures the time of each launch: with timestamp queries where possible, else with the host's
//! clock.
use crate::executable::Executable;
use crate::memory::Buffer;
use brasa_ir::{Number, Result};
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

/// Maximum queries of a query set.
const MAX_QUERIES: usize = 4096;
/// Empty submissions that are timed to measure the overhead of waiting.
const IDLE_ROUNDS: usize = 3;

impl Executable {
    /// `run`, with the duration of each launch.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn profile(&mut self, inputs: &[&Buffer], slots: &[Number]) -> Result<Vec<Duration>> {
        let start = Instant::now();
        let now = || start.elapsed().as_secs_f64() * 1e3;
        let times = crate::wait_for(self.run_timed(inputs, slots, &now))?;
        Ok(times.into_iter().map(|millis| Duration::from_secs_f64(millis / 1e3)).collect())
    }

    /// `run`, with the milliseconds of each launch; `now` is the host's clock in milliseconds,
    /// for devices without timestamps.
    pub async fn run_timed(
        &mut self,
        inputs: &[&Buffer],
        slots: &[Number],
        now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        let encoder = self.begin(inputs, slots)?;
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait_idle().await?;
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

    /// Whether to use timestamp queries. In browsers their resolution is 100 us, too coarse for
    /// most launches, and they do not cover ops that run on the CPU.
    fn has_clock(&self) -> bool {
        let is_native = !cfg!(target_arch = "wasm32");
        let launches = &self.shaders.launches;
        let has_no_cpu_ops = launches.iter().all(|launch| launch.cpu_op.is_none());
        let fits = (1..=MAX_QUERIES / 2).contains(&launches.len());
        let features = self.gpu.device.features();
        is_native && has_no_cpu_ops && fits && features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Times each launch in its own pass, between two queries.
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

    /// Submits and awaits each launch alone, and subtracts the time of an empty submission.
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
            self.gpu.wait_idle().await?;
            idle = idle.min(now() - start);
        }
        let mut times = Vec::with_capacity(self.shaders.launches.len());
        for n in 0..self.shaders.launches.len() {
            let start = now();
            self.run_on_cpu(n, inputs).await?;
            submit(n..n + 1);
            self.gpu.wait_idle().await?;
            times.push((now() - start - idle).max(0.0));
        }
        Ok(times)
    }
}
