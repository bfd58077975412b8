package resource

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/storage"
)

// Traits are the choices that a host makes for the objects of a kind. All versions share them.
type Traits struct {
	// CheckName returns the faults of an object's name.
	CheckName func(name string) []string
	// Singleton is the name of the only object. It is empty if the kind is not a singleton.
	Singleton string
	// CreateOnUpdate: a PUT of an object that does not exist creates it.
	CreateOnUpdate bool
	// RemoveWhenDue: the reaper removes an object when its grace period has passed.
	RemoveWhenDue bool
	// TimeToLive is how long an object lives after its last write. Zero means that objects do not expire.
	TimeToLive time.Duration
	// MarkedFor is how long an object whose grace period is 0 stays after it is marked, unless the deletion is trusted.
	MarkedFor time.Duration
	// ReturnDeleted: the answer to a deletion is the deleted object.
	ReturnDeleted bool
	// Strategy holds the kind's own rules for how objects begin, change and end. Nil means the plain rules.
	Strategy *Strategy
	// Untracked: the kind keeps no managedFields.
	Untracked bool
	// Sharded lets clients list and watch shards of this kind, even if the API does not serve shards of all kinds.
	Sharded bool
	// StatusOnCreate: a new object keeps the status that the client sent.
	StatusOnCreate bool
	// AnswerStatus: a Status answers the creation of a virtual object.
	AnswerStatus bool
	// Parts and StatusParts name further subresources that are parts of the object: of all of it but the status, and of
	// the status.
	Parts, StatusParts []string
	// History says which former versions of objects the server keeps. Nil: none.
	History *History
}

// Declaration is what [New] builds a resource from. The resource owns it afterwards.
type Declaration struct {
	// Kind names and describes the kind. New fills in its verbs, its schema and its subresources.
	Kind    *kind.Kind
	Dialect upstream.Dialect
	Traits  Traits
	GoType  GoType
	// Open is the schema of a kind without a Go struct. It is nil for all others.
	Open *OpenSchema
	// Overlay adds to the tags of the Go type.
	Overlay map[string]string
	// Rules are the validation rules of a Go type, by Go type or field.
	Rules map[string][]schema.Rule
	// Language compiles the rules of the kind. It is nil if the kind has no rules, or may not have any.
	Language rules.Language
	// IndexedLabels are the label keys that the store indexes.
	IndexedLabels []string
	Scale         *ScalePaths
	// Subresources build the host's subresources, in order.
	Subresources []func(*Resource) (*Subresource, error)
}

// New builds a resource. stored is the version in which objects are stored; it is nil if this is that version.
func New(env *Environment, d Declaration, stored *Resource) (*Resource, error) {
	res := declared(d)
	res.Environment, res.underway = env, &underway{}
	res.Kind.Queried, res.Kind.Sharded = env.Queries != nil, env.Sharded || d.Traits.Sharded
	res.lineage, res.index = lineage{Stored: stored}, index{indexedLabels: d.IndexedLabels}
	if stored == nil {
		res.Stored = res
	}
	res.storedName = res.Stored.GR.String()
	if res.Strategy = d.Traits.Strategy; res.Strategy == nil {
		res.Strategy = strategyOf(d.Kind.GroupVersionKind, d.Dialect)
	}
	res.Store, res.Apart = env.storeOf(res.Stored.GR)
	if res.Apart && (res.Strategy.namespaces || res.Strategy == definitions) {
		return nil, errors.New("Options.Stores: writes of other kinds depend on these objects, so they cannot have a store of their own")
	}
	res.readLimits(&d)
	if err := res.checkNames(); err != nil {
		return nil, err
	}
	if err := res.derive(d); err != nil {
		return nil, err
	}
	if err := res.addVerbs(); err != nil {
		return nil, err
	}
	if err := errors.Join(res.checkSelectable(d.Kind.SelectableFields), res.checkIndexedLabels()); err != nil {
		return nil, err
	}
	if err := res.addSubresources(d); err != nil {
		return nil, err
	}
	res.describe()
	return res, nil
}

// elsewhere ends the description of a kind whose objects live elsewhere.
const elsewhere = "The objects live outside of this API: it may show changes late, resourceVersions end with its process, " +
	"and objects have no managedFields."

