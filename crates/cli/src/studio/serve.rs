//! A small server on loopback: the files of the page, what it may know, and the events of a run over a
//! WebSocket.
use super::asked::Asked;
use super::files::{Files, kind};
use super::follow::Follower;
use super::request::{Guard, Malformed, Request, Timed};
use crate::explain;
use crate::train::{EVENTS, Plan};
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

/// A studio that is being served. At its end pages get what they have not seen yet.
pub struct Studio {
    address: String,
    shared: Arc<Shared>,
}

/// What the threads of the server share.
struct Shared {
    files: Files,
    guard: Guard,
    run: PathBuf,
    about: Option<About>,
    is_ending: AtomicBool,
    /// Pages that are being told of events.
    pages: AtomicUsize,
    /// Those who are being answered, pages among them.
    connections: AtomicUsize,
}

/// What can be told of a run whose plan is known.
struct About {
    plan: Value,
    /// Graph, kernels and memory of a step, as JSON.
    trace: String,
    asked: Asked,
}

impl About {
    fn new(run: &Path, plan: &Plan) -> Result<About, String> {
        Ok(About {
            plan: serde_json::to_value(plan).map_err(|error| error.to_string())?,
            trace: explain::of_plan(plan)?,
            asked: Asked::about(run, plan.clone()),
        })
    }
}

/// How many ports are tried, from the wanted one on.
const PORTS: u16 = 20;
/// How often the log is looked at.
const PACE: Duration = Duration::from_millis(100);
/// How long pages may take for the last lines.
const FAREWELL: Duration = Duration::from_secs(3);
/// How long a browser may take to say what it wants, all in all, and to take a piece of an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections at a time. A page has up to six, and one for events.
const MOST_CONNECTIONS: usize = 64;
/// The server takes no messages; a page may say goodbye.
const LONGEST_MESSAGE: usize = 4 << 10;

