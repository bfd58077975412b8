package oracle

import (
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// mutator changes objects at random. The Go types of Kubernetes' API say what an object may have, and the table of
// published rules and typical say which values a field may have.
type mutator struct {
	filler
	enums map[reflect.Type]map[string][]string // the keys are a type and a field
	texts []string                             // the texts of the object: one part of an object often names another
	// skipped are names of fields that are not changed.
	skipped []string
}

// site is a value that a mutator may change.
type site struct {
	value reflect.Value
	enum  []string
	field string
}

// mutate changes the status of the object in some places, or everything but its metadata and its status.
func (m *mutator) mutate(obj runtime.Object, status bool) {
	v := reflect.ValueOf(obj).Elem()
	m.texts = nil
	sites := m.objectSites(v, status)
	for range pick(m.filler, 1, 1, 1, 2, 3) {
		if len(sites) == 0 {
			return
		}
		s := sites[m.Intn(len(sites))]
		m.change(s)
		sites = m.objectSites(v, status) // the change may have removed or added some
	}
}

// alpha are fields that Kubernetes drops before it validates, because they belong to features that are off.
var alpha = []string{"NodeAllocatableResources", "NodeAllocatableResourceClaimStatuses", "BoolValues", "IntValues",
	"StringValues", "VersionValues", "DefaultUser", "BindMountOptions", "EvictionResponders", "PodPreemptionPolicy",
	"PartitionTypeAttribute", "SkipNodeOperations", "CompatibilityGroups", "DerivedAttributes", "VolumeHealth",
	"HealthStatus", "Scheduling"}

// objectSites returns the sites of an object.
func (m *mutator) objectSites(v reflect.Value, status bool) (all []site) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Name == "TypeMeta" || f.Name == "ObjectMeta":
		case (f.Name == "Status") == status:
			all = append(all, m.sites(v.Field(i), m.enums[v.Type()][jsonName(f)], jsonName(f))...)
		}
	}
	return all
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// sites returns the value and all values in it. A list or map is a site for each of its elements too.
func (m *mutator) sites(v reflect.Value, enum []string, field string) (all []site) {
	if field != "" || v.Kind() != reflect.Struct {
		all = append(all, site{v, enum, field})
	}
	if isLeaf(v) {
		return all
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			all = append(all, m.sites(v.Elem(), enum, field)...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, m.sites(v.Index(i), enum, field)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(m.skipped, f.Name) {
				all = append(all, m.sites(v.Field(i), m.enums[v.Type()][jsonName(f)], jsonName(f))...)
			}
		}
	case reflect.String:
		if v.String() != "" && !slices.Contains(m.texts, v.String()) {
			m.texts = append(m.texts, v.String())
		}
	}
	return all
}

// isLeaf reports whether mutators change the value only as a whole.
func isLeaf(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case *resource.Quantity, *intstr.IntOrString, *metav1.Time, *metav1.MicroTime, *metav1.Duration, *runtime.RawExtension,
		*metav1.FieldsV1, *[]byte:
		return true
	}
	return false
}

// change changes one value: it drops, blanks, extends or replaces it, or puts it twice into its list.
func (m *mutator) change(s site) {
	v := s.value
	switch {
	case isLeaf(v):
		m.leaf(v, s.field)
	case v.Kind() == reflect.Pointer && !v.IsNil() && m.Intn(3) > 0:
		v.SetZero()
	case v.Kind() == reflect.Slice && v.Len() > 0:
		m.changeList(s)
	case v.Kind() == reflect.Map && v.Len() > 0 && m.Intn(3) == 0:
		v.SetZero()
	case v.Kind() == reflect.Struct && m.Intn(4) == 0:
		v.SetZero()
	case v.Kind() == reflect.Struct:
		m.extend(v)
	default:
		m.make(v, s.enum, s.field, 0)
	}
}

// extend gives a value to a field of a struct that has none.
func (m *mutator) extend(v reflect.Value) {
	if v.Type() == reflect.TypeFor[metav1.ObjectMeta]() {
		m.makeStruct(v, 0)
		return
	}
	var absent []int
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && v.Field(i).IsZero() && !slices.Contains(m.skipped, f.Name) {
			absent = append(absent, i)
		}
	}
	if len(absent) == 0 {
		return
	}
	i := absent[m.Intn(len(absent))]
	m.make(v.Field(i), m.enums[v.Type()][jsonName(v.Type().Field(i))], jsonName(v.Type().Field(i)), 0)
}

