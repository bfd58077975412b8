package kubeconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/kubeconfig"
	"github.com/decorum-go/decorum/rest/resttest"
)

// whole returns a kubeconfig with a cluster and a user. Both arguments are members of a YAML flow
// mapping.
func whole(cluster, user string) string {
	return `apiVersion: v1
kind: Config
preferences: {}
current-context: here
clusters:
- name: c
  cluster: {` + cluster + `}
contexts:
- name: here
  context: {cluster: c, user: u, namespace: mine, extensions: [{name: x}]}
users:
- name: u
  user: {` + user + `}
`
}

const anyServer = "server: https://api.example.com/prefix"

// write writes a file into a directory and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestParse(t *testing.T) {
	config, err := kubeconfig.Parse(kubeconfig.Options{}, []byte(whole(anyServer, "")))
	require.NoError(t, err)
	assert.Equal(t, "https://api.example.com/prefix", config.Server.URL)
	assert.Equal(t, "mine", config.Namespace)
	assert.Equal(t, "here", config.Context)

	text := strings.NewReplacer(", namespace: mine", "", "current-context: here\n", "", ", user: u",
		"").Replace(whole(anyServer, ""))
	config, err = kubeconfig.Parse(kubeconfig.Options{Context: "here"}, []byte(text))
	require.NoError(t, err)
	assert.Equal(t, "default", config.Namespace)
}

