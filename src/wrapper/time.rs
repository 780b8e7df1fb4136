//! Times as logs write them at the start of their lines. Takes bytes, gives how many of them are a
//! time; never says which one.

/// Bytes of the time at the start of `bytes` as RFC 3339 writes it, with seconds and a zone.
pub fn rfc3339(bytes: &[u8]) -> Option<usize> {
    let clock = date(bytes).filter(|length| bytes.get(*length) == Some(&b'T'))? + 1;
    let fraction = clock + time_of_day(&bytes[clock..])?;
    let zone = fraction + fraction_of(&bytes[fraction..], b".");
    let length = zone_of(&bytes[zone..]);
    (length > 0).then_some(zone + length)
}

/// Bytes of the time at the start of `bytes`, in one of the usual shapes. A date alone is none.
pub fn any(bytes: &[u8]) -> Option<usize> {
    let clock = match date(bytes).or_else(|| syslog_date(bytes)) {
        Some(length) if matches!(bytes.get(length), Some(b'T' | b' ' | b'_')) => length + 1,
        Some(_) => return None,
        None => 0,
    };
    let end = clock + time_of_day(bytes.get(clock..)?)?;
    let end = end + fraction_of(&bytes[end..], b".,");
    // A blank before the zone, as in `12:00:00 +0100`.
    let blank = usize::from(bytes.get(end) == Some(&b' '));
    let zone = zone_of(&bytes[end + blank..]);
    let end = if zone > 0 { end + blank + zone } else { end };
    let ends = bytes.get(end).is_none_or(|next| matches!(next, b' ' | b'\t' | b']' | b'|' | b')'));
    ends.then_some(end)
}

/// Whether the time at the start of `bytes` has a date with its year.
pub fn has_year(bytes: &[u8]) -> bool {
    date(bytes).is_some()
}

/// Whether the time at the start of `bytes` is one of syslog.
pub fn is_syslog(bytes: &[u8]) -> bool {
    syslog_date(bytes).is_some()
}

/// How many bytes `shape` takes, in which `0` is any digit.
fn shaped(bytes: &[u8], shape: &[u8]) -> Option<usize> {
    let fits = |(byte, wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    };
    let start = bytes.get(..shape.len())?;
    start.iter().zip(shape).all(fits).then_some(shape.len())
}

fn date(bytes: &[u8]) -> Option<usize> {
    shaped(bytes, b"0000-00-00").or_else(|| shaped(bytes, b"0000/00/00"))
}

fn syslog_date(bytes: &[u8]) -> Option<usize> {
    const MONTHS: [&[u8]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let month = bytes.get(..3).filter(|start| MONTHS.contains(start))?.len();
    let day = &bytes[month..];
    shaped(day, b" 00").or_else(|| shaped(day, b"  0")).map(|length| month + length)
}

fn time_of_day(bytes: &[u8]) -> Option<usize> {
    shaped(bytes, b"00:00:00")
}

fn fraction_of(bytes: &[u8], points: &[u8]) -> usize {
    if !bytes.first().is_some_and(|point| points.contains(point)) {
        return 0;
    }
    match bytes[1..].iter().take_while(|byte| byte.is_ascii_digit()).count() {
        digits @ 1..=9 => digits + 1,
        _ => 0,
    }
}

fn zone_of(bytes: &[u8]) -> usize {
    let offset = |sign: &[u8]| {
        let shape = |rest: &[u8]| [sign, rest].concat();
        shaped(bytes, &shape(b"00:00")).or_else(|| shaped(bytes, &shape(b"0000")))
    };
    match bytes.first() {
        Some(b'Z') => 1,
        Some(b'+') => offset(b"+").unwrap_or(0),
        Some(b'-') => offset(b"-").unwrap_or(0),
        Some(b'U') if bytes.starts_with(b"UTC") => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_shapes() {
        for (text, length) in [
            ("2026-11-30T12:00:00Z x", 20),
            ("2026-11-30T12:00:00.1234567Z", 28),
            ("2026-11-30 12:00:00,123 - x", 23),
            ("2026-11-30 12:00:00 +0100 x", 25),
            ("2026/11/30 12:00:00 x", 19),
            ("Nov  3 12:00:00 host", 15),
            ("12:00:00.5 x", 10),
        ] {
            assert_eq!(any(text.as_bytes()), Some(length), "{text}");
        }
        for text in ["2026-11-30 score: 8", "2026-11-30", "12:00", "12:00:00x", "May 12th", ""] {
            assert_eq!(any(text.as_bytes()), None, "{text}");
        }
        assert_eq!(rfc3339(b"2026-11-30T12:00:00.5+01:00 x"), Some(27));
        assert_eq!(rfc3339(b"2026-11-30T12:00:00 x"), None);
    }
}