func (m *mutator) changeList(s site) {
	v := s.value
	i := m.Intn(v.Len())
	var list reflect.Value
	switch m.Intn(6) {
	case 0:
		list = reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())) // the list without the element
	case 1:
		list = reflect.Append(v.Slice3(0, v.Len(), v.Len()), v.Index(i)) // the element twice
	case 2:
		list = reflect.MakeSlice(v.Type(), 0, 0)
	case 3:
		list = v.Slice3(0, v.Len(), v.Len())
		for range pick(m.filler, 8, 16, 33, 65, 129, 260) { // too many
			list = reflect.Append(list, v.Index(i))
		}
	default:
		list = reflect.Append(v.Slice3(0, v.Len(), v.Len()), reflect.Zero(v.Type().Elem()))
		m.make(list.Index(v.Len()), s.enum, s.field, 1)
	}
	v.Set(list)
}

// make gives content to a value. The deeper the value, the less content it gets.
func (m *mutator) make(v reflect.Value, enum []string, field string, depth int) {
	if isLeaf(v) {
		m.leaf(v, field)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		m.make(v.Elem(), enum, field, depth)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), pick(m.filler, 0, 1, 1, 1, 2), 2))
		for i := range v.Len() {
			m.make(v.Index(i), enum, field, depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range pick(m.filler, 1, 1, 2) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.make(key, nil, field, depth+1)
			m.make(value, enum, field, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		m.makeStruct(v, depth)
	case reflect.String:
		v.SetString(m.word(enum, field, v.Type()))
	case reflect.Bool:
		v.SetBool(m.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		n := pick[int64](m.filler, -1, 0, 1, 2, 3, 10, 80, 100, 101, 600, 1000, 3600, 8080, 30000, 65535, 65536, 70000,
			math.MinInt32, math.MaxInt32)
		if field == "port" || field == "containerPort" || field == "number" {
			n = pick[int64](m.filler, 80, 443, 0, 70000, -1)
		}
		v.SetInt(n)
	case reflect.Uint8:
		v.SetUint(uint64(m.Intn(256)))
	}
}

// makeStruct fills most of the simple fields. Of the fields that are alternatives, it fills one, as a rule.
func (m *mutator) makeStruct(v reflect.Value, depth int) {
	t := v.Type()
	if t == reflect.TypeFor[metav1.ObjectMeta]() {
		name := pick(m.filler, "", "", "a")
		v.Set(reflect.ValueOf(metav1.ObjectMeta{Name: name, Labels: m.labels(), Annotations: m.labels()}))
		return
	}
	var pointers []int
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && f.Name != "Items" {
			pointers = append(pointers, i)
		}
	}
	chosen := -1
	if len(pointers) >= 3 && m.Intn(10) > 0 {
		chosen = pointers[m.Intn(len(pointers))]
	}
	likely := 0.6
	if depth > 2 {
		likely = 0.4
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported() || f.Name == "TypeMeta" || slices.Contains(m.skipped, f.Name):
			continue
		case chosen >= 0 && slices.Contains(pointers, i):
			if i != chosen {
				continue
			}
		case f.Anonymous || f.Type.Kind() == reflect.Struct:
		case m.Float64() > likely:
			continue
		}
		if depth < 8 {
			m.make(v.Field(i), m.enums[t][jsonName(f)], jsonName(f), depth+1)
		}
	}
}

func (m *mutator) labels() map[string]string {
	if m.Intn(2) == 0 {
		return nil
	}
	key := pick(m.filler, "a", "app", "example.com/a", "Bad key!", "a/b/c")
	return map[string]string{key: pick(m.filler, "", "a", "not valid!", strings.Repeat("a", 64))}
}

// leaf replaces a value that has a form of its own.
func (m *mutator) leaf(v reflect.Value, field string) {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse(pick(m.filler, "0", "1", "2", "-1", "500m", "1500m", "-500m", "1Gi", "10Gi", "0.0001",
			"1500u", "3"))
	case *intstr.IntOrString:
		*p = intstr.FromInt32(pick[int32](m.filler, 0, 1, 80, -1, 70000))
		if m.Intn(2) == 0 {
			*p = intstr.FromString(pick(m.filler, "", "http", "0%", "50%", "150%", "x%", "Bad name", "80"))
		}
	case *metav1.Time:
		*p = pick(m.filler, metav1.Time{}, metav1.Unix(1e9, 0), metav1.Unix(2e9, 0), metav1.Unix(1_700_000_000, 0))
	case *metav1.MicroTime:
		*p = pick(m.filler, metav1.MicroTime{}, metav1.NewMicroTime(time.Unix(1e9, 0)))
	case *metav1.Duration:
		p.Duration = pick(m.filler, -time.Second, 0, time.Second, time.Hour)
	case *runtime.RawExtension:
		p.Raw = []byte(pick(m.filler, `{"a":1}`, `{}`, `[]`, `"a"`, `1`))
	case *metav1.FieldsV1:
		p.Raw = []byte("{}")
	case *[]byte:
		*p = []byte(pick(m.filler, "", "a", strings.Repeat("a", 100), "{}"))
	}
}

