package conformance

import (
	"fmt"
	"io"
	"strings"
)

// Text describes the result for a person. It is empty for a case that passed or
// failed as listed; otherwise it holds the rule and the first difference that
// counts. Verbose includes every case and every difference, and adds both answers
// of the first step that differs.
func (r Result) Text(verbose bool) string {
	if r.Verdict == KnownFailure && !verbose {
		return ""
	}
	var b strings.Builder
	r.headline(&b, verbose)
	if r.Error != "" {
		return b.String()
	}
	show := r.Differences
	if hard := r.hard(); len(hard) > 0 && !verbose {
		show = hard
	}
	for i, d := range show {
		if i > 0 && !verbose {
			break
		}
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if n := len(r.Differences); n > 1 && !verbose {
		fmt.Fprintf(&b, "    (%d differences in this case, -v shows all)\n", n)
	}
	if verbose && r.want != nil && r.got != nil {
		fmt.Fprintf(&b, "    golden response: %s\n    actual response: %s\n", cut(jsonText(r.want), 3000),
			cut(jsonText(r.got), 3000))
	}
	return b.String()
}

func (r Result) headline(b *strings.Builder, verbose bool) {
	says := r.Doc
	if r.Error != "" {
		says = r.Error
	}
	switch {
	case r.Verdict == KnownFailure:
		fmt.Fprintf(b, "KNOWN %s: %s\n  listed: %s\n", r.ID(), says, r.Known)
	case r.Verdict == Stale:
		fmt.Fprintf(b, "STALE %s passes; take it off the list\n  listed: %s\n", r.ID(), r.Known)
	case r.Outcome == Fail:
		fmt.Fprintf(b, "FAIL %s: %s\n", r.ID(), says)
	case r.Outcome == Message:
		fmt.Fprintf(b, "MSG  %s: %s\n", r.ID(), says)
	case verbose:
		fmt.Fprintf(b, "ok   %s\n", r.ID())
	}
}

// WriteTable writes the counts of each area and the totals, and what they mean.
func (r Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	listed := !r.Known.empty()
	row := func(c Counts) {
		fmt.Fprintf(&b, "%-20s %6d %6d %16d %6d", c.Area, c.Cases, c.Pass, c.Message, c.Fail)
		if listed {
			fmt.Fprintf(&b, " %14d %14d", c.Known, c.Stale)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n%-20s %6s %6s %16s %6s", "area", "cases", "pass", "message differs", "fail")
	if listed {
		fmt.Fprintf(&b, " %14s %14s", "listed, fails", "listed, passes")
	}
	b.WriteString("\n")
	for _, c := range r.ByArea() {
		row(c)
	}
	total := r.Total()
	row(total)
	b.WriteString("\n")
	if total.Message > 0 {
		how := "counted as passed; --strict-messages counts them as failed"
		if r.StrictMessages {
			how = "counted as failed"
		}
		fmt.Fprintf(&b, "%d cases differ in message texts only (%s)\n", total.Message, how)
	}
	if listed {
		fmt.Fprintf(&b, "%d cases fail as the list says, %d listed cases pass (counted as failed)\n", total.Known,
			total.Stale)
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&b, "%d cases need kinds that the server does not serve, and did not run\n", r.Skipped)
	}
	r.broken(&b)
	r.levels(&b)
	fmt.Fprintf(&b, "%d passed, %d failed\n", total.Passed, total.Failed)
	_, err := io.WriteString(w, b.String())
	return err
}

// broken names the rules that no case found kept. One broken rule can fail many cases, so these are where to start.
func (r Report) broken(b *strings.Builder) {
	for _, c := range r.ByRule() {
		if c.Fail == c.Cases {
			fmt.Fprintf(b, "rule %-22s %d of %d cases failed\n", c.Area, c.Fail, c.Cases)
		}
	}
}

// levels writes what the run says about each level, if the case files state levels.
func (r Report) levels(b *strings.Builder) {
	stated := false
	for _, c := range r.ByLevel() {
		if c.Cases == 0 {
			continue
		}
		stated = true
		fmt.Fprintf(b, "level %-12s %d of %d cases passed", c.Area, c.Passed, c.Cases)
		if c.Known > 0 {
			fmt.Fprintf(b, ", %d fail as listed", c.Known)
		}
		if left := r.available[Level(c.Area)] - c.Cases; left > 0 {
			fmt.Fprintf(b, ", %d did not run", left)
		}
		b.WriteString("\n")
	}
	if claim := r.Claim(); claim != "" {
		fmt.Fprintf(b, "the server can claim the level %s\n\n", claim)
	} else if stated {
		b.WriteString("the server can claim no level\n\n")
	}
}

// cut shortens a text to n bytes.
func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}
