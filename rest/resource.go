package rest

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

// resource is one version of a resource, working on documents: it creates, reads, changes, deletes and selects objects, and knows
// nothing of how a request came or how its answer is shown. The API's handlers and the clients in process call the same few methods.
type resource struct {
	*environment
	kind     *kind.Kind
	gvk      apimeta.GroupVersionKind
	gr       apimeta.GroupResource
	dialect  upstream.Dialect
	traits   Traits
	goType   goType
	schema   *schema.Schema
	metadata *schema.Schema // of the member metadata
	view     schema.View    // through the Go type
	rules    ruleChecker    // nil for a kind without rules
	managed  *managed.Kind  // nil where nobody keeps track of who writes what
	lineage
	index
	hooks        []*hook // of admission, that may concern the resource
	subresources []*subresource
	scale        *scaler // nil where no counts are to be checked
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
	// Namespaces says that the objects are the namespaces of the others.
	Namespaces bool
	// Untracked keeps no managedFields.
	Untracked bool
}

// lineage is where a version stands among the versions of its kind.
type lineage struct {
	// stored is the version in which objects are stored, mostly the resource itself; versions are the others then.
	stored   *resource
	versions []*resource
	// toStored and fromStored convert; nil in the stored version.
	toStored, fromStored func(doc.Value) (doc.Value, error)
}

// Declaration is what a resource is made of. It is complete when New gets it, and belongs to the resource afterwards.
type Declaration struct {
	// Kind names and describes the kind. New fills in its verbs, its schema and its subresources.
	Kind    *kind.Kind
	Dialect upstream.Dialect
	Traits  Traits
	GoType  goType
	// Overlay says what the tags of the Go type do not say.
	Overlay map[string]string
	// Rules are validation rules by Go type or field, and Compile makes their checker. Without Compile there are none.
	Rules   map[string][]schema.Rule
	Compile func(*schema.Schema) (ruleChecker, error)
	// IndexedLabels are the keys of labels by which the store finds objects.
	IndexedLabels []string
	Scale         *ScalePaths
	// Subresources make the host's subresources, in order.
	Subresources []func(*resource) (*subresource, error)
}

// allVerbs in the order in which discovery of custom resources lists them.
var allVerbs = [...]string{kind.Delete, kind.DeleteCollection, kind.Get, kind.List, kind.Patch, kind.Create, kind.Update, kind.Watch}

