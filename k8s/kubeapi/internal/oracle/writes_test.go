package oracle

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/internal/test/roundstest"
)

// agreement counts the answers about a kind on which both sides agree.
type agreement struct {
	// requests counts all requests, and codes counts the answers with the same code and reason. accepted counts the
	// requests that both sides accept. Of these, objects, owners and warnings count the answers with the same object,
	// managedFields and warnings.
	requests, codes, accepted, objects, owners, warnings int
	// faults counts the faults that Kubernetes finds, fields the faults that we find with the same field and type, and
	// texts the faults that we describe in the same words. refused counts the requests that were refused with another
	// code than 422, and messages the answers to them with the same message.
	faults, fields, texts, refused, messages int
}

func (a agreement) String() string {
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", float64(1000*n/of)/10)
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s | %s | %s | %s |", a.requests, share(a.codes, a.requests),
		share(a.objects, a.accepted), share(a.owners, a.accepted), share(a.warnings, a.accepted),
		share(a.fields, a.faults), share(a.texts, a.faults), share(a.messages, a.refused))
}

const agreementHead = "| requests | code | object | owners | warnings | field and type | text of a fault | other messages |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

// agreements are the agreements by kind, or by kind and subresource, with examples of what differs.
type agreements struct {
	of     map[string]*agreement
	differ map[string][]string
	// sent holds everything that clients have sent. The server may have chosen any other value in an answer.
	sent strings.Builder
}

func newAgreements() *agreements {
	return &agreements{of: map[string]*agreement{}, differ: map[string][]string{}}
}

// note remembers a difference, and one request that shows it.
func (a *agreements) note(kind, what string, e sending) {
	what = kind + ": " + indices.ReplaceAllString(what, "[]")
	a.differ[what] = append(a.differ[what], fmt.Sprintf("%s %s %s", e.method, e.path, e.body))
}

// sending is a request that changes something.
type sending struct {
	method, path, media string
	body                []byte
}

// both sends a request to both sides, compares the answers, and returns them.
func (a *agreements) both(t *testing.T, kind string, e sending) (want, got answer) {
	t.Helper()
	if e.media == "" {
		e.media = asJSON
	}
	a.sent.Write(e.body)
	want = kubernetesAPI(t).sendAs(t, e.method, e.path, e.media, e.body)
	got = ourAPI(t).sendAs(t, e.method, e.path, e.media, e.body)
	a.compare(t, kind, e, want, got)
	return want, got
}

func (a *agreements) compare(t *testing.T, kind string, e sending, want, got answer) {
	t.Helper()
	if a.of[kind] == nil {
		a.of[kind] = &agreement{}
	}
	n := a.of[kind]
	n.requests++
	if want.code != got.code || want.reason() != got.reason() {
		a.note(kind, fmt.Sprintf("code: Kubernetes: %d %.200s, we: %d %.200s", want.code, want.message(), got.code,
			got.message()), e)
		return
	}
	n.codes++
	switch {
	case want.code < 300:
		n.accepted++
		a.compareObjects(t, kind, n, e, want, got)
	case want.code == http.StatusUnprocessableEntity:
		a.compareFaults(t, kind, n, e, want, got)
	default:
		n.refused++
		if one, other := differ.ReplaceAllString(want.message(), "new"),
			differ.ReplaceAllString(got.message(), "new"); one == other {
			n.messages++
		} else {
			a.note(kind, fmt.Sprintf("message: Kubernetes: %.300s, we: %.300s", one, other), e)
		}
	}
}

func (a *agreements) compareObjects(t *testing.T, kind string, n *agreement, e sending, want, got answer) {
	t.Helper()
	theirs, ours := a.shown(t, want), a.shown(t, got)
	if strings.Contains(e.path, "dryRun=All") {
		deleteSelfLink(theirs)
	}
	owners := differences("", ownersOf(theirs), ownersOf(ours))
	for _, d := range owners {
		a.note(kind, "owners: "+d, e)
	}
	if len(owners) == 0 {
		n.owners++
	}
	objects := differences("", theirs, ours)
	for _, d := range objects {
		a.note(kind, "object: "+d, e)
	}
	if len(objects) == 0 {
		n.objects++
	}
	if slices.Equal(want.warnings, got.warnings) {
		n.warnings++
	} else {
		a.note(kind, fmt.Sprintf("warnings: Kubernetes: %q, we: %q", want.warnings, got.warnings), e)
	}
}

