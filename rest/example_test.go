package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// Book is a kind: a struct with the shape of a Kubernetes object. What its tags say is checked and filled in.
type Book struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   BookSpec   `json:"spec"`
	Status BookStatus `json:"status,omitzero"`
}

type BookSpec struct {
	Title  string `json:"title" api:"minLength=1"`
	Shelf  string `json:"shelf,omitempty" api:"enum=new|old,default=new"`
	Copies int32  `json:"copies,omitempty" api:"min=1,default=1"`
}

type BookStatus struct {
	LentTo string `json:"lentTo,omitempty"`
}

// books is all that a resource needs to say.
func books() rest.Resource[Book] {
	return rest.Resource[Book]{Group: "library.example.com", Version: "v1", Plural: "books"}
}

// Declare a kind, make an API of it, and mount it in a server of your own, beside your own routes.
func Example() {
	api, err := rest.New(rest.Options{}, rest.Resource[Book]{
		Group: "library.example.com", Version: "v1", Plural: "books", Names: rest.Names{Short: []string{"bk"}},
		Columns: []rest.Column{{Name: "Title", Path: ".spec.title"}, {Name: "Copies", Type: "integer", Path: ".spec.copies"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	mux := http.NewServeMux()
	mux.Handle("/library/", http.StripPrefix("/library", api))
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	server := httptest.NewServer(mux)
	defer server.Close()

	// This is what kubectl create does, given the server http://HOST/library.
	collection := server.URL + "/library/apis/library.example.com/v1/namespaces/default/books"
	body := `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"emma"},"spec":{"title":"Emma"}}`
	answer, err := http.Post(collection, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	created, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status)
	fmt.Println(strings.Contains(string(created), `"shelf":"new"`))

	// The program itself needs no HTTP.
	books, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	book, err := books.Namespace("default").Get(context.Background(), "emma")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(book.Spec.Title, book.Spec.Copies)

	// Output:
	// 201 Created
	// true
	// Emma 1
}

// The errors of the client are the answers that a client over HTTP would get.
func ExampleClientForType() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")

	emma := &Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma", Copies: -3}}
	_, err = client.Create(ctx, emma)
	fmt.Println(status.IsInvalid(err), err)

	emma.Spec.Copies = 3
	first, err := client.Create(ctx, emma)
	if err != nil {
		log.Fatal(err)
	}
	second := *first
	second.Spec.Shelf = "old"
	if _, err = client.Update(ctx, &second); err != nil {
		log.Fatal(err)
	}
	first.Spec.Copies = 4 // somebody else has changed it meanwhile
	_, err = client.Update(ctx, first)
	fmt.Println(status.IsConflict(err))

	page, err := client.List(ctx, rest.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, book := range page.Items {
		fmt.Println(book.Name, book.Spec.Shelf, book.Spec.Copies)
	}

	// Output:
	// true Book.library.example.com "emma" is invalid: spec.copies: Invalid value: -3: spec.copies in body should be greater than or equal to 1
	// true
	// emma old 3
}

// A watch begins with what there is and goes on with what changes.
func ExampleClient_Watch() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	if _, err := client.Create(ctx,
		&Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma"}}); err != nil {
		log.Fatal(err)
	}

	for event, err := range client.Watch(ctx, rest.WatchOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s, lent to %q\n", event.Type, event.Object.Name, event.Object.Status.LentTo)
		switch event.Type {
		case apimeta.EventAdded: // a controller does something about it and says so in the status
			_, err = client.ModifyStatus(ctx, event.Object.Name, func(b *Book) error {
				b.Status.LentTo = "Jane"
				return nil
			})
		case apimeta.EventModified:
			err = client.Delete(ctx, event.Object.Name, rest.DeleteOptions{})
		}
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == apimeta.EventDeleted {
			break
		}
	}

	// Output:
	// ADDED emma, lent to ""
	// MODIFIED emma, lent to "Jane"
	// DELETED emma, lent to "Jane"
}

// Hooks say what tags cannot: defaults that depend on other fields, rules across fields, what must not be deleted.
func ExampleResource() {
	ctx := context.Background()
	library := apimeta.GroupResource{Group: "library.example.com", Resource: "books"}
	resource := books()
	resource.Hooks.Default = func(_ context.Context, b *Book) error {
		if b.Spec.Title == "" {
			b.Spec.Title = strings.ToUpper(b.Name[:1]) + b.Name[1:]
		}
		return nil
	}
	resource.Hooks.Validate = func(_ context.Context, b, old *Book) (errs status.FieldErrors, err error) {
		if old != nil && old.Spec.Shelf == "old" && b.Spec.Shelf == "new" {
			errs = append(errs, status.ForbiddenField(status.NewPath("spec", "shelf"), "books do not get younger"))
		}
		return errs, nil
	}
	resource.Hooks.ValidateDelete = func(_ context.Context, b *Book) error {
		if b.Status.LentTo != "" {
			return status.Forbidden(library, b.Name, "it is lent")
		}
		return nil
	}
	api, err := rest.New(rest.Options{}, resource)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	send := func(method, path, body string) {
		r := httptest.NewRequest(method, "/apis/library.example.com/v1/namespaces/default/books"+path,
			strings.NewReader(body))
		if method == http.MethodPatch {
			r.Header.Set("Content-Type", "application/merge-patch+json")
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		fmt.Println(method, w.Code)
	}
	send("POST", "", `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"emma"},"spec":{"shelf":"old"}}`)
	send("PATCH", "/emma", `{"spec":{"shelf":"new"}}`)
	send("PATCH", "/emma/status", `{"status":{"lentTo":"Jane"}}`)
	send("DELETE", "/emma", "")

	bookClient, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	emma, err := bookClient.Namespace("default").Get(ctx, "emma")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(emma.Spec.Title)

	// Output:
	// POST 201
	// PATCH 422
	// PATCH 200
	// DELETE 403
	// Emma
}

// Loan is what the subresource loan of a Book takes and answers.
type Loan struct {
	apimeta.TypeMeta `json:",inline"`
	To               string `json:"to"`
	Days             int32  `json:"days,omitempty" api:"default=14"`
}

// A subresource with Create is an action on an object: POST …/books/emma/loan.
func ExampleSubresource() {
	ctx := context.Background()
	var client rest.Client[Book]
	resource := books()
	resource.Subresources = []rest.SubresourceOf[Book]{rest.Subresource[Book, Loan]{
		Name: "loan",
		Create: func(ctx context.Context, b *Book, loan *Loan) (*Loan, error) {
			_, err := client.ModifyStatus(ctx, b.Name, func(b *Book) error {
				b.Status.LentTo = loan.To
				return nil
			})
			return loan, err
		},
	}}
	api, err := rest.New(rest.Options{}, resource)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	bookClient, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = bookClient.Namespace("default")
	if _, err := client.Create(ctx,
		&Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma"}}); err != nil {
		log.Fatal(err)
	}

	loan, err := rest.CreateSubresource(ctx, client, "emma", "loan", &Loan{To: "Jane"})
	if err != nil {
		log.Fatal(err)
	}
	emma, err := client.Get(ctx, "emma")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loan.Days, emma.Status.LentTo)

	// Output:
	// 14 Jane
}

// Rack is a kind with a wanted count, so autoscalers and kubectl scale can change it.
type Rack struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec RackSpec `json:"spec"`
}

type RackSpec struct {
	Boards int32 `json:"boards"`
}

// ReplicaCount is the JSON of Scale of autoscaling/v1.
type ReplicaCount struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec"`
}

// The client changes a count without knowing where the kind keeps it.
func ExampleUpdateSubresource() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{}, rest.Resource[Rack]{Group: "library.example.com", Version: "v1",
		Plural: "racks", Scale: &rest.Scale{SpecReplicas: ".spec.boards", StatusReplicas: ".spec.boards"}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Rack](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	novels := &Rack{ObjectMeta: apimeta.ObjectMeta{Name: "novels"}, Spec: RackSpec{Boards: 3}}
	if _, err := client.Create(ctx, novels); err != nil {
		log.Fatal(err)
	}

	scale, err := rest.GetSubresource[ReplicaCount](ctx, client, "novels", "scale")
	if err != nil {
		log.Fatal(err)
	}
	scale.Spec.Replicas++
	if _, err := rest.UpdateSubresource(ctx, client, "novels", "scale", scale); err != nil {
		log.Fatal(err)
	}
	novels, err = client.Get(ctx, "novels")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(novels.Spec.Boards, "boards")
	// Output: 4 boards
}

// Price is a question with its answer.
type Price struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   PriceSpec   `json:"spec"`
	Status PriceStatus `json:"status,omitzero"`
}

