//! Parses HTTP requests of a browser and decides whether they are authorized.
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

/// The head of a request.
pub struct Request {
    pub method: String,
    /// Without the query, as it was sent.
    pub path: String,
    query: String,
    headers: Vec<(String, String)>,
}

/// Why a request head is invalid: an HTTP status and a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str, pub &'static str);

const INVALID: Malformed = Malformed("400 Bad Request", "invalid HTTP request");
const DUPLICATE: Malformed = Malformed("400 Bad Request", "duplicate Host or Origin header");
const TOO_LONG: Malformed =
    Malformed("431 Request Header Fields Too Large", "the request head is too long");
const TOO_SLOW: Malformed =
    Malformed("408 Request Timeout", "timeout while reading the request head");

/// Maximum length of a request head in bytes.
const MAX_HEAD: usize = 16 << 10;

/// Headers that must not be repeated: parsers differ in whether the first or the last one counts.
const UNIQUE: [&str; 2] = ["host", "origin"];

/// Reads from a connection with a total deadline, regardless of how slowly bytes arrive.
pub struct DeadlineReader<'a> {
    pub stream: &'a TcpStream,
    pub until: Instant,
}

impl Read for DeadlineReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(bytes)
    }
}

impl Request {
    /// Reads a request head. Fails with an I/O error if the client has closed the connection.
    pub fn read(from: &mut impl Read) -> io::Result<Result<Request, Malformed>> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= MAX_HEAD {
                return Ok(Err(TOO_LONG));
            }
            match from.read_exact(&mut byte) {
                Ok(()) => head.push(byte[0]),
                // Platforms report a read timeout as either kind.
                Err(error)
                    if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) =>
                {
                    return Ok(Err(TOO_SLOW));
                }
                Err(error) => return Err(error),
            }
        }
        let Some(request) = Request::parse(&head) else { return Ok(Err(INVALID)) };
        let count = |name: &str| request.headers.iter().filter(|(own, _)| own == name).count();
        Ok(if UNIQUE.iter().any(|name| count(name) > 1) { Err(DUPLICATE) } else { Ok(request) })
    }

    fn parse(head: &[u8]) -> Option<Request> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        parsed.parse(head).ok().filter(|status| status.is_complete())?;
        let target = parsed.path?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |header: &httparse::Header| {
            let value = String::from_utf8_lossy(header.value).into_owned();
            (header.name.to_ascii_lowercase(), value)
        };
        Some(Request {
            method: parsed.method?.to_string(),
            path: path.to_string(),
            query: query.to_string(),
            headers: parsed.headers.iter().map(header).collect(),
        })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name)?;
        Some(&found.1)
    }

    /// A query parameter.
    pub fn query_param(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    pub fn wants_socket(&self) -> bool {
        self.header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"))
    }
}

/// Access control: only pages of this server, with its token.
pub struct Guard {
    port: u16,
    token: String,
}

impl Guard {
    pub fn new(port: u16) -> Result<Guard, String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|error| format!("cannot generate a token: {error}"))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { port, token })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The cookie that replaces the token in a page's later requests.
    pub fn cookie(&self) -> String {
        let Guard { port, token } = self;
        format!("brasa{port}={token}; Path=/; HttpOnly; SameSite=Strict")
    }

    /// Why a request is refused, if it is. A foreign page can make a browser send requests here,
    /// also by DNS rebinding; then `Host` or `Origin` is not this server's.
    pub fn refusal(&self, request: &Request) -> Option<&'static str> {
        let is_own = |host: &str| {
            let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
            ["127.0.0.1", "localhost"].contains(&name) && port == self.port.to_string()
        };
        if !request.header("host").is_some_and(is_own) {
            return Some("this host is not served");
        }
        let is_from_here = |origin: &str| origin.strip_prefix("http://").is_some_and(is_own);
        if !request.header("origin").is_none_or(is_from_here) {
            return Some("pages of other origins are not served");
        }
        let kept = format!("brasa{}={}", self.port, self.token);
        let cookies = request.header("cookie").unwrap_or_default();
        let has_cookie = cookies.split(';').any(|cookie| is_equal(cookie.trim(), &kept));
        let has_token =
            request.query_param("token").is_some_and(|token| is_equal(token, &self.token));
        (!has_cookie && !has_token).then_some("the token is missing or wrong")
    }
}

