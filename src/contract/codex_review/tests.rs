use super::super::fields::testing::{checked, covers, faults, read, with};
use super::*;
use crate::record::Status;

const BASE: &str = r#"{
"findings": [{"title": "[P1] Close the file", "body": "It leaks.\n", "confidence_score": 0.9,
"priority": 1, "code_location": {"absolute_file_path": "/srv/app/src/a.rs",
"line_range": {"start": 3, "end": 7}}, "tags": ["io"]}],
"overall_correctness": "patch is incorrect", "overall_explanation": " It leaks a handle. ",
"overall_confidence_score": 1, "model": "x"}"#;

fn of(text: &str) -> Review {
    let cwd = Some("/srv/app");
    read(&CodexReview, text, Setting { cwd, ..Setting::default() })
}

#[test]
fn a_valid_review() {
    let review = of(BASE);
    assert_eq!(review.violations, []);
    assert_eq!((review.verdict, review.critical), (Some(Verdict::Fail), false));
    assert_eq!(review.verdict_raw.as_deref(), Some("patch is incorrect"));
    assert_eq!(review.verdict_expected, Some("patch is incorrect"));
    assert_eq!(review.summary.as_deref(), Some("It leaks a handle."));
    let [finding] = &review.findings[..] else { panic!("one finding") };
    assert_eq!((finding.severity, finding.severity_raw.as_deref()), (Some("high"), Some("1")));
    assert_eq!(finding.message.as_deref(), Some("Close the file"));
    assert_eq!(finding.recommendation.as_deref(), Some("It leaks."));
    assert_eq!(finding.path.as_deref(), Some("src/a.rs"));
    assert_eq!(finding.location_raw.as_deref(), Some("/srv/app/src/a.rs"));
    assert_eq!((finding.line, finding.end_line), (Some(3), Some(7)));
    assert_eq!(
        serde_json::Value::from(review.extra.expect("it is there")),
        serde_json::json!({
            "findings/0/confidence_score": 0.9,
            "findings/0/tags": ["io"],
            "model": "x",
            "overall_confidence_score": 1,
        })
    );
}

#[test]
fn each_rule_broken_and_kept() {
    let correct = with(BASE, "is incorrect", "is correct");
    let no_finding = r#"{"findings": [], "overall_correctness": "patch is incorrect",
        "overall_explanation": "It is bad."}"#;
    let untitled = with(BASE, "[P1] ", "");
    let range = r#""line_range": {"start": 3, "end": 7}"#;
    let disagrees: &[&str] = &["priority-disagrees-with-title /findings/0/priority"];
    let cases: &[(String, &[&str])] = &[
        (correct.clone(), &["verdict-mismatch /overall_correctness"]),
        (with(&with(&correct, "P1", "P2"), ": 1,", ": 2,"), &[]),
        (
            with(&with(&correct, "P1", "P0"), ": 1,", ": null,"),
            &["verdict-mismatch /overall_correctness"],
        ),
        (no_finding.to_owned(), &["unexplained-fail /overall_correctness"]),
        (with(no_finding, "incorrect", "correct"), &[]),
        (with(no_finding, "[]", "{}"), &["schema-type /findings"]),
        (with(BASE, "P1", "P2"), disagrees),
        (with(BASE, "P1", "p0"), disagrees),
        (with(BASE, "P1", "P4"), &[]),
        (with(BASE, ": 1,", ": null,"), &[]),
        (with(BASE, "\"priority\": 1, ", ""), &[]),
        (with(&untitled, ": 1,", ": 0,"), &[]),
        (with(BASE, ": 7}", ": 2}"), &["line-range-reversed /findings/0/code_location/line_range"]),
        (with(BASE, ": 7}", ": 3}"), &[]),
        // What real answers leave out.
        (with(BASE, &format!(",\n{range}"), ""), &[]),
        (with(BASE, range, "\"line_range\": null"), &[]),
        (with(BASE, "\"overall_confidence_score\": 1, ", ""), &[]),
        (with(BASE, "\"confidence_score\": 0.9,\n", ""), &[]),
        // The shape.
        (with(BASE, ": 1,", ": 4,"), &["schema-range /findings/0/priority"]),
        (with(BASE, ": 1,", ": \"P1\","), &["schema-type /findings/0/priority"]),
        (with(BASE, "0.9", "1.1"), &["schema-range /findings/0/confidence_score"]),
        (with(BASE, "0.9", "0"), &[]),
        (with(BASE, "[P1] Close the file", " "), &["schema-empty-text /findings/0/title"]),
        (with(BASE, "patch is incorrect", "incorrect"), &["schema-enum /overall_correctness"]),
        (with(BASE, "\"body\"", "\"text\""), &["schema-required /findings/0"]),
        (with(BASE, "\"findings\"", "\"issues\""), &["schema-required "]),
    ];
    let mut broken = Vec::new();
    for (text, wanted) in cases {
        assert_eq!(faults(&of(text)), *wanted, "{text}");
        broken.extend(*wanted);
    }
    covers(&CodexReview, &broken);
}

