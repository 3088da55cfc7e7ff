//! HTTP server on loopback: the page's files, data about a run, and its events over a WebSocket.
use super::files::{Files, mime_type};
use super::follow::LogReader;
use super::queries::Queries;
use super::request::{DeadlineReader, Guard, Malformed, Request};
use crate::explain;
use crate::train::{EVENTS, Plan, ProbedValue};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// A running studio server. Dropping it first sends the remaining events to all pages.
pub struct Studio {
    address: String,
    shared: Arc<Shared>,
}

/// State shared by the server's threads.
struct Shared {
    files: Files,
    guard: Guard,
    run: PathBuf,
    info: Option<RunInfo>,
    is_ending: AtomicBool,
    /// Number of pages that receive events.
    pages: AtomicUsize,
    /// Number of open connections, pages included.
    connections: AtomicUsize,
}

/// Data about a run whose plan is known.
struct RunInfo {
    plan: Value,
    /// Graph, kernels and memory of a step, as JSON.
    trace: String,
    queries: Queries,
}

impl RunInfo {
    fn new(run: &Path, plan: &Plan) -> Result<RunInfo, String> {
        Ok(RunInfo {
            plan: serde_json::to_value(plan).map_err(|error| error.to_string())?,
            trace: explain::of_plan(plan)?,
            queries: Queries::start(run, plan.clone()),
        })
    }
}

/// Number of ports tried, starting at the requested one.
const PORTS: u16 = 20;
/// How often the log is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long pages may take to receive the last lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Total time to receive a request head, and time for one write of a response.
const IO_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of concurrent connections. A page has up to six, and one for events.
const MAX_CONNECTIONS: usize = 64;
/// Pages send no messages but the close frame.
const MAX_MESSAGE: usize = 4 << 10;

impl Studio {
    /// Serves the run in a folder, on background threads.
    pub fn open(port: u16, run: &Path, plan: Option<&Plan>) -> Result<Studio, String> {
        let files = Files::find()?;
        let info = plan.map(|plan| RunInfo::new(run, plan)).transpose()?;
        let listener = listen(port).map_err(|error| format!("cannot serve the studio: {error}"))?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let guard = Guard::new(port)?;
        let address = format!("http://127.0.0.1:{port}/?token={}", guard.token());
        let shared = Arc::new(Shared {
            files,
            guard,
            run: run.to_path_buf(),
            info,
            is_ending: AtomicBool::new(false),
            pages: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
        });
        let own = shared.clone();
        let accept = move || {
            for stream in listener.incoming().flatten() {
                own.accept(stream);
            }
        };
        let started = std::thread::Builder::new().spawn(accept);
        started.map_err(|error| format!("cannot serve the studio: {error}"))?;
        Ok(Studio { address, shared })
    }

    /// Whether a page is open.
    pub fn is_watched(&self) -> bool {
        self.shared.pages.load(Ordering::Relaxed) > 0
    }

    /// The address to open in a browser, with the token.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.shared.is_ending.store(true, Ordering::SeqCst);
        let start = Instant::now();
        while self.shared.pages.load(Ordering::SeqCst) > 0 && start.elapsed() < CLOSE_TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Increments a counter while it lives.
struct CountGuard<'a>(&'a AtomicUsize);

impl<'a> CountGuard<'a> {
    fn new(counter: &'a AtomicUsize) -> CountGuard<'a> {
        counter.fetch_add(1, Ordering::SeqCst);
        CountGuard(counter)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let ports = if port == 0 { 0..=0 } else { port..=port.saturating_add(PORTS - 1) };
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// An HTTP response.
struct Response<'a> {
    status: &'a str,
    kind: &'a str,
    body: &'a [u8],
    /// Additional headers, each with its line ending.
    headers: String,
}

/// Sends an error response with a plain text message.
fn refuse(mut stream: &TcpStream, status: &str, why: &str) -> io::Result<()> {
    let kind = "text/plain; charset=utf-8";
    Response { status, kind, body: why.as_bytes(), headers: String::new() }.send(&mut stream)
}

/// The value of the node that the request asks for, or status and reason of the refusal.
fn probed(info: &RunInfo, request: &Request) -> Result<ProbedValue, (&'static str, String)> {
    let Some(node) = request.query_param("node").and_then(|node| node.parse().ok()) else {
        return Err(("400 Bad Request", "missing or invalid query parameter: node".to_string()));
    };
    info.queries.value(node).map_err(|why| ("409 Conflict", why))
}

/// Reads some unread input before closing. Otherwise the system resets the connection, and the
/// client may never see the response.
fn drain(mut stream: &TcpStream, wait: Duration) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(wait));
    let mut rest = [0; 4096];
    for _ in 0..16 {
        if !matches!(stream.read(&mut rest), Ok(1..)) {
            return;
        }
    }
}

impl Shared {
    /// Handles a connection on a new thread, unless there are too many.
    fn accept(self: &Arc<Shared>, stream: TcpStream) {
        // Only the accepting thread increments the counter, so the limit holds.
        if self.connections.load(Ordering::SeqCst) >= MAX_CONNECTIONS {
            let why = "too many connections";
            let _ = stream.set_write_timeout(Some(POLL_INTERVAL));
            let _ = refuse(&stream, "503 Service Unavailable", why);
            return drain(&stream, Duration::from_millis(10));
        }
        self.connections.fetch_add(1, Ordering::SeqCst);
        let shared = self.clone();
        let answer = move || {
            let _counted = CountGuard(&shared.connections);
            // Errors are ignored: the browser may have disconnected.
            let _ = shared.answer(stream);
        };
        if std::thread::Builder::new().spawn(answer).is_err() {
            self.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(IO_TIMEOUT))?;
        let until = Instant::now() + IO_TIMEOUT;
        let refuse = |status: &str, why: &str| refuse(&stream, status, why);
        let request = match Request::read(&mut DeadlineReader { stream: &stream, until })? {
            Ok(request) => request,
            Err(Malformed(status, why)) => {
                refuse(status, why)?;
                drain(&stream, POLL_INTERVAL);
                return Ok(());
            }
        };
        if let Some(why) = self.guard.refusal(&request) {
            return refuse("403 Forbidden", why);
        }
        if request.method != "GET" {
            return refuse("405 Method Not Allowed", "only GET is supported");
        }
        self.respond(&request, stream)
    }