// An error names the file, the context and the field.
func TestErrors(t *testing.T) {
	const pem = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t" // the beginning of one
	for _, c := range []struct{ name, text, want string }{
		{"no YAML", "a: [", "yaml: "},
		{"a list", "[]", "cannot unmarshal array"},
		{"a wrong type", whole(anyServer, "token: [a]"), "cannot unmarshal array"},
		{"another kind", "kind: Pod\napiVersion: v1", "the kind is Pod of v1, but must be Config of v1"},
		{"nothing", "", "no current-context is set, and Options.Context is empty"},
		{"no context", "current-context: here", `current-context: no context "here"`},
		{"no cluster", strings.Replace(whole(anyServer, ""), "- name: c\n", "- name: other\n", 1),
			`context "here": cluster: no cluster "c"`},
		{"no user", strings.Replace(whole(anyServer, ""), "- name: u\n", "- name: other\n", 1),
			`context "here": user: no user "u"`},
		{"a name twice", strings.Replace(whole(anyServer, ""), "contexts:\n", "- name: c\n  cluster: {}\ncontexts:\n", 1),
			`clusters: duplicate name "c"`},
		{"no server", whole("", ""), `context "here": cluster "c": server: required`},
		{"a server without a scheme", whole("server: api.example.com", ""),
			`cluster "c": server: "api.example.com" must have the form`},
		{"a server with a query", whole("server: 'https://api.example.com?a=b'", ""),
			`cluster "c": server: "https://api.example.com?a=b" must have the form`},
		{"an invalid server URL", whole("server: 'https://%zz'", ""), `cluster "c": server: parse`},
		{"an invalid proxy URL", whole(anyServer+", proxy-url: 'http://%zz'", ""), `cluster "c": proxy-url: parse`},
		{"a proxy of another kind", whole(anyServer+", proxy-url: 'ftp://me:secret@proxy'", ""),
			`cluster "c": proxy-url: the scheme of "ftp://me:xxxxx@proxy" is not http`},
		{"no file", whole(anyServer+", certificate-authority: missing.pem", ""), `cluster "c": certificate-authority: open `},
		{"no base64", whole(anyServer+", certificate-authority-data: '*'", ""), "illegal base64"},
		{"no certificate", whole(anyServer+", certificate-authority-data: "+pem, ""),
			`cluster "c": certificate-authority: contains no PEM certificate`},
		{"a file and data", whole(anyServer+", certificate-authority: a, certificate-authority-data: "+pem, ""),
			`certificate-authority: cannot be combined with certificate-authority-data`},
		{"insecure with an authority",
			whole(anyServer+", insecure-skip-tls-verify: true, certificate-authority-data: "+pem, ""),
			"insecure-skip-tls-verify: cannot be combined with certificate-authority"},
		{"a certificate without a key", whole(anyServer, "client-certificate-data: "+pem),
			`context "here": user "u": client-key: required if client-certificate is set`},
		{"a key without a certificate", whole(anyServer, "client-key-data: "+pem),
			`user "u": client-certificate: required if client-key is set`},
		{"no pair", whole(anyServer, "client-key-data: "+pem+", client-certificate-data: "+pem),
			`user "u": client-certificate: tls: `},
		{"no key file", whole(anyServer, "client-key: missing.pem, client-certificate-data: "+pem),
			`user "u": client-key: open `},
		{"no token file", whole(anyServer, "tokenFile: missing"), `user "u": tokenFile: open `},
		{"a token and a name", whole(anyServer, "token: secret, username: me"),
			`user "u": token: cannot be combined with username`},
		{"groups of nobody", whole(anyServer, "as-groups: [g]"),
			`user "u": as: required if as-uid, as-groups or as-user-extra is set`},
		{"exec", whole(anyServer, "exec: {apiVersion: client.authentication.k8s.io/v1, command: login}"),
			`user "u": exec: the program "login" must obtain the credentials, but Options.Run is not set`},
		{"exec without a command", whole(anyServer, "exec: {}"), `user "u": exec: command is missing`},
		{"auth-provider", whole(anyServer, "auth-provider: {name: oidc}"),
			`user "u": auth-provider: the provider "oidc" must obtain the credentials`},
		{"both", whole(anyServer, "auth-provider: {name: oidc}, exec: {command: login}"),
			"exec: cannot be combined with auth-provider"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := kubeconfig.Parse(kubeconfig.Options{}, []byte(c.text))
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "secret")
			assert.Regexp(t, "^kubeconfig: ", err.Error())
			if c.name == "nothing" {
				return
			}
			path := write(t, t.TempDir(), "config", c.text)
			_, err = kubeconfig.Load(kubeconfig.Options{}, path)
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "kubeconfig: "+path+": ")
		})
	}
	_, err := kubeconfig.Parse(kubeconfig.Options{Context: "there"}, []byte(whole(anyServer, "")))
	assert.EqualError(t, err, `kubeconfig: no context "there"`)
	_, err = kubeconfig.Load(kubeconfig.Options{}, filepath.Join(t.TempDir(), "missing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = kubeconfig.Load(kubeconfig.Options{})
	assert.ErrorContains(t, err, "no file exists")
}

// A path may name something without an end, such as a device.
func TestFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	large := write(t, dir, "large", "")
	require.NoError(t, os.Truncate(large, 16<<20+1))
	_, err := kubeconfig.Load(kubeconfig.Options{}, large)
	assert.EqualError(t, err, "kubeconfig: "+large+": exceeds the limit of 16777216 bytes")
	for _, text := range []string{whole(anyServer+", certificate-authority: large", ""),
		whole(anyServer, "tokenFile: large"),
		whole(anyServer, "client-key: large")} {
		_, err = kubeconfig.Load(kubeconfig.Options{}, write(t, dir, "config", text))
		assert.ErrorContains(t, err, large+": exceeds the limit")
	}
}

