//! Records nested tens of thousands of levels deep, in the lists and objects in which each format
//! keeps records: no stack overflow, in time, and what is not looked into is counted.

use std::time::{Duration, Instant};

use revextract::drive::extract;
use revextract::pipeline::Options;

const DEEP: usize = 20_000;

/// What opens and closes a level.
const LEVELS: &[(&str, &str)] = &[
    ("[", "]"),
    (r#"{"a":"#, "}"),
    (r#"{"loglines":["#, "]}"),
    (r#"{"id":"1","projectId":"p","output":1,"timestamp":"t","data":["#, "]}"),
    (r#"{"type":"SPAN","traceId":"t","data":["#, "]}"),
    (r#"{"id":"1","projectId":"p","observations":["#, "]}"),
    (r#"{"request":{"url":"u"},"response":{"status_code":200,"body":"#, "}}"),
    (r#"{"log":{"entries":[{"response":{"content":{"text":"#, "}}}]}}"),
    (r#"{"custom_id":"a","response":{"body":"#, "}}"),
    (r#"{"custom_id":"a","result":{"type":"succeeded","message":"#, "}}"),
    (r#"{"info":{"id":"s"},"messages":[{"info":{"role":"assistant"},"parts":["#, "]}]}"),
    (r#"{"version":2,"eval":{"a":1},"samples":["#, "]}"),
    (r#"{"schema_version":"ATIF-v1.6","steps":[],"subagent_trajectories":["#, "]}"),
    (r#"{"trajectory":[{"messages":["#, "]}]}"),
    (r#"{"history":["#, "]}"),
    (r#"{"id":"1","run_type":"llm","inputs":{},"outputs":{},"child_runs":["#, "]}"),
    (r#"{"type":"response_item","payload":"#, "}"),
    (r#"{"sessionId":"s","projectHash":"p","messages":["#, "]}"),
    (r#"{"$set":"#, "}"),
    (r#"{"type":"assistant.message","data":"#, "}"),
    (r#"{"role":"assistant","message":{"content":["#, "]}}"),
    (r#"{"ts":1,"type":"say","say":"#, "}"),
    (r#"{"ts":"t","dir":"to_tui","kind":"codex_event","payload":{"msg":"#, "}}"),
    (r#"{"choices":[{"message":"#, "}]}"),
    (r#"{"object":"response","output":["#, "]}"),
    (r#"{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":["#, "]}}"),
    (
        r#"{"type":"message","id":"1","parentId":"2","message":{"role":"toolResult","details":{"results":[{"messages":["#,
        "]}]}}}",
    ),
];

#[test]
fn no_level_costs_stack() {
    for (open, close) in LEVELS {
        let core = "\"---sdlc-review-output--- submit_review agent_type\"";
        let text = format!("{}{core}{}\n", open.repeat(DEEP), close.repeat(DEEP));
        let start = Instant::now();
        let (records, end) = extract("input", [text.as_bytes()], &Options::default());
        assert!(records.is_empty(), "{open}");
        let counted: u64 = end.left_out.values().chain(end.damage.values()).sum();
        assert!(counted > 0, "{open}: {:?}", end.left_out);
        // In proportion to its length, whatever the machine: hostile input must not stall it.
        assert!(start.elapsed() < Duration::from_secs(20), "{open}: {:?}", start.elapsed());
    }
}
