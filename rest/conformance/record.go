package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// Recording is the result of [Record]: the responses of a server to the requests of the cases.
type Recording struct {
	Cases     int // how many cases were recorded
	Responses int
	Failed    []string // the cases that could not be played to their end, as AREA/NAME: why
}

// Record plays the selected cases against a server whose answers are right, and
// writes the answers to dir as golden transcripts. It first installs the
// manifests of fixtures on the server; nil means none. If the options select only
// some cases, the other transcripts in dir stay.
func Record(ctx context.Context, o Options, fixtures fs.FS, dir string) (Recording, error) {
	areas, _, err := o.load()
	if err != nil {
		return Recording{}, err
	}
	c, err := newClient(o)
	if err != nil {
		return Recording{}, err
	}
	defer c.close()
	if err := c.reachable(ctx); err != nil {
		return Recording{}, err
	}
	if fixtures != nil {
		if err := c.install(ctx, fixtures); err != nil {
			return Recording{}, fmt.Errorf("fixtures: %w", err)
		}
	}
	plays, err := replayAll(ctx, c, areas, o.Jobs, func(*play) {})
	if err != nil {
		return Recording{}, err
	}
	var done Recording
	recorded := map[string]golden{}
	for _, p := range plays {
		if p.err != nil {
			done.Failed = append(done.Failed, fmt.Sprintf("%s: %v", p.id(), p.err))
			continue
		}
		area := p.area.Name
		if recorded[area] == nil {
			recorded[area] = o.startingFrom(os.DirFS(dir), area)
		}
		recorded[area][p.test.Name] = p.transcript
		done.Cases++
		done.Responses += len(p.transcript)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Recording{}, err
	}
	for area, g := range recorded {
		if err := g.save(dir, area); err != nil {
			return Recording{}, err
		}
	}
	return done, nil
}

// startingFrom returns the transcripts with which a recording of an area begins:
// none, or the old ones if the options select only some cases.
func (o Options) startingFrom(dir fs.FS, area string) golden {
	if o.partial() {
		if old, err := loadGolden(dir, area); err == nil {
			return old
		}
	}
	return golden{}
}