type PriceSpec struct {
	Pages int32 `json:"pages" api:"min=1"`
}

type PriceStatus struct {
	Cents int32 `json:"cents"`
}

// A kind with Call is never stored: what is created is answered with its status filled in.
func ExampleResource_call() {
	api, err := rest.New(rest.Options{}, rest.Resource[Price]{
		Group: "library.example.com", Version: "v1", Plural: "prices", Scope: rest.ScopeCluster,
		Hooks: rest.Hooks[Price]{
			Call: func(_ context.Context, p *Price) error {
				p.Status.Cents = 200 + 5*p.Spec.Pages
				return nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	prices, err := rest.ClientForType[Price](api)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := prices.Create(context.Background(), &Price{Spec: PriceSpec{Pages: 400}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status.Cents)

	// Output:
	// 2200
}

// A hook on all writes puts the user's name on what is written, and refuses what visitors do.
func ExampleOptions_admission() {
	api, err := rest.New(rest.Options{Admission: []admission.Hook{{
		Name:        "entry.library.example.com",
		Operations:  []admission.Operation{admission.Create, admission.Update},
		SideEffects: admission.SideEffectsNone,
		Mutate: func(_ context.Context, r *admission.Request) error {
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
				"annotations": map[string]string{"library.example.com/entered-by": r.User.Name},
			}})
			if err != nil {
				return err
			}
			return r.Patch(apimeta.MergePatch, patch)
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			if r.User.Name == "visitor" {
				return errors.New("visitors only read")
			}
			return nil
		},
	}}}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	for _, user := range []string{"jane", "visitor"} {
		book, err := client.Create(access.WithUser(context.Background(), access.User{Name: user}),
			&Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma-of-" + user}, Spec: BookSpec{Title: "Emma"}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(book.Name, book.Annotations)
	}
	// Output:
	// emma-of-jane map[library.example.com/entered-by:jane]
	// books.library.example.com "emma-of-visitor" is forbidden: visitors only read
}

// Pod is a kind whose objects take a while to end.
type Pod struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec PodSpec `json:"spec"`
}

type PodSpec struct {
	NodeName string `json:"nodeName,omitempty"`
}

// A kind says how long its objects have to end; a client may say otherwise.
func ExampleResource_gracePeriod() {
	pods := rest.Resource[Pod]{Group: "run.example.com", Version: "v1", Plural: "pods", RemoveWhenDue: true}
	pods.Hooks.GracePeriod = func(_ context.Context, pod *Pod, asked *int64) (int64, error) {
		switch {
		case pod.Spec.NodeName == "": // it runs nowhere
			return 0, nil
		case asked != nil: // the client's --grace-period
			return *asked, nil
		}
		return 30, nil
	}
	api, err := rest.New(rest.Options{}, pods)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	client, err := rest.ClientForType[Pod](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	for name, node := range map[string]string{"waiting": "", "running": "node-1"} {
		if _, err := client.Create(ctx,
			&Pod{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: PodSpec{NodeName: node}}); err != nil {
			log.Fatal(err)
		}
		if err := client.Delete(ctx, name, rest.DeleteOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	for pod, err := range client.All(ctx, rest.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(pod.Name, "has", *pod.DeletionGracePeriodSeconds, "seconds")
	}
	// Output: running has 30 seconds
}

// Apply says which fields shall have which values and owns them from then on. Who applies another value to a field of
// someone else's learns of the conflict.
func ExampleClient_Apply() {
	api, err := rest.New(rest.Options{}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	ctx := context.Background()
	client, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")

	spec := func(fields map[string]any) map[string]any { return map[string]any{"spec": fields} }
	_, err = client.FieldManager("shop").Apply(ctx, "emma", spec(map[string]any{"title": "Emma", "copies": 2}),
		apimeta.ApplyOptions{})
	fmt.Println(err)
	book, err := client.FieldManager("archive").Apply(ctx, "emma", spec(map[string]any{"title": "Emma", "shelf": "old"}),
		apimeta.ApplyOptions{})
	fmt.Println(book.Spec.Copies, book.Spec.Shelf, err)
	_, err = client.FieldManager("archive").Apply(ctx, "emma", spec(map[string]any{"copies": 1}), apimeta.ApplyOptions{})
	fmt.Println(err)
	// Output:
	// <nil>
	// 2 old <nil>
	// Apply failed with 1 conflict: conflict with "shop": .spec.copies
}

// A controller may call ModifyStatus in every reconcile. If the status does not change, ModifyStatus writes nothing.
func ExampleClient_ModifyStatus() {
	api, err := rest.New(rest.Options{}, books())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	bookClient, err := rest.ClientForType[Book](api)
	if err != nil {
		log.Fatal(err)
	}
	ctx, client := context.Background(), bookClient.Namespace("default")
	book, err := client.Create(ctx, &Book{ObjectMeta: apimeta.ObjectMeta{Name: "emma"}, Spec: BookSpec{Title: "Emma"}})
	for _, reader := range []string{"jane", "jane", "john"} {
		if err != nil {
			log.Fatal(err)
		}
		before := book.ResourceVersion
		book, err = client.ModifyStatus(ctx, "emma", func(book *Book) error {
			book.Status.LentTo = reader
			return nil
		})
		if err == nil {
			fmt.Println(book.Status.LentTo, book.ResourceVersion != before)
		}
	}
	// Output:
	// jane true
	// jane false
	// john true
}