#[test]
fn severities_of_priorities_and_titles() {
    for (priority, title, severity, raw, message) in [
        ("0", "[P0] A", Some("critical"), Some("0"), "A"),
        ("3", "A", Some("low"), Some("3"), "A"),
        ("2.0", "[P2]A", Some("medium"), Some("2.0"), "A"),
        ("null", "[P3] A", Some("low"), Some("P3"), "A"),
        ("null", "[p1]  A", Some("high"), Some("p1"), "A"),
        ("null", "A [P1]", None, None, "A [P1]"),
        ("null", "[P10] A", None, None, "[P10] A"),
        ("null", "[P", None, None, "[P"),
        ("null", "[P1] ", Some("high"), Some("P1"), "[P1]"),
        ("9", "[P1] A", Some("high"), Some("9"), "A"),
        ("-1", "A", None, Some("-1"), "A"),
    ] {
        let text = with(BASE, "[P1] Close the file", title);
        let review = of(&with(&text, "\"priority\": 1", &format!("\"priority\": {priority}")));
        let [finding] = &review.findings[..] else { panic!("one finding") };
        assert_eq!(
            (finding.severity, finding.severity_raw.as_deref(), finding.message.as_deref()),
            (severity, raw, Some(message)),
            "{priority} {title}"
        );
        assert_eq!(review.critical, severity == Some("critical"));
    }
}

