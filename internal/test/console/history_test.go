package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// Part is a kind with a history and with fields that queries may name.
type Part struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   PartSpec   `json:"spec"`
	Status PartStatus `json:"status,omitzero"`
}

type PartSpec struct {
	Size  int64  `json:"size" api:"min=0,max=100000"`
	Color string `json:"color,omitempty"`
}

type PartStatus struct {
	Looks int `json:"looks,omitempty"`
}

const parts = "/apis/example.com/v1/namespaces/default/parts"

func partResource() rest.Resource[Part] {
	return rest.Resource[Part]{Group: "example.com", Version: "v1", Plural: "parts",
		SelectableFields: []string{"spec.size", "spec.color"}, History: &rest.History{},
		Columns: []rest.Column{{Name: "Size", Type: "integer", Path: ".spec.size"},
			{Name: "Color", Type: "string", Path: ".spec.color"}}}
}

func newParts(t *testing.T, options rest.Options, resource rest.Resource[Part]) *rest.API {
	t.Helper()
	api, err := rest.New(options, resource)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return api
}

// makeParts creates n parts, whose sizes descend with their names.
func makeParts(t *testing.T, api *rest.API, n int) rest.Client[Part] {
	t.Helper()
	client := resttest.Client[Part](t, api).FieldManager("maker").Namespace("default")
	for i := range n {
		_, err := client.Create(t.Context(), &Part{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprintf("part-%04d", i)},
			Spec: PartSpec{Size: int64(n - i), Color: []string{"red", "blue", "dark red"}[i%3]}})
		require.NoError(t, err)
	}
	return client
}

// changeSize changes the size of part-0000 as the user rita.
func changeSize(t *testing.T, client rest.Client[Part], size int64) {
	t.Helper()
	ctx := access.WithUser(t.Context(), access.User{Name: "rita"})
	_, err := client.FieldManager("editor").Modify(ctx, "part-0000", func(p *Part) error {
		p.Spec.Size = size
		return nil
	})
	require.NoError(t, err)
}

func TestHistory(t *testing.T) {
	api := newParts(t, rest.Options{}, partResource())
	client := makeParts(t, api, 1)
	changeSize(t, client, 2)
	changeSize(t, client, 3)
	url := serve(t, api)
	p := openPage(t, url)
	p.open("#" + parts + "/part-0000")
	p.clickText("[role=tab]", "history")
	p.awaitText(".versions tbody tr.current", "rita")
	p.awaitText(".versions tbody tr.current", "editor")
	p.awaitText(".versions tbody tr.current", ".spec.size")
	assert.Len(t, p.texts(".versions tbody tr"), 3)
	assert.Empty(t, p.texts(".versions tr.current .acts button:nth-child(2)"), "the present state cannot be undone to")

	p.awaitText(".changes", ".spec.size")
	assert.Equal(t, []string{"2"}, p.texts(".changes del"))
	assert.Equal(t, []string{"3"}, p.texts(".changes ins"))
	first := p.texts("#compare-from option")[2]
	p.choose("#compare-from", first)
	p.await("document.querySelector('.changes del')?.textContent === '1'")
	p.clickText("[aria-label='Show revision "+first+"']", "Show")
	p.awaitText(".former", "size: 1")

	// A version that somebody else writes meanwhile appears by itself.
	changeSize(t, client, 4)
	p.await("document.querySelectorAll('.versions tbody tr').length === 4")

	p.clickText("[aria-label='Undo to this revision "+first+"']", "Undo")
	p.awaitText(".difference ins", "size: 1")
	assert.EqualValues(t, 4, at(get(t, url+"/platform"+parts+"/part-0000"), "spec", "size"), "a dry run changes nothing")
	p.clickText("dialog button", "Undo")
	p.await("!document.querySelector('dialog')")
	p.awaitText(".versions tr.current", "Undo")
	p.awaitText(".versions tr.current", "console")
	assert.EqualValues(t, 1, at(get(t, url+"/platform"+parts+"/part-0000"), "spec", "size"))
}