// The first file that contains a name determines the whole entry, and the first file that sets
// current-context wins.
func TestMerging(t *testing.T) {
	dir := t.TempDir()
	first := write(t, dir, "first", `
contexts:
- name: a
  context: {cluster: shared, user: shared}
users:
- name: shared
  user: {as: first}
`)
	second := write(t, dir, "second",
		strings.NewReplacer("here", "b", "name: c", "name: shared", "cluster: c", "cluster: shared").
			Replace(whole("server: https://second.example.com", ""))+`
- name: shared
  user: {as-groups: [g]} # is not merged with that of first, where it would be an error
`)
	third := write(t, dir, "third",
		strings.NewReplacer("here", "c", "name: c\n",
			"name: shared\n").Replace(whole("server: https://third.example.com", "")))
	for _, c := range []struct {
		paths         []string
		context       string
		server, chose string
	}{
		{[]string{first, second, third}, "", "https://second.example.com", "b"},
		{[]string{first, third, second}, "a", "https://third.example.com", "a"},
		{[]string{third, "", first, second, third}, "a", "https://third.example.com", "a"},
	} {
		config, err := kubeconfig.Load(kubeconfig.Options{Context: c.context}, c.paths...)
		require.NoError(t, err)
		assert.Equal(t, c.server, config.Server.URL)
		assert.Equal(t, c.chose, config.Context)
	}
}

// Default reads the same files as kubectl.
func TestDefault(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("KUBECONFIG", "")
	_, err := kubeconfig.Default(kubeconfig.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	write(t, home, ".kube/config", whole("server: https://home.example.com", ""))
	config, err := kubeconfig.Default(kubeconfig.Options{})
	require.NoError(t, err)
	assert.Equal(t, "https://home.example.com", config.Server.URL)

	other := write(t, home, "other", whole("server: https://other.example.com", ""))
	missing := filepath.Join(home, "missing")
	t.Setenv("KUBECONFIG", strings.Join([]string{missing, other}, string(filepath.ListSeparator)))
	config, err = kubeconfig.Default(kubeconfig.Options{})
	require.NoError(t, err)
	assert.Equal(t, "https://other.example.com", config.Server.URL)
	t.Setenv("KUBECONFIG", missing)
	_, err = kubeconfig.Default(kubeconfig.Options{})
	assert.EqualError(t, err, "kubeconfig: no file exists: "+missing)
}

// A client works with the server of a file.
func TestClientOfAFile(t *testing.T) {
	s := resttest.New(t, rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	config, err := kubeconfig.Load(kubeconfig.Options{}, s.Kubeconfig())
	require.NoError(t, err)
	defer config.Server.HTTP.CloseIdleConnections()
	notes, err := rest.ClientForEndpoint(config.Server,
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	require.NoError(t, err)
	notes = notes.Namespace(config.Namespace)
	n := &Note{}
	n.Name = "a"
	n, err = notes.Create(t.Context(), n)
	require.NoError(t, err)
	assert.Equal(t, "default", n.ObjectMeta.Namespace)
}

// FuzzParse asserts that Parse returns either a usable configuration or an error.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "current-context: x", whole(anyServer, ""), whole(anyServer, "token: hush"),
		whole(anyServer, "username: a, password: hush"),
		whole(anyServer+", tls-server-name: x, insecure-skip-tls-verify: true, disable-compression: true, proxy-url: socks5://p",
			"as: x, as-uid: u, as-groups: [a, b], as-user-extra: {k/%: [v]}"),
		whole(anyServer, "exec: {command: ./x, args: [a], env: [{name: A, value: B}], provideClusterInfo: true}"),
		whole(anyServer, "auth-provider: {name: gcp, config: {a: b}}"),
		"clusters: [{name: a}, {name: a}]", "contexts: [{name: null, context: null}]\ncurrent-context: null",
		"a: &a [*a]", "users: [{name: u, user: {client-certificate-data: AAAA, client-key-data: AAAA}}]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		config, err := kubeconfig.Parse(kubeconfig.Options{Run: kubeconfig.RunExec}, []byte(text))
		if err != nil {
			assert.Regexp(t, "^kubeconfig: ", err.Error())
			assert.Empty(t, config)
			return
		}
		assert.NotEmpty(t, config.Namespace)
		assert.NotEmpty(t, config.Context)
		assert.NotNil(t, config.Server.HTTP.Transport)
		assert.Regexp(t, "^https?://", strings.ToLower(config.Server.URL))
	})
}
