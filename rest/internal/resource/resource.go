package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Resource is one version of a resource, working on documents: it creates, reads, changes, deletes and selects objects, and knows
// nothing of how a request came or how its answer is shown. The API's handlers and the clients in process call the same few methods.
type Resource struct {
	*Environment
	Kind     *kind.Kind
	GVK      apimeta.GroupVersionKind
	GR       apimeta.GroupResource
	Dialect  upstream.Dialect
	Traits   Traits
	GoType   GoType
	Schema   *schema.Schema
	metadata *schema.Schema // of the member metadata
	view     schema.View    // through the Go type
	rules    RuleChecker    // nil for a kind without rules
	Managed  *managed.Kind  // nil where nobody keeps track of who writes what
	lineage
	index
	hooks        []*Hook // of admission, that may concern the resource
	Subresources []*Subresource
	scale        *scaler // nil where no counts are to be checked
	life         *Life
}

// Traits are what a host may choose for the objects of a kind, in all its versions.
type Traits struct {
	// CheckName returns what is wrong with a name.
	CheckName func(name string) []string
	// Singleton is the name of the only object, if there is only one.
	Singleton string
	// CreateOnUpdate lets an update of an object that does not exist create it.
	CreateOnUpdate bool
	// RemoveWhenDue removes an object when its grace period has passed.
	RemoveWhenDue bool
	// ReturnDeleted answers a deletion with the object.
	ReturnDeleted bool
	// Life is what is special about how objects begin, change and end; nil if nothing is.
	Life *Life
	// Untracked keeps no managedFields.
	Untracked bool
}

// lineage is where a version stands among the versions of its kind.
type lineage struct {
	// Stored is the version in which objects are stored, mostly the resource itself; versions are the others then.
	Stored   *Resource
	versions []*Resource
	// toStored and fromStored convert; nil in the stored version.
	toStored, fromStored func(doc.Value) (doc.Value, error)
}

// Declaration is what a resource is made of. It is complete when New gets it, and belongs to the resource afterwards.
type Declaration struct {
	// Kind names and describes the kind. New fills in its verbs, its schema and its subresources.
	Kind    *kind.Kind
	Dialect upstream.Dialect
	Traits  Traits
	GoType  GoType
	// Overlay says what the tags of the Go type do not say.
	Overlay map[string]string
	// Rules are validation rules by Go type or field, and Compile makes their checker. Without Compile there are none.
	Rules   map[string][]schema.Rule
	Compile func(*schema.Schema) (RuleChecker, error)
	// IndexedLabels are the keys of labels by which the store finds objects.
	IndexedLabels []string
	Scale         *ScalePaths
	// Subresources make the host's subresources, in order.
	Subresources []func(*Resource) (*Subresource, error)
}

// allVerbs in the order in which discovery of custom resources lists them.
var allVerbs = [...]string{kind.Delete, kind.DeleteCollection, kind.Get, kind.List, kind.Patch, kind.Create, kind.Update, kind.Watch}

// New makes a resource. stored is the version in which the objects are stored, nil if it is this one.
func New(env *Environment, d Declaration, stored *Resource) (*Resource, error) {
	res := &Resource{Environment: env, Kind: d.Kind, GVK: d.Kind.GroupVersionKind, GR: d.Kind.GroupResource(), Dialect: d.Dialect,
		Traits: d.Traits, GoType: d.GoType, lineage: lineage{Stored: stored}, index: index{fields: d.Kind.SelectableFields, indexedLabels: d.IndexedLabels}}
	if stored == nil {
		res.Stored = res
	}
	if res.life = d.Traits.Life; res.life == nil {
		res.life = plainLife
	}
	if err := res.checkNames(); err != nil {
		return nil, err
	}
	if err := res.derive(d); err != nil {
		return nil, err
	}
	if err := res.addVerbs(); err != nil {
		return nil, err
	}
	if err := errors.Join(res.checkSelectable(), res.checkIndexedLabels()); err != nil {
		return nil, err
	}
	if err := res.addSubresources(d); err != nil {
		return nil, err
	}
	res.describe()
	res.hooks = env.hooksOf(res)
	return res, nil
}