    /// Answers an accepted request.
    fn respond(&self, request: &Request, stream: TcpStream) -> io::Result<()> {
        let refuse = |status: &str, why: &str| refuse(&stream, status, why);
        let json = "application/json";
        let send = |kind, body: &[u8]| self.send(&stream, kind, body, "");
        match request.path.as_str() {
            "/events" if request.wants_socket() => self.stream_events(request, stream),
            "/events" => refuse("426 Upgrade Required", "events require a WebSocket"),
            "/data/sources.json" => send(json, self.sources().to_string().as_bytes()),
            path => match (path, &self.info) {
                ("/data/trace.json", Some(info)) => send(json, info.trace.as_bytes()),
                ("/data/times.json", Some(info)) => match info.queries.times() {
                    Ok(times) => send(json, json!(times).to_string().as_bytes()),
                    Err(why) => refuse("409 Conflict", &why),
                },
                ("/data/value", Some(info)) => match probed(info, request) {
                    Ok(value) => {
                        let shape: Vec<String> = value.shape.iter().map(usize::to_string).collect();
                        let (shape, step) = (shape.join(","), value.step);
                        let headers = format!("Brasa-Shape: {shape}\r\nBrasa-Step: {step}\r\n");
                        self.send(&stream, "application/octet-stream", &value.bytes, &headers)
                    }
                    Err((status, why)) => refuse(status, &why),
                },
                _ => match self.files.get(path) {
                    Some(body) => send(mime_type(path), &body),
                    None => refuse("404 Not Found", "no such file"),
                },
            },
        }
    }

    /// Sends a successful response with the cookie and the security policy.
    fn send(
        &self,
        mut stream: &TcpStream,
        kind: &str,
        body: &[u8],
        headers: &str,
    ) -> io::Result<()> {
        let headers = format!(
            "Set-Cookie: {}\r\nContent-Security-Policy: {}\r\n{headers}",
            self.guard.cookie(),
            policy(self.guard.port())
        );
        Response { status: "200 OK", kind, body, headers }.send(&mut stream)
    }

    /// The data sources available to the page.
    fn sources(&self) -> Value {
        let name = self.run.file_name().unwrap_or(self.run.as_os_str()).to_string_lossy();
        let has = |path| self.info.as_ref().map(|_| path);
        json!({ "mnist": false, "run": {
            "name": name,
            "plan": self.info.as_ref().map(|info| &info.plan),
            "events": "/events",
            "trace": has("/data/trace.json"),
            "times": has("/data/times.json"),
            "values": has("/data/value"),
        } })
    }

    /// Sends the log, from its start or after the lines that the page already has, and follows it.
    fn stream_events(&self, request: &Request, mut stream: TcpStream) -> io::Result<()> {
        let Some(key) = request.header("sec-websocket-key") else { return Ok(()) };
        let accept = derive_accept_key(key.as_bytes());
        write!(
            stream,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        )?;
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        let longest = Some(MAX_MESSAGE);
        let config = WebSocketConfig::default().max_message_size(longest).max_frame_size(longest);
        let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
        let skip = request.query_param("after").and_then(|lines| lines.parse().ok()).unwrap_or(0);
        let mut log = LogReader::new(&self.run.join(EVENTS), skip);
        let _counted = CountGuard::new(&self.pages);
        loop {
            // Read the flag before the log, so that everything written before the end is sent.
            let is_ending = self.is_ending.load(Ordering::SeqCst);
            let lines = log.read_new()?;
            let is_quiet = lines.is_empty();
            if is_quiet && is_ending {
                // The page may have disconnected.
                let _ = socket.close(None).and_then(|()| socket.flush());
                return Ok(());
            }
            if !is_quiet && socket.send(Message::text(lines)).is_err() {
                return Ok(());
            }
            // Input other than a close frame is ignored; the read timeout is the poll interval.
            if is_quiet && !is_open(socket.read()) {
                return Ok(());
            }
        }
    }
}

fn is_open(read: Result<Message, Error>) -> bool {
    match read {
        Ok(message) => !message.is_close(),
        Err(Error::Io(error)) => {
            use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
            matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
        }
        Err(_) => false,
    }
}

/// Content security policy: no network access. `unsafe-inline` is for the import map and the
/// editor's style sheets.
fn policy(port: u16) -> String {
    // Not every browser treats a WebSocket of the same server as `'self'`.
    format!(
        "default-src 'self'; connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; \
         script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

impl Response<'_> {
    fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let Response { status, kind, body, headers } = self;
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}");
        // The cross-origin headers allow the page to share memory between workers, and keep other
        // pages from embedding or reading it.
        head += &format!(
            "Content-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\n\
             Cross-Origin-Embedder-Policy: require-corp\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
            body.len()
        );
        to.write_all(head.as_bytes())?;
        to.write_all(body)?;
        to.flush()
    }
}
