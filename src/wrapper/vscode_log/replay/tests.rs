use serde_json::json;

use super::*;

/// What a log leads to.
#[derive(Debug, Default, PartialEq)]
struct Replayed {
    state: Option<Value>,
    /// Lines that are no entry, or that lead nowhere.
    passed_over: u64,
}

fn replay(log: &[u8]) -> Replayed {
    let mut replayed = Replayed::default();
    for line in log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if !Entry::of(line).is_some_and(|entry| entry.apply(&mut replayed.state)) {
            replayed.passed_over += 1;
        }
    }
    replayed
}

fn state(lines: &[Value]) -> Replayed {
    let log: Vec<_> = lines.iter().map(Value::to_string).collect();
    replay(log.join("\n").as_bytes())
}

/// The text of the first answer.
fn text(replayed: &Replayed) -> String {
    let pieces = replayed.state.as_ref().unwrap().pointer("/requests/0/response").unwrap();
    let pieces = pieces.as_array().unwrap().iter();
    pieces.filter_map(|piece| piece["value"].as_str()).collect()
}

#[test]
fn an_answer_that_grows_is_put_together() {
    let replayed = state(&[
        json!({"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}),
        json!({"kind":2,"k":["requests"],"v":[{"requestId":"r","response":[]}]}),
        json!({"kind":2,"k":["requests",0,"response"],"v":[{"value":"---sdlc-"},{"value":"re"}]}),
        json!({"kind":2,"k":["requests",0,"response"],"v":[{"value":"view"},{"value":"-output---"}],"i":1}),
        json!({"kind":1,"k":["requests",0,"response",0,"value"],"v":"---sdlc-re"}),
    ]);
    assert_eq!(text(&replayed), "---sdlc-review-output---");
    assert_eq!(replayed.passed_over, 0);
}

#[test]
fn set_push_and_delete_as_the_program_does() {
    let replayed = state(&[
        json!({"kind":0,"v":{"a":{"b":1},"list":[1,2,3]}}),
        json!({"kind":1,"k":["a","c"],"v":{"d":[]}}),
        json!({"kind":2,"k":["a","c","d"],"v":[4]}),
        json!({"kind":3,"k":["a","b"]}),
        json!({"kind":2,"k":["list"],"i":1}),
        json!({"kind":2,"k":["new"],"v":[5]}),
        json!({"kind":1,"k":["list",1],"v":6}),
        json!({"kind":1,"k":["gone"]}),
    ]);
    let wanted = json!({"a":{"c":{"d":[4]}},"list":[1,6],"new":[5],"gone":null});
    assert_eq!(replayed, Replayed { state: Some(wanted), passed_over: 0 });
}

#[test]
fn a_later_first_state_replaces_all() {
    let replayed = state(&[
        json!({"kind":0,"v":{"requests":[1]}}),
        json!({"kind":2,"k":["requests"],"v":[2]}),
        json!({"kind":0,"v":{"requests":[3]}}),
    ]);
    assert_eq!(replayed.state, Some(json!({"requests":[3]})));
}

#[test]
fn what_leads_nowhere_is_passed_over() {
    let first = json!({"kind":0,"v":{"list":[{"x":1}],"word":"w"}});
    let deep: Vec<_> = (0..=STEPS).map(|_| "a").collect();
    for entry in [
        json!({"kind":1,"k":["none","x"],"v":1}),
        json!({"kind":1,"k":["list",7],"v":1}),
        json!({"kind":1,"k":["list",u64::MAX],"v":1}),
        json!({"kind":1,"k":["list",-1],"v":1}),
        json!({"kind":1,"k":["list",0.5],"v":1}),
        json!({"kind":1,"k":["list","x"],"v":1}),
        json!({"kind":1,"k":["word",0],"v":1}),
        json!({"kind":1,"k":["word","length"],"v":1}),
        json!({"kind":1,"k":[],"v":1}),
        json!({"kind":1,"k":deep,"v":1}),
        json!({"kind":1,"k":"list","v":1}),
        json!({"kind":1,"k":[null],"v":1}),
        json!({"kind":1,"v":1}),
        json!({"kind":2,"k":["word"],"v":[1]}),
        json!({"kind":2,"k":["list",0],"v":[1]}),
        json!({"kind":2,"k":["list",3],"v":[1]}),
        json!({"kind":2,"k":["list"],"v":{"a":1}}),
        json!({"kind":2,"k":["list"],"v":[1],"i":-1}),
        json!({"kind":3,"k":["none"]}),
        json!({"kind":3,"k":["list",9]}),
        json!({"kind":0}),
        json!({"kind":9,"k":["list"],"v":[1]}),
        json!({"kind":"0","v":1}),
        json!([1]),
        json!(null),
    ] {
        let replayed = state(&[first.clone(), entry.clone()]);
        assert_eq!(replayed.state.as_ref(), Some(&first["v"]), "{entry}");
        assert_eq!(replayed.passed_over, 1, "{entry}");
    }
    let replayed = state(&[json!({"kind":1,"k":["a"],"v":1})]);
    assert_eq!(replayed, Replayed { state: None, passed_over: 1 });
}

#[test]
fn a_list_is_truncated_never_extended() {
    let replayed = state(&[
        json!({"kind":0,"v":{"list":[1]}}),
        json!({"kind":2,"k":["list"],"v":[2],"i":1_000_000_000}),
    ]);
    assert_eq!(replayed.state, Some(json!({"list":[1,2]})));
}

#[test]
fn states_nest_no_deeper_than_paths_reach() {
    let mut lines = vec![json!({"kind":0,"v":{}})];
    let mut path = vec![json!("a")];
    for _ in 0..STEPS * 3 {
        lines.push(json!({"kind":1,"k":path,"v":{"a":{}}}));
        path.push(json!("a"));
    }
    let log: Vec<_> = lines.iter().map(Value::to_string).collect();
    let replayed = replay(log.join("\n").as_bytes());
    assert_eq!(replayed.passed_over, STEPS as u64 * 2);
}

#[test]
fn torn_and_unreadable_lines_lose_no_other() {
    let log = b"{\"kind\":0,\"v\":{\"a\":[]}}\r\n\n\
        {\"kind\":2,\"k\":[\"a\"],\"v\":[\"half \\ud83d, whole \\ud83d\\ude00, \\\\ud83d\"]}\n\
        {\"kind\":2,\"k\":[\"a\"],\"v\":[\"byte \xff\"]}\n\
        stray words\n\
        {\"kind\":2,\"k\":[\"a\"],\"v\":[\"cut";
    let replayed = replay(log);
    let wanted = json!({"a":["half \u{fffd}, whole 😀, \\ud83d","byte \u{fffd}"]});
    assert_eq!(replayed, Replayed { state: Some(wanted), passed_over: 2 });
    for length in 0..log.len() {
        let _ = replay(&log[..length]);
    }
}

#[test]
fn one_line_for_each_request() {
    let session = json!({"sessionId":"s","requests":[{"requestId":"r1"},7,{"requestId":"r2","sessionId":"own"}]});
    assert_eq!(count(&session), 3);
    let read: Vec<Value> =
        requests(session).map(|line| serde_json::from_str(&line).unwrap()).collect();
    let wanted = [
        json!({"requestId":"r1","sessionId":"s"}),
        json!(7),
        json!({"requestId":"r2","sessionId":"own"}),
    ];
    assert_eq!(read, wanted);
    for other in [json!(null), json!({}), json!({"requests":{}}), json!([1])] {
        assert_eq!((count(&other), requests(other).count()), (0, 0));
    }
}

#[test]
fn the_answers_that_an_entry_changes() {
    let state = json!({"requests":[{},{},{}]});
    for (entry, changes) in [
        (json!({"kind":0,"v":{}}), Changes::From(0)),
        (json!({"kind":1,"k":["requests"],"v":[]}), Changes::From(0)),
        (json!({"kind":2,"k":["requests"],"v":[{}]}), Changes::From(3)),
        (json!({"kind":2,"k":["requests"],"v":[{}],"i":1}), Changes::From(1)),
        (json!({"kind":2,"k":["requests"],"v":[{}],"i":9}), Changes::From(3)),
        (json!({"kind":1,"k":["requests",1],"v":{}}), Changes::One(1)),
        (json!({"kind":2,"k":["requests",2,"response"],"v":[]}), Changes::One(2)),
        (json!({"kind":1,"k":["requests",2,"response",0,"value"],"v":""}), Changes::One(2)),
        (json!({"kind":1,"k":["requests",2,"result"],"v":{}}), Changes::None),
        (json!({"kind":3,"k":["inputState"]}), Changes::None),
        (json!({"kind":1,"k":["pendingRequests",0,"response"],"v":1}), Changes::None),
    ] {
        let came = Entry::of(entry.to_string().as_bytes()).unwrap().changes(Some(&state));
        assert_eq!(came, changes, "{entry}");
    }
}
