//! Requests of a browser, and whether they may be answered.
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

/// Why a head cannot be answered: a status, and words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str, pub &'static str);

const NO_REQUEST: Malformed = Malformed("400 Bad Request", "this is no request");
const TWICE: Malformed = Malformed("400 Bad Request", "a header that says who asks stands twice");
const TOO_LONG: Malformed =
    Malformed("431 Request Header Fields Too Large", "the head of the request is too long");
const TOO_SLOW: Malformed =
    Malformed("408 Request Timeout", "the head of the request takes too long");

/// Longer heads are nobody's.
const LONGEST: usize = 16 << 10;

/// Headers that say who asks whom. Of two that differ, one reader believes the first and another the
/// last, so neither is believed.
const ALONE: [&str; 2] = ["host", "origin"];

/// A connection that gives nothing any more after a moment, however slowly its bytes come.
pub struct Timed<'a> {
    pub stream: &'a TcpStream,
    pub until: Instant,
}

impl Read for Timed<'_> {
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
    /// Reads a head. An error where the other side has closed.
    pub fn read(from: &mut impl Read) -> io::Result<Result<Request, Malformed>> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= LONGEST {
                return Ok(Err(TOO_LONG));
            }
            match from.read_exact(&mut byte) {
                Ok(()) => head.push(byte[0]),
                // What a system calls a read that took too long.
                Err(error)
                    if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) =>
                {
                    return Ok(Err(TOO_SLOW));
                }
                Err(error) => return Err(error),
            }
        }
        let Some(request) = Request::parse(&head) else { return Ok(Err(NO_REQUEST)) };
        let count = |name: &str| request.headers.iter().filter(|(own, _)| own == name).count();
        Ok(if ALONE.iter().any(|name| count(name) > 1) { Err(TWICE) } else { Ok(request) })
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

    /// A value of the query.
    pub fn asked(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    pub fn wants_socket(&self) -> bool {
        self.header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"))
    }
}

/// Who may ask: pages of this very server, with its token.
pub struct Guard {
    port: u16,
    token: String,
}

impl Guard {
    pub fn new(port: u16) -> Result<Guard, String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| format!("no random numbers: {error}"))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { port, token })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The cookie that stands for the token in later requests of a page.
    pub fn cookie(&self) -> String {
        let Guard { port, token } = self;
        format!("brasa{port}={token}; Path=/; HttpOnly; SameSite=Strict")
    }

    /// Why a request is refused, if it is. A page elsewhere can make a browser send requests here, even
    /// under the name of its own host; neither name nor origin would be ours then.
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
        let has_cookie = cookies.split(';').any(|cookie| is_same(cookie.trim(), &kept));
        let has_token = request.asked("token").is_some_and(|token| is_same(token, &self.token));
        (!has_cookie && !has_token).then_some("the token is missing or wrong")
    }
}

/// Compares in a time that does not tell how much of the text was right.
fn is_same(given: &str, secret: &str) -> bool {
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
        let request = Request::read(&mut head.as_bytes()).expect("it can be read");
        guard.refusal(&request.expect("a request"))
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
    fn what_is_no_request_is_refused() {
        let rows: [(&[u8], Malformed); 7] = [
            (b"\r\n\r\n", NO_REQUEST),
            (b"\xff\xfe\r\n\r\n", NO_REQUEST),
            (&[b'a'; 20_000], TOO_LONG),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", TWICE),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nhOST: evil.test\r\n\r\n", TWICE),
            (b"GET / HTTP/1.1\r\nOrigin: http://a\r\nX: y\r\nOrigin: http://b\r\n\r\n", TWICE),
            (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", NO_REQUEST),
        ];
        for (bytes, want) in rows {
            let read = Request::read(&mut &bytes[..]).expect("it can be read");
            assert_eq!(read.err(), Some(want), "{}", String::from_utf8_lossy(bytes));
        }
        assert!(Request::read(&mut &b"GET / HTTP/1.1\r\n"[..]).is_err(), "it was cut off");
    }

    #[test]
    fn a_head_that_comes_drop_by_drop_is_given_up() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let writer = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).expect("it listens");
            let pace = Some(std::time::Duration::from_millis(10));
            stream.set_read_timeout(pace).expect("a time");
            // Waiting for an answer, which never comes, sets the pace.
            while stream.write_all(b"a").is_ok() && !matches!(stream.read(&mut [0]), Ok(0)) {}
        });
        let (stream, _) = listener.accept().expect("somebody");
        let until = Instant::now() + std::time::Duration::from_millis(200);
        let read = Request::read(&mut Timed { stream: &stream, until }).expect("it can be read");
        assert_eq!(read.err(), Some(TOO_SLOW));
        drop(stream);
        writer.join().expect("it ends");
    }
}
