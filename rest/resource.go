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

// resource is a Resource as the handlers see it: the Go type behind an interface, names filled in, paths parsed.
type resource struct {
	*environment
	dialect     upstream.Dialect
	kind        *kind.Kind
	gvk         apimeta.GroupVersionKind
	gr          apimeta.GroupResource
	listKind    string
	singular    string
	shortNames  []string
	categories  []string
	description string
	namespaced  bool
	names       NameRule
	verbs       []Verb
	singleton   string
	virtual     bool

	createOnUpdate bool
	removeWhenDue  bool
	returnDeleted  bool
	areNamespaces  bool

	admission []*Admission // that may concern the resource
	isServed  bool
	warning   string // to clients of a version that is deprecated
	// stored is the version in which objects are stored, mostly the resource itself; versions are the others then.
	stored   *resource
	versions []*resource
	// toStored and fromStored convert; nil in the stored version.
	toStored, fromStored func(doc.Value) (doc.Value, error)
	extract              storage.Extractor

	goType   goType
	rules    RuleChecker // nil for a kind without Rules
	wire     wireCodec   // nil where the Go type has no Protobuf message
	view     schema.View // through the Go type
	schema   *schema.Schema
	metadata *schema.Schema // of the member metadata
	columns  []column
	fields   []string // the selectable ones, as given
	// indexedLabels are the labels by which the store finds objects, beside the fields.
	indexedLabels []string
	subresources  []*subresource
	scale         *scaler       // nil where no counts are to be checked
	managed       *managed.Kind // nil where nobody keeps track of who writes what
	encodings     encodings     // of changes that watches have sent
	bookmarkRest  []byte        // of a bookmark's object, what follows its metadata
}

// allVerbs in the order in which discovery of custom resources lists them.
var allVerbs = [...]Verb{Delete, DeleteCollection, Get, List, Patch, Create, Update, Watch}

// Each selectable field and indexed label is an index, which every write keeps.
const maxSelectableFields, maxIndexedLabels = 16, 8

func (r Resource[T]) resource(env *environment) (*resource, error) {
	if r.Kind == "" {
		r.Kind = reflect.TypeFor[T]().Name()
	}
	res, err := r.build(env, nil)
	if err != nil {
		return nil, fmt.Errorf("kind %q: %w", r.Kind, err)
	}
	return res, nil
}