/// Compares in constant time.
fn is_equal(given: &str, secret: &str) -> bool {
    let pairs = given.bytes().zip(secret.bytes());
    given.len() == secret.len() && pairs.fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn refused(head: &str) -> Option<&'static str> {
        let guard = Guard { port: 80, token: "secret".to_string() };
        let head = head.replace('\n', "\r\n") + "\r\n\r\n";
        let request = Request::read(&mut head.as_bytes()).expect("readable");
        guard.refusal(&request.expect("a valid request"))
    }

    #[test]
    fn only_own_pages_with_the_token_are_served() {
        let rows = [
            ("GET /?token=secret HTTP/1.1\nHost: localhost:80", None),
            ("GET /a.js HTTP/1.1\nHost: 127.0.0.1\nCookie: a=b; brasa80=secret", None),
            ("GET /?token=secret HTTP/1.1\nhost: localhost\nOrigin: http://localhost:80", None),
            ("GET / HTTP/1.1\nHost: localhost", Some("the token is missing or wrong")),
            ("GET /?token=secre HTTP/1.1\nHost: localhost", Some("the token is missing or wrong")),
            ("GET /?token=SECRET HTTP/1.1\nHost: localhost", Some("the token is missing or wrong")),
            (
                "GET / HTTP/1.1\nHost: localhost\nCookie: brasa81=secret",
                Some("the token is missing or wrong"),
            ),
            ("GET /?token=secret HTTP/1.1\nHost: evil.test", Some("this host is not served")),
            ("GET /?token=secret HTTP/1.1\nHost: localhost:81", Some("this host is not served")),
            ("GET /?token=secret HTTP/1.1\nX: y", Some("this host is not served")),
            (
                "GET /?token=secret HTTP/1.1\nHost: localhost\nOrigin: http://evil.test",
                Some("pages of other origins are not served"),
            ),
            (
                "GET /?token=secret HTTP/1.1\nHost: localhost\nOrigin: https://localhost:80",
                Some("pages of other origins are not served"),
            ),
            (
                "GET /?token=secret HTTP/1.1\nHost: localhost\nOrigin: null",
                Some("pages of other origins are not served"),
            ),
        ];
        for (head, want) in rows {
            assert_eq!(refused(head), want, "{head}");
        }
    }

    #[test]
    fn invalid_requests_are_refused() {
        let rows: [(&[u8], Malformed); 7] = [
            (b"\r\n\r\n", INVALID),
            (b"\xff\xfe\r\n\r\n", INVALID),
            (&[b'a'; 20_000], TOO_LONG),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", DUPLICATE),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nhOST: evil.test\r\n\r\n", DUPLICATE),
            (b"GET / HTTP/1.1\r\nOrigin: http://a\r\nX: y\r\nOrigin: http://b\r\n\r\n", DUPLICATE),
            (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", INVALID),
        ];
        for (bytes, want) in rows {
            let read = Request::read(&mut &bytes[..]).expect("readable");
            assert_eq!(read.err(), Some(want), "{}", String::from_utf8_lossy(bytes));
        }
        assert!(Request::read(&mut &b"GET / HTTP/1.1\r\n"[..]).is_err(), "truncated head");
    }

    #[test]
    fn a_slowly_sent_head_times_out() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let writer = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).expect("connected");
            let interval = Some(std::time::Duration::from_millis(10));
            stream.set_read_timeout(interval).expect("timeout set");
            // The read timeout limits the send rate.
            while stream.write_all(b"a").is_ok() && !matches!(stream.read(&mut [0]), Ok(0)) {}
        });
        let (stream, _) = listener.accept().expect("a connection");
        let until = Instant::now() + std::time::Duration::from_millis(200);
        let read = Request::read(&mut DeadlineReader { stream: &stream, until }).expect("readable");
        assert_eq!(read.err(), Some(TOO_SLOW));
        drop(stream);
        writer.join().expect("writer ends");
    }
}