// readLimits asks the store what it cannot do with the objects.
func (res *Resource) readLimits(d *Declaration) {
	store, ok := res.Store.(storage.PartialStore)
	if !ok || d.Kind.Virtual {
		return
	}
	if res.unsupported, res.Elsewhere = store.Unsupported(res.StoredName()); res.Elsewhere {
		res.Traits.Untracked, d.Kind.Elsewhere = true, true
		d.Kind.Description = strings.TrimSpace(d.Kind.Description + " " + elsewhere)
	}
}

// declared returns a resource with what its declaration says, and without what New derives from it.
func declared(d Declaration) *Resource {
	return &Resource{
		Kind: d.Kind, GVK: d.Kind.GroupVersionKind, GR: d.Kind.GroupResource(),
		Dialect: d.Dialect, Traits: d.Traits, GoType: d.GoType,
	}
}

// derive reads the kind's schema from its Go type or from its OpenAPI schema, and builds what depends on it.
func (res *Resource) derive(d Declaration) error {
	t := res.GoType.ObjectType()
	if d.Open != nil {
		if err := res.readOpen(d); err != nil {
			return err
		}
	} else if err := res.readGoType(t, d); err != nil {
		return err
	}
	res.TypeView = res.KnownTypes().View(res.Schema, t)
	if res.Metadata = res.Schema.Member("metadata"); res.Metadata == nil {
		return fmt.Errorf("%s has no member 'metadata': embed apimeta.ObjectMeta with the tag `json:\"metadata,omitempty\"`",
			t)
	}
	if !res.Traits.Untracked && !res.Kind.Virtual {
		if err := res.trackManagers(); err != nil {
			return err
		}
	}
	return nil
}

// readGoType reads the schema from the Go type, and compiles the rules.
func (res *Resource) readGoType(t reflect.Type, d Declaration) (err error) {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%s is not a struct", t)
	}
	options := schema.Options{Builtin: !res.Dialect.RequiredByTag, Overlay: d.Overlay, Description: res.Kind.Description,
		Rules: d.Rules}
	if res.Schema, err = res.Derive(t, options); err == nil && d.Language != nil {
		res.Rules, err = d.Language.Compile(res.Schema)
	}
	return err
}

// checkNames checks the names of the kind, and that its traits fit together.
func (res *Resource) checkNames() error {
	if msgs := apimeta.ValidateDNS1035Label(res.GR.Resource); len(msgs) > 0 {
		return fmt.Errorf("Plural %q: %s", res.GR.Resource, msgs[0])
	}
	if msgs := apimeta.ValidateDNS1035Label(res.GVK.Version); len(msgs) > 0 {
		return fmt.Errorf("Version %q: %s", res.GVK.Version, msgs[0])
	}
	if res.GVK.Group != "" {
		if msgs := apimeta.ValidateDNS1123Subdomain(res.GVK.Group); len(msgs) > 0 {
			return fmt.Errorf("Group %q: %s", res.GVK.Group, msgs[0])
		}
	}
	for _, kind := range []string{res.GVK.Kind, res.Kind.ListKind} {
		if msgs := apimeta.ValidateDNS1035Label(strings.ToLower(kind)); len(msgs) > 0 {
			return fmt.Errorf("Kind %q: %s", kind, msgs[0])
		}
	}
	for _, name := range append([]string{res.Kind.Singular}, res.Kind.ShortNames...) {
		if msgs := apimeta.ValidateDNS1035Label(name); len(msgs) > 0 {
			return fmt.Errorf("name %q: %s", name, msgs[0])
		}
	}
	if res.Traits.RemoveWhenDue && !res.GoType.SetHooks().GracePeriod {
		return errors.New("RemoveWhenDue: needs GracePeriod")
	}
	if strategy := res.Traits.TimeToLive; strategy < 0 ||
		strategy > 0 && (res.Kind.Virtual || res.Traits.Singleton != "") {
		return fmt.Errorf("TimeToLive %v: must be positive, and a virtual kind or a singleton cannot have one", strategy)
	}
	if res.Elsewhere && (res.Traits.TimeToLive > 0 || res.Traits.Singleton != "" || res.GoType.SetHooks().GracePeriod ||
		res.Traits.History != nil) {
		return errors.New("TimeToLive, Singleton, GracePeriod and History must not be set, because the objects live elsewhere")
	}
	if res.Traits.Singleton != "" && res.Kind.Namespaced {
		return fmt.Errorf("Singleton %q: only a resource of scope Cluster can be a singleton", res.Traits.Singleton)
	}
	if res.Traits.Singleton != "" {
		if msgs := res.Traits.CheckName(res.Traits.Singleton); len(msgs) > 0 {
			return fmt.Errorf("Singleton %q: %s", res.Traits.Singleton, msgs[0])
		}
	}
	return nil
}

