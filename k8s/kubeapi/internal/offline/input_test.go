package offline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Templates and clusters write YAML in many ways.
func TestFormsOfInput(t *testing.T) {
	const good, bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad}\n"
	const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  a: b\n  a: c\n"
	item := func(text string) string {
		return "- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
	}
	for _, c := range []struct{ name, in, want, summary string }{
		{"comments and empty documents", "# a\n---\n# b\n---\n---\n\n---\n" + bad + "---\n",
			"-:10: error: ConfigMap Bad: metadata.name: ", "0 valid, 1 invalid"},
		{"ends of lines of Windows", strings.ReplaceAll(good+"---\n"+bad, "\n", "\r\n"),
			"-:7: error: ConfigMap Bad: metadata.name: ", "1 valid, 1 invalid"},
		{"a byte order mark", "\ufeff" + bad + "---\n" + good, "-:3: error: ConfigMap Bad: metadata.name: ",
			"1 valid, 1 invalid"},
		{"a byte order mark before a separator", "\ufeff---\n" + bad, "-:4: error: ConfigMap Bad: metadata.name: ",
			"0 valid, 1 invalid"},
		{"a byte order mark before JSON",
			"\ufeff{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\n\"metadata\":{\"name\":\"Bad\"}} {}",
			"-:2: error: ConfigMap Bad: metadata.name: ", "0 valid, 1 invalid, 0 unknown, 1 unreadable"},
		{"a document on the line of its separator", good + "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: Bad}}\n",
			"-:4: error: ConfigMap Bad: metadata.name: ", "1 valid, 1 invalid"},
		{"a comment on the line of a separator", good + "--- # next\n" + bad, "-:7: error: ConfigMap Bad: metadata.name: ",
			"1 valid, 1 invalid"},
		{"an end of a document", good + "...\n" + bad + "...\n---\n" + good, "-:7: error: ConfigMap Bad: metadata.name: ",
			"2 valid, 1 invalid"},
		{"a separator in a block of text", strings.Replace(bad, "}", "}\ndata:\n  text: |\n    ---\n    a\n", 1),
			"-:3: error: ConfigMap Bad: metadata.name: ", "0 valid, 1 invalid"},
		{"an anchor and a merge key",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: &l {a: b}, annotations: {<<: *l, c: 1}}\n",
			"-:3: error: ConfigMap a: ", "0 valid, 1 invalid"},
		{"a list in a list", "kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items:\n  " +
			strings.ReplaceAll(item(bad), "\n", "\n  "), "-:9: error: ConfigMap Bad: metadata.name: ", "0 valid, 1 invalid"},
		{"an empty list", "kind: List\napiVersion: v1\nitems: []\n", "", "0 valid, 0 invalid, 0 unknown, 0 unreadable"},
		{"null in a list", "kind: List\napiVersion: v1\nitems: [null]\n", "", "0 valid, 0 invalid, 0 unknown, 0 unreadable"},
		{"a key twice", twice, "-:6: error: ConfigMap twice: ", "0 valid, 1 invalid"},
		{"a key twice in the second item of a list",
			"kind: List\napiVersion: v1\nitems:\n" + item(good) + item(twice) + item(good),
			"-:12: error: ConfigMap twice: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:   line 12: key \"a\"",
			"2 valid, 1 invalid"},
		{"a removed version", "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n",
			"-:1: error: CronJob a: the API serves no kind CronJob in batch/v1beta1, but in batch/v1\n",
			"0 valid, 0 invalid, 1 unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, _ := run(t, nil, c.in, "-f", "-")
			assert.Empty(t, stderr)
			assert.True(t, strings.HasPrefix(stdout, c.want), stdout)
			assert.True(t, strings.HasPrefix(stdout[strings.LastIndex(strings.TrimSuffix(stdout, "\n"), "\n")+1:], c.summary),
				stdout)
		})
	}
}