// deleteSelfLink removes the selfLink of a patch. Kubernetes shows it in a dry run, and does not store it.
func deleteSelfLink(obj any) {
	if m, ok := obj.(map[string]any)["metadata"].(map[string]any); ok {
		delete(m, "selfLink")
	}
}

func (a *agreements) compareFaults(t *testing.T, kind string, n *agreement, e sending, want, got answer) {
	t.Helper()
	theirs, ours := want.allCauses(t), got.allCauses(t)
	at := func(f fault) fault { return f.at() }
	for _, f := range theirs {
		n.faults++
		if slices.ContainsFunc(ours, func(o fault) bool { return at(o) == at(f) }) {
			n.fields++
		}
		if slices.Contains(ours, f) {
			n.texts++
			continue
		}
		a.note(kind, fmt.Sprintf("fault: only Kubernetes: %s: %s: %.300s", f.field, f.kind, f.detail), e)
	}
	for _, f := range ours {
		if !slices.Contains(theirs, f) {
			a.note(kind, fmt.Sprintf("fault: only we: %s: %s: %.300s", f.field, f.kind, f.detail), e)
		}
	}
}

// reason and message belong to an answer that refuses a request.
func (a answer) reason() string  { return string(a.status().Reason) }
func (a answer) message() string { return a.status().Message }

func (a answer) status() (s metav1.Status) {
	if a.code >= 300 {
		_ = json.Unmarshal(a.body, &s) // a plain text answer has neither
	}
	return s
}

// allCauses is like causes but includes the faults of the metadata. It removes the structs from the messages.
func (a answer) allCauses(t *testing.T) (all []fault) {
	t.Helper()
	details := a.status().Details
	if details == nil {
		return nil
	}
	for _, c := range details.Causes {
		detail, _, _ := strings.Cut(c.Message, "\n") // a difference of objects follows
		detail = differ.ReplaceAllString(suffixed.ReplaceAllString(detail, `"${1}suffix"`), "new")
		all = append(all, fault{volumes.ReplaceAllString(c.Field, "volumes[]"), string(c.Type), structs.ReplaceAllString(detail, "$1: ")})
	}
	return all
}

// chosen matches values that the server chooses for a Service.
var chosen = regexp.MustCompile(`"10\.0\.0\.[0-9]+"|\b3[0-9]{4}\b`)

// suffixed matches a name that ends with a random suffix.
var suffixed = regexp.MustCompile(`"([^"]*gen-|a{58})[bcdfghjklmnpqrstvwxz2456789]{5}"`)

// volumes matches the index of a volume. Kubernetes adds the volumes for the claims of a StatefulSet in any order.
var volumes = regexp.MustCompile(`volumes\[[0-9]+\]`)

// token matches a token of a service account.
var token = regexp.MustCompile(`"token":"[^"]+"`)

// shown returns an object of an answer without the values that are new or that the server has chosen.
func (a *agreements) shown(t *testing.T, of answer) any {
	t.Helper()
	sent := a.sent.String()
	of.body = chosen.ReplaceAllFunc(of.body, func(found []byte) []byte {
		if strings.Contains(sent, string(found)) {
			return found
		}
		return []byte(`"chosen"`)
	})
	of.body = suffixed.ReplaceAll(of.body, []byte(`"${1}suffix"`))
	of.body = token.ReplaceAll(of.body, []byte(`"token":"issued"`))
	return of.shown(t)
}

// ownersOf takes the managedFields out of an object. It returns them without their times, by manager and operation.
func ownersOf(obj any) any {
	m, ok := obj.(map[string]any)["metadata"].(map[string]any)
	if !ok {
		return nil
	}
	entries, _ := m["managedFields"].([]any)
	delete(m, "managedFields")
	all := map[string]any{}
	for _, e := range entries {
		entry := e.(map[string]any)
		_, timed := entry["time"]
		all[fmt.Sprintf("%v %v %v %v timed %v", entry["manager"], entry["operation"], entry["subresource"],
			entry["apiVersion"], timed)] = entry["fieldsV1"]
	}
	return all
}