#[test]
fn verdicts_that_findings_imply() {
    let correct = with(BASE, "is incorrect", "is correct");
    let can_wait = with(&with(&correct, "P1", "P3"), ": 1,", ": 3,");
    assert_eq!(of(&correct).verdict_expected, Some(INCORRECT));
    assert_eq!(of(&can_wait).verdict_expected, None);
    assert_eq!(of(&with(&can_wait, "is correct", "is incorrect")).verdict_expected, None);
    assert_eq!(of(r#"{"findings": []}"#).verdict_expected, None);
}

#[test]
fn paths_below_the_working_folder() {
    for (path, cwd, wanted) in [
        ("/srv/app/src/a.rs", "/srv/app", "src/a.rs"),
        ("/srv/app/My Docs/a b.md", "/srv/app/", "My Docs/a b.md"),
        ("/srv//app/./src/[id]/a.tsx", "/srv/./app", "src/[id]/a.tsx"),
        ("/srv/application/a.rs", "/srv/app", "/srv/application/a.rs"),
        ("/srv/app/../b/a.rs", "/srv/app", "/srv/app/../b/a.rs"),
        ("/srv/app", "/srv/app", "/srv/app"),
        ("/opt/a.rs", "/", "opt/a.rs"),
        ("src/a.rs", "/srv/app", "src/a.rs"),
        ("src/a.rs", "src", "src/a.rs"),
        ("/srv/app/a.rs", "", "/srv/app/a.rs"),
        ("c:\\repo\\src\\a.cs", "C:\\repo", "src/a.cs"),
        ("C:/repo/src/a.cs", "C:\\repo\\", "src/a.cs"),
        ("D:\\repo\\a.cs", "C:\\repo", "D:/repo/a.cs"),
        ("C:\\Repo\\a.cs", "C:\\repo", "C:/Repo/a.cs"),
        ("\\\\host\\share\\a.cs", "\\\\host\\share", "a.cs"),
        ("/srv/app/a\\b.rs", "/srv/app", "a\\b.rs"),
    ] {
        assert_eq!(relative(path, Some(cwd)), wanted, "{path} in {cwd}");
    }
    assert_eq!(relative("/srv/app/a.rs", None), "/srv/app/a.rs");
}

#[test]
fn lines_that_name_none_or_run_backwards() {
    let lines = |range: &str| {
        let review = of(&with(BASE, r#"{"start": 3, "end": 7}"#, range));
        let finding = &review.findings[0];
        let kept = review.extra.expect("it is there");
        let kept = kept.get("findings/0/code_location/line_range").cloned();
        (finding.line, finding.end_line, kept)
    };
    assert_eq!(lines(r#"{"start": 0, "end": 0}"#), (None, None, None));
    assert_eq!(lines(r#"{"start": 5, "end": 5}"#), (Some(5), Some(5), None));
    assert_eq!(lines(r#"{"start": 5}"#), (Some(5), None, None));
    assert_eq!(lines("[3, 7]"), (None, None, None));
    assert_eq!(lines(r#"{"start": -5, "end": "x"}"#), (None, None, None));
    let reversed = serde_json::json!({"start": 5, "end": 4});
    assert_eq!(lines(r#"{"start": 5, "end": 4}"#), (Some(5), None, Some(reversed)));
}

/// The event holds the numbers of the message in single precision.
#[test]
fn an_event_says_what_its_message_says() {
    let id = |confidence: &str, overall: &str| {
        let text = with(BASE, "0.9", confidence);
        let text = with(&text, "score\": 1,", &format!("score\": {overall},"));
        of(&text).content_id("codex-review")
    };
    assert_eq!(id("0.87654321987", "1"), id("0.8765432", "1.0"));
    assert_eq!(id("9e-1", "0.5"), id("0.9", "0.50"));
    assert_ne!(id("0.9", "1"), id("0.91", "1"));
    assert_ne!(id("1e39", "1"), id("1", "1"));
    let without = with(BASE, "\"priority\": 1, ", "");
    let null = with(BASE, ": 1,", ": null,");
    assert_eq!(of(&without).content_id("codex-review"), of(&null).content_id("codex-review"));
}

#[test]
fn what_can_be_said_of_a_broken_review() {
    let status = |text: &str| checked(&CodexReview, text).status;
    assert_eq!(status(BASE), Status::Valid);
    assert_eq!(status(&with(BASE, "[{\"title", "[x, {\"title")), Status::Malformed);
    let form = r#"{"findings": [{"title": "<one line>", "body": "<why>", "priority": <0-3>}],
        "overall_correctness": "patch is correct" | "patch is incorrect",
        "overall_explanation": "<a sentence>"}"#;
    assert_eq!(status(form), Status::Template);
    assert_eq!(status(&with(form, "<0-3>", "1")), Status::Template);
    let review =
        of(r#"{"overall_correctness": "patch is correct.", "findings": ["A text", [], {}],
        "overall_explanation": {}}"#);
    assert_eq!((review.verdict, review.verdict_raw.as_deref()), (None, Some("patch is correct.")));
    assert_eq!(review.findings.len(), 2);
    let review = of(&with(BASE, "{\"absolute_file_path\"", "\"src/b.rs:4\", \"at\": {\"path\""));
    assert_eq!(
        (review.findings[0].path.as_deref(), review.findings[0].line),
        (Some("src/b.rs"), Some(4))
    );
    for text in ["[]", "x", r#"{"findings": 3}"#, r#"{"overall_correctness": []}"#] {
        assert_eq!(of(text).verdict, None);
    }
}

#[test]
fn which_objects_are_reviews() {
    for (text, claim) in [
        (BASE, Claim::Sure),
        (r#"{"overall_correctness": "patch is correct", "findings": []}"#, Claim::Sure),
        (r#"{"overall_correctness": "patch is correct"}"#, Claim::None),
        (r#"{"findings": [], "overall_explanation": "overall_correctness"}"#, Claim::None),
        (
            r#"{"type": "object", "properties": {}, "overall_correctness": {}, "findings": {}}"#,
            Claim::None,
        ),
        (&BASE[..BASE.find("overall_correctness").expect("it is there")], Claim::Sure),
        (r#"{"findings": [{"absolute_file_path": "a"}]}"#, Claim::None),
        (r#"{"findings": [{"confidence_score": 1}]}"#, Claim::None),
        (r#"{"items": [{"confidence_score": 1, "absolute_file_path": "a"}]}"#, Claim::None),
        // A wrapper with a single key is looked through; one with more is no review.
        (r#"{"review_output": {"overall_correctness": "", "findings": []}}"#, Claim::Sure),
        (r#"{"review_output": {"overall_correctness": "", "findings": []}, "a": 1}"#, Claim::None),
    ] {
        assert_eq!(CodexReview.identify(&Outline::of(text)), claim, "{text}");
    }
}