// build makes the resource. stored is the version in which the objects are stored, nil if it is this one.
func (r Resource[T]) build(env *environment, stored *resource) (*resource, error) {
	t := reflect.TypeFor[T]()
	res := &resource{
		environment: env,
		dialect:     r.Dialect.rules(),
		gvk:         apimeta.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind},
		gr:          apimeta.GroupResource{Group: r.Group, Resource: r.Plural},
		listKind:    r.ListKind,
		singular:    r.Singular,
		shortNames:  slices.Clone(r.ShortNames),
		categories:  slices.Clone(r.Categories),
		description: r.Description,
		namespaced:  r.Scope == Namespaced,
		names:       r.Names,
		verbs:       slices.Clone(r.Verbs),
		singleton:   r.Singleton,
		virtual:     r.Call != nil,

		createOnUpdate: r.CreateOnUpdate,
		removeWhenDue:  r.RemoveWhenDue,
		returnDeleted:  r.ReturnDeleted,
		areNamespaces:  r.areNamespaces,
		goType:         &typed[T]{r},
		wire:           wireOf[T](),
		fields:         slices.Clone(r.SelectableFields),
		indexedLabels:  slices.Clone(r.IndexedLabels),
	}
	if r.Generation {
		res.dialect.Generation = true
	}
	if r.VersionRequired {
		res.dialect.UnconditionalUpdate = false
	}
	if r.PlainMetadata {
		res.dialect.CoreMetadata = false
	}
	if r.message != nil {
		res.wire = messageCodec{r.message}
	}
	if res.listKind == "" {
		res.listKind = res.gvk.Kind + "List"
	}
	if res.singular == "" {
		res.singular = strings.ToLower(res.gvk.Kind)
	}
	if res.stored, res.isServed = stored, !r.NotServed; stored == nil {
		res.stored = res
	}
	if r.Deprecated {
		if res.warning = r.DeprecationWarning; res.warning == "" {
			res.warning = fmt.Sprintf("%s %s is deprecated", res.gvk.GroupVersion(), res.gvk.Kind)
		}
	}
	if err := res.checkNames(); err != nil {
		return nil, err
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	var err error
	options := schema.Options{Builtin: !res.dialect.RequiredByTag, Overlay: r.Overlay}
	if r.Rules != nil {
		options.Rules = r.Rules.Declared()
	}
	if res.schema, err = schema.Derive(t, options); err != nil {
		return nil, err
	}
	if r.Rules != nil {
		if res.rules, err = r.Rules.Compile(res.schema); err != nil {
			return nil, err
		}
	}
	res.view = schema.NewView(res.schema, t)
	if res.metadata = res.schema.Member("metadata"); res.metadata == nil {
		return nil, fmt.Errorf("%s has no member 'metadata': embed apimeta.ObjectMeta with the tag `json:\"metadata,omitempty\"`", t)
	}
	if !r.Untracked && !res.virtual {
		if err := res.trackManagers(); err != nil {
			return nil, err
		}
	}
	if res.description != "" {
		res.schema.Description = res.description
	}
	if err := res.addVerbs(); err != nil {
		return nil, err
	}
	if err := res.addColumns(r.Columns); err != nil {
		return nil, err
	}
	if err := res.addBookmarks(); err != nil {
		return nil, err
	}
	if err := res.checkSelectable(); err != nil {
		return nil, err
	}
	if err := res.checkIndexedLabels(); err != nil {
		return nil, err
	}
	if res.schema.Property("status") != nil && !res.virtual {
		var verbs []Verb
		for _, v := range []Verb{Get, Patch, Update} {
			if slices.Contains(res.verbs, v) {
				verbs = append(verbs, v)
			}
		}
		res.subresources = append(res.subresources, &subresource{name: "status", kind: res.gvk, schema: res.schema, verbs: verbs, ofItself: true, part: statusPart})
	}
	if res.areNamespaces {
		res.subresources = append(res.subresources, &subresource{name: "finalize", kind: res.gvk, schema: res.schema, verbs: []Verb{Update}, ofItself: true, part: finalizePart})
	}
	if r.Scale != nil {
		sub, err := res.scaleSubresource(*r.Scale)
		if err != nil {
			return nil, err
		}
		res.subresources = append(res.subresources, sub)
	}
	for _, s := range r.Subresources {
		if s == nil {
			return nil, fmt.Errorf("a subresource is nil")
		}
		sub, err := s.subresource(res)
		if err != nil {
			return nil, err
		}
		if sub.kind.Kind == "" {
			sub.kind = res.gvk
		}
		if res.subresource(sub.name) != nil {
			return nil, fmt.Errorf("subresource %q is declared twice", sub.name)
		}
		res.subresources = append(res.subresources, sub)
	}
	res.kind = res.describe(res.stored)
	res.admission = env.admissionOf(res)
	if err := addVersions(res, r.Versions); err != nil {
		return nil, err
	}
	return res, nil
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
	for _, kind := range []string{res.gvk.Kind, res.listKind} {
		if msgs := apimeta.ValidateDNS1035Label(strings.ToLower(kind)); len(msgs) > 0 {
			return fmt.Errorf("Kind %q: %s", kind, msgs[0])
		}
	}
	for _, name := range append([]string{res.singular}, res.shortNames...) {
		if msgs := apimeta.ValidateDNS1035Label(name); len(msgs) > 0 {
			return fmt.Errorf("name %q: %s", name, msgs[0])
		}
	}
	if res.removeWhenDue && !res.goType.hooks().gracePeriod {
		return errors.New("RemoveWhenDue: needs GracePeriod")
	}
	if res.singleton != "" && res.namespaced {
		return fmt.Errorf("Singleton %q: only a resource of scope Cluster can be a singleton", res.singleton)
	}
	if res.singleton != "" {
		if msgs := res.names.check(res.singleton); len(msgs) > 0 {
			return fmt.Errorf("Singleton %q: %s", res.singleton, msgs[0])
		}
	}
	return nil
}

func (res *resource) addVerbs() error {
	for _, v := range res.verbs {
		if !slices.Contains(allVerbs[:], v) {
			return fmt.Errorf("Verbs: %q is no verb", v)
		}
	}
	if len(res.verbs) == 0 {
		res.verbs = allVerbs[:]
	} else {
		for _, v := range res.verbs {
			if !res.possible(v) {
				return fmt.Errorf("Verbs: %q cannot be asked of a virtual kind or a singleton", v)
			}
		}
	}
	res.verbs = slices.DeleteFunc(slices.Clone(res.verbs), func(v Verb) bool { return !res.possible(v) })
	return nil
}

// possible reports whether a verb makes sense for the kind, whoever asks: a virtual kind can only be created, and a
// singleton can be neither created nor deleted.
func (res *resource) possible(v Verb) bool {
	switch {
	case res.virtual:
		return v == Create
	case res.singleton != "":
		return v == Get || v == List || v == Watch || v == Update || v == Patch
	}
	return true
}

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

func (res *resource) has(v Verb) bool { return slices.Contains(res.verbs, v) }

func (res *resource) subresource(name string) *subresource {
	for _, s := range res.subresources {
		if s.name == name {
			return s
		}
	}
	return nil
}

// serves reports whether a subresource of that name, or with "" any of them, has paths below it.
func (res *resource) serves(name string) bool {
	return slices.ContainsFunc(res.subresources, func(s *subresource) bool {
		return s.bytes != nil && s.bytes.way == serveWay && name == s.name
	})
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
	return res.store.Register(storage.Resource{
		Name:        res.gr.String(),
		Namespaced:  res.namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.gvk.Version + "/" + res.schema.Fingerprint() + "/" + strings.Join(res.fields, ","),
		Upgrade:     res.upgrade,
	})
}

// ensureSingleton makes the one object of a singleton resource where it is not there yet.
func (res *resource) ensureSingleton(ctx context.Context) error {
	if res.singleton == "" {
		return nil
	}
	obj := res.bare().WithAt(doc.Of(res.singleton), "metadata", "name")
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