// newResource makes a resource. stored is the version in which the objects are stored, nil if it is this one.
func newResource(env *environment, d Declaration, stored *resource) (*resource, error) {
	res := &resource{environment: env, kind: d.Kind, gvk: d.Kind.GroupVersionKind, gr: d.Kind.GroupResource(), dialect: d.Dialect,
		traits: d.Traits, goType: d.GoType, lineage: lineage{stored: stored}, index: index{fields: d.Kind.SelectableFields, indexedLabels: d.IndexedLabels}}
	if stored == nil {
		res.stored = res
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
func (res *resource) derive(d Declaration) error {
	t := res.goType.objectType()
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%s is no struct", t)
	}
	var err error
	if res.schema, err = schema.Derive(t, schema.Options{Builtin: !res.dialect.RequiredByTag, Overlay: d.Overlay, Rules: d.Rules}); err != nil {
		return err
	}
	if d.Compile != nil {
		if res.rules, err = d.Compile(res.schema); err != nil {
			return err
		}
	}
	res.view = schema.NewView(res.schema, t)
	if res.metadata = res.schema.Member("metadata"); res.metadata == nil {
		return fmt.Errorf("%s has no member 'metadata': embed apimeta.ObjectMeta with the tag `json:\"metadata,omitempty\"`", t)
	}
	if !res.traits.Untracked && !res.kind.Virtual {
		if err := res.trackManagers(); err != nil {
			return err
		}
	}
	if res.kind.Description != "" {
		res.schema.Description = res.kind.Description
	}
	return nil
}

func (res *resource) checkNames() error {
	if msgs := apimeta.ValidateDNS1035Label(res.gr.Resource); len(msgs) > 0 {
		return fmt.Errorf("Plural %q: %s", res.gr.Resource, msgs[0])
	}
	if msgs := apimeta.ValidateDNS1035Label(res.gvk.Version); len(msgs) > 0 {
		return fmt.Errorf("Version %q: %s", res.gvk.Version, msgs[0])
	}
	if res.gvk.Group != "" {
		if msgs := apimeta.ValidateDNS1123Subdomain(res.gvk.Group); len(msgs) > 0 {
			return fmt.Errorf("Group %q: %s", res.gvk.Group, msgs[0])
		}
	}
	for _, kind := range []string{res.gvk.Kind, res.kind.ListKind} {
		if msgs := apimeta.ValidateDNS1035Label(strings.ToLower(kind)); len(msgs) > 0 {
			return fmt.Errorf("Kind %q: %s", kind, msgs[0])
		}
	}
	for _, name := range append([]string{res.kind.Singular}, res.kind.ShortNames...) {
		if msgs := apimeta.ValidateDNS1035Label(name); len(msgs) > 0 {
			return fmt.Errorf("name %q: %s", name, msgs[0])
		}
	}
	if res.traits.RemoveWhenDue && !res.goType.hooks().gracePeriod {
		return errors.New("RemoveWhenDue: needs GracePeriod")
	}
	if res.traits.Singleton != "" && res.kind.Namespaced {
		return fmt.Errorf("Singleton %q: only a resource of scope Cluster can be a singleton", res.traits.Singleton)
	}
	if res.traits.Singleton != "" {
		if msgs := res.traits.CheckName(res.traits.Singleton); len(msgs) > 0 {
			return fmt.Errorf("Singleton %q: %s", res.traits.Singleton, msgs[0])
		}
	}
	return nil
}

func (res *resource) addVerbs() error {
	for _, v := range res.kind.Verbs {
		if !slices.Contains(allVerbs[:], v) {
			return fmt.Errorf("Verbs: %q is no verb", v)
		}
		if !res.possible(v) {
			return fmt.Errorf("Verbs: %q cannot be asked of a virtual kind or a singleton", v)
		}
	}
	if len(res.kind.Verbs) == 0 {
		res.kind.Verbs = slices.DeleteFunc(slices.Clone(allVerbs[:]), func(v string) bool { return !res.possible(v) })
	}
	return nil
}

// possible reports whether a verb makes sense for the kind, whoever asks: a virtual kind can only be created, and a
// singleton can be neither created nor deleted.
func (res *resource) possible(verb string) bool {
	switch {
	case res.kind.Virtual:
		return verb == kind.Create
	case res.traits.Singleton != "":
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

func (res *resource) checkSelectable() error {
	if len(res.fields) > maxSelectableFields {
		return fmt.Errorf("SelectableFields: %d fields, at most %d are allowed", len(res.fields), maxSelectableFields)
	}
	var paths [][]string
	absent := make([]string, len(res.fields))
	for i, field := range res.fields {
		if slices.Contains(res.fields[:i], field) {
			return fmt.Errorf("SelectableFields: %q is there twice", field)
		}
		s := res.schema
		path := strings.Split(field, ".")
		for _, name := range path {
			if s = s.Member(name); s == nil {
				return fmt.Errorf("SelectableFields: %q: there is no such field", field)
			}
		}
		if path[0] == "metadata" || !slices.Contains([]string{"string", "boolean", "integer"}, s.Type) {
			return fmt.Errorf("SelectableFields: %q: must be a string, boolean or integer outside of metadata", field)
		}
		if res.dialect.ZeroSelectable {
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

func (res *resource) checkIndexedLabels() error {
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
func (res *resource) key(namespace, name string) storage.Key {
	return storage.Key{Resource: res.gr.String(), Namespace: namespace, Name: name}
}

func (res *resource) has(verb string) bool { return slices.Contains(res.kind.Verbs, verb) }

func (res *resource) subresource(name string) *subresource {
	for _, s := range res.subresources {
		if s.name == name {
			return s
		}
	}
	return nil
}

// serves reports whether a subresource of that name has paths below it.
func (res *resource) serves(name string) bool {
	s := res.subresource(name)
	return s != nil && s.stream != nil && s.stream.Below
}

func (res *resource) hasStatus() bool { return res.subresource("status") != nil }

func (res *resource) notFound(name string) error { return status.NotFound(res.gr, name) }

// register makes the resource known to the store.
func (res *resource) register() error {
	var indexed []watch.Index
	for i := range res.fields {
		indexed = append(indexed, watch.Index{Field: i})
	}
	for _, label := range res.indexedLabels {
		indexed = append(indexed, watch.Index{Label: label})
	}
	return res.Store.Register(storage.Resource{
		Name:        res.gr.String(),
		Namespaced:  res.kind.Namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.gvk.Version + "/" + res.schema.Fingerprint() + "/" + strings.Join(res.fields, ","),
		Upgrade:     res.upgrade,
	})
}

// ensureSingleton makes the one object of a singleton resource where it is not there yet.
func (res *resource) ensureSingleton(ctx context.Context) error {
	if res.traits.Singleton == "" {
		return nil
	}
	obj := res.bare().WithAt(doc.Of(res.traits.Singleton), "metadata", "name")
	if res.schema.Property("spec") != nil {
		obj = obj.With("spec", doc.MapOf())
	}
	o := writeOptions{admitted: true, agent: selfAgent}
	var out result
	var err error
	if res.managed != nil { // applied, so that nobody owns the defaults and whoever wants others can apply them
		o.applied = true
		obj, err = res.managed.Apply(doc.Value{}, obj, res.writer(&o), false)
	}
	if err == nil {
		out, err = res.create(ctx, "", obj, o)
	}
	if err != nil && !out.taken {
		return fmt.Errorf("kind %q: the singleton cannot be made from its defaults: %w", res.gvk.Kind, err)
	}
	return nil
}

// bare is an object of the kind with nothing but its kind and apiVersion.
func (res *resource) bare() doc.Value {
	return doc.MapOf(
		doc.Member{Key: "apiVersion", Value: doc.Of(res.gvk.GroupVersion().String())},
		doc.Member{Key: "kind", Value: doc.Of(res.gvk.Kind)})
}

// addSubresources makes the subresources: those of the kind itself, then those of the host.
func (res *resource) addSubresources(d Declaration) error {
	if res.schema.Property("status") != nil && !res.kind.Virtual {
		verbs := slices.DeleteFunc([]string{kind.Get, kind.Patch, kind.Update}, func(v string) bool { return !res.has(v) })
		res.subresources = append(res.subresources, &subresource{name: "status", kind: res.gvk, schema: res.schema, verbs: verbs, ofItself: true, part: statusPart})
	}
	if res.traits.Namespaces {
		res.subresources = append(res.subresources, &subresource{name: "finalize", kind: res.gvk, schema: res.schema, verbs: []string{kind.Update}, ofItself: true, part: finalizePart})
	}
	if d.Scale != nil {
		sub, err := res.scaleSubresource(*d.Scale)
		if err != nil {
			return err
		}
		res.subresources = append(res.subresources, sub)
	}
	for _, makeOne := range d.Subresources {
		sub, err := makeOne(res)
		if err != nil {
			return err
		}
		if sub.kind.Kind == "" {
			sub.kind = res.gvk
		}
		if res.subresource(sub.name) != nil {
			return fmt.Errorf("subresource %q is declared twice", sub.name)
		}
		res.subresources = append(res.subresources, sub)
	}
	return nil
}
