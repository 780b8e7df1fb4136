//! Times in milliseconds since 1970, as they are written in other transcripts.

use super::Raw;

/// The time that a number of milliseconds means, in RFC 3339; a text as it stands.
pub(super) fn of(time: &Raw<'_>) -> Option<String> {
    if time.is_string() {
        return time.owned();
    }
    let milliseconds = std::str::from_utf8(time.bytes).ok()?.parse().ok()?;
    rfc_3339(milliseconds)
}

/// Years up to 9999; nothing for what is beyond.
fn rfc_3339(milliseconds: u64) -> Option<String> {
    let (seconds, millis) = (milliseconds / 1_000, milliseconds % 1_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since the first of March of the year 0, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (0, month + 3) } else { (1, month - 9) };
    let year = year + year_of_era + era * 400;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    (year <= 9_999).then(|| {
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_as_rfc_3339() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_766_093_525_182, "2025-12-18T21:32:05.182Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc_3339(milliseconds).as_deref(), Some(text), "{milliseconds}");
        }
        assert_eq!(rfc_3339(u64::MAX), None);
    }

    #[test]
    fn what_is_no_time_gives_none() {
        let of = |text: &str| of(&Raw::at(text.as_bytes(), 0, 0));
        assert_eq!(of("\"2026-01-02T03:04:05Z\"").as_deref(), Some("2026-01-02T03:04:05Z"));
        for text in ["null", "-5", "1e99", "{}", "1.5"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
