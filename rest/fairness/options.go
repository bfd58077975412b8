package fairness

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/access"
)

// Options configure a [Limiter]. The zero value shares the seats equally among the users.
type Options struct {
	// Seats is how many requests that cost one seat the API works on at once. If requests mostly use the processor, twice
	// GOMAXPROCS lets a user with few requests notice least of the others. A request has its seats while it waits for a
	// disk, a database or a hook of the host, so these need more. Default: 600, as in kube-apiserver.
	Seats int
	// MaxWait is how long a request waits for its seats before it is refused. Default: 15 seconds.
	MaxWait time.Duration
	// Levels divide the seats. Default: [DefaultLevel] alone.
	Levels []Level
	// Flows assign requests to levels: the first that matches decides. Two flows follow unless the list has flows of their
	// names, as every cluster of Kubernetes has them. The flow exempt matches members of system:masters, at an exempt
	// level. The flow catch-all comes last and matches everything: requests are flows of their users at the last level
	// that is not exempt. A host that declares one of the two chooses its level, its UID and its Distinguisher, and for
	// exempt also its rules.
	Flows []Flow
	// Objects makes users configure levels and flows by the PriorityLevelConfigurations and FlowSchemas of the API. It
	// declares both kinds (see package flowcontrol), unless the host does. Until [rest.API.Start], only the mandatory ones
	// of these objects count. Levels and Flows must be empty.
	Objects bool
	// Logger receives an error if the objects cannot be read or written. Default: slog's default logger.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Level is a kind of requests with seats of its own: a PriorityLevelConfiguration of Kubernetes.
type Level struct {
	// Name is required, and unique.
	Name string
	// UID is the value of the header X-Kubernetes-PF-PriorityLevel-UID of answers. Default: no header.
	UID string
	// Exempt levels have no limit. Their other fields are zero.
	Exempt bool
	// Shares is the part of the seats that the level gets, in proportion to those of the other levels. At least 1.
	Shares int
	// LendablePercent is the part of its seats that other levels may use while the level does not need them. 0 to 100.
	LendablePercent int
	// BorrowingPercent bounds how many seats of others the level may use, in percent of its own. 0 means none.
	BorrowingPercent int
	// Queues is how many queues the level has. Zero means that requests which find no seat are refused at once. A request
	// of a flow waits in one of HandSize queues, chosen by shuffle sharding, so a flow that fills its queues leaves others
	// to most other flows. QueueLength is how many requests wait in one queue.
	Queues, HandSize, QueueLength int

	borrowsAll bool // whatever BorrowingPercent says, nothing bounds how many seats of others the level may use
}

// DefaultLevel returns the level of an API that has no other: 128 queues with 50 requests each, 6 of them for one flow.
func DefaultLevel() Level {
	return Level{Name: "global-default", Shares: 1, Queues: 128, HandSize: 6, QueueLength: 50}
}

// Distinguisher says which requests that match a [Flow] share a flow, and so a share of the seats.
type Distinguisher int

// The distinguishers. By default all requests that match are one flow.
const (
	ByNothing Distinguisher = iota
	ByUser
	ByNamespace
)

// Flow assigns requests to a level: a FlowSchema of Kubernetes.
type Flow struct {
	// Name is required, and unique.
	Name string
	// UID is the value of the header X-Kubernetes-PF-FlowSchema-UID of answers. Default: no header.
	UID string
	// Level is the name of a level.
	Level string
	// By tells the flows apart that share the level.
	By Distinguisher
	// Users and Groups select by the user of the request, who is one of Users or in one of Groups. Both empty select all
	// users.
	Users, Groups []string
	// Verbs, Resources and Namespaces select by the access. Resources are plurals with their groups, such as
	// "widgets.example.com". An empty list selects everything.
	Verbs, Resources, Namespaces []string
	// Match selects by anything else, if it is set. It must be fast, and safe for use by many goroutines.
	Match func(access.Access) bool

	schema *flowSchema // selects, in the place of all that, if it is set
}

// matches reports whether an access belongs to the flow.
func (f *Flow) matches(a *access.Access) bool {
	if f.schema != nil {
		return f.schema.Matches(a)
	}
	if len(f.Users)+len(f.Groups) > 0 && !slices.Contains(f.Users, a.User.Name) &&
		!slices.ContainsFunc(a.User.Groups, func(g string) bool { return slices.Contains(f.Groups, g) }) {
		return false
	}
	return selects(f.Verbs, string(a.Verb)) && selects(f.Namespaces, a.Namespace) && f.selectsResource(a) &&
		(f.Match == nil || f.Match(*a))
}

func selects(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }

func (f *Flow) selectsResource(a *access.Access) bool {
	return len(f.Resources) == 0 || slices.ContainsFunc(f.Resources, func(name string) bool {
		n := len(a.Resource)
		if a.Group == "" {
			return name == a.Resource
		}
		return len(name) == n+1+len(a.Group) && name[:n] == a.Resource && name[n] == '.' && name[n+1:] == a.Group
	})
}

const (
	defaultSeats   = 600
	defaultMaxWait = 15 * time.Second

	// maxHandBits is how many bits of a hash the choice of a hand may need.
	maxHandBits  = 60
	exemptName   = "exempt"
	catchAllName = "catch-all"
	mastersGroup = "system:masters"
)

// withDefaults fills in the defaults and checks the options.
func (o Options) withDefaults() (Options, error) {
	if o.Seats < 0 || o.MaxWait < 0 {
		return o, errors.New("Seats and MaxWait must not be negative")
	}
	o.Seats, o.MaxWait = cmp.Or(o.Seats, defaultSeats), cmp.Or(o.MaxWait, defaultMaxWait)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = errorlog.Or(o.Logger)
	if o.Objects {
		if len(o.Levels)+len(o.Flows) > 0 {
			return o, errors.New("Levels and Flows must be empty, because Objects says that the objects of the API take their places")
		}
		return o, nil
	}
	o.Levels, o.Flows = slices.Clone(o.Levels), slices.Clone(o.Flows)
	if len(o.Levels) == 0 {
		o.Levels = []Level{DefaultLevel()}
	}
	levels := map[string]Level{}
	last := ""
	for i, l := range o.Levels {
		if err := l.check(); err != nil {
			return o, fmt.Errorf("Levels[%d] %q: %w", i, l.Name, err)
		}
		if _, taken := levels[l.Name]; taken {
			return o, fmt.Errorf("Levels[%d]: an earlier level has the name %q", i, l.Name)
		}
		if levels[l.Name] = l; !l.Exempt {
			last = l.Name
		}
	}
	if last == "" {
		return o, errors.New("Levels: all levels are exempt, so nothing would be limited")
	}
	if _, ok := levels[exemptName]; !ok {
		l := Level{Name: exemptName, Exempt: true}
		o.Levels, levels[exemptName] = append(o.Levels, l), l
	}
	flows := map[string]bool{}
	for i, f := range o.Flows {
		if flows[f.Name] {
			return o, fmt.Errorf("Flows[%d]: an earlier flow has the name %q", i, f.Name)
		}
		if err := f.check(levels); err != nil {
			return o, fmt.Errorf("Flows[%d] %q: %w", i, f.Name, err)
		}
		if f.Name == catchAllName && i < len(o.Flows)-1 {
			return o, fmt.Errorf("Flows[%d] %q: a flow of this name must be the last", i, f.Name)
		}
		flows[f.Name] = true
	}
	if !flows[exemptName] {
		// Before a catch-all of the host, which matches everything.
		at := len(o.Flows)
		if flows[catchAllName] {
			at--
		}
		o.Flows = slices.Insert(o.Flows, at, Flow{Name: exemptName, Level: exemptName, Groups: []string{mastersGroup}})
	}
	if !flows[catchAllName] {
		o.Flows = append(o.Flows, Flow{Name: catchAllName, Level: last, By: ByUser})
	}
	return o, nil
}

// check returns an error if the flow is invalid beside the levels.
func (f *Flow) check(levels map[string]Level) error {
	level, ok := levels[f.Level]
	selective := f.Match != nil || len(f.Users)+len(f.Groups)+len(f.Verbs)+len(f.Resources)+len(f.Namespaces) > 0
	switch {
	case f.Name == "":
		return errors.New("Name is empty")
	case !ok:
		return fmt.Errorf("unknown level %q", f.Level)
	case f.By < ByNothing || f.By > ByNamespace:
		return fmt.Errorf("unknown Distinguisher %d", f.By)
	case f.Name == exemptName && !level.Exempt:
		return fmt.Errorf("the level of a flow of this name must be exempt, and %q is not", f.Level)
	case f.Name == catchAllName && selective:
		return errors.New("a flow of this name must match all requests")
	}
	return nil
}

// check returns an error if the level is invalid.
func (l *Level) check() error {
	percent := func(p int) bool { return p >= 0 && p <= 100 }
	switch {
	case l.Name == "":
		return errors.New("Name is empty")
	case l.Name == exemptName && !l.Exempt:
		return errors.New("a level of this name must be exempt")
	case l.Exempt && *l != Level{Name: l.Name, UID: l.UID, Exempt: true}:
		return errors.New("an exempt level has no limits, so its other fields must be zero")
	case l.Exempt:
		return nil
	case l.Shares < 1:
		return errors.New("Shares must be at least 1")
	case !percent(l.LendablePercent):
		return errors.New("LendablePercent must be between 0 and 100")
	case l.BorrowingPercent < 0:
		return errors.New("BorrowingPercent must not be negative")
	case l.Queues == 0 && l.HandSize == 0 && l.QueueLength == 0:
		return nil
	case l.Queues < 1 || l.QueueLength < 1:
		return errors.New("Queues and QueueLength must be positive, or zero together with HandSize")
	case l.HandSize < 1 || l.HandSize > l.Queues:
		return errors.New("HandSize must be between 1 and Queues")
	}
	bits := 0.0
	for i := range l.HandSize {
		bits += math.Log2(float64(l.Queues - i))
	}
	if bits > maxHandBits {
		return fmt.Errorf("too many hands: %d of %d queues need %.0f bits of a hash, and there are %d", l.HandSize, l.Queues,
			bits, maxHandBits)
	}
	return nil
}