// An undo is an ordinary write, so the API may refuse it, and the page shows why.
func TestRefusedUndo(t *testing.T) {
	resource := partResource()
	var soldOut atomic.Bool
	resource.Hooks.Validate = func(_ context.Context, p, _ *Part) (errs status.FieldErrors, err error) {
		if soldOut.Load() && p.Spec.Size == 1 {
			errs = append(errs, status.InvalidField(status.NewPath("spec", "size"), p.Spec.Size, "this size is sold out"))
		}
		return errs, nil
	}
	api := newParts(t, rest.Options{}, resource)
	changeSize(t, makeParts(t, api, 1), 2)
	soldOut.Store(true)
	url := serve(t, api)
	p := openPage(t, url)
	p.open("#" + parts + "/part-0000?tab=history")
	p.clickText("[aria-label^='Undo to']", "Undo")
	p.awaitText("dialog .failure", "422")
	p.awaitText("dialog .failure", "this size is sold out")
	p.await("document.querySelector('dialog .primary').disabled")
	assert.EqualValues(t, 2, at(get(t, url+"/platform"+parts+"/part-0000"), "spec", "size"))
}

func TestRestoreOfADeletedObject(t *testing.T) {
	api := newParts(t, rest.Options{}, partResource())
	makeParts(t, api, 2)
	url := serve(t, api)
	p := openPage(t, url)
	p.open("#" + parts + "/part-0000?tab=history")
	p.awaitText(".versions tr.current", "Create")
	p.clickText(".actions button", "Delete")
	p.clickText("dialog button", "Review")
	p.awaitText("dialog", "restores it by its name")
	p.clickText("dialog button", "Delete")
	p.awaitText(".history .warn", "No Part part-0000 exists.")

	// A page that has not seen the object finds it by its name.
	p.open("#/apis/example.com/v1/parts")
	p.awaitText("tbody tr", "part-0001")
	p.clickText(".bar button", "Restore")
	p.fill("#restore-namespace", "default")
	p.fill("#restore-name", "part-0000")
	p.clickText(".versions button", "Restore")
	p.awaitText("dialog[open]", "another uid")
	p.awaitText(".difference ins", "color: red")
	p.clickText("dialog button", "Restore")
	p.awaitText(".dot", "live")
	p.awaitText(".versions tr.current", "Undo")
	assert.Equal(t, "red", at(get(t, url+"/platform"+parts+"/part-0000"), "spec", "color"))

	p.open("#" + parts + "/never?tab=history")
	p.awaitText(".failure", "404")
}

// A user without the right to undo sees the history only, and one without the right to see it has no tab.
func TestRightsOfTheHistory(t *testing.T) {
	for name, c := range map[string]struct {
		denied string
		undo   bool
		tab    bool
	}{
		"both": {"", true, true}, "no undo": {"undo", false, true}, "no history": {"history", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			api := newParts(t, rest.Options{Authorizer: access.AuthorizerFunc(
				func(_ context.Context, a access.Access) (access.Decision, error) {
					if a.Subresource != "" && a.Subresource == c.denied {
						return access.Deny("not you"), nil
					}
					return access.Allow("anybody"), nil
				})}, partResource())
			changeSize(t, makeParts(t, api, 1), 2)
			p := openPage(t, serve(t, api))
			p.open("#" + parts)
			p.awaitText("tbody tr", "part-0000")
			p.awaitText(".bar button", "Create")
			if c.undo {
				p.awaitText(".bar button", "Restore")
			} else {
				assert.NotContains(t, p.texts(".bar button"), "Restore")
			}
			p.open("#" + parts + "/part-0000")
			p.awaitText("[role=tab]", "edit")
			assert.Equal(t, c.tab, slices.Contains(p.texts("[role=tab]"), "history"))
			p.open("#" + parts + "/part-0000?tab=history")
			if !c.tab {
				p.awaitText(".panel", "You may not see the history")
			} else {
				p.awaitText(".versions .acts", "Show")
				assert.Len(t, p.texts("[aria-label^='Undo to']"), map[bool]int{true: 1}[c.undo])
			}
		})
	}
}