// Input that nobody has written by hand has a finding, and takes neither the memory nor the time that it asks for.
func TestHostileInput(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += strings.NewReplacer("N", string(c), "O", string(c-1)).Replace("N: &N [*O,*O,*O,*O,*O,*O,*O,*O,*O,*O]\n")
	}
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, c := range []struct{ name, in, want string }{
		{"a bomb of aliases", configMap + bomb, "excessive aliasing"},
		{"an alias of itself", configMap + "data: &a {b: *a}\n", "anchor 'a' value contains itself"},
		{"deep lists", configMap + "data: " + strings.Repeat("[", 1e6), "exceeded max depth"},
		{"deep blocks", configMap + "data:\n" + strings.Repeat("- ", 1e5) + "a", "exceeded max depth"},
		{"deep JSON", strings.Repeat(`{"a":`, 1e6), "exceeded max depth"},
		{"an unknown anchor", configMap + "data: *nobody\n", "unknown anchor 'nobody'"},
		{"no UTF-8", configMap + "data: {a: \xff}\n", "invalid leading UTF-8 octet"},
		{"UTF-16", "\xff\xfea\x00:\x00", "the file is encoded in UTF-16: write it in UTF-8"},
		{"a program", "\x7fELF\x02\x01\x01\x00\x00", "control characters are not allowed"},
		{"a tab", configMap + "data:\n\ta: b\n", "found character that cannot start any token"},
		{"text", "hello\n", "the document is not an object"},
		{"an object that no API takes", configMap + "data: {a: " + strings.Repeat("a", 4<<20) + "}\n", "limit is 3145728"},
		{"names of other types", "apiVersion: 1\nkind: [a]\nmetadata: 7\n", "apiVersion is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := run(t, nil, c.in, "-f", "-")
			assert.Empty(t, stderr)
			assert.Contains(t, stdout, c.want)
			assert.NotZero(t, code)
			assert.Less(t, len(stdout), 2000)
		})
	}
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestFiles(t *testing.T) {
	const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n"
	in := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		return dir
	}
	t.Run("links", func(t *testing.T) {
		dir := in(t, map[string]string{"all/a.yaml": good, "b": good})
		require.NoError(t, os.Symlink(filepath.Join(dir, "all"), filepath.Join(dir, "link")))
		require.NoError(t, os.Symlink(filepath.Join(dir, "b"), filepath.Join(dir, "all", "b.json")))
		stdout, stderr, code := run(t, nil, "", "-f", filepath.Join(dir, "link"))
		assert.Equal(t, "2 valid, 0 invalid, 0 unknown, 0 unreadable\n", stdout, stderr)
		assert.Zero(t, code)
	})
	for _, c := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"a link to a folder", "is neither a file nor a link to one",
			func(path string) error { return os.Symlink(filepath.Dir(path), path) }},
		{"a link to nothing", "no such file or directory", func(path string) error { return os.Symlink("nothing", path) }},
		{"a link to itself", "too many levels of symbolic links", func(path string) error { return os.Symlink(path, path) }},
		{"a device", "is neither a file nor a link to one", func(path string) error { return os.Symlink("/dev/zero", path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := in(t, map[string]string{"a.yaml": good})
			require.NoError(t, c.make(filepath.Join(dir, "b.yaml")))
			stdout, stderr, code := run(t, nil, "", "-f", dir)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, "b.yaml")
			assert.Contains(t, stderr, c.want)
			assert.Equal(t, 2, code)
		})
	}
	t.Run("no end", func(t *testing.T) {
		_, stderr, code := runOn(t, zeros{}, "-f", "-")
		assert.Equal(t, "validate: - is larger than 64 MiB\n", stderr)
		assert.Equal(t, 2, code)
	})
	t.Run("standard input twice", func(t *testing.T) {
		_, stderr, code := run(t, nil, good, "-f", "-", "--old", "-")
		assert.Equal(t, "validate: - is standard input, and can be named once\n", stderr)
		assert.Equal(t, 2, code)
	})
}