// subjectOf returns the kind of an example.
func subjectOf(t *testing.T, doc map[string]any) subject {
	t.Helper()
	gvk := schema.FromAPIVersionAndKind(doc["apiVersion"].(string), doc["kind"].(string))
	i := slices.IndexFunc(coreSubjects(), func(s subject) bool { return s.gvk == gvk })
	require.GreaterOrEqual(t, i, 0, gvk)
	return coreSubjects()[i]
}

// written is a kind with its examples.
type written struct {
	subject
	name string
	path string
	docs []map[string]any
}

// kindsToWrite returns all kinds that have examples, by name.
func kindsToWrite(t *testing.T) (all []written) {
	t.Helper()
	docs := documents(t)
	for _, e := range servedExamples(t) {
		docs = append(docs, e.doc)
	}
	byName := map[string]*written{}
	for _, doc := range docs {
		s := subjectOf(t, doc)
		name := s.gvk.Kind
		if s.gvk.Kind == "Event" && s.gvk.Group != "" || s.gvk.Version == "v1" && s.gvk.Group == "autoscaling" {
			name += " of " + s.gvk.GroupVersion().String()
		}
		if byName[name] == nil {
			byName[name] = &written{subject: s, name: name, path: place(t, doc)}
		}
		byName[name].docs = append(byName[name].docs, doc)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, *byName[name])
	}
	return all
}

// author makes random requests about a kind.
type author struct {
	*mutator
	written
	hasStatus bool
	n         int
}

func newAuthor(t *testing.T, w written, seed int64) *author {
	t.Helper()
	m := newMutator(t, w.subject)
	m.skipped = nil // a server drops these fields
	h := fnv.New32()
	h.Write([]byte(w.name))
	m.filler = newFiller(seed<<8 + int64(h.Sum32()))
	_, hasStatus := reflect.TypeOf(w.new()).Elem().FieldByName("Status")
	return &author{mutator: m, written: w, hasStatus: hasStatus}
}

// nameOf returns a name that the kind accepts. Each n gets another name.
func (a *author) nameOf(round int64, n int) string {
	switch a.gvk.Kind {
	case "IPAddress":
		return fmt.Sprintf("2001:db8::%x:%x", round%0xffff+1, n+1)
	case "APIService":
		return fmt.Sprintf("v%d.%d.example.com", round, n)
	}
	return fmt.Sprintf("w%d-%d", round, n)
}

// object returns a random object with a name. It usually changes the metadata, the status or the rest of an example.
func (a *author) object(t *testing.T, name string, metadata, status bool) map[string]any {
	t.Helper()
	doc := maps.Clone(pick(a.filler, a.docs...))
	obj := a.decode(t, encode(t, doc))
	if a.Intn(4) > 0 {
		a.mutate(obj, status)
	}
	m := obj.(metav1.Object)
	m.SetName(name)
	if metadata {
		a.changeMetadata(m)
	}
	a.leaveOutChosen(obj)
	var out map[string]any
	require.NoError(t, json.Unmarshal(encode(t, obj), &out))
	out["apiVersion"], out["kind"] = doc["apiVersion"], doc["kind"]
	return out
}

// leaveOutChosen usually removes the fields of a Service that the server then chooses.
func (a *author) leaveOutChosen(obj any) {
	s, ok := obj.(*corev1.Service)
	if !ok || a.Intn(4) == 0 {
		return
	}
	if s.Spec.ClusterIP != corev1.ClusterIPNone {
		s.Spec.ClusterIP, s.Spec.ClusterIPs = "", nil
	}
	s.Spec.HealthCheckNodePort = 0
	for i := range s.Spec.Ports {
		s.Spec.Ports[i].NodePort = 0
	}
}

