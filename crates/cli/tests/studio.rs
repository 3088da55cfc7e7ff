//! The server of `brasa studio` and `brasa train --studio`: its responses to authorized and
//! unauthorized clients.
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

const BRASA: &str = env!("CARGO_BIN_EXE_brasa");

/// A folder with a dummy page instead of the built one.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio").join(name);
    let _ = fs::remove_dir_all(&folder);
    for (file, text) in [
        ("packages/studio/dist/index.html", "<title>page</title>"),
        ("packages/studio/dist/assets/page.js", "1"),
        ("packages/secret.txt", "secret"),
    ] {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(BRASA);
    command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    command.env("BRASA_PACKAGES", folder.join("packages")).env("BRASA_THREADS", "1");
    command
}

/// A server process that is killed when dropped.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a command that serves a studio, and reads its address.
    fn start(folder: &Path, line: &str) -> Server {
        let mut command = command(folder, line);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("brasa starts");
        let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        let streams: [Box<dyn Read + Send>; 2] = [Box::new(out), Box::new(err)];
        let (send, receive) = std::sync::mpsc::channel();
        for stream in streams {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = send.send(line);
                }
            });
        }
        drop(send);
        let mut seen = Vec::new();
        let address = receive.iter().find_map(|line| {
            let address = line.strip_prefix("Brasa studio   http://127.0.0.1:").map(String::from);
            seen.push(line);
            address
        });
        let address = address.unwrap_or_else(|| panic!("no address: {seen:?}"));
        let (port, token) = address.split_once("/?token=").expect("a token");
        Server { child, port: port.parse().expect("a port"), token: token.to_string() }
    }

    /// Head and body of the response to a request with these headers.
    fn get(&self, target: &str, headers: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let host = format!("Host: 127.0.0.1:{}\r\n", self.port);
        let host = if headers.contains("Host:") { "" } else { &host };
        write!(stream, "GET {target} HTTP/1.1\r\n{host}{headers}\r\n").expect("it is sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_string(), body.to_string())
    }

    #[track_caller]
    fn status(&self, target: &str, headers: &str) -> u16 {
        let (head, _) = self.get(target, headers);
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }

    /// A target with the token.
    fn with_token(&self, path: &str) -> String {
        format!("{path}?token={}", self.token)
    }

    /// Opens the event socket, skipping `after` lines, as a page of this origin.
    fn events(&self, after: usize, origin: &str) -> Result<WebSocket<TcpStream>, u16> {
        let Server { port, token, .. } = self;
        let address = format!("ws://127.0.0.1:{port}/events?token={token}&after={after}");
        let mut request = address.into_client_request().expect("an address");
        let origin = HeaderValue::from_str(origin).expect("plain text");
        request.headers_mut().insert("Origin", origin);
        let stream = TcpStream::connect(("127.0.0.1", *port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Reads lines until one has this event.
fn lines_until(socket: &mut WebSocket<TcpStream>, event: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let message = match socket.read() {
            // Interrupted by a signal, for example the exit of another test's process.
            Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {
                continue;
            }
            message => message.expect("a message"),
        };
        let Message::Text(text) = message else { continue };
        lines.extend(text.lines().map(String::from));
        let is_it =
            |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["event"] == event;
        if lines.iter().any(is_it) {
            return lines;
        }
    }
}

/// The kernels of the trace have times, and its nodes values of their shapes.
fn check_data(server: &Server, cookie: &str) {
    let json =
        |path: &str| -> Value { serde_json::from_str(&server.get(path, cookie).1).expect("JSON") };
    let trace = json("/data/trace.json");
    let kernels = trace["kernels"].as_array().expect("kernels");
    assert!(!kernels.is_empty());
    let times = json("/data/times.json");
    let times = times.as_array().expect("times");
    assert!(times.len() == kernels.len() && times.iter().all(|time| time.as_f64() >= Some(0.0)));

    // Node values have the shapes of the trace, with the weights of the checkpoint.
    let nodes = trace["nodes"].as_array().expect("nodes");
    let weight = nodes.iter().find(|node| node["role"] == "param").expect("a parameter");
    let last = nodes.iter().rfind(|node| node["op"] == "sum").expect("a sum");
    for node in [weight, last] {
        let shape: Vec<u64> =
            node["shape"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let (head, _) = server.get(&format!("/data/value?node={}", node["id"]), cookie);
        let shape_text = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        assert!(head.contains(&format!("Brasa-Shape: {shape_text}\r\n")), "{head}");
        assert!(head.contains("Brasa-Step: 5\r\n"), "{head}");
        let bytes = 4 * shape.iter().product::<u64>();
        assert!(head.contains(&format!("Content-Length: {bytes}\r\n")), "{head}");
    }
    assert_eq!(server.status("/data/value?node=99999", cookie), 409);
    assert_eq!(server.status("/data/value", cookie), 400);
}

/// Requests without the token, of other origins and for unknown files are refused.
fn check_refusals(server: &Server) {
    for path in
        ["/", "/assets/page.js", "/data/sources.json", "/data/trace.json", "/data/value", "/events"]
    {
        assert_eq!(server.status(path, ""), 403, "{path}");
        assert_eq!(server.status(&format!("{path}?token=0123"), ""), 403, "{path}");
        let own = server.with_token(path);
        assert_eq!(server.status(&own, "Origin: http://evil.test\r\n"), 403, "{path}");
        assert_eq!(server.status(&own, "Host: evil.test\r\n"), 403, "{path}");
    }
    for path in [
        "/../secret.txt",
        "/../../secret.txt",
        "/assets/../../../secret.txt",
        "//etc/passwd",
        "/..%2fsecret.txt",
        "/assets",
        "/%",
        "/%ff",
        "/nothing.js",
    ] {
        assert_eq!(server.status(&server.with_token(path), ""), 404, "{path}");
    }
    assert_eq!(server.events(0, "http://evil.test").expect_err("another origin"), 403);
    assert_eq!(server.status(&server.with_token("/events"), ""), 426, "no WebSocket");
}

#[test]
fn a_finished_run_is_replayed_with_the_token() {
    let folder = folder("finished");
    let done =
        command(&folder, "train spiral --steps 5 --out run --json").output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let server = Server::start(&folder, "studio run --port 0 --no-open");
    assert!(server.token.len() == 32 && server.token.bytes().all(|b| b.is_ascii_hexdigit()));

    // The page is authorized by the token in its address, later requests by its cookie.
    let (head, body) = server.get(&server.with_token("/"), "");
    assert!(head.starts_with("HTTP/1.1 200") && body == "<title>page</title>", "{head}");
    assert!(head.contains("Cross-Origin-Opener-Policy: same-origin"), "{head}");
    let policy = head.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: "));
    let (port, policy) = (server.port, policy.expect("a policy"));
    let reach = format!("connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port};");
    assert!(policy.contains("default-src 'self';") && policy.contains(&reach), "{policy}");
    let cookie = head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).expect("a cookie");
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().expect("a cookie"));
    assert_eq!(server.get("/assets/page.js", &cookie).1, "1");
    let sources: Value =
        serde_json::from_str(&server.get("/data/sources.json", &cookie).1).expect("JSON");
    let run = &sources["run"];
    assert_eq!((&run["name"], &run["plan"]["task"]), (&"run".into(), &"spiral".into()));
    assert_eq!((&run["events"], &run["trace"]), (&"/events".into(), &"/data/trace.json".into()));
    check_data(&server, &cookie);
    check_refusals(&server);

    let log = fs::read_to_string(folder.join("run/events.jsonl")).expect("a log");
    let log: Vec<&str> = log.lines().collect();
    let origin = format!("http://127.0.0.1:{}", server.port);
    let mut socket = server.events(0, &origin).expect("a socket");
    assert_eq!(lines_until(&mut socket, "end"), log);
    // A page that reconnects continues after the lines it has.
    let mut socket = server.events(3, &origin).expect("a socket");
    assert_eq!(lines_until(&mut socket, "end"), log[3..]);
}

#[cfg(unix)]
#[test]
fn a_live_run_is_followed() {
    let folder = folder("live");
    let line =
        "train spiral --epochs 100000 --schedule constant --out run --studio --studio-port 0";
    let mut server = Server::start(&folder, line);
    let origin = format!("http://localhost:{}", server.port);
    let mut socket = server.events(0, &origin).expect("a socket");
    let first = lines_until(&mut socket, "step");
    assert!(first[0].contains(r#""event":"start""#), "{first:?}");
    let epochs = lines_until(&mut socket, "epoch");
    let later = lines_until(&mut socket, "step");
    let step = |lines: &[String]| -> Option<u64> {
        lines.iter().rev().find_map(|l| serde_json::from_str::<Value>(l).ok()?["step"].as_u64())
    };
    assert!(
        step(&first) < step(&epochs) && step(&epochs) < step(&later),
        "steps arrive while the run continues"
    );
    // Gradients are logged because a page is connected.
    let gradients = lines_until(&mut socket, "gradients");
    let norms = gradients.iter().find_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        (event["event"] == "gradients").then(|| event["norms"].clone())
    });
    let norms = norms.expect("norms");
    assert_eq!(norms[0][0], "0.weight");
    assert!(norms[0][1].as_f64() > Some(0.0), "{norms}");
    let killed = Command::new("kill").args(["-INT", &server.child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let last = lines_until(&mut socket, "end");
    assert!(last.last().is_some_and(|line| line.contains("interrupted")), "{last:?}");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_failed_run_logs_the_reason() {
    let folder = folder("failed");
    let line = "train spiral --optimizer sgd --lr 1e38 --schedule constant --steps 50 --watch-nan --out run";
    let output = command(&folder, line).output().expect("brasa starts");
    assert!(!output.status.success());
    let log = fs::read_to_string(folder.join("run/events.jsonl")).expect("a log");
    let last: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["event"], "failed");
    assert!(last["why"].as_str().is_some_and(|why| why.contains("the loss is")), "{last}");
    // The op that produced it, with its call site.
    let origin = &last["origin"];
    assert!(origin["site"].as_str().is_some_and(|site| site.contains(".rs:")), "{last}");
    assert!(origin["op"].is_string() && origin["what"].is_string(), "{last}");
}

/// Sends a byte at a time until the server answers, which must not take longer than the deadline.
fn answer_to_slow_request(slow: &mut TcpStream, start: std::time::Instant) -> String {
    slow.set_read_timeout(Some(Duration::from_millis(50))).expect("a time");
    loop {
        let _ = slow.write_all(b"a");
        let mut head = [0; 12];
        match slow.read(&mut head) {
            Ok(_) => break String::from_utf8_lossy(&head).into_owned(),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break String::new(),
            Err(_) => assert!(
                start.elapsed() < Duration::from_secs(60),
                "the slow connection is still open"
            ),
        }
    }
}

#[test]
fn malformed_and_excessive_connections_are_refused() {
    let folder = folder("hostile");
    fs::create_dir_all(folder.join("run")).expect("a folder");
    fs::write(folder.join("run/events.jsonl"), "").expect("a file");
    let server = Server::start(&folder, "studio run --port 0 --no-open");
    let page = server.with_token("/");
    assert_eq!(server.status(&page, ""), 200);

    // The Host header must occur exactly once.
    let own = format!("Host: 127.0.0.1:{}\r\n", server.port);
    assert_eq!(server.status(&page, &own), 200);
    assert_eq!(server.status(&page, &format!("{own}{own}")), 400);
    assert_eq!(server.status(&page, &format!("{own}Host: evil.test\r\n")), 400);
    assert_eq!(server.status(&page, &format!("Host: evil.test\r\n{own}")), 400);
    assert_eq!(server.status(&page, "no header at all\r\n"), 400);
    assert_eq!(server.status(&page, &format!("X: {}\r\n", "a".repeat(20_000))), 431);

    // Idle connections are limited in number and time.
    let connect = || TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    let mut idle: Vec<TcpStream> = (0..64).map(|_| connect()).collect();
    // The connection of an earlier request may still have counted against the limit.
    while server.status(&page, "") != 503 {
        idle.push(connect());
        assert!(idle.len() < 128, "the number of connections is not limited");
    }
    let start = std::time::Instant::now();
    let answer = answer_to_slow_request(&mut idle[0], start);
    assert!(answer.is_empty() || answer == "HTTP/1.1 408", "{answer}");
    // After the timeout new connections are accepted, although the idle clients are still
    // connected.
    while server.status(&page, "") != 200 {
        assert!(start.elapsed() < Duration::from_secs(60), "idle connections are not dropped");
    }
}

#[test]
fn invalid_folders_give_one_clear_error() {
    let folder = folder("wrong");
    fs::create_dir_all(folder.join("empty")).expect("a folder");
    for (line, words) in [("studio nowhere", "no such folder"), ("studio empty", "contains no run")]
    {
        let output = command(&folder, line).output().expect("brasa starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.contains(words) && error.starts_with("error: "), "{line}: {error}");
    }
    fs::write(folder.join("empty/events.jsonl"), "").expect("a file");
    let mut unbuilt = command(&folder, "studio empty --no-open");
    let output =
        unbuilt.env("BRASA_PACKAGES", folder.join("empty")).output().expect("brasa starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("cargo x build studio"), "{error}");
    assert_eq!(output.status.code(), Some(2));
}
