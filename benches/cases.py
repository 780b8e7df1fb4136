#!/usr/bin/env python3
"""Compares what is read of reviews by three ways, over folders of cases with known truth.

    python3 -m venv venv && venv/bin/pip install pyyaml json_repair
    cargo build --release
    venv/bin/python benches/cases.py                        # ../shared/cases and corpus/repair
    venv/bin/python benches/cases.py -v FOLDER…             # and which cases fail how

The ways are what people do today, a regular expression for the delimiters or fences with PyYAML or json.loads on what
stands between; the same with json_repair where that fails; and revextract. A package that is not installed is said and
left out. Each way is written as carefully as a short script of that kind is: it reads only what the assistant says, of
JSONL sessions; it takes known verdicts and whole scores only, and refuses all else.

A case is a folder with one `input.*` and an `expect.json` or `truth.json`. Each way gives, for each review it finds, a
record or a refusal. One function judges all three:

  right    as many records as expected, and in each the verdict, the score, the number of findings, and the texts that
           the case names. Where the truth has no verdict for a broken review, a refusal is right.
  refused  not that, and the way says so: an error, or nothing where a review is expected
  wrong    not that, and nothing says so
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None
try:
    import json_repair
except ImportError:
    json_repair = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
BROKEN = {"malformed", "invalid", "incomplete", "missing-block"}
VERDICTS = {
    "PASS": "pass", "FAIL": "fail", "CRITICAL_FAIL": "fail", "pass": "pass", "fail": "fail", "approve": "pass",
    "reject": "fail", "escalate": "escalate", "patch is correct": "pass", "patch is incorrect": "fail",
}  # fmt: skip
# Where the contracts keep a text: the record's name for it, then the reviews' own.
FIELDS = {
    "reviewer": ["reviewer"], "phase": ["phase"], "iteration": ["iteration"], "commit_message": ["commit_message"],
    "summary": ["reasoning", "summary", "overall_explanation"], "verdict_raw": ["verdict", "overall_correctness"],
}  # fmt: skip
FINDING = {
    "message": ["description", "issue", "what-missing", "title"], "location_raw": ["location"], "category": ["category"],
    "recommendation": ["recommendation", "fix", "fix-instruction", "body"], "requirement": ["requirement"],
}  # fmt: skip
POINTER = re.compile(r"/(%s)|/findings/\d+/(%s)" % ("|".join(FIELDS), "|".join(FINDING)))

# One thing found: what was read of it, and whether the way says that it is broken.
Found = collections.namedtuple("Found", "record refused")


# --- what people do today --------------------------------------------------------------------------------------------

DELIMITED = re.compile(r"---(sdlc-review-output)---[ \t]*\n(.*?)---end-\1---", re.S)
FENCED = re.compile(r"```(?:json|ya?ml)?[ \t]*\n(.*?)```", re.S)


def said(path):
    """What the assistant says: the whole of a text, or its messages and tool inputs in JSONL."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if path.suffix != ".jsonl":
        return [text]
    records = []
    for line in text.split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    parts = []
    for record in records:
        message = record.get("message")
        if not isinstance(message, dict) or message.get("role") != "assistant":
            continue
        content = message.get("content")
        for item in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
            if item.get("type") == "text":
                parts.append(item.get("text", ""))
            elif item.get("type") == "tool_use" and "verdict" in item.get("input", {}):
                parts.append(item["input"])
    return parts or [record["result"] for record in records if isinstance(record.get("result"), str)]


def bodies(text):
    """The texts that may be reviews: between delimiters, else in fences, else all from `{` to `}`, else all."""
    found = [match.group(2) for match in DELIMITED.finditer(text)]
    found = found or [body for body in FENCED.findall(text) if re.search(r"verdict|pass|overall_correctness", body)]
    if found:
        return [re.sub(r"^```\w*\n|\n```\s*$", "", body.strip()) for body in found]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        return [text[start : end + 1]]
    return [text] if re.match(r"\s*(verdict|reviewer|summary|handover):", text) else []


def parse(body, repair):
    """The mapping that a body is; an error where it is none."""
    try:
        value = json.loads(body) if body.lstrip().startswith("{") else yaml.safe_load(body)
    except (ValueError, yaml.YAMLError, RecursionError):
        if not repair:
            raise
        value = json_repair.loads(body)
    if not isinstance(value, dict):
        raise ValueError("no mapping")
    return value


def normalised(review):
    """The record of a mapping; an error where it has no known verdict, no whole score or no list of findings."""
    verdict = next((review[key] for key in FIELDS["verdict_raw"] if key in review), None)
    if verdict is None and isinstance(review.get("pass"), bool):
        verdict = "pass" if review["pass"] else "fail"
    score = review.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int)):
        raise ValueError(f"score {score!r}")
    findings = review.get("findings", [])
    if not isinstance(findings, list):
        raise ValueError("findings are no list")
    if not isinstance(verdict, str) or verdict not in VERDICTS:
        raise ValueError(f"verdict {verdict!r}")
    record = texts(review, FIELDS) | {"verdict": VERDICTS[verdict], "score": score}
    record["findings"] = [texts(item, FINDING) if isinstance(item, dict) else {"message": str(item)} for item in findings]
    return record


