//! Times that transcripts keep as a number of parts of a second since the start of 1970.
//!
//! Takes the number, gives the time in UTC as other transcripts write it, by RFC 3339. Gives none
//! for a year that has more than four digits.

const DAY: u64 = 86_400;

/// The time so many milliseconds after the start of 1970.
pub(super) fn of_milliseconds(milliseconds: u64) -> Option<String> {
    of_seconds(milliseconds / 1_000, &format!(".{:03}", milliseconds % 1_000))
}

/// The time so many nanoseconds after the start of 1970, with no more digits than it needs.
pub(super) fn of_nanoseconds(nanoseconds: u64) -> Option<String> {
    let fraction = format!(".{:09}", nanoseconds % 1_000_000_000);
    of_seconds(nanoseconds / 1_000_000_000, fraction.trim_end_matches('0').trim_end_matches('.'))
}

fn of_seconds(seconds: u64, fraction: &str) -> Option<String> {
    // Days since the March with which the year 0 starts: so a leap day is the last of its year.
    let days = seconds / DAY + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    let (hour, minute, second) = (seconds % DAY / 3_600, seconds / 60 % 60, seconds % 60);
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    (year <= 9_999).then(|| format!("{year:04}-{month:02}-{day:02}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds() {
        for (milliseconds, time) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_766_093_525_182, "2025-12-18T21:32:05.182Z"),
            (1_788_307_199_999, "2026-09-01T23:59:59.999Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(of_milliseconds(milliseconds).as_deref(), Some(time), "{milliseconds}");
        }
        for beyond in [253_402_300_800_000, u64::MAX] {
            assert_eq!(of_milliseconds(beyond), None);
        }
    }

    #[test]
    fn nanoseconds() {
        for (nanoseconds, time) in [
            (1, "1970-01-01T00:00:00.000000001Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
            (951_868_799_500_000_000, "2000-02-29T23:59:59.5Z"),
            (1_751_247_501_952_174_000, "2025-06-30T01:38:21.952174Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(of_nanoseconds(nanoseconds).as_deref(), Some(time), "{nanoseconds}");
        }
    }
}