func TestQueries(t *testing.T) {
	api := newParts(t, rest.Options{Queries: &rest.Queries{}}, partResource())
	client := makeParts(t, api, 1200)
	p := openPage(t, serve(t, api))
	p.open("#" + parts)
	p.awaitText(".state", "1,200 objects")

	// A column sorts by its field. The pages come as the table is scrolled, and all show one revision.
	p.clickText("th button", "Size")
	p.awaitText(".state", "500 read, and there are more · sorted by the API")
	p.await("document.querySelector('tbody a')?.textContent === 'part-1199'")
	revision := p.texts(".state span")[0]
	changeSize(t, client, 5000)
	p.awaitText(".state button", "1 changes since: sort again")
	p.run("document.querySelector('.scroller').scrollTop = 1e9")
	p.awaitText(".state", "1,000 read")
	p.run("document.querySelector('.scroller').scrollTop = 1e9")
	p.awaitText(".state", "1,200 objects")
	assert.Contains(t, p.texts(".state span")[0], strings.SplitAfter(revision, " at revision ")[1], "the pages stay at a revision")
	p.clickText(".state button", "sort again")
	p.awaitText(".state", "500 read")
	p.clickText("th button", "Size")
	p.awaitAddress("sort=-Size")
	p.await("document.querySelector('tbody a')?.textContent === 'part-0000'")

	p.fill("#query", "spec.size in (1,2,3),metadata.name^=part-11")
	p.awaitText(".state", "3 objects")
	assert.Equal(t, []string{"part-1197", "part-1198", "part-1199"}, p.texts("tbody a"))
	// A table of one page is sorted again by itself.
	_, err := client.Modify(t.Context(), "part-1199", func(p *Part) error {
		p.Spec.Size = 3
		return nil
	})
	require.NoError(t, err)
	_, err = client.Modify(t.Context(), "part-1197", func(p *Part) error {
		p.Spec.Size = 1
		return nil
	})
	require.NoError(t, err)
	p.await("document.querySelector('tbody a')?.textContent === 'part-1199'")

	p.fill("#query", "spec.weight>1")
	p.awaitText(".failure", "400")
	p.awaitText(".failure", "spec.color")

	p.fill("#query", "spec.size<=6")
	p.clickText(".bar button", "Counts")
	p.awaitText(".facets button", "dark red 2")
	p.clickText(".facets button", "dark red")
	p.awaitAddress(`spec.color="dark+red"`)
	p.awaitText(".state", "2 objects")
	p.await("document.querySelector('.facets button[aria-pressed=true]')")
	p.clickText(".facets button[aria-pressed=true]", "dark red")
	p.awaitText(".state", "6 objects")
}

// The query field suggests fields, operators and values.
func TestQueryCompletes(t *testing.T) {
	api := newParts(t, rest.Options{Queries: &rest.Queries{}}, partResource())
	makeParts(t, api, 3)
	p := openPage(t, serve(t, api))
	p.open("#" + parts)
	p.await("document.querySelector('#query')")
	p.run("document.querySelector('#query').focus()")
	p.press("spec.co")
	p.awaitText("#query-list li", "spec.color")
	p.press(kb.ArrowDown + kb.Enter)
	p.awaitText("#query-list li", "spec.color^=")
	p.press("=red,spec.size<=2" + kb.Enter)
	p.awaitText(".state", "0 objects")
	p.awaitAddress("spec.color=red,spec.size<=2")
}

// Without the extensions, the page sorts itself, and offers neither queries nor a history.
func TestAPIWithoutExtensions(t *testing.T) {
	resource := partResource()
	resource.History = nil
	api := newParts(t, rest.Options{}, resource)
	makeParts(t, api, 3)
	p := openPage(t, serve(t, api))
	p.open("#" + parts + "?sort=Size&fieldQuery=spec.size>1")
	p.awaitText(".bar", "The API has no queries")
	p.awaitText(".state", "3 objects")
	p.awaitText(".dot", "live")
	p.await("[...document.querySelectorAll('tbody a')].map((a) => a.textContent).join() === 'part-0002,part-0001,part-0000'")
	assert.Empty(t, p.texts("#query"))
	assert.NotEmpty(t, p.texts("#fields-list"))
	assert.NotContains(t, p.texts(".bar button"), "Counts")
	assert.NotContains(t, p.texts(".bar button"), "Restore")
	p.open("#" + parts + "/part-0000?tab=history")
	p.awaitText("[role=tab][aria-selected=true]", "overview")
	assert.NotContains(t, p.texts("[role=tab]"), "history")
}
