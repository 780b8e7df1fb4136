#!/usr/bin/env python3
"""Measures revextract on a session whose progress records repeat a sub-agent's history again and again.

Such sessions were seen at 3.1 GB: each `agent_progress` record holds all messages of the sub-agent so far, so that one
review stands in hundreds of records. The file that is made here has LINES lines and about BYTES bytes; its sub-agents
write REVIEWS reviews. What is asked for: each review once, in bounded memory.

    cargo build --release && python3 benches/replay.py target/release/revextract

Prints the time beside that of `cat`, and the peak memory of the process. The file is removed at the end.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SESSION = "3f0c2a44-6f0e-4c1b-8a55-9f4b7c1d2e10"


def review(number, rng):
    findings = "".join(
        f'  - severity: {rng.choice(["low", "medium", "high"])}\n    category: robustness\n'
        f'    description: "Case {number}.{index}: {words(rng, 12)}"\n    location: "src/part{number}.rs:{rng.randrange(1, 900)}"\n'
        f'    recommendation: "{words(rng, 8)}"\n    scope: in-scope\n    requirement: "NFR-{index + 1}"\n'
        for index in range(rng.randrange(1, 4))
    )
    return (
        f"# Review of part {number}\n\n{words(rng, 60)}\n\n---sdlc-review-output---\nreviewer: \"Security Reviewer\"\n"
        f'phase: "Phase 4 - Implementation"\nscore: {rng.randrange(2, 7)}\nverdict: FAIL\nfindings:\n{findings}'
        f'reasoning: "Part {number} is not done. {words(rng, 10)}."\n---end-sdlc-review-output---\n'
    )


def words(rng, count):
    return " ".join(rng.choice(("frame", "route", "ledger", "token", "cache", "retry", "index", "queue", "shard")) for _ in range(count))


def record(number, kind, **keys):
    envelope = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/srv/ledger", "sessionId": SESSION,
        "version": "2.1.4", "type": kind, "uuid": f"00000000-0000-4000-8000-{number:012x}", "timestamp": "2026-10-01T00:00:00.000Z",
    }  # fmt: skip
    return json.dumps(envelope | keys, separators=(",", ":"))


def write(path, lines, size, reviews):
    """A session in which each review is given by a sub-agent whose history is repeated, and then relayed."""
    rng = random.Random(20261130)
    # A review in every `every` lines, with a run of progress records before its answer.
    every = lines // reviews
    runs = max(size // reviews - every * 600, 0)
    number = 0
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for turn in range(reviews):
            agent, call = f"a{turn:06x}", f"toolu_{turn:06d}"
            text = review(turn, rng)
            task = {"type": "tool_use", "id": call, "name": "Task", "input": {"subagent_type": "security-reviewer", "description": "Review", "prompt": words(rng, 40)}}
            out.write(record(number, "assistant", message={"id": f"msg_{number}", "role": "assistant", "content": [task]}) + "\n")
            history = [
                {"type": "assistant", "message": {"id": f"msg_{agent}_{step}", "role": "assistant", "content": [{"type": "text", "text": words(rng, 120)}]}, "uuid": f"{agent}-{step}"}
                for step in range(900)
            ]
            history.append({"type": "assistant", "message": {"id": f"msg_{agent}_end", "role": "assistant", "content": [{"type": "text", "text": text}]}, "uuid": f"{agent}-end"})
            data = {"type": "agent_progress", "agentId": agent, "prompt": "", "message": history[-1], "normalizedMessages": history}
            progress = record(number, "progress", data=data, toolUseID=call, parentToolUseID=call) + "\n"
            written = 0
            count = 2
            while written < runs and count < every - 1:
                out.write(progress)
                written += len(progress)
                count += 1
            answer = {"tool_use_id": call, "type": "tool_result", "content": [{"type": "text", "text": text}]}
            beside = {"status": "completed", "agentId": agent, "content": [{"type": "text", "text": text}], "totalToolUseCount": 3}
            out.write(record(number, "user", message={"role": "user", "content": [answer]}, toolUseResult=beside) + "\n")
            for _ in range(every - count):
                number += 1
                body = [{"type": "text", "text": words(rng, 30)}]
                out.write(record(number, "assistant", message={"id": f"msg_{number}", "role": "assistant", "content": body}) + "\n")
            number += 1


def run(command, stdout):
    """Seconds, and peak memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=stdout)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=3 << 30)
    parser.add_argument("--reviews", type=int, default=20)
    parser.add_argument("--folder", help="where the file is made", default=None)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path, output = os.path.join(folder, "session.jsonl"), os.path.join(folder, "out.ndjson")
        write(path, args.lines, args.bytes, args.reviews)
        with open(path, "rb") as file:
            lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
        print(f"{os.path.getsize(path) / 1e9:.2f} GB, {lines} lines, {args.reviews} reviews")
        seconds, _ = run(["cat", path], subprocess.DEVNULL)
        print(f"cat: {seconds:.2f} s")
        for threads in ("1", "2"):
            with open(output, "wb") as out:
                seconds, memory = run([args.program, "-j", threads, path], out)
            with open(output, encoding="utf-8") as out:
                contents = [json.loads(line)["content_id"] for line in out]
            print(f"-j{threads}: {seconds:.2f} s, peak {memory:.0f} MiB, {len(contents)} records, {len(set(contents))} different")
            if len(contents) != args.reviews or len(set(contents)) != args.reviews:
                sys.exit("each review must come out once")


if __name__ == "__main__":
    main()