// words are values in forms that rules accept or refuse.
var words = []string{
	"", "a", "b", "Not Valid!", "UPPER", "-a", "a-", "a.b", "a.example.com", "example.com/a",
	"example.com/A_b", "*.example.com", "*.com", "kubernetes.io/a", "a/b", "../a", "/a", "/a/../b", "a//b",
	"a:b", "C:\\a", "120%", "50%", "0", "1", "-1", "80", "65536", "10.0.0.1", "10.0.0.300", "010.0.0.1", "::1",
	"2001:db8::1", "10.0.0.0/24", "10.0.0.1/24", "2001:db8::/64", "127.0.0.1", "169.254.1.1", "224.0.0.1",
	"0.0.0.0", "http", "https", "tcp", "10Gi", "metadata.name", "spec.nodeName", "metadata.labels['a']",
	"limits.cpu", "requests.memory", "cpu", "memory", "storage", "hugepages-2Mi", "pods", "example.com/gpu",
	"requests.storage", "services", "count/a", "v1", "apps/v1", "*", "true", "a b", "a_b", "_", ".", "..",
	"a=b", "é", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "2026-01-01T00:00:00Z",
	"iqn.2001-04.com.example:storage.disk1", "a@b", "{}", strings.Repeat("a", 16), strings.Repeat("a", 33),
	strings.Repeat("a", 64), strings.Repeat("a", 129), strings.Repeat("a", 254), strings.Repeat("a", 300),
	strings.Repeat("a.", 130), strings.Repeat("a", 1025), strings.Repeat("a", 4097),
}

// word returns a text: most often a value of the enumeration, if the field has one, and otherwise one that the object
// has elsewhere, or one of the words.
func (m *mutator) word(enum []string, field string, t reflect.Type) string {
	switch n := m.Intn(10); {
	case len(enum) > 0 && n < 8:
		return pick(m.filler, enum...)
	case t == reflect.TypeFor[corev1.ResourceName]() && n < 7:
		return pick(m.filler, "cpu", "memory", "storage", "ephemeral-storage", "hugepages-2Mi", "hugepages-", "example.com/gpu",
			"pods", "requests.cpu", "limits.memory", "services", "count/pods", "kubernetes.io/a", "requests.example.com/gpu",
			"requests.storage", "a.storageclass.storage.k8s.io/requests.storage", "attachable-volumes-a")
	case len(m.texts) > 0 && n < 5:
		return pick(m.filler, m.texts...)
	case n < 7:
		return pick(m.filler, "a", "b", "a.example.com", "1", "/a", "example.com/a", "10.0.0.1")
	}
	return pick(m.filler, words...)
}

// enumerations adds the values that Kubernetes publishes for the fields of the types that a kind is made of.
func enumerations(published map[string]map[string][]string, t reflect.Type, into map[reflect.Type]map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		enumerations(published, t.Elem(), into)
	case reflect.Struct:
		if into[t] != nil {
			return
		}
		into[t] = map[string][]string{}
		maps.Copy(into[t], published[t.PkgPath()+"."+t.Name()])
		maps.Copy(into[t], typical[t])
		for i := range t.NumField() {
			enumerations(published, t.Field(i).Type, into)
		}
	}
}

// publishedValues returns the values of the table of published rules, by type and field.
func publishedValues(t *testing.T) map[string]map[string][]string {
	t.Helper()
	data, err := os.ReadFile(publishedFile)
	require.NoError(t, err)
	values, name := map[string]map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		field, tags, isField := strings.Cut(strings.TrimSpace(line), " ")
		if !isField {
			name = field
			values[name] = map[string][]string{}
		} else if _, of, ok := strings.Cut(tags, "publishEnum="); ok {
			values[name][field] = strings.Split(of, "|")
		}
	}
	return values
}

// newMutator returns a mutator that always makes the same changes.
func newMutator(t *testing.T, s subject) *mutator {
	t.Helper()
	enums := map[reflect.Type]map[string][]string{}
	enumerations(publishedValues(t), reflect.TypeOf(s.new()), enums)
	return &mutator{filler: newFiller(1), enums: enums, skipped: alpha}
}
