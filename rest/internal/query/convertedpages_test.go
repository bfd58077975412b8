package query_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// If the object after which a page begins cannot be converted, the list does not end early: the client gets the error,
// and later the page.
func TestPagesWhileAConversionFails(t *testing.T) {
	fails := ""
	declared := crateResource()
	declared.Versions = []rest.VersionOf[Crate]{rest.Converted(
		rest.Resource[OldCrate]{Version: "v1beta1", SelectableFields: []string{"spec.paint"}},
		func(in *OldCrate, out *Crate) error { out.Spec.Color = in.Spec.Paint; return nil },
		func(in *Crate, out *OldCrate) error {
			if out.Spec.Paint = in.Spec.Color; in.Name == fails {
				return errors.New("the other version cannot be made now")
			}
			return nil
		})}
	api := apitest.New(t, rest.Options{Queries: &rest.Queries{}, Limits: rest.Limits{CacheBytes: -1},
		Logger: apitest.LoggerTo(io.Discard)},
		declared)
	for _, name := range []string{"c1", "c2"} {
		apitest.Must(t, api, "POST", crates, crate(name, strings.Repeat("x", 2000)+name, 1, ""))
	}
	query := []string{"sortBy", "spec.paint", "limit", "1"}
	first := apitest.Do(t, api, "GET", with(oldCrates, query...), "")
	require.Equal(t, []string{"a/c1"}, found(t, first))
	next := with(oldCrates, append(query, "continue", first.Text(t, "metadata.continue"))...)
	fails = "c1"
	assert.Equal(t, http.StatusInternalServerError, apitest.Do(t, api, "GET", next, "").Code)
	fails = ""
	assert.Equal(t, []string{"a/c2"}, found(t, apitest.Do(t, api, "GET", next, "")))
}

// A token stays short if the JSON of the values is much longer than the values.
func TestTokensOfControlCharacters(t *testing.T) {
	api := newCrates(t, rest.Options{})
	for _, name := range []string{"c1", "c2"} {
		apitest.Must(t, api, "POST", crates, crate(name, strings.Repeat("\x01", 1000)+name, 1, ""))
	}
	query := []string{"sortBy", "spec.color", "limit", "1"}
	first := apitest.Do(t, api, "GET", with(allCrates, query...), "")
	require.Equal(t, []string{"a/c1"}, found(t, first))
	token := first.Text(t, "metadata.continue")
	assert.Less(t, len(token), 2<<10)
	assert.Equal(t, []string{"a/c2"}, found(t, apitest.Do(t, api, "GET", with(allCrates,
		append(query, "continue", token)...), "")))
}
