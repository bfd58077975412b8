package rest_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage/bolt"
)

// The file changes behind an API that holds no texts in memory. The API names the object, and never says that it does
// not exist.
func TestDamagedText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	store, err := bolt.Open(t.Context(), bolt.Options{Path: path, TextBytes: 1})
	require.NoError(t, err)
	apitest.CloseAtEnd(t, store)
	var log bytes.Buffer
	api := apitest.Start(t, rest.Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))},
		apitest.WidgetResource())
	for _, name := range []string{"a", "damaged", "z"} {
		apitest.CreateWidget(t, api, name)
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.LastIndex(content, []byte(`"name":"damaged"`))
	require.Positive(t, at)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	for ; at >= 0; at = bytes.LastIndex(content[:at], []byte(`"name":"damaged"`)) {
		_, err = file.WriteAt([]byte("D"), int64(at)+9)
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())

	for _, target := range []string{apitest.Widgets + "/damaged", apitest.Widgets, apitest.Widgets + "?limit=2"} {
		a := apitest.Do(t, api, "GET", target, "")
		assert.Equal(t, 500, a.Code, "%s: %s", target, a.Body)
		assert.Contains(t, a.Body, "damaged", target)
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		a := apitest.Do(t, api, method, apitest.Widgets+"/damaged", map[string]string{"PATCH": `{"spec":{"size":2}}`}[method],
			"Content-Type", "application/merge-patch+json")
		assert.GreaterOrEqual(t, a.Code, 500, "%s: %s", method, a.Body)
		assert.Contains(t, a.Body, "damaged", method)
	}
	for _, name := range []string{"a", "z"} {
		a := apitest.Do(t, api, "GET", apitest.Widgets+"/"+name, "")
		assert.Equal(t, 200, a.Code, a.Body)
	}
	a := apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
	assert.Equal(t, 200, a.Code, a.Body)
	assert.Contains(t, log.String(), path)
	assert.Contains(t, log.String(), "checksum")
}
