package write

import (
	"context"
	"slices"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

// attempt is the state of one attempt to write against one snapshot of the object. It has the object at three places:
// as found, as it changes, and as it will be. If another write commits first, run drops the attempt and starts a new
// one.
type attempt struct {
	before found
	draft  draft
	after  outcome
	review *underReview // set from mutate to admit; nil if no hook sees the write
	result Result
	done   bool // the remaining steps are skipped
}

// found is the object as the write found it.
type found struct {
	// record is the stored object, from the start. It is nil on create, and if the client does not see the object.
	record *storage.Record
	// The forms are valid after read. They are absent on create. A deletion has only the stored form.
	forms
	json []byte // shown as JSON, after read; a deletion has none
	// view is what the client changes, after ask: what the subresource shows of the object, or the object itself.
	view doc.Value
}

// draft is the object as it changes, in the version of the request. A deletion has none.
type draft struct {
	defaulted
	translated bool // the subresource computed now, so the problems of the body do not concern it
	// nameGenerated and versioned are valid after restore: the server generated the name, and the client set a
	// resourceVersion on a new object.
	nameGenerated, versioned bool
	// owners are the managedFields that the client sent or that an apply computed, after setAside.
	owners doc.Value
	// sent is the object without any default, after setAside. The Default hook may not change its values.
	sent doc.Value
	// asked is the object with its defaults and without the changes of hooks, after setDefaults. In some dialects,
	// managedFields record this form.
	asked doc.Value
	// base is the last pair of shown and stored forms that match, after setAside. The step convert merges into its
	// stored form.
	base forms
}

// defaulted is an object as defaulting leaves it.
type defaulted struct {
	// now is the object with the changes of all steps so far, after ask. Through a subresource with its own kind, it is
	// the client's view until translate. It has no managedFields after setAside.
	now doc.Value
	// wanted is the object without the zeros that only Go's encoding added, after setDefaults. The step validate looks
	// at this one.
	wanted doc.Value
	typed  any // the object in its Go type, after setDefaults; nil if no hook needs it
}

// outcome is the object as it will be.
type outcome struct {
	// The forms are the object with its managedFields: shown after own, stored after convert. A deletion has only the
	// stored form, after mark or compare.
	forms
	json []byte // stored for the store, after encode; nil removes the object
	// response is shown with the resourceVersion of the answer still missing, after encode. It is absent if the client
	// gets the stored form.
	response doc.Value
}

// operations is a set of kinds of write.
type operations int

const (
	onCreate operations = 1 << iota
	onUpdate            // an update, a patch or an apply, of the object or through a subresource
	onDelete

	onWrite = onCreate | onUpdate
)

// values is a set of values of an attempt. A test compares what a step says it reads and sets with its code.
type values int

const (
	record      values = 1 << iota // before.record
	shownBefore                    // before.shown and before.json
	storedBefore
	view
	now
	wanted
	typed
	translated
	nameGenerated
	versioned
	owners
	sent
	asked
	base
	review
	shownAfter
	storedAfter
	encoded // after.json
	response
	none values = 0

	formsBefore = shownBefore | storedBefore
	formsAfter  = shownAfter | storedAfter
	inDefaults  = now | wanted | typed
)

// step is one step of a write. The docs show name and about. The method of a step is called like the step.
type step struct {
	declaredStep
	number int // the index of its name in [StepNames]
}

type declaredStep struct {
	name, about string
	on          operations
	reads, sets values
	do          func(*Write, context.Context) error
}

// order is the order of a write.
type order struct {
	// body lists the steps that need only the body. A write takes them before it asks the store, or in the step decode.
	body []step
	// main lists the steps against the stored object, and the kinds of write that take each.
	main []step
	// stored lists the steps that convert repeats in the stored version, if the request used another version.
	stored []step
}

// StepNames are the names of the steps in their order, those of a body first.
var StepNames = namesOf(newOrder())

// StepTimes are the times of the steps of writes, by the names of the steps.
type StepTimes steps.Times

// Each implements [observe.StepTimes].
func (t *StepTimes) Each(f func(step string, took time.Duration)) {
	(*steps.Times)(t).Each(func(step int, took time.Duration) { f(StepNames[step], took) })
}

func namesOf(o order) (names []string) {
	for _, s := range slices.Concat(o.body, o.main) {
		names = append(names, s.name)
	}
	return names
}

// newOrder returns the order of every write. It is a function, because decode and convert take steps, and Go would see
// a cycle in the initializer of a variable.
func newOrder() (o order) {
	numbers := map[string]int{}
	number := func(list ...declaredStep) (numbered []step) {
		for _, s := range list {
			if _, known := numbers[s.name]; !known {
				numbers[s.name] = len(numbers)
			}
			numbered = append(numbered, step{s, numbers[s.name]})
		}
		return numbered
	}
	setDefaults := declaredStep{"set defaults",
		"Missing fields are defaulted by the schema, types are checked, and the hooks Default and Canonicalize run. In the " +
			"built-in dialect the object passes through its Go type.",
		onWrite, record | shownBefore | translated | sent | now, inDefaults | asked, (*Write).setDefaults}
	prepare := declaredStep{"prepare",
		"The rules of the kind and the Prepare hook change the object, which is then defaulted again.",
		onWrite, record | shownBefore | translated | sent | inDefaults, inDefaults, (*Write).prepare}
	validate := declaredStep{"validate",
		"The object is checked by the rules of metadata, the schema, Rules and the Validate hook. " +
			"A deletion is checked by the ValidateDelete hook.",
		onWrite | onDelete, record | shownBefore | inDefaults | shownAfter, none, (*Write).validate}

	o.body = number([]declaredStep{
		// prune.go
		{"prune", "Unknown fields are pruned and reported. The values in metadata must have the right types. In the built-in dialect, all " +
			"values must.",
			onWrite, now | translated, now, (*Write).prune},
		// decode.go
		{"identify", "The name and the namespace must be those of the URL.",
			onWrite, now, none, (*Write).identify},
	}...)
	o.main = number([]declaredStep{
		// find.go
		{"find", "The object must exist. A deletion names it, and may name its uid and resourceVersion.",
			onUpdate | onDelete, record, none, (*Write).find},
		{"read", "The stored object is decoded and, except for a deletion, converted to the version of the request.",
			onUpdate | onDelete, record, formsBefore, (*Write).read},
		// ask.go
		{"ask", "The server computes the object that the client wants: the body, the patched object, or the object with the applied " +
			"configuration. Through a subresource with its own kind, the client changes the view.",
			onWrite, shownBefore, view | now, (*Write).ask},
		{"translate", "The view that the client wants is checked and admitted, and the subresource turns it into a change of the object.",
			onUpdate, record | formsBefore | view | now, now | translated, (*Write).translate},
		// decode.go
		{"decode", "An object that the server has computed takes the steps of a body. The body of a POST or a PUT has taken them before.",
			onWrite, now | translated, now, (*Write).decode},
		// restore.go
		{"precondition", "The resourceVersion and uid, if given, must match the old object. The definition of the kind, if it has one, and " +
			"the namespace of a new object must exist and must not be terminating.",
			onWrite, record | shownBefore | now, none, (*Write).precondition},
		{"restore", "Fields that the write may not change are restored from the old object: system metadata, and the status or everything " +
			"but the status. A new object gets its uid and other system metadata.",
			onWrite, record | shownBefore | now, now | nameGenerated | versioned, (*Write).restore},
		{"compare", "A write that changes nothing is validated and ends here, unless an admission hook sees it, or it gives the count of /scale an entry of " +
			"its own in managedFields. A repeated deletion ends here, unless it shortens the grace period or only finalizers hold the object.",
			onUpdate | onDelete, record | formsBefore | now, storedAfter | encoded, (*Write).compare},
		{"set aside", "The managedFields are taken out of the object. The step own puts them back.",
			onWrite, formsBefore | now, now | owners | sent | base, (*Write).setAside},
		// default.go
		setDefaults,
		// admission.go
		{"mutate", "Admission hooks change the object, which is then defaulted again.",
			onWrite, record | formsBefore | translated | sent | inDefaults, inDefaults | base | review, (*Write).mutate},
		// default.go
		prepare,
		// own.go
		{"own", "managedFields record who owns which fields after this write.",
			onWrite, shownBefore | now | owners | asked, shownAfter, (*Write).own},
		// validate.go
		validate,
		// storedversion.go
		{"convert", "The object is converted to the stored version. There it takes the steps that are marked in the column for the stored " +
			"version.",
			onWrite, formsBefore | owners | base | shownAfter, formsAfter, (*Write).convert},
		{"count", "The generation rises if the write changed anything outside of metadata and status.",
			onWrite, formsBefore | now | formsAfter, formsAfter, (*Write).count},
		// encode.go
		{"confine", "If the rights of the user are restricted to some of the objects, the object must be one of them.",
			onWrite, formsAfter, none, (*Write).confine},
		// admission.go
		{"admit", "Admission hooks validate the object as it would be stored.",
			onWrite | onDelete, storedBefore | review | formsAfter, none, (*Write).admit},
		// encode.go
		{"answer", "The hook of a virtual kind answers, and nothing is stored.",
			onCreate, shownAfter | typed, none, (*Write).answer},
		// deletion.go
		{"mark", "The object gets its deletionTimestamp, its grace period and the finalizer of the propagation policy.",
			onDelete, storedBefore, storedAfter, (*Write).mark},
		// encode.go
		{"encode", "The object is encoded for the store. If it is being deleted and nothing holds it, the store removes it.",
			onWrite | onDelete, record | storedBefore | versioned | formsAfter, storedAfter | encoded | response,
			(*Write).encode},
	}...)
	o.stored = number(setDefaults, prepare, validate)
	return o
}

// run makes one attempt to write against the current object and returns the bytes for the store. The store calls run
// again, with the newer object, if another write commits first. So a step keeps its results in the attempt, and run
// drops the warnings of the attempt before. A write whose time is up fails, also if no hook says so: its client may
// have been told that it failed.
func (w *Write) run(ctx context.Context, on operations, current *storage.Record) ([]byte, error) {
	w.attempt = attempt{before: found{record: w.visible(current)}}
	w.Warnings.resetTo(w.decoded.warnings)
	err := w.take(ctx, w.writes.order.main, on)
	if err == nil {
		err = ctx.Err()
	}
	return w.after.json, err
}

// take takes those steps of a list that belong to these operations, until one fails or sets done.
func (w *Write) take(ctx context.Context, list []step, on operations) error {
	clock := w.times.Clock()
	for i := range list {
		s := &list[i]
		if s.on&on == 0 || w.done {
			continue
		}
		w.times.Begin(s.number, clock)
		err := w.step(ctx, s)
		clock = w.times.End(s.number, clock)
		if err != nil {
			return err
		}
	}
	return nil
}

// step takes one step.
func (w *Write) step(ctx context.Context, s *step) (err error) {
	if !w.reports {
		return s.do(w, ctx)
	}
	ctx, ended := w.observer.Begin(ctx, observe.Step{Kind: observe.StepPipeline, Name: s.name})
	defer func() { ended(observe.StepResult{Err: err}) }()
	return s.do(w, ctx)
}