impl Studio {
    /// Serves the run in a folder, on threads of its own.
    pub fn open(port: u16, run: &Path, plan: Option<&Plan>) -> Result<Studio, String> {
        let files = Files::find()?;
        let about = plan.map(|plan| About::new(run, plan)).transpose()?;
        let listener = listen(port).map_err(|error| format!("cannot serve the studio: {error}"))?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let guard = Guard::new(port)?;
        let address = format!("http://127.0.0.1:{port}/?token={}", guard.token());
        let shared = Arc::new(Shared {
            files,
            guard,
            run: run.to_path_buf(),
            about,
            is_ending: AtomicBool::new(false),
            pages: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
        });
        let own = shared.clone();
        let accept = move || {
            for stream in listener.incoming().flatten() {
                own.take(stream);
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

    /// What a browser opens, with the token.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.shared.is_ending.store(true, Ordering::SeqCst);
        let begin = Instant::now();
        while self.shared.pages.load(Ordering::SeqCst) > 0 && begin.elapsed() < FAREWELL {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Counts a page for as long as it is told of events, or a connection for as long as it is open.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(pages: &'a AtomicUsize) -> Counted<'a> {
        pages.fetch_add(1, Ordering::SeqCst);
        Counted(pages)
    }
}

impl Drop for Counted<'_> {
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

/// An answer to one request.
struct Answer<'a> {
    status: &'a str,
    kind: &'a str,
    body: &'a [u8],
    /// Headers of its own, each with the end of its line.
    headers: String,
}

/// An answer of words alone.
fn refuse(mut stream: &TcpStream, status: &str, why: &str) -> io::Result<()> {
    let kind = "text/plain; charset=utf-8";
    Answer { status, kind, body: why.as_bytes(), headers: String::new() }.send(&mut stream)
}

/// Reads some of what was sent but not looked at. Otherwise the system resets the connection, and the
/// other side may never see the answer.
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
    /// Answers on a thread of its own, where there are not too many already.
    fn take(self: &Arc<Shared>, stream: TcpStream) {
        // Only the thread that accepts counts up, so the limit holds.
        if self.connections.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
            let why = "there are too many connections";
            let _ = stream.set_write_timeout(Some(PACE));
            let _ = refuse(&stream, "503 Service Unavailable", why);
            return drain(&stream, Duration::from_millis(10));
        }
        self.connections.fetch_add(1, Ordering::SeqCst);
        let shared = self.clone();
        let answer = move || {
            let _counted = Counted(&shared.connections);
            // A browser that goes away is no reason to complain.
            let _ = shared.answer(stream);
        };
        if std::thread::Builder::new().spawn(answer).is_err() {
            self.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn answer(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let until = Instant::now() + PATIENCE;
        let refuse = |status: &str, why: &str| refuse(&stream, status, why);
        let request = match Request::read(&mut Timed { stream: &stream, until })? {
            Ok(request) => request,
            Err(Malformed(status, why)) => {
                refuse(status, why)?;
                drain(&stream, PACE);
                return Ok(());
            }
        };
        if let Some(why) = self.guard.refusal(&request) {
            return refuse("403 Forbidden", why);
        }
        if request.method != "GET" {
            return refuse("405 Method Not Allowed", "only GET is answered");
        }
        let json = "application/json";
        let send_with = |kind, body: &[u8], headers: &str| {
            let headers = format!(
                "Set-Cookie: {}\r\nContent-Security-Policy: {}\r\n{headers}",
                self.guard.cookie(),
                policy(self.guard.port())
            );
            Answer { status: "200 OK", kind, body, headers }.send(&mut &stream)
        };
        let send = |kind, body: &[u8]| send_with(kind, body, "");
        match request.path.as_str() {
            "/events" if request.wants_socket() => self.stream_events(&request, stream),
            "/events" => refuse("426 Upgrade Required", "events come over a WebSocket"),
            "/data/sources.json" => send(json, self.sources().to_string().as_bytes()),
            path => match (path, &self.about) {
                ("/data/trace.json", Some(about)) => send(json, about.trace.as_bytes()),
                ("/data/times.json", Some(about)) => match about.asked.times() {
                    Ok(times) => send(json, json!(times).to_string().as_bytes()),
                    Err(why) => refuse("409 Conflict", &why),
                },
                ("/data/value", Some(about)) => {
                    let Some(node) = request.asked("node").and_then(|node| node.parse().ok())
                    else {
                        return refuse("400 Bad Request", "the number of a node is missing");
                    };
                    match about.asked.value(node) {
                        Ok(value) => {
                            let shape: Vec<String> =
                                value.shape.iter().map(usize::to_string).collect();
                            let (shape, step) = (shape.join(","), value.step);
                            let headers = format!("Brasa-Shape: {shape}\r\nBrasa-Step: {step}\r\n");
                            send_with("application/octet-stream", &value.bytes, &headers)
                        }
                        Err(why) => refuse("409 Conflict", &why),
                    }
                }
                _ => match self.files.get(path) {
                    Some(body) => send(kind(path), &body),
                    None => refuse("404 Not Found", "there is no such file"),
                },
            },
        }
    }

    /// What the page is told it can ask for.
    fn sources(&self) -> Value {
        let name = self.run.file_name().unwrap_or(self.run.as_os_str()).to_string_lossy();
        let has = |path| self.about.as_ref().map(|_| path);
        json!({ "mnist": false, "run": {
            "name": name,
            "plan": self.about.as_ref().map(|about| &about.plan),
            "events": "/events",
            "trace": has("/data/trace.json"),
            "times": has("/data/times.json"),
            "values": has("/data/value"),
        } })
    }

    /// Sends the log from its start or from behind the lines that the page has, and what is added.
    fn stream_events(&self, request: &Request, mut stream: TcpStream) -> io::Result<()> {
        let Some(key) = request.header("sec-websocket-key") else { return Ok(()) };
        let accept = derive_accept_key(key.as_bytes());
        write!(
            stream,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        )?;
        stream.set_read_timeout(Some(PACE))?;
        let longest = Some(LONGEST_MESSAGE);
        let config = WebSocketConfig::default().max_message_size(longest).max_frame_size(longest);
        let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
        let skip = request.asked("after").and_then(|lines| lines.parse().ok()).unwrap_or(0);
        let mut log = Follower::new(&self.run.join(EVENTS), skip);
        let _counted = Counted::new(&self.pages);
        loop {
            // Looked at first: what was written before the end is sent.
            let is_ending = self.is_ending.load(Ordering::SeqCst);
            let lines = log.more()?;
            let is_quiet = lines.is_empty();
            if is_quiet && is_ending {
                // The page may be gone already.
                let _ = socket.close(None).and_then(|()| socket.flush());
                return Ok(());
            }
            if !is_quiet && socket.send(Message::text(lines)).is_err() {
                return Ok(());
            }
            // What a page sends is left unread but for its goodbye; waiting for it sets the pace.
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

/// What a page may do: nothing that reaches the network. Its import map stands in the page itself, and
/// the editor writes its own style sheets.
fn policy(port: u16) -> String {
    // A socket of the same server is not `'self'` to every browser.
    format!(
        "default-src 'self'; connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; \
         script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

impl Answer<'_> {
    fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let Answer { status, kind, body, headers } = self;
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}");
        // The second half lets the page share memory between its workers, and keeps others from
        // showing or reading it.
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