// derive reads the schema of the kind from its Go type, and what follows from it.
func (res *Resource) derive(d Declaration) error {
	t := res.GoType.ObjectType()
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%s is no struct", t)
	}
	var err error
	if res.Schema, err = schema.Derive(t, schema.Options{Builtin: !res.Dialect.RequiredByTag, Overlay: d.Overlay, Rules: d.Rules}); err != nil {
		return err
	}
	if d.Compile != nil {
		if res.rules, err = d.Compile(res.Schema); err != nil {
			return err
		}
	}
	res.view = schema.NewView(res.Schema, t)
	if res.metadata = res.Schema.Member("metadata"); res.metadata == nil {
		return fmt.Errorf("%s has no member 'metadata': embed apimeta.ObjectMeta with the tag `json:\"metadata,omitempty\"`", t)
	}
	if !res.Traits.Untracked && !res.Kind.Virtual {
		if err := res.trackManagers(); err != nil {
			return err
		}
	}
	if res.Kind.Description != "" {
		res.Schema.Description = res.Kind.Description
	}
	return nil
}

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
	if res.Traits.RemoveWhenDue && !res.GoType.Hooks().GracePeriod {
		return errors.New("RemoveWhenDue: needs GracePeriod")
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

func (res *Resource) addVerbs() error {
	for _, v := range res.Kind.Verbs {
		if !slices.Contains(allVerbs[:], v) {
			return fmt.Errorf("Verbs: %q is no verb", v)
		}
		if !res.Possible(v) {
			return fmt.Errorf("Verbs: %q cannot be asked of a virtual kind or a singleton", v)
		}
	}
	if len(res.Kind.Verbs) == 0 {
		res.Kind.Verbs = slices.DeleteFunc(slices.Clone(allVerbs[:]), func(v string) bool { return !res.Possible(v) })
	}
	return nil
}

// Possible reports whether a verb makes sense for the kind, whoever asks: a virtual kind can only be created, and a
// singleton can be neither created nor deleted.
func (res *Resource) Possible(verb string) bool {
	switch {
	case res.Kind.Virtual:
		return verb == kind.Create
	case res.Traits.Singleton != "":
		return verb != kind.Create && verb != kind.Delete && verb != kind.DeleteCollection
	}
	return true
}

// index is by what the store finds objects.
type index struct {
	fields        []string // the selectable ones, as given
	indexedLabels []string
	extract       storage.Extractor
}

// Each selectable field and indexed label is an index, which every write keeps.
const maxSelectableFields, maxIndexedLabels = 16, 8

func (res *Resource) checkSelectable() error {
	if len(res.fields) > maxSelectableFields {
		return fmt.Errorf("SelectableFields: %d fields, at most %d are allowed", len(res.fields), maxSelectableFields)
	}
	var paths [][]string
	absent := make([]string, len(res.fields))
	for i, field := range res.fields {
		if slices.Contains(res.fields[:i], field) {
			return fmt.Errorf("SelectableFields: %q is there twice", field)
		}
		s := res.Schema
		path := strings.Split(field, ".")
		for _, name := range path {
			if s = s.Member(name); s == nil {
				return fmt.Errorf("SelectableFields: %q: there is no such field", field)
			}
		}
		if path[0] == "metadata" || !slices.Contains([]string{"string", "boolean", "integer"}, s.Type) {
			return fmt.Errorf("SelectableFields: %q: must be a string, boolean or integer outside of metadata", field)
		}
		if res.Dialect.ZeroSelectable {
			absent[i] = map[string]string{"boolean": "false", "integer": "0"}[s.Type]
		}
		paths = append(paths, path)
	}
	res.extract = extractor(paths, absent)
	return nil
}

// extractor finds the values at the paths, and takes what is absent for those of a field that an object does not have.
func extractor(paths [][]string, absent []string) storage.Extractor {
	extract := storage.NewExtractor(paths...)
	if strings.Join(absent, "") == "" {
		return extract
	}
	return func(json []byte) (storage.Parts, error) {
		parts, err := extract(json)
		for i, value := range parts.Fields {
			if value == "" {
				parts.Fields[i] = absent[i]
			}
		}
		return parts, err
	}
}

func (res *Resource) checkIndexedLabels() error {
	if len(res.indexedLabels) > maxIndexedLabels {
		return fmt.Errorf("IndexedLabels: %d labels, at most %d are allowed", len(res.indexedLabels), maxIndexedLabels)
	}
	for i, label := range res.indexedLabels {
		if msgs := apimeta.ValidateLabelKey(label); len(msgs) > 0 {
			return fmt.Errorf("IndexedLabels: %q: %s", label, msgs[0])
		}
		if slices.Contains(res.indexedLabels[:i], label) {
			return fmt.Errorf("IndexedLabels: %q is there twice", label)
		}
	}
	return nil
}

// key names an object of the resource in the store.
func (res *Resource) key(namespace, name string) storage.Key {
	return storage.Key{Resource: res.GR.String(), Namespace: namespace, Name: name}
}

func (res *Resource) Has(verb string) bool { return slices.Contains(res.Kind.Verbs, verb) }

func (res *Resource) Subresource(name string) *Subresource {
	for _, s := range res.Subresources {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Serves reports whether a subresource of that name has paths below it.
func (res *Resource) Serves(name string) bool {
	s := res.Subresource(name)
	return s != nil && s.Stream != nil && s.Stream.Below
}

func (res *Resource) HasStatus() bool { return res.Subresource("status") != nil }

func (res *Resource) NotFound(name string) error { return status.NotFound(res.GR, name) }

// register makes the resource known to the store.
func (res *Resource) register() error {
	var indexed []watch.Index
	for i := range res.fields {
		indexed = append(indexed, watch.Index{Field: i})
	}
	for _, label := range res.indexedLabels {
		indexed = append(indexed, watch.Index{Label: label})
	}
	return res.Store.Register(storage.Resource{
		Name:        res.GR.String(),
		Namespaced:  res.Kind.Namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.GVK.Version + "/" + res.Schema.Fingerprint() + "/" + strings.Join(res.fields, ","),
		Upgrade:     res.upgrade,
	})
}

// ensureSingleton makes the one object of a singleton resource where it is not there yet.
func (res *Resource) ensureSingleton(ctx context.Context) error {
	if res.Traits.Singleton == "" {
		return nil
	}
	obj := res.bare().WithAt(doc.Of(res.Traits.Singleton), "metadata", "name")
	if res.Schema.Property("spec") != nil {
		obj = obj.With("spec", doc.MapOf())
	}
	w := res.NewWrite(Target{Name: res.Traits.Singleton}, Asked{Trusted: true, Agent: selfAgent})
	if res.Managed == nil {
		w.Replace(obj)
	} else if err := w.Apply(obj); err != nil { // so that nobody owns the defaults and whoever wants others can apply them
		return err
	}
	if out, err := w.Create(ctx); err != nil && !out.taken {
		return fmt.Errorf("kind %q: the singleton cannot be made from its defaults: %w", res.GVK.Kind, err)
	}
	return nil
}

// bare is an object of the kind with nothing but its kind and apiVersion.
func (res *Resource) bare() doc.Value {
	return doc.MapOf(
		doc.Member{Key: "apiVersion", Value: doc.Of(res.GVK.GroupVersion().String())},
		doc.Member{Key: "kind", Value: doc.Of(res.GVK.Kind)})
}

// addSubresources makes the subresources: those of the kind itself, then those of the host.
func (res *Resource) addSubresources(d Declaration) error {
	if res.Schema.Property("status") != nil && !res.Kind.Virtual {
		verbs := slices.DeleteFunc([]string{kind.Get, kind.Patch, kind.Update}, func(v string) bool { return !res.Has(v) })
		res.Subresources = append(res.Subresources, &Subresource{Name: "status", Kind: res.GVK, Schema: res.Schema, Verbs: verbs, OfItself: true, Part: StatusPart})
	}
	for _, p := range res.life.parts {
		res.Subresources = append(res.Subresources, &Subresource{Name: p.name, Kind: res.GVK, Schema: res.Schema, Verbs: p.verbs, OfItself: true, Part: p.part})
	}
	if d.Scale != nil {
		sub, err := res.scaleSubresource(*d.Scale)
		if err != nil {
			return err
		}
		res.Subresources = append(res.Subresources, sub)
	}
	for _, makeOne := range d.Subresources {
		sub, err := makeOne(res)
		if err != nil {
			return err
		}
		if sub.Kind.Kind == "" {
			sub.Kind = res.GVK
		}
		if res.Subresource(sub.Name) != nil {
			return fmt.Errorf("subresource %q is declared twice", sub.Name)
		}
		res.Subresources = append(res.Subresources, sub)
	}
	return nil
}
