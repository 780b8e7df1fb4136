//! The reviewers that the contract names: what each may call its findings, and which score passes.

/// A reviewer.
pub struct Reviewer {
    /// The display name.
    pub name: &'static str,
    /// The least score that passes.
    pub threshold: i64,
    /// The headings of its findings, with blanks between.
    categories: &'static str,
}

impl Reviewer {
    /// Whether `category` is one of its headings.
    pub fn files_under(&self, category: &str) -> bool {
        self.categories.split_ascii_whitespace().any(|each| each == category)
    }

    /// The name without the word that all share: what it reviews.
    pub fn domain(&self) -> &'static str {
        self.name.strip_suffix(" Reviewer").unwrap_or(self.name)
    }
}

/// The reviewer with this display name, letter by letter.
pub fn named(name: &str) -> Option<&'static Reviewer> {
    REVIEWERS.iter().find(|reviewer| reviewer.name == name)
}

/// The reviewer that an agent's name (`security-reviewer`, `sdlc:code_quality_reviewer`) means.
pub fn of_agent(agent: &str) -> Option<&'static Reviewer> {
    let agent = folded(agent);
    REVIEWERS.iter().find(|reviewer| {
        let rest = agent.strip_suffix(&*folded(reviewer.name));
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    })
}

/// In lower case, with single blanks instead of whatever joins two words.
pub fn folded(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty() && *word != "and").collect::<Vec<_>>().join(" ")
}

/// The least score that passes where nothing else is said.
pub const THRESHOLD: i64 = 7;

const AZURE: &str = "sdk-abstraction repository-pattern context-manager identity bicep-avm \
                     waf-toggles resource-tags diagnostics secrets";

const UX: &str = "hardcoded-colors fixed-widths aria-labels alt-text keyboard-handlers \
                  focus-indicators enter-key color-contrast form-validation navigation-guards \
                  state-reset error-boundary empty-state";

const fn reviewer(name: &'static str, categories: &'static str) -> Reviewer {
    Reviewer { name, threshold: THRESHOLD, categories }
}

/// The nine, then the names that some trees use for two of them.
pub static REVIEWERS: &[Reviewer] = &[
    reviewer(
        "Architecture Reviewer",
        "layering dependency-direction pattern-reuse god-service cross-layer-shortcut \
         template-alignment documentation-structure",
    ),
    reviewer("Azure Compliance Reviewer", AZURE),
    reviewer(
        "Code Quality Reviewer",
        "copyright docstrings naming dead-code comments error-handling type-safety imports \
         function-size dry terminology placeholder-text debug-code",
    ),
    reviewer(
        "Deployment Readiness Reviewer",
        "error-exposure rate-limiting exception-handler timeout validation unbounded-query \
         n-plus-one pagination readme hyperlinks stale-refs debug-code dependencies logging \
         health-check correlation-ids sensitive-logs",
    ),
    reviewer(
        "LLM Behavior Reviewer",
        "system-prompt-protection content-filter prompt-injection citation grounding \
         ai-disclaimer multi-turn-context token-limits retry-logic file-type-validation \
         file-size-limits filename-sanitization encoding placeholder-text",
    ),
    Reviewer {
        threshold: 8,
        ..reviewer(
            "Security Reviewer",
            "access-control cryptographic-failures injection insecure-design \
             security-misconfiguration vulnerable-components auth-failures data-integrity \
             logging-failures ssrf secrets credentials cors security-headers cve cdn-audit \
             content-licensing xss error-opacity",
        )
    },
    reviewer(
        "Test Coverage Reviewer",
        "test-existence aaa-structure test-naming test-isolation mocking edge-cases assertions \
         coverage-threshold test-pollution integration-tests file-upload international-chars \
         error-paths empty-state playwright-a11y cross-browser keyboard-nav console-errors",
    ),
    reviewer(
        "Requirements Completeness Reviewer",
        "requirement-testability requirement-ambiguity requirement-measurability scope-coverage \
         acceptance-criteria nfr-measurability constraint-completeness requirement-traceability",
    ),
    reviewer("UX & Accessibility Reviewer", UX),
    reviewer("UX Accessibility Reviewer", UX),
    reviewer("Cloud Compliance Reviewer", AZURE),
    reviewer("AWS Compliance Reviewer", AZURE),
];
