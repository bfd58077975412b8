package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Outcome is the result of comparing a case with its golden transcript.
type Outcome string

// The outcomes of a case.
const (
	Pass    Outcome = "pass"
	Message Outcome = "message" // the texts for people differ, and nothing else
	Fail    Outcome = "fail"
)

// Verdict is what an outcome means for the run, given the list of known failures.
type Verdict string

// The verdicts on a case.
const (
	Passed       Verdict = "passed"
	Failed       Verdict = "failed"
	KnownFailure Verdict = "known" // the case fails, as listed
	Stale        Verdict = "stale" // the case is listed but passes: take it off the list
)

// OK reports whether the run may pass with this verdict.
func (v Verdict) OK() bool { return v == Passed || v == KnownFailure }

// Result is the result of one case, with its rules and its differences.
type Result struct {
	Area        string       `json:"area"`
	Case        string       `json:"case"`
	Doc         string       `json:"doc,omitempty"` // the rule
	Level       Level        `json:"level,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Rules       []string     `json:"rules,omitempty"`
	Outcome     Outcome      `json:"result"`
	Verdict     Verdict      `json:"verdict"`
	Known       string       `json:"known,omitempty"` // why the case is listed
	Error       string       `json:"error,omitempty"` // why the case could not be run to its end
	Differences []Difference `json:"diffs,omitempty"`
	Millis      int64        `json:"millis"`

	// The answers to the first step with a difference that counts.
	want, got map[string]any
}

// ID returns the case's name in lists, AREA/NAME.
func (r Result) ID() string { return r.Area + "/" + r.Case }

// hard returns the differences beyond texts for people.
func (r Result) hard() []Difference {
	return slices.DeleteFunc(slices.Clone(r.Differences), func(d Difference) bool { return d.Message })
}

func (r *Result) fail(err error) { r.Outcome, r.Error = Fail, err.Error() }

func (r *Result) compare(c *Case, want, got transcript) {
	r.Differences = compareTranscripts(c, want, got)
	hard := r.hard()
	switch {
	case len(hard) > 0:
		r.Outcome = Fail
		if i := hard[0].Step - 1; i < len(want) && i < len(got) {
			r.want, r.got = want[i], got[i]
		}
	case len(r.Differences) > 0:
		r.Outcome = Message
	}
}

// Report is the outcome of a run: a result for each case, and counts.
type Report struct {
	Results        []Result // sorted as in the case files
	StrictMessages bool     // see Options
	Known          Known    // see Options
	Skipped        int      // cases that need a kind which the server does not serve

	available map[Level]int // how many cases of each level there are
}

// OK reports whether the run passed: no unlisted case failed, and no listed case
// passed.
func (r Report) OK() bool {
	return !slices.ContainsFunc(r.Results, func(x Result) bool { return !x.Verdict.OK() })
}

// Counts are the numbers of cases with each outcome and verdict.
type Counts struct {
	Area                string
	Cases               int
	Pass, Message, Fail int // numbers of cases with each outcome
	Passed, Failed      int // numbers of cases with each verdict; Failed includes the stale
	Known, Stale        int // numbers of cases with each verdict
}

func (c *Counts) add(r Result) {
	c.Cases++
	switch r.Outcome {
	case Pass:
		c.Pass++
	case Message:
		c.Message++
	case Fail:
		c.Fail++
	}
	switch r.Verdict {
	case Passed:
		c.Passed++
	case KnownFailure:
		c.Known++
	case Stale:
		c.Stale++
		c.Failed++
	case Failed:
		c.Failed++
	}
}

// Total counts the cases of the report by their outcomes.
func (r Report) Total() Counts {
	total := Counts{Area: "total"}
	for _, x := range r.Results {
		total.add(x)
	}
	return total
}

// ByArea counts the cases of each area, in the order of the areas' names.
func (r Report) ByArea() []Counts {
	var areas []Counts
	for _, x := range r.Results {
		i, found := slices.BinarySearchFunc(areas, x.Area,
			func(c Counts, name string) int { return strings.Compare(c.Area, name) })
		if !found {
			areas = slices.Insert(areas, i, Counts{Area: x.Area})
		}
		areas[i].add(x)
	}
	return areas
}

// ByRule counts the cases that depend on each rule of README.md, in the order of the names. The rule is in Area.
func (r Report) ByRule() []Counts {
	rules := map[string]*Counts{}
	for _, x := range r.Results {
		for _, name := range x.Rules {
			if rules[name] == nil {
				rules[name] = &Counts{Area: name}
			}
			rules[name].add(x)
		}
	}
	var counts []Counts
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		counts = append(counts, *rules[name])
	}
	return counts
}

// levelSummary is a level in the JSON form of a report.
type levelSummary struct {
	Level     Level `json:"level"`
	Available int   `json:"available"` // the cases of the level in the suite
	Cases     int   `json:"cases"`     // those that ran
	Passed    int   `json:"passed"`
	Known     int   `json:"known"`
	Failed    int   `json:"failed"`
}

// ruleSummary is a rule in the JSON form of a report.
type ruleSummary struct {
	Rule   string `json:"rule"`
	Cases  int    `json:"cases"` // those that depend on the rule and ran
	Passed int    `json:"passed"`
	Known  int    `json:"known"`
	Failed int    `json:"failed"`
}

// MarshalJSON writes the numbers of passed and failed cases, the level that the server
// can claim, the counts of each level and of each rule, and all results.
func (r Report) MarshalJSON() ([]byte, error) {
	total := r.Total()
	var levels []levelSummary
	for _, c := range r.ByLevel() {
		level := Level(c.Area)
		levels = append(levels, levelSummary{level, r.available[level], c.Cases, c.Passed, c.Known, c.Failed})
	}
	var rules []ruleSummary
	for _, c := range r.ByRule() {
		rules = append(rules, ruleSummary{c.Area, c.Cases, c.Passed, c.Known, c.Failed})
	}
	return json.Marshal(struct {
		Passed  int            `json:"passed"`
		Failed  int            `json:"failed"`
		Skipped int            `json:"skipped"`
		Claim   Level          `json:"claim"`
		Levels  []levelSummary `json:"levels"`
		Rules   []ruleSummary  `json:"rules,omitempty"`
		Cases   []Result       `json:"cases"`
	}{total.Passed, total.Failed, r.Skipped, r.Claim(), levels, rules, r.Results})
}