// meaningful maps annotations that Kubernetes reads to some of their values.
var meaningful = map[string][]string{
	"kubernetes.io/ingress.class":                            {"a", "nginx"},
	"container.apparmor.security.beta.kubernetes.io/a":       {"runtime/default", "localhost/a", "localhost/", "unconfined", "x"},
	"container.apparmor.security.beta.kubernetes.io/none":    {"runtime/default"},
	"seccomp.security.alpha.kubernetes.io/pod":               {"runtime/default", "localhost/../a", "x"},
	"container.seccomp.security.alpha.kubernetes.io/a":       {"runtime/default", "x"},
	"scheduler.alpha.kubernetes.io/critical-pod":             {""},
	"scheduler.alpha.kubernetes.io/tolerations":              {`[{"key":"a","operator":"Exists"}]`, "{", `[{"operator":"x"}]`},
	"scheduler.alpha.kubernetes.io/taints":                   {"{"},
	"scheduler.alpha.kubernetes.io/preferAvoidPods":          {"{", `{"preferAvoidPods":[{"podSignature":{}}]}`},
	"security.alpha.kubernetes.io/sysctls":                   {"a=b"},
	"pod.beta.kubernetes.io/init-containers":                 {"[]"},
	"controller.kubernetes.io/pod-deletion-cost":             {"1", "-1", "+1", "x", "1.5"},
	"kubernetes.io/config.mirror":                            {"a"},
	"deprecated.daemonset.template.generation":               {"3", "-1", "x"},
	"deployment.kubernetes.io/revision":                      {"2"},
	"kubernetes.io/service-account.name":                     {"", "a"},
	"kubernetes.io/enforce-mountable-secrets":                {"true"},
	"service.kubernetes.io/topology-mode":                    {"Auto", "x"},
	"service.kubernetes.io/topology-aware-hints":             {"Auto", "x"},
	"service.beta.kubernetes.io/load-balancer-source-ranges": {"10.0.0.0/8", " 10.0.0.0/8, 10.1.0.0/16", "x"},
	"volume.beta.kubernetes.io/storage-class":                {"a", ""},
	"volume.beta.kubernetes.io/mount-options":                {"a"},
	"endpoints.kubernetes.io/hostnames-map":                  {"{"},
	"flowcontrol.k8s.io/preserve-zero-concurrency-shares":    {""},
	"autoscaling.alpha.kubernetes.io/conditions":             {"[]", "x"},
	"autoscaling.alpha.kubernetes.io/behavior":               {"{}"},
	"kubectl.kubernetes.io/last-applied-configuration":       {"{}"},
	"storageclass.kubernetes.io/is-default-class":            {"true"},
	"rbac.authorization.kubernetes.io/autoupdate":            {"true"},
	"batch.kubernetes.io/job-tracking":                       {""},
	"Not Valid!":                                             {"a"},
	"example.com/a":                                          {"a", strings.Repeat("a", 300<<10)},
}