// addVerbs checks the host's verbs. If the host chose none, the resource gets every verb that is possible for it.
func (res *Resource) addVerbs() error {
	for _, v := range res.Kind.Verbs {
		if !slices.Contains(kind.VerbNames(), v) {
			return fmt.Errorf("Verbs: unknown verb %q", v)
		}
		if !res.Possible(v) {
			return fmt.Errorf("Verbs: %q cannot be asked of this kind, because it is virtual or a singleton, or its store does not allow it", v)
		}
	}
	if len(res.Kind.Verbs) == 0 {
		res.Kind.Verbs = slices.DeleteFunc(kind.VerbNames(), func(v string) bool { return !res.Possible(v) })
	}
	return nil
}

// Possible reports whether the kind can have a verb: a virtual kind only create, a singleton neither create nor delete,
// and a kind whose objects live elsewhere what its store allows.
func (res *Resource) Possible(verb string) bool {
	switch {
	case res.unsupported.Create && verb == kind.Create,
		res.unsupported.Update && (verb == kind.Update || verb == kind.Patch),
		res.unsupported.Delete && (verb == kind.Delete || verb == kind.DeleteCollection):
		return false
	case res.Kind.Virtual:
		return verb == kind.Create
	case res.Traits.Singleton != "":
		return verb != kind.Create && verb != kind.Delete && verb != kind.DeleteCollection
	}
	return true
}

// addPart adds a subresource that is a part of the object. Without verbs it has those of the resource.
func (res *Resource) addPart(name string, part Part, verbs ...string) {
	if len(verbs) == 0 {
		verbs = slices.DeleteFunc([]string{kind.Get, kind.Patch, kind.Update}, func(v string) bool { return !res.Has(v) })
	}
	res.Subresources = append(res.Subresources,
		&Subresource{Name: name, Kind: res.GVK, Schema: res.Schema, Verbs: verbs, OfItself: true, Part: part})
}

// addSubresources adds /status, the parts of the kind's strategy and of its traits, /scale, /history and /undo, and
// those of the host, in this order.
func (res *Resource) addSubresources(d Declaration) error {
	if res.declaresStatus(d) {
		res.addPart("status", StatusPart)
	}
	for _, p := range res.Strategy.parts {
		res.addPart(p.name, p.part, p.verbs...)
	}
	for i, name := range slices.Concat(res.Traits.Parts, res.Traits.StatusParts) {
		part := MainPart
		switch {
		case i >= len(res.Traits.Parts):
			part = StatusPart
		case res.Dialect.GoWritten:
			part = WholePart
		}
		if err := CheckSubresourceName(name); err != nil {
			return err
		}
		if res.FindSubresource(name) != nil {
			return fmt.Errorf("subresource %q is declared twice", name)
		}
		res.addPart(name, part)
	}
	if d.Scale != nil {
		sub, err := res.scaleSubresource(*d.Scale)
		if err != nil {
			return err
		}
		res.Subresources = append(res.Subresources, sub)
	}
	if err := res.addHistory(); err != nil {
		return err
	}
	for _, makeOne := range d.Subresources {
		sub, err := makeOne(res)
		if err != nil {
			return err
		}
		if sub.Kind.Kind == "" {
			sub.Kind = res.GVK
		}
		if res.FindSubresource(sub.Name) != nil {
			return fmt.Errorf("subresource %q is declared twice", sub.Name)
		}
		res.Subresources = append(res.Subresources, sub)
	}
	return nil
}