def texts(mapping, names):
    def text(keys):
        return next((str(mapping[key]) for key in keys if mapping.get(key) is not None), None)

    return {name: text(keys) for name, keys in names.items()}


def by_script(case, repair):
    found = []
    for part in said(case.input):
        for body in [part] if isinstance(part, dict) else bodies(part):
            try:
                found.append(Found(normalised(body if isinstance(body, dict) else parse(body, repair)), False))
            except (ValueError, yaml.YAMLError, RecursionError):
                found.append(Found(None, True))
    return found


# --- revextract ------------------------------------------------------------------------------------------------------


def by_revextract(case, program):
    command = [program, *case.args, case.input.name]
    run = subprocess.run(command, cwd=case.input.parent, capture_output=True, timeout=60, check=True)
    records = [json.loads(line) for line in run.stdout.decode().split("\n") if line]
    return [Found(record, record["status"] in BROKEN) for record in records if record["type"] == "review"]


# --- cases and how they are judged -----------------------------------------------------------------------------------


class Case:
    """A folder with its input and its truth."""

    def __init__(self, folder, truth):
        self.name = folder.name if folder.parent.parent.name != "repair" else f"{folder.parent.name}/{folder.name}"
        self.input = next(path for path in sorted(folder.iterdir()) if path.name.startswith("input"))
        truth = json.loads(truth.read_text(encoding="utf-8"))
        self.args, self.expected = truth.get("args", []), truth.get("records", [])


def cases(folder):
    """The cases below a folder whose input is one file."""
    for name in ("expect.json", "truth.json"):
        for truth in sorted(folder.rglob(name)):
            case = Case(truth.parent, truth)
            if case.input.is_file():
                yield case


def at(record, pointer):
    for step in pointer.split("/")[1:]:
        if isinstance(record, list):
            record = record[int(step)] if int(step) < len(record) else None
        else:
            record = record.get(step) if isinstance(record, dict) else None
    return record


def is_one_of(value, allowed):
    """Whether a value is the one expected, or one of those; blanks around a text, and its type, do not count."""
    allowed = allowed if isinstance(allowed, list) else [allowed]
    return any(plain(value) == plain(option) for option in allowed)


def plain(value):
    return None if value is None else str(value).strip()


def fits(want, found):
    verdict = want.get("verdict", "") if "verdict" in want else None
    may_refuse = verdict is None or (isinstance(verdict, list) and None in verdict)
    statuses = want.get("status")
    if found.refused and may_refuse and BROKEN & set(statuses if isinstance(statuses, list) else [statuses]):
        return True
    record = found.record
    if record is None:
        return False
    asked = [(f"/{key}", want[key]) for key in ("verdict", "score") if key in want]
    asked += [("/reviewer", want["reviewer"])] if "reviewer" in want else []
    asked += [*want.get("fields", {}).items(), *want.get("fields_any", {}).items()]
    known = (pair for pair in asked if pair[0] in ("/verdict", "/score") or POINTER.fullmatch(pair[0]))
    return (
        all(is_one_of(at(record, pointer), value) for pointer, value in known)
        and ("findings" not in want or is_one_of(len(record.get("findings") or []), want["findings"]))
        and ("verdict_not" not in want or record["verdict"] != want["verdict_not"])
    )


def judge(case, found):
    wanted = [want for want in case.expected if not want.get("optional")]
    options = [case.expected, wanted]
    if any(len(option) == len(found) and all(map(fits, option, found)) for option in options):
        return "right"
    return "refused" if any(each.refused for each in found) or (wanted and not found) else "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*", type=pathlib.Path)
    parser.add_argument("--program", default=str(ROOT / "target/release/revextract"), help="revextract itself")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that are not right")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    ways = {}
    if yaml:
        ways["a regular expression, PyYAML or `json.loads`"] = lambda case: by_script(case, repair=False)
        if json_repair:
            ways["the same, and json_repair where that fails"] = lambda case: by_script(case, repair=True)
    for name, module in (("pyyaml", yaml), ("json_repair", json_repair)):
        if module is None:
            print(f"{name} is not installed: left out (pip install {name})", file=sys.stderr)
    ways["`revextract`"] = lambda case: by_revextract(case, program)

    folders = options.folders or [ROOT / "../shared/cases", ROOT / "corpus/repair"]
    for folder in folders:
        all_cases = list(cases(folder)) if folder.is_dir() else []
        if not all_cases:
            print(f"{folder}: no cases", file=sys.stderr)
            continue
        print(f"\n{folder.resolve().name}: {len(all_cases)} cases\n")
        print("| read by | right | refused | silently wrong |\n|---|--:|--:|--:|")
        details = []
        for name, way in ways.items():
            results = [(judge(case, way(case)), case) for case in all_cases]
            counts = collections.Counter(result for result, _ in results)
            print(f"| {name} | {counts['right']} | {counts['refused']} | {counts['wrong']} |", flush=True)
            details += [f"{name}: {result}: {case.name}" for result, case in results if result != "right"]
        if options.verbose:
            print("\n" + "\n".join(details))


if __name__ == "__main__":
    main()