// changeMetadata changes one or two things in the metadata.
func (a *author) changeMetadata(m metav1.Object) {
	for range pick(a.filler, 1, 1, 2) {
		switch a.Intn(9) {
		case 0:
			m.SetLabels(pick(a.filler, nil, map[string]string{"a": "b"}, map[string]string{"Bad key!": "b"},
				map[string]string{"a": "not valid!"}, map[string]string{"kubernetes.io/metadata.name": "x"},
				map[string]string{"job-name": "x", "controller-uid": "x"},
				map[string]string{"endpoints.kubernetes.io/managed-by": "endpoint-controller",
					"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}))
		case 1, 2, 3:
			key := pick(a.filler, slices.Sorted(maps.Keys(meaningful))...)
			all := maps.Clone(m.GetAnnotations())
			if all == nil {
				all = map[string]string{}
			}
			all[key] = pick(a.filler, meaningful[key]...)
			m.SetAnnotations(all)
		case 4:
			m.SetFinalizers(pick(a.filler, nil, []string{"example.com/a"}, []string{"bare"}, []string{"orphan"},
				[]string{"orphan", "foregroundDeletion"}, []string{"kubernetes"}, []string{"Not/Valid!"}))
		case 5:
			owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n", UID: "u"}
			controller := owner
			controller.Controller = new(true)
			second := controller
			second.UID = "v"
			nameless := owner
			nameless.Name = ""
			m.SetOwnerReferences(pick(a.filler, nil, []metav1.OwnerReference{owner}, []metav1.OwnerReference{owner, owner},
				[]metav1.OwnerReference{controller, second}, []metav1.OwnerReference{nameless}))
		case 6:
			m.SetGeneration(pick[int64](a.filler, 0, 7, -1))
			m.SetSelfLink("/a")
			m.SetCreationTimestamp(metav1.Unix(1e9, 0))
		case 7:
			m.SetUID(pick[types.UID](a.filler, "", "other"))
			m.SetResourceVersion(pick(a.filler, "", "", "1"))
		case 8:
			m.SetDeletionTimestamp(&metav1.Time{Time: metav1.Unix(1e9, 0).Time})
			m.SetDeletionGracePeriodSeconds(new(int64(3)))
		}
	}
}

// oddName gives a new object another name, or lets the server generate one.
func (a *author) oddName(doc map[string]any) {
	m := doc["metadata"].(map[string]any)
	switch a.Intn(3) {
	case 0:
		m["name"] = pick(a.filler, "web.a", "system-x", "UPPER", "a_b", "-a", "a-", "a..b", "1a", strings.Repeat("a", 63),
			strings.Repeat("a", 64), strings.Repeat("a", 253), strings.Repeat("a", 254), "a:b", "a/b", "..", "a%b", "10.0.0.7",
			"x.static.k8s.io", "system-cluster-critical", "exempt", "cluster-admin")
	case 1:
		delete(m, "name")
		m["generateName"] = pick(a.filler, "gen-", "a.gen-", "Bad_gen-", strings.Repeat("a", 250)+"-gen-", "gen-")
	default:
		delete(m, "name")
	}
}

// patchOf returns the merge patch that turns one document into another.
func patchOf(old, now map[string]any) map[string]any {
	patch := map[string]any{}
	for key, value := range now {
		one, isMap := old[key].(map[string]any)
		other, isStill := value.(map[string]any)
		if isMap && isStill {
			if below := patchOf(one, other); len(below) > 0 {
				patch[key] = below
			}
		} else if !reflect.DeepEqual(old[key], value) {
			patch[key] = value
		}
	}
	for key := range old {
		if _, ok := now[key]; !ok {
			patch[key] = nil
		}
	}
	return patch
}

const (
	mergePatch = "application/merge-patch+json"
	applyPatch = "application/apply-patch+yaml"
)

// dryRuns sends creations, and one request of each sort about a stored object. The servers store nothing.
func (a *author) dryRuns(t *testing.T, found *agreements, stored string, doc map[string]any) {
	t.Helper()
	at, dry := a.path+"/"+stored, "?dryRun=All&fieldManager=second"
	created := a.object(t, a.nameOf(0, 1), a.Intn(2) == 0, false)
	if a.Intn(3) == 0 {
		a.oddName(created)
	}
	found.both(t, a.name, sending{http.MethodPost, a.path + dry, "", encode(t, created)})
	found.both(t, a.name, sending{http.MethodPut, at + dry, "", encode(t, a.object(t, stored, a.Intn(2) == 0, false))})
	changed := a.object(t, stored, true, false)
	found.both(t, a.name, sending{http.MethodPatch, at + dry, mergePatch, encode(t, patchOf(doc, changed))})
	found.both(t, a.name, sending{http.MethodPatch, at + dry + "&force=true", applyPatch,
		encode(t, a.object(t, stored, a.Intn(2) == 0, false))})
}

// story creates an object and changes it in several ways, as long as both sides accept the creation.
func (a *author) story(t *testing.T, found *agreements, name string) {
	t.Helper()
	at := a.path + "/" + name
	send := func(method, path, media string, doc any) (ok bool) {
		want, got := found.both(t, a.name, sending{method, path, media, encode(t, doc)})
		return want.code < 300 && got.code < 300
	}
	first := a.object(t, name, a.Intn(2) == 0, false)
	delete(first["metadata"].(map[string]any), "finalizers")
	if !send(http.MethodPost, a.path+"?fieldManager=first", "", first) {
		for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
			s.send(t, http.MethodDelete, at, asJSON, nil)
		}
		return
	}
	for range 4 {
		manager := "?fieldManager=" + pick(a.filler, "first", "second")
		same := true
		switch n := a.Intn(6); {
		case n == 0:
			same = send(http.MethodPut, at+manager, "", a.object(t, name, a.Intn(2) == 0, false))
		case n == 1:
			same = send(http.MethodPatch, at+manager, mergePatch, patchOf(first, a.object(t, name, true, false)))
		case n == 2:
			same = send(http.MethodPatch, at+manager+"&force=true", applyPatch, a.object(t, name, a.Intn(2) == 0, false))
		case n == 3:
			same = send(http.MethodPut, at+manager, "", first)
		case a.hasStatus && n == 4:
			same = send(http.MethodPatch, at+"/status"+manager+"&force=true", applyPatch, a.object(t, name, a.Intn(2) == 0, true))
		case a.hasStatus:
			same = send(http.MethodPut, at+"/status"+manager, "", a.object(t, name, a.Intn(2) == 0, true))
		}
		if !same { // the sides may store different objects now
			found.both(t, a.name, sending{http.MethodGet, at, "", nil})
		}
	}
	for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
		s.sendAs(t, http.MethodPatch, at, mergePatch, []byte(`{"metadata":{"finalizers":null}}`))
		s.send(t, http.MethodDelete, at+"?gracePeriodSeconds=0", asJSON, nil)
	}
}

// TestWrites sends random writes about every kind to both sides. The writes randomly change everything that a client
// may send. The test compares the code, the object, its managedFields, the warnings and the faults, and writes how
// often both sides agree into the README of the module.
func TestWrites(t *testing.T) {
	found := newAgreements()
	only := os.Getenv("DECORUM_KIND") // limits the test to one kind, to find the cause of a difference
	roundsDone := roundstest.Run(t, 8, func(t *testing.T, seed int64) {
		for _, w := range kindsToWrite(t) {
			if only != "" && only != w.name {
				continue
			}
			a := newAuthor(t, w, seed)
			base := a.nameOf(seed, 0)
			doc := maps.Clone(w.docs[0])
			doc["metadata"] = with(doc["metadata"].(map[string]any), "name", base, true)
			found.both(t, w.name, sending{http.MethodPost, w.path + "?fieldManager=first", "", encode(t, doc)})
			for range 4 {
				a.dryRuns(t, found, base, doc)
			}
			for n := range 2 {
				a.story(t, found, a.nameOf(seed, n+2))
			}
			for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
				s.send(t, http.MethodDelete, w.path+"/"+base+"?gracePeriodSeconds=0", asJSON, nil)
			}
		}
	})
	found.report(t)
	if roundsDone && only == "" && os.Getenv("DECORUM_ROUNDS") == "" {
		found.check(t, "writes", "-run TestWrites", "kind")
	}
}

// report logs each difference with one request that shows it.
func (a *agreements) report(t *testing.T) {
	t.Helper()
	if !testing.Verbose() {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(a.differ)) {
		t.Logf("%d times %s\n\t%.1500s", len(a.differ[what]), what, a.differ[what][0])
	}
}

// check compares the shares with a table in the README.
func (a *agreements) check(t *testing.T, table, run, head string) {
	t.Helper()
	var rows strings.Builder
	rows.WriteString("| " + head + " " + agreementHead)
	sum := agreement{}
	for _, kind := range slices.Sorted(maps.Keys(a.of)) {
		fmt.Fprintf(&rows, "| %s %s\n", kind, a.of[kind])
		sum = sum.plus(*a.of[kind])
	}
	fmt.Fprintf(&rows, "| all %s\n", sum)
	checkTable(t, table, run, rows.String())
}

func (a agreement) plus(b agreement) agreement {
	return agreement{a.requests + b.requests, a.codes + b.codes, a.accepted + b.accepted, a.objects + b.objects,
		a.owners + b.owners, a.warnings + b.warnings, a.faults + b.faults, a.fields + b.fields, a.texts + b.texts,
		a.refused + b.refused, a.messages + b.messages}
}
