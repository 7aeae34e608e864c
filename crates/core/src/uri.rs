//! Files that are named by URIs, and bytes that are.

use interlinear_schema::Text;

/// The path that a URI names: `file:///workspace/a%20b`.
pub(crate) fn path_of_uri(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let mut rest = bytes.clone();
        let digits = (byte == b'%').then(|| (rest.next(), rest.next()));
        let hex = |digit: Option<u8>| char::from(digit?).to_digit(16);
        match digits.map(|(high, low)| (hex(high), hex(low))) {
            Some((Some(high), Some(low))) => {
                out.push((high * 16 + low) as u8);
                bytes = rest;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Bytes that stand in a line, in base64, as a URL.
pub(crate) fn data_url(mime: Option<&str>, data: &Text<'_>) -> Text<'static> {
    let mut url = format!("data:{};base64,", mime.unwrap_or("application/octet-stream")).into_bytes();
    data.append_to(&mut url);
    Text::from_wtf8(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_becomes_a_path() {
        assert_eq!(path_of_uri("file:///a%20b/%C3%BC%zz"), "/a b/ü%zz");
        assert_eq!(path_of_uri("/plain"), "/plain");
    }
}
