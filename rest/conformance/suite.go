package conformance

import (
	"context"
	"errors"
)

// Run replays the selected cases against a server and compares its answers with the
// golden transcripts. A failed case is a [Result], not an error. Run returns an
// error for invalid options, unreadable files, a server that does not answer, and a
// context that ended. Before the first case it asks for the collections of the kinds
// that the cases need, and returns a [MissingKindsError] if the server lacks some. It
// deletes the objects and namespaces that a case has created when the case ends.
func Run(ctx context.Context, o Options) (Report, error) {
	areas, available, err := o.load()
	if err != nil {
		return Report{}, err
	}
	recorded := map[string]golden{}
	for _, a := range areas {
		if recorded[a.Name], err = o.golden(a.Name); err != nil {
			return Report{}, err
		}
	}
	c, err := newClient(o)
	if err != nil {
		return Report{}, err
	}
	defer c.close()
	if err := c.reachable(ctx); err != nil {
		return Report{}, err
	}

	areas, skipped, err := c.serves(ctx, areas, o.SkipMissing)
	if err != nil {
		return Report{}, err
	}

	report := Report{StrictMessages: o.StrictMessages, Known: o.Known, Skipped: skipped, available: available}
	results := map[string]Result{}
	runs, err := replayAll(ctx, c, areas, o.Jobs, func(p *play) {
		r := o.judge(p, recorded[p.area.Name])
		results[r.ID()] = r
		if o.Observe != nil {
			o.Observe(r)
		}
	})
	if err != nil {
		return Report{}, err
	}
	for _, p := range runs {
		report.Results = append(report.Results, results[p.id()])
	}
	return report, nil
}

// judge compares one played case with its golden transcript.
func (o Options) judge(p *play, recorded golden) Result {
	r := Result{
		Area: p.area.Name, Case: p.test.Name, Doc: p.test.Doc, Level: p.test.Level, Tags: p.test.Tags, Rules: p.test.Rules,
		Outcome: Pass, Millis: p.took.Milliseconds(),
	}
	want, found := recorded[p.test.Name]
	switch {
	case p.err != nil:
		r.fail(p.err)
	case !found:
		r.fail(errors.New("no golden transcript for this case"))
	default:
		r.compare(p.test, want, p.transcript)
	}
	why, listed := o.Known.why(r.ID())
	failed := r.Outcome == Fail || r.Outcome == Message && o.StrictMessages
	switch {
	case failed && listed:
		r.Verdict, r.Known = KnownFailure, why
	case failed:
		r.Verdict = Failed
	case listed:
		r.Verdict, r.Known = Stale, why
	default:
		r.Verdict = Passed
	}
	return r
}
