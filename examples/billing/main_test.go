package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/examples/program/programtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// start runs the program until the test ends, and returns the URL of the service.
func start(t *testing.T) string {
	t.Helper()
	if _, err := postgrestest.Installed(); err != nil {
		t.Skip(err) // it says what to install; CI installs Postgres
	}
	service, _ := programtest.Start(t, run)
	return strings.TrimSuffix(service, "/platform")
}

// issue asks the service for an invoice, and returns the code and the text of the answer.
func issue(t *testing.T, service, customer, cents string) (int, string) {
	t.Helper()
	answer, err := http.PostForm(service+"/invoices", url.Values{"customer": {customer}, "cents": {cents}})
	require.NoError(t, err)
	return read(t, answer)
}

func read(t *testing.T, answer *http.Response) (int, string) {
	t.Helper()
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, strings.TrimSpace(string(body))
}

// A row and its object appear together, and a change of the object reaches the row.
func TestRowsAndObjectsAgree(t *testing.T) {
	service := start(t)
	code, number := issue(t, service, "books", "4200")
	require.Equal(t, http.StatusOK, code, number)
	client, err := rest.ClientForEndpoint(rest.Endpoint{URL: service + "/platform"}, invoices())
	require.NoError(t, err)
	invoices := client.Namespace(namespace)
	_, err = invoices.Modify(t.Context(), "invoice-"+number, func(in *Invoice) error {
		assert.Equal(t, int64(4200), in.Spec.Cents)
		in.Spec.State = "Cancelled"
		return nil
	})
	require.NoError(t, err)
	resttest.WaitFor(t, invoices, "invoice-"+number, func(in *Invoice) bool { return in.Status.State == "Cancelled" })
	answer, err := http.Get(service + "/invoices/" + number)
	require.NoError(t, err)
	code, row := read(t, answer)
	assert.Equal(t, http.StatusOK, code)
	assert.Equal(t, "books 4200 Cancelled", row)
}

// The rules of the kind protect the table: an invoice that they refuse leaves no row.
func TestRefusedInvoiceLeavesNoRow(t *testing.T) {
	service := start(t)
	code, text := issue(t, service, "books", "-1")
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, text, "spec.cents")
	answer, err := http.Get(service + "/invoices/1")
	require.NoError(t, err)
	code, _ = read(t, answer)
	assert.Equal(t, http.StatusNotFound, code)
}

func TestKindKeepsTheConventions(t *testing.T) { conventions.Vet(t, invoices()) }
